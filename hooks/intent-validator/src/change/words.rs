//! A change in a few words, for the draft of a declaration. Pure.

use similar::{ChangeTag, TextDiff};

use super::Versions;

/// Words before the name of what is defined.
const DEFINING: [&str; 10] =
    ["fn", "def", "function", "func", "class", "struct", "interface", "trait", "impl", "module"];

/// What the change does to the file at `path`: "add 3 lines in login", "create src/a.rs with 12 lines".
pub(crate) fn in_words(path: &str, versions: &Versions) -> String {
    let Some(before) = &versions.before else {
        let lines = versions.after.lines().count();
        return if versions.is_fragment {
            format!("write {} into {path}, whose text is not known", counted(lines))
        } else {
            format!("create {path} with {}", counted(lines))
        };
    };
    let diff = TextDiff::from_lines(before.as_str(), &versions.after);
    let (mut added, mut removed, mut place) = (0, 0, None);
    let mut definition = None;
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => added += 1,
            ChangeTag::Delete => removed += 1,
            ChangeTag::Equal => {}
        }
        definition = defined(change.value()).or(definition);
        if change.tag() != ChangeTag::Equal && place.is_none() {
            place.clone_from(&definition);
        }
    }
    let place = place.map_or_else(String::new, |name| format!(" in {name}"));
    match (added, removed) {
        (0, 0) => "leave the text as it is".to_owned(),
        (added, 0) => format!("add {}{place}", counted(added)),
        (0, removed) => format!("remove {}{place}", counted(removed)),
        (added, removed) => format!("replace {} by {}{place}", counted(removed), counted(added)),
    }
}

fn counted(lines: usize) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}

/// The name that the line defines, if it does.
fn defined(line: &str) -> Option<String> {
    let mut words =
        line.split(|char: char| !(char.is_alphanumeric() || char == '_')).filter(|word| !word.is_empty());
    words.by_ref().take(4).find(|word| DEFINING.contains(word))?;
    let name = words.next()?;
    (name.len() <= 60).then(|| name.to_owned())
}
