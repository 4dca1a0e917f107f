//! Keys, tokens and passwords written into code: by their form where `secrets` knows it, else by a telling name before a text.

use std::collections::BTreeSet;

use secrets::masked;

use super::Finding;

pub(super) const RULE: &str = "hardcoded-secrets";

const TELLING: [&str; 4] = ["passw", "secret", "token", "key"];

const STANDS_FOR: &str =
    "example dummy placeholder changeme your xxxx redacted fake test- test_ username:password";

pub(super) fn find(after: &str, added: &BTreeSet<usize>) -> Vec<Finding> {
    let lines = after.lines().enumerate().filter(|(number, _)| added.contains(number));
    let found = lines.filter_map(|(number, line)| {
        let why = format!("this looks like {} written into code", kind(line)?);
        let fix = "read it from the environment or a secret store when the program runs";
        Some(Finding::new(RULE, number + 1, why, fix))
    });
    found.collect()
}

fn kind(line: &str) -> Option<String> {
    let masked = masked(line);
    if let Some((_, after)) = masked.split_once("[masked: ") {
        return Some(format!("a secret ({})", after.split_once(']')?.0)).filter(|_| masked != line);
    }
    let (before, after) = masked.split_once("[masked]").filter(|_| masked != line)?;
    let value = line.to_ascii_lowercase();
    if STANDS_FOR.split(' ').any(|word| value.contains(word)) {
        return None;
    }
    if before.contains("://") && after.starts_with('@') {
        return Some("a login in an address".to_owned());
    }
    let names = before.to_ascii_lowercase();
    let is_named = before.ends_with(['"', '\'', '`']) && TELLING.iter().any(|name| names.contains(name));
    is_named.then(|| "a password or a key".to_owned())
}
