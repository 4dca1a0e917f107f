//! Keys, tokens and passwords written into code: by their form (`secrets`), where the form is certain, or where a
//! telling name stands before a text of its own.

use std::collections::BTreeSet;

use secrets::masked;

use super::Finding;

pub(super) const RULE: &str = "hardcoded-secrets";
const FIX: &str = "read it from the environment or a secret store when the program runs";

/// Names before a value that is nobody else's business.
const TELLING: &str = "password passwd secret token api_key apikey api-key private_key access_key";

/// Words in a value that stands for one.
const STANDS_FOR: &str =
    "example dummy placeholder changeme your xxxx redacted fake test- test_ username:password";

pub(super) fn find(after: &str, added: &BTreeSet<usize>) -> Vec<Finding> {
    let lines = after.lines().enumerate().filter(|(number, _)| added.contains(number));
    let with_secret = lines.filter_map(|(number, line)| Some((number, kind(line)?)));
    with_secret
        .map(|(number, kind)| {
            Finding::new(RULE, number + 1, format!("this looks like {kind} written into code"), FIX)
        })
        .collect()
}

/// The kind of secret on the line.
fn kind(line: &str) -> Option<String> {
    let masked = masked(line);
    if masked == line {
        return None;
    }
    if let Some((_, after)) = masked.split_once("[masked: ") {
        let (kind, _) = after.split_once(']')?;
        return Some(format!("a secret ({kind})"));
    }
    let (before, after) = masked.split_once("[masked]")?;
    let value = line.to_ascii_lowercase();
    if STANDS_FOR.split(' ').any(|word| value.contains(word)) {
        return None;
    }
    if before.contains("://") && after.starts_with('@') {
        return Some("a login in an address".to_owned());
    }
    let is_text = before.ends_with(['"', '\'', '`']);
    let names = before.to_ascii_lowercase();
    let is_named = TELLING.split(' ').any(|name| names.contains(name));
    (is_text && is_named).then(|| "a password or a key".to_owned())
}
