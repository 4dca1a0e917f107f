//! One key set or taken out in every style YAML has: what changes, and that nothing else does.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{Refused, get_at, set_at, unset_at};

fn path(dotted: &str) -> Vec<String> {
    dotted.split('/').map(ToOwned::to_owned).collect()
}

#[track_caller]
fn sets(key: &str, value: &str, before: &str, after: &str) {
    let edited = set_at(before, &path(key), value).unwrap();
    assert_eq!(edited, after);
    assert_eq!(set_at(&edited, &path(key), value).unwrap(), after, "a second time changes nothing");
}

#[track_caller]
fn unsets(key: &str, before: &str, after: &str) {
    let edited = unset_at(before, &path(key)).unwrap();
    assert_eq!(edited, after);
    assert_eq!(unset_at(&edited, &path(key)).unwrap(), after, "a second time changes nothing");
}

#[track_caller]
fn refused(edited: Result<String, Refused>) -> String {
    edited.unwrap_err().to_string()
}

#[test]
fn a_missing_section_comes_last_in_the_files_own_style() {
    for (before, after) in [
        ("", "gate:\n  go: true\n"),
        ("\u{feff}", "\u{feff}gate:\n  go: true\n"),
        ("\u{feff}# mine\n", "\u{feff}# mine\ngate:\n  go: true\n"),
        ("# mine", "# mine\ngate:\n  go: true\n"),
        ("b: 1 # one\n# end\n", "b: 1 # one\n# end\ngate:\n  go: true\n"),
        ("b:\r\n  c: 1\r\n", "b:\r\n  c: 1\r\ngate:\r\n  go: true\r\n"),
        ("b: 1", "b: 1\ngate:\n  go: true\n"),
        ("---\nb: 1\n...\n", "---\nb: 1\ngate:\n  go: true\n...\n"),
        ("  b: 1\n", "  b: 1\n  gate:\n    go: true\n"),
        ("# ü\nb: [\"ü\"]\n", "# ü\nb: [\"ü\"]\ngate:\n  go: true\n"),
        ("{}\n", "{gate: {go: true}}\n"),
        ("{b: 1}\n", "{b: 1, gate: {go: true}}\n"),
    ] {
        sets("gate/go", "true", before, after);
    }
}

#[test]
fn a_missing_key_comes_last_in_its_map_with_the_maps_that_are_missing() {
    let plan = "rules/plan/go";
    sets(plan, "true", "rules:\n", "rules:\n  plan:\n    go: true\n");
    sets(
        plan,
        "true",
        "rules: # ours\n    # about x\n    x: {}\n# about b\nb: 1\n",
        "rules: # ours\n    # about x\n    x: {}\n    plan:\n      go: true\n# about b\nb: 1\n",
    );
    sets(
        plan,
        "true",
        "rules:\n  plan:\n    # how\n    a: b\n",
        "rules:\n  plan:\n    # how\n    a: b\n    go: true\n",
    );
    sets(plan, "true", "rules: {x: {}}\n", "rules: {x: {}, plan: {go: true}}\n");
    sets(plan, "true", "rules:\n  plan: { a: b } # c\n", "rules:\n  plan: { a: b, go: true } # c\n");
    sets("gate/go", "true", "gate:   # soon\nb: 1\n", "gate: # soon\n  go: true\nb: 1\n");
    sets("gate/go", "true", "gate:\r\n", "gate:\r\n  go: true\r\n");
    sets("a: b/#", "1", "", "'a: b':\n  '#': 1\n");
}

#[test]
fn a_value_gives_way_to_another_of_any_kind_and_its_comment_stays() {
    let key = "x/list";
    sets(key, "[b]", "x:\n  list: [a] # why\n", "x:\n  list: [b] # why\n");
    sets(key, "[b]", "x:\n  list:   # why\n    - a\n    - c\n  y: 1\n", "x:\n  list: [b]   # why\n  y: 1\n");
    sets(key, "[b]", "x:\n  list:\n  - a\n# end\n", "x:\n  list: [b]\n# end\n");
    sets(key, "5", "x:\n  list: \"a # b\n    c\" # why\n", "x:\n  list: 5 # why\n");
    sets(key, "5", "x:\n  list: 'it''s' # why\n", "x:\n  list: 5 # why\n");
    sets(key, "5", "x:\r\n  list:   # soon\r\n", "x:\r\n  list: 5   # soon\r\n");
    sets(key, "\"a # b\"", "x: {list: 1, y: 1}\n", "x: {list: \"a # b\", y: 1}\n");
    sets("x", "[]", "x:\n  y:\n    z: 1\nw: 1\n", "x: []\nw: 1\n");
    sets("a b/c.d/é", "1", "a b:\n  c.d: {é: 0}\n", "a b:\n  c.d: {é: 1}\n");
    sets("a/b", "2", "t: |\n  a:\n    b: 1\na:\n  b: 1\n", "t: |\n  a:\n    b: 1\na:\n  b: 2\n");
}

#[test]
fn a_key_goes_with_its_own_comment_and_leaves_all_others() {
    let key = "x/y";
    unsets(key, "x:\n  # about y\n  y: 1 # why\n  # end\n  z: 1\n", "x:\n  # about y\n  # end\n  z: 1\n");
    unsets(key, "x:\n  z: 1\n  y:\n    - a\n    # inside\n    - b # b\n# end\n", "x:\n  z: 1\n# end\n");
    unsets(key, "x:\r\n  y: 1\r\n  z: 1\r\n", "x:\r\n  z: 1\r\n");
    unsets(key, "x:\n  z: 1\n  y: 1", "x:\n  z: 1");
    unsets(key, "x:\n  y: \"a\n    b\" # why\n  z: 1\n", "x:\n  z: 1\n");
    unsets("x", "\u{feff}x: 1\ny: 1\n", "\u{feff}y: 1\n");
    unsets("x", "---\nx: 1\n...\n", "---\n...\n");
    unsets("x/b", "x: {a: 1, b: 2, c: 3}\n", "x: {a: 1, c: 3}\n");
    unsets("x/a", "x: { a: 1, b: 2 } # c\n", "x: { b: 2 } # c\n");
    unsets("x", "{x: 1, y: 2}\n", "{y: 2}\n");
}

#[test]
fn maps_that_held_nothing_else_go_with_it() {
    unsets("x/y/z", "x:\n  y:\n    z: 1\nw: 1\n", "w: 1\n");
    unsets("x/y/z", "x:\n  y: {z: 1}\n  w: 1\n", "x:\n  w: 1\n");
    unsets("x/y/z", "x: {y: {z: 1}, w: 1}\n", "x: {w: 1}\n");
    unsets("x/y/z", "{x: {y: {z: 1}}}\n", "{}\n");
    unsets("x/y", "# mine\nx:\n  y: 1\n", "# mine\n");
    unsets("x/y", "x:\n  y: 1\n", "");
}

#[test]
fn missing_key_is_not_taken_out() {
    for text in ["", "# x\n", "x:\n", "x: {z: 1}\n", "x: 5\n", "x: [y]\n"] {
        assert_eq!(unset_at(text, &path("x/y")).unwrap(), text);
    }
}

#[test]
fn uncertain_change_is_an_error_with_its_line() {
    let set = |text: &str, key: &str| refused(set_at(text, &path(key), "1"));
    assert_eq!(set("a: 1\nx: [1]\n", "x/y/z"), "line 2: `x` must be a map of settings");
    assert_eq!(set("x:\n  y: no\n", "x/y/z"), "line 2: `x.y` must be a map of settings");
    assert_eq!(set("- a\n", "a/b"), "line 1: not a map of settings");
    assert!(set("a: [\n", "a/b").contains("not valid YAML"));
    assert!(set("a: 1\n---\nb: 1\n", "a/b").contains("more than one document"));
    assert_eq!(
        set("a: {x: 1}\nb: 2\na: {x: 2}\n", "a/b"),
        "line 3: `a` stands twice; take one of them out first"
    );
    assert!(set("x:\n  y: &y 2\nz: *y\n", "x/y").contains("line 2: `x.y: 1`"));
    assert!(set(&format!("a: {}", "[".repeat(100_000)), "a/b").contains("nested deeper"));
}

#[test]
fn a_value_is_read_as_it_stands() {
    let text = "gate: {go: false, n: 5, t: \"x\", list: [1]}\n";
    for (key, value) in
        [("go", Some("false")), ("n", Some("5")), ("t", Some("x")), ("list", None), ("none", None)]
    {
        assert_eq!(get_at(text, &path(&format!("gate/{key}"))).unwrap().as_deref(), value, "{key}");
    }
    assert!(get_at("- a\n", &path("gate/go")).is_err());
}

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
