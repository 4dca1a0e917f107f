//! One value set or removed by its path. The library writes in the style of the file: its indentation and line ends. A container on
//! one line gets lines where our value has some.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstRootNode};
use serde_json::Value;

use super::document::Document;

#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'p> {
    Key(&'p str),
    /// An element, or a new one at the end.
    Item(usize),
}

pub(super) const END: Step<'_> = Step::Item(usize::MAX);

impl Document<'_> {
    /// The text with `value` at the path, and with the containers that are missing on the way. A value that cannot hold the next
    /// one gives way to a container.
    pub(super) fn set(&self, path: &[Step<'_>], value: &Value) -> String {
        self.edited(|root| {
            let depth =
                (1..=path.len()).rev().find(|depth| node_at(root, &path[..*depth]).is_some()).unwrap_or(0);
            let container = node_at(root, &path[..depth])?;
            let new = |depth| input(&wrapped(&path[depth..], value));
            match (path.get(depth), container.as_object(), container.as_array()) {
                (Some(Step::Key(key)), Some(object), _) => drop(object.append(key, new(depth + 1))),
                (Some(Step::Item(_)), _, Some(list)) => drop(list.append(new(depth + 1))),
                _ => replace(&container, new(depth))?,
            }
            Some(())
        })
    }

    /// The text without the value at the path and the containers that this leaves empty.
    pub(super) fn remove(&self, path: &[Step<'_>]) -> String {
        self.edited(|root| {
            let mut depth = path.len();
            // With its only entry goes a group as a whole, whatever else is in it.
            let is_group = |depth: usize| matches!(path[depth - 2], Step::Item(_));
            while depth > 1 && (is_group(depth) || len(&node_at(root, &path[..depth - 1])?) == 1) {
                depth -= 1;
            }
            let node = node_at(root, &path[..depth])?;
            match node.parent()?.as_object_prop() {
                Some(property) => property.remove(),
                None => node.remove(),
            }
            Some(())
        })
    }

    fn edited(&self, edit: impl FnOnce(&CstRootNode) -> Option<()>) -> String {
        let edited = CstRootNode::parse(self.text, &ParseOptions::default()).ok().and_then(|root| {
            edit(&root)?;
            Some(root.to_string())
        });
        edited.unwrap_or_else(|| self.text.to_owned())
    }
}

fn node_at(root: &CstRootNode, path: &[Step<'_>]) -> Option<CstNode> {
    path.iter().try_fold(root.value()?, |node, step| match step {
        Step::Key(key) => node.as_object()?.get(key)?.value(),
        Step::Item(index) => node.as_array()?.elements().get(*index).cloned(),
    })
}

fn replace(node: &CstNode, new: CstInputValue) -> Option<()> {
    if let Some(property) = node.parent()?.as_object_prop() {
        property.set_value(new);
    } else {
        // The library indents a new element, but none that takes another's place.
        node.parent()?.as_array()?.insert(node.element_index()?, new);
        node.clone().remove();
    }
    Some(())
}

fn len(container: &CstNode) -> usize {
    let properties = container.as_object().map(|object| object.properties().len());
    properties.or_else(|| Some(container.as_array()?.elements().len())).unwrap_or_default()
}

/// The value inside the containers that these steps lead through.
fn wrapped(path: &[Step<'_>], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |value, step| match step {
        Step::Key(key) => Value::Object([((*key).to_owned(), value)].into_iter().collect()),
        Step::Item(_) => Value::Array(vec![value]),
    })
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(map) => {
            CstInputValue::Object(map.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
