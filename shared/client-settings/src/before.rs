//! The file before we changed it. An empty list that we filled and a list that we made look alike once our entry is gone: an
//! earlier text tells them apart.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use super::document::{Document, masked};
use super::{Owner, read, without_mark};

/// The newest earlier text that holds nothing of ours.
#[derive(Debug, Clone, Copy)]
pub(super) struct BeforeUs<'a>(pub(super) &'a str);

impl<'a> BeforeUs<'a> {
    pub(super) fn find(earlier: &'a [Option<String>], owner: &Owner<'_>) -> Option<Self> {
        let texts = earlier.iter().map(|text| text.as_deref().unwrap_or_default());
        let holds_nothing =
            |text: &&str| read(text, owner).is_ok_and(|there| there.as_wanted(owner).is_nothing());
        texts.clone().find(holds_nothing).map(Self)
    }

    /// The container at this path of keys, once it is empty again: as written, if it was empty then, too. `None`: it did not exist.
    pub(super) fn container(&self, path: &[String]) -> Option<String> {
        let text = without_mark(self.0);
        let masked = masked(text);
        let document = Document::parse(text, &masked).ok()?;
        let Some((last, parents)) = path.split_last() else {
            let is_empty = document.root.properties.is_empty();
            return is_empty.then(|| document.original(document.root.range).to_owned());
        };
        let parent = parents.iter().try_fold(&document.root, |object, key| object.get_object(key))?;
        let value = &parent.get(last)?.value;
        let (is_empty, empty) = match value {
            Value::Object(object) => (object.properties.is_empty(), "{}"),
            Value::Array(array) => (array.elements.is_empty(), "[]"),
            // Claude Code takes null for nothing, and our entry took its place.
            Value::NullKeyword(_) => (true, "null"),
            _ => return None,
        };
        Some(if is_empty { document.original(value.range()).to_owned() } else { empty.to_owned() })
    }
}
