//! What is cut and what is not; and that it makes no difference to what is read.

use std::borrow::Cow;

use super::part_of;
use crate::yaml;

fn part(text: &str) -> Cow<'_, str> {
    part_of(text, |key| matches!(key, "own" | "version"))
}

#[track_caller]
fn check_cut(text: &str, expected: &str) {
    assert_eq!(part(text), expected);
    assert_eq!(expected.lines().count(), text.lines().count(), "lines keep their numbers");
}

#[test]
fn the_lines_of_other_sections_go_and_the_numbers_of_lines_stay() {
    check_cut(
        "# mine\n---\nversion: \"1.0\"\nother:\n  a: 1\n  # b\n\nown:\n  c: [1, 2] # d\n# e\nlast: {f: 'g'}\n",
        "# mine\n---\nversion: \"1.0\"\n#\n#\n#\n#\nown:\n  c: [1, 2] # d\n# e\n#\n",
    );
    check_cut("other:\n- a\n- b: 1\n  c: 2\nown:\n- d\n-\n", "#\n#\n#\n#\nown:\n- d\n-\n");
    check_cut("other: |\n  own: no\n\r\nown: 1\r\n", "#\n#\n#\nown: 1\r\n");
    check_cut(
        "own_too: 1\nown-too: 2\nown: {a: {b: [c, \"it's, \\\"d]\", 'e''s}']}}",
        "#\n#\nown: {a: {b: [c, \"it's, \\\"d]\", 'e''s}']}}",
    );
    check_cut("other: don't [a \"b\nown: 1", "#\nown: 1");
    check_cut("a: b && c * d! e & f\nown: 1", "#\nown: 1");
    check_cut("other: 1\nother: 2\nown: 1\nown: 2\n", "#\n#\nown: 1\nown: 2\n");
}

#[test]
fn where_it_is_not_certain_what_belongs_to_a_section_nothing_is_cut() {
    for text in [
        "other: \"a\nown: b\"\n",
        "other: 'a\nown: b'\n",
        "other: {a: 1,\nown: b}\n",
        "other:\n  - [a\nown: b]\n",
        "other: [x \"y, z]: \" ]\nown: b\"\n",
        "other:\n  b, \"c: \"d\nown: x\"\n",
        "other:\n  {a:\"}: \"}\nown: x\"\n",
        "other:\n  b, \"c: \" #d\nown: x\"\n",
        "other:\n  a#b: \"c\nown: d\"\n",
        "other: [\"a\"#]\nown: b]\n",
        "other: [#]\nown: b]\n",
        "other: [a?\"]\nown: b\"]\n",
        "other: [?\"]\nown: b\"]\n",
        "other: &a 1\nown: 2\n",
        "other: 1\nown: *a\n",
        "other: !tag \"a\nown: b\"\n",
        "{other: 1, own: 2}\n",
        "\"other\": 1\nown: 2\n",
        "? other\n: 1\nown: 2\n",
        "%YAML 1.1\n---\nown: 1\nother: 2\n",
        "other: 1\n---\nown: 1\n",
        "---\n---\nother: 1\nown: 1\n",
        "--- {other: 1,\nown: 2}\n",
        "other: 1\n...\nown: 1\n",
        "other: 1\nown\n",
        "other: 1\nown:1\n",
        "  other: 1\n  own: 1\n",
        "- other: 1\n  own: 1\n",
        "other:\n\ta: 1\nown: 1\n",
        "other: a\rown: 1\nother: 1\n",
        "other: a\u{2028}own: 1\n",
        "other: a\u{85}own: 1\n",
        "<<: 1\nown: 1\n",
    ] {
        assert_eq!(part(text), text);
    }
}

#[test]
fn what_stands_below_another_key_is_never_taken_for_ours() {
    // In each of these the second line looks like our section and is none, or the parser refuses the text.
    for text in [
        "other: \"a\nown: b\"\n",
        "other: {a: 1,\nown: b}\n",
        "other: [\"a\"#]\nown: b]\n",
        "other: 'a\nown: b'\n",
    ] {
        let whole = yaml::parse(text).ok().and_then(|whole| whole.values.get("own").cloned());
        let cut = yaml::parse(&part(text)).ok().and_then(|part| part.values.get("own").cloned());
        assert_eq!((whole, cut), (None, None), "{text:?}");
    }
}

#[test]
fn a_fault_in_another_section_takes_nothing_from_this_one() {
    let text = "other: a: b\nown: 1\n";
    assert!(yaml::parse(text).is_err());
    assert!(yaml::parse(&part(text)).unwrap().values.contains_key("own"));
}

#[test]
fn trailing_empty_lines_of_a_text_stay_as_many() {
    let text = "own: |+\n  a\n\nother: 1\n\n\n";
    assert_ne!(part(text), text);
    assert_eq!(yaml::parse(&part(text)).unwrap().values["own"], yaml::parse(text).unwrap().values["own"]);
}

mod properties {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::{part, yaml};

    /// Pieces that open, close, escape and separate: whatever might lead the cut astray.
    const PIECES: [&str; 36] = [
        "own",
        "other",
        "a",
        "b c",
        ":",
        ": ",
        ":\n",
        "\n",
        "\n",
        "\n  ",
        "\n    ",
        "- ",
        "\n- ",
        "? ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        ",",
        "\"",
        "'",
        "''",
        "\\",
        "\\\"",
        "#",
        " #",
        "|\n  ",
        ">\n  ",
        "|+\n",
        "!",
        "&x ",
        "*x",
        "\nown: 1\n",
        "\nother: ",
        "\nown: ",
    ];

    fn value() -> impl Strategy<Value = String> {
        let word = select(vec![
            "1",
            "true",
            "word",
            "two words",
            "it's",
            "a#b",
            "a: b",
            "",
            "'own: 1'",
            "\"x # y\"",
        ]);
        let word = word.prop_map(str::to_owned);
        let block = select(vec![
            "|\n    own: 1\n\n    \"text",
            ">-\n    folded [\n    text",
            "|+\n    kept\n\n",
            "\"over\n  lines\"",
            "\"over\nown: lines\"",
            "'over\n\n  lines'",
            "plain\n    goes on",
            "\n    - a\n    - {b: 1}",
            "{a: 1,\n    b: 2}",
            "[x,\nother: y]",
        ])
        .prop_map(str::to_owned);
        let flow =
            (word.clone(), word.clone()).prop_map(|(one, two)| format!("{{a: {one}, b: [{two}, {one}]}}"));
        prop_oneof![word, flow, block]
    }

    fn section() -> impl Strategy<Value = String> {
        let name = select(vec!["own", "other", "third", "version"]);
        let keys = vec((select(vec!["k", "own", "other"]), value()), 0..4);
        let comment = select(vec!["", "# own: 1\n", "  # it's [\n", "\n"]);
        prop_oneof![
            (name.clone(), value()).prop_map(|(name, value)| format!("{name}: {value}\n")),
            (name, keys, comment).prop_map(|(name, keys, comment)| {
                let keys: Vec<String> =
                    keys.iter().map(|(key, value)| format!("  {key}: {value}\n")).collect();
                format!("{name}:\n{}{comment}", keys.concat())
            }),
        ]
    }

    /// What both the whole and the part say of our keys, wherever both can be parsed.
    fn check(text: &str) -> Result<(), TestCaseError> {
        let (Ok(whole), Ok(cut)) = (yaml::parse(text), yaml::parse(&part(text))) else { return Ok(()) };
        for key in ["own", "version"] {
            prop_assert_eq!(cut.values.get(key), whole.values.get(key), "{}", text);
            let repeated = |paths: &[Vec<String>]| paths.iter().filter(|path| path[0] == key).count();
            prop_assert_eq!(repeated(&cut.repeated), repeated(&whole.repeated), "{}", text);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn a_part_says_of_our_keys_what_the_whole_says(sections in vec(section(), 1..6)) {
            check(&sections.concat())?;
        }

        #[test]
        fn nor_do_scraps_of_yaml_lead_it_astray(pieces in vec(select(PIECES.to_vec()), 1..24)) {
            check(&format!("other: {}", pieces.concat()))?;
        }
    }
}
