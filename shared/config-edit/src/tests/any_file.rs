//! Generated files: whatever is set or taken out, every line that is not the key's stays, and no text makes it fail.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::{set_at, unset_at};

const NAMES: [&str; 6] = ["a", "b", "\"quoted\"", "'a b'", "dot.ted", "ü"];

/// Values on the key's own line and on lines below it.
const VALUES: [&str; 16] = [
    "1",
    "true # why",
    "",
    "  # nothing",
    "\"a # b\"  # c",
    "plain words # c",
    "[1, [2], \"]\"]   # c",
    "{ a: 1, b: { key: 2 } }",
    "&anchor 5",
    "!!str 5",
    "http://x.y/#z",
    "\n    - 1\n    - x # c\n    # between\n    - {a: 1}",
    "|\n    text\n    # no comment\n\n    more",
    ">-  # folded\n    text\n    more",
    "\"open\n    goes on # no comment\n    closed\"  # c",
    "\n    c: 1 # d\n    # about e\n    e: {f: 2}",
];

/// Entries of the map `top` and of the text's own, each with the lines it stands on.
fn entries() -> impl Strategy<Value = Vec<(Vec<String>, String)>> {
    let entry = (any::<bool>(), any::<bool>(), select(&NAMES[..]), select(&VALUES[..]));
    prop::collection::vec(entry, 1..7).prop_map(|drawn| {
        let mut entries: Vec<(Vec<String>, String)> = Vec::new();
        for (is_inside, is_explained, name, value) in drawn {
            let (above, indent) = if is_inside { (vec!["top".to_owned()], "  ") } else { (Vec::new(), "") };
            let path = [above, vec![name.trim_matches(['"', '\'']).to_owned()]].concat();
            let comment = if is_explained { format!("{indent}# about {name}\n") } else { String::new() };
            if entries.iter().all(|(there, _)| *there != path) {
                entries.push((path, format!("{comment}{indent}{name}: {value}\n")));
            }
        }
        entries.sort_by_key(|(path, _)| path.len());
        entries
    })
}

fn text_of(entries: &[(Vec<String>, String)]) -> String {
    let (inside, own): (Vec<_>, Vec<_>) = entries.iter().partition(|(path, _)| path.len() == 2);
    let lines = |entries: &[&(Vec<String>, String)]| {
        entries.iter().map(|(_, text)| text.as_str()).collect::<String>()
    };
    let top = if inside.is_empty() { String::new() } else { format!("top:\n{}", lines(&inside)) };
    lines(&own) + &top
}

/// Each entry but that of `path` stands in the text, as it was written and in its order.
fn others_stay(entries: &[(Vec<String>, String)], path: &[String], edited: &str) -> bool {
    let mut rest = edited;
    entries.iter().filter(|(other, _)| other != path).all(|(_, text)| {
        let found = rest.split_once(text.trim_end());
        rest = found.map_or(rest, |(_, behind)| behind);
        found.is_some()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn no_line_changes_but_the_keys_own(entries in entries(), at in any::<Index>(), value in select(&["1", "[a, b]", "{ x: 1 }", "\"t # x\""][..])) {
        let text = text_of(&entries);
        let path = at.get(&entries).0.clone();
        if let Ok(edited) = set_at(&text, &path, value) {
            prop_assert!(others_stay(&entries, &path, &edited), "{text}\n=> {path:?}: {value}\n{edited}");
        } else {
            prop_assert!(at.get(&entries).1.contains('#'), "only for a comment's sake: {text}\n=> {path:?}");
        }
        let new = vec!["top".to_owned(), "new".to_owned()];
        let edited = set_at(&text, &new, value).unwrap();
        prop_assert!(others_stay(&entries, &[], &edited), "{text}\n=> {new:?}\n{edited}");
        if let Ok(edited) = unset_at(&text, &path) {
            prop_assert!(others_stay(&entries, &path, &edited), "{text}\n=> {path:?}\n{edited}");
        }
    }

    #[test]
    fn no_text_makes_it_fail(text in "[-a-z:# '\"\\[\\]{},&*!|>%?ü\u{feff}\r\n\t]{0,40}", key in "[a-z]") {
        for path in [vec![key.clone()], vec![key.clone(), "x".to_owned()]] {
            let _ = set_at(&text, &path, "1");
            let _ = unset_at(&text, &path);
        }
    }
}
