//! The part of a file that is read, lines, bounds, and scalars compared with the common reader.

use proptest::prelude::*;

use super::{
    MAX_BRACKETS, line_of, nothing, opens_too_many_brackets, parse, parse_sections, parse_value, sections,
    size,
};
use crate::layer::json;

fn is_ours(key: &str) -> bool {
    matches!(key, "own" | "version")
}

#[test]
fn only_the_lines_of_wanted_sections_are_read() {
    for (text, part) in [
        (
            "---\n# mine\nversion: \"1.0\"\nother:\n  a: &a [1,\n    2]\n  # it's\n\nown:\n  c: 'd'\n# e\nlast: {}\n",
            Some("version: \"1.0\"\nown:\n  c: 'd'\n# e\n"),
        ),
        ("other:\n- a\n- b: 1\n  c: 2\nown:\n- d\n", Some("own:\n- d\n")),
        ("own_too: 1\nown-too: \"a/*\"\nown: ['*', 'e''s']", Some("own: ['*', 'e''s']")),
        ("other: 1\nother: 2\nown: |+\n  1\n\nother: 3\nown: 2\n", Some("own: |+\n  1\n\nown: 2\n")),
        ("{other: 1, own: 2}\n", None),
        ("\"other\": 1\nown: 2\n", None),
        ("? other\n: 1\nown: 2\n", None),
        ("other: 1\n---\nown: 1\n", None),
        ("locked: [\n  a\n]\nown: 2\n", None),
        ("other: 1\nown\n", None),
        ("  other: 1\n  own: 1\n", None),
        ("other:\n\ta: 1\nown: 1\n", None),
        ("other: a\rown: 1\nother: 1\n", None),
    ] {
        assert_eq!(sections(text, is_ours).as_deref(), part, "{text}");
    }
    let alias = parse_sections("other: &a 1\nown: *a\n", is_ours).unwrap();
    assert_eq!(json(&alias.values["own"]), 1, "a part that breaks is read with the whole");
    assert_eq!(parse_sections("other: 1\nown: [\n", is_ours).unwrap_err().line, Some(3));
}

proptest! {
    #[test]
    fn a_part_says_of_its_keys_what_the_whole_says(
        lines in proptest::collection::vec(proptest::sample::select(vec![
            "own: 1", "other: two words # c", "third:", "version: {a: 1, b: [2, 'x']}", "  k: it's", "  own: a#b",
            "  other: a: b", "  - a", "- b", "# own: 1", "  # it's [", "", "own: |", "other: |+", "  goes on",
            "own: [x,", "  y]", "own: 'a: b'", "version: >-",
        ]), 1..8),
    ) {
        let text = lines.join("\n") + "\n";
        if let (Ok(whole), Ok(part)) = (parse(&text), parse_sections(&text, is_ours)) {
            for key in ["own", "version"] {
                prop_assert_eq!(part.values.get(key), whole.values.get(key), "{}", text);
                let repeated = |paths: &[Vec<String>]| paths.iter().filter(|path| path[0] == key).count();
                prop_assert_eq!(repeated(&part.repeated), repeated(&whole.repeated), "{}", text);
            }
        }
    }
}

#[test]
fn finds_the_line_of_a_key() {
    let text = "# top\nversion: \"1.0\"\na:\n  b: {c: 1,\n      d: 2}\n  e:\n    - b: 1\n    - x\n  f: &anchor 3\ng: {a: {b: 9}}\n";
    for (path, line) in [
        (&["version"][..], Some(2)),
        (&["a"], Some(3)),
        (&["a", "b"], Some(4)),
        (&["a", "b", "d"], Some(5)),
        (&["a", "e"], Some(6)),
        (&["a", "f"], Some(9)),
        (&["g", "a", "b"], Some(10)),
        (&["a", "nothing"], Some(3)),
        (&["nothing"], None),
    ] {
        let path: Vec<String> = path.iter().map(ToString::to_string).collect();
        assert_eq!(line_of(text, &path), line, "{path:?}");
    }
}

#[test]
fn refuses_what_is_no_map_too_deep_or_a_bomb() {
    assert!(parse("").unwrap().values.is_empty());
    assert!(parse("# only a comment\n").unwrap().values.is_empty());
    assert_eq!(parse("- a\n- b\n").unwrap_err().why, "not a map of settings");
    let deep = format!("a: {}{}", "[".repeat(70), "]".repeat(70));
    assert_eq!(parse(&deep).unwrap_err().why, "nested deeper than 64 levels");
    assert!(parse(&format!("a: {}", "[".repeat(100_000))).is_err());
    let bomb = (0..30).fold("a0: &a0 [x, x]\n".to_owned(), |text, below| {
        format!("{text}a{0}: &a{0} [*a{below}, *a{below}, *a{below}]\n", below + 1)
    });
    assert!(parse(&bomb).is_err());
}

#[test]
fn a_key_that_stands_twice_is_noticed_and_the_last_one_counts() {
    let parsed = parse("a: {b: 1, c: 2, b: 3}\na: {d: [{e: 1, e: 2}]}\n").unwrap();
    assert_eq!(parsed.repeated, [vec!["a", "b"], vec!["a", "d", "e"], vec!["a"]]);
    assert!(parsed.values["a"].find_ref("d").is_some());
    assert_eq!(line_of("a: 1\nb: 2\na: 3\n", &["a".to_owned()]), Some(3));
}

#[test]
fn says_what_is_wrong_with_the_text_and_where_as_far_as_the_parser_knows() {
    for (text, line, why) in [
        ("a:\n\tb: 1\n", Some(2), "tabs disallowed"),
        ("a: {b: 1\nc: 2\n", Some(2), "did not find expected ',' or '}'"),
        ("a: 1\nb: \"open\nc: 2\n", Some(2), "quoted scalar"),
        ("a: b: c\n", Some(1), "mapping values are not allowed"),
        ("a: [*.rs]\n", Some(1), "unknown anchor"),
        ("a: 1\n---\nb: 1\n", None, "more than one document"),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!(error.line, line, "{text:?}");
        assert!(error.why.contains(why) && error.why.starts_with("not valid YAML ("), "{text:?}: {error}");
    }
}

#[test]
fn reads_scalars_as_the_common_reader_does() {
    let texts = "1;-1;+1;0;-0;007;1e3;1E-2;1.5;.5;5.;1_000;1.2.3;+;-;.;..;1e999;18446744073709551615;-9223372036854775808;\
                 true;True;yes;null;~;Null;nil;2026-01-06;1:30;'1';\"true\";!!str 5;a b;|\n  x\n;>-\n  x\n  y\n;\
                 [1, a, ~];{a: {b: [1, 2.5]}}";
    for text in texts.split(';') {
        let common: serde_json::Value = serde_yaml::from_str(text).unwrap();
        assert_eq!(json(&parse_value(text).unwrap()), common, "{text}");
    }
}

#[test]
fn an_alias_stands_for_its_value_and_never_for_itself() {
    let parsed = parse("a: &x {b: [1]}\nc: *x\n? *x\n: 1\n").unwrap();
    assert_eq!(parsed.values["a"], parsed.values["c"]);
    assert_eq!(parse("a: &x [*x]\n").unwrap_err().why, "not valid YAML (an alias without its anchor)");
}

#[test]
fn open_brackets_and_values_are_counted() {
    for (text, is_too_many) in [
        ("[".repeat(MAX_BRACKETS), false),
        ("[{".repeat(MAX_BRACKETS), true),
        ("[]{}".repeat(MAX_BRACKETS), false),
    ] {
        assert_eq!(opens_too_many_brackets(&text), is_too_many);
    }
    assert!(opens_too_many_brackets(&"{".repeat(MAX_BRACKETS + 1)));
    for (text, count) in [("a: 1\nb: {c: 2}", 4), ("[1, [2, 3]]", 5)] {
        assert_eq!(size(&parse_value(text).unwrap_or_else(|_| nothing())), count, "{text}");
    }
}
