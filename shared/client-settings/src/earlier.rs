//! Giving back what a text was before us. An empty list that we filled, and one that we made, look alike once we take our
//! entry out again: the texts the file had before tell them apart.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use super::document::{Document, Masked};
use super::{Owner, Wanted, arranged, is_blank, present};

/// The newest earlier text that holds nothing of ours.
#[derive(Debug, Clone, Copy)]
pub(super) struct BeforeUs<'a> {
    /// `None`: there was no file.
    pub(super) text: Option<&'a str>,
}

impl<'a> BeforeUs<'a> {
    pub(super) fn find(earlier: &'a [Option<String>], owner: &Owner<'_>) -> Option<Self> {
        let holds_nothing = |text: &&Option<String>| {
            present(text.as_deref().unwrap_or_default(), owner)
                .is_ok_and(|present| present.as_wanted(owner).is_nothing())
        };
        earlier.iter().find(holds_nothing).map(|text| Self { text: text.as_deref() })
    }

    /// Text of the object or list at this path of keys once it is empty again: as it was written, if it was empty then too.
    /// `None` if it was not there.
    pub(super) fn container(&self, path: &[String]) -> Option<String> {
        let masked = Masked::new(super::without_mark(self.text?));
        let document = Document::parse(&masked).ok()?;
        let Some((last, parents)) = path.split_last() else {
            let is_empty = document.root.properties.is_empty();
            return is_empty.then(|| document.original(document.root.range).to_owned());
        };
        let parent = parents.iter().try_fold(&document.root, |object, key| object.get_object(key))?;
        let value = &parent.get(last)?.value;
        let (is_empty, empty) = match value {
            Value::Object(object) => (object.properties.is_empty(), "{}"),
            Value::Array(array) => (array.elements.is_empty(), "[]"),
            _ => return None,
        };
        Some(if is_empty { document.original(value.range()).to_owned() } else { empty.to_owned() })
    }

    /// There was no file, or a blank one, and nothing is left in this text either.
    pub(super) fn was_nothing_and_is_again(&self, text: &str) -> bool {
        let is_empty = |text: &str| super::without_mark(text).trim() == "{}";
        self.text.is_none_or(is_blank) && is_empty(text)
    }
}

/// Restores a text that nobody but us has changed: the newest earlier text that is as wanted, else the text before us with the
/// wanted parts in it. With `leaves_entries` the second way is not open. `None` if the user has changed something, because no
/// earlier text has that change.
#[expect(clippy::option_option, reason = "an earlier text was found; there was a file")]
pub(super) fn given_back(
    there: &str,
    owner: &Owner<'_>,
    wanted: &Wanted,
    earlier: &[Option<String>],
    before_us: Option<&BeforeUs<'_>>,
) -> Option<Option<String>> {
    let leaves_entries = wanted.leaves_entries;
    let now = Wanted { leaves_entries, ..present(there, owner).ok()?.as_wanted(owner) };
    let became = |text: &str| arranged(text, owner, &now, before_us).is_ok_and(|text| text == there);
    let is_it = |text: &&Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        is_as_wanted(text, owner, wanted) && became(text)
    };
    let as_if_new = || {
        let text = before_us.filter(|_| !leaves_entries)?.text.unwrap_or_default();
        became(text).then(|| arranged(text, owner, wanted, None).ok().map(Some)).flatten()
    };
    earlier.iter().find(is_it).cloned().or_else(as_if_new)
}

/// Nothing would have to be changed in this text.
fn is_as_wanted(text: &str, owner: &Owner<'_>, wanted: &Wanted) -> bool {
    if is_blank(text) {
        return wanted.is_nothing();
    }
    arranged(text, owner, wanted, None).is_ok_and(|arranged| arranged == text)
}
