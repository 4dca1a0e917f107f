//! What users and the client do to a settings file between two of our changes, done to its text without the engine.

use proptest::prelude::*;
use proptest::sample::select;

use super::files::{Layout, MARKER, Tree};
use super::reader::{decoded, read};

const GROUP: &str = r#"{"hooks": [{"type": "command", "command": "added-by-the-user"}]}"#;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    /// Another value for one key.
    Value,
    /// One more key before all others.
    KeyAtTheTop,
    /// One more group at the end of an event, and the whole file written anew in the client's own layout.
    RewriteWithGroup,
}

pub(super) fn any_edit() -> impl Strategy<Value = Edit> {
    select(vec![Edit::Value, Edit::KeyAtTheTop, Edit::RewriteWithGroup])
}

impl Edit {
    /// `None` where there is nothing to edit.
    pub(super) fn apply(self, text: &str) -> Option<String> {
        match self {
            Self::Value => {
                let (before, after) = text.split_once(MARKER)?;
                Some(format!("{before}[\"another\\n\", {{ }}]{after}"))
            }
            Self::KeyAtTheTop => {
                let (before, after) = text.split_once('{').filter(|_| text.contains(MARKER))?;
                Some(format!("{before}{{\r\n   \"added\": [1],{after}"))
            }
            Self::RewriteWithGroup => Some(with_group(Tree::from(&read(text))).render(client_layout())),
        }
    }
}

fn client_layout() -> Layout {
    Layout::Lines { unit: "  ".to_owned(), hollow: "", line_end: "\n" }
}

fn with_group(mut root: Tree) -> Tree {
    let hooks = entry(&mut root, "hooks", Tree::Object(Vec::new()));
    let event = entry(hooks, "Stop", Tree::List(Vec::new()));
    if let Tree::List(groups) = event {
        groups.push(Tree::from(&read(GROUP)));
    }
    root
}

/// The value under the key, made where there is none.
fn entry<'a>(tree: &'a mut Tree, name: &str, new: Tree) -> &'a mut Tree {
    let Tree::Object(members) = tree else { panic!("{name} stands in an object") };
    let at = members.iter().position(|(key, _)| decoded(key) == name).unwrap_or_else(|| {
        members.push((format!("\"{name}\""), new));
        members.len() - 1
    });
    &mut members[at].1
}
