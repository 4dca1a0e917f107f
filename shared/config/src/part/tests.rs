//! Texts that are cut and texts that stay whole. The cut changes nothing that a hook reads.

use std::borrow::Cow;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::part_of;
use crate::yaml;

fn part(text: &str) -> Cow<'_, str> {
    part_of(text, |key| matches!(key, "own" | "version"))
}

#[test]
fn the_lines_of_other_sections_go_and_the_numbers_of_lines_stay() {
    for (text, expected) in [
        (
            "# mine\n---\nversion: \"1.0\"\nother:\n  a: 1\n  # it's\n\nown:\n  c: [1, 2] # d\n# e\nlast: {f: 'g'}\n",
            "# mine\n---\nversion: \"1.0\"\n#\n#\n#\n#\nown:\n  c: [1, 2] # d\n# e\n#\n",
        ),
        ("other:\n- a\n- b: 1\n  c: 2\nown:\n- d\n-\n", "#\n#\n#\n#\nown:\n- d\n-\n"),
        ("other: |\n  own: no\n\r\nown: 1\r\n", "#\n#\n#\nown: 1\r\n"),
        ("own_too: 1\nown-too: \"a/*\"\nown: ['*', 'e''s']", "#\n#\nown: ['*', 'e''s']"),
        ("other: 1\nother: 2\nown: 1\nown: 2\n", "#\n#\nown: 1\nown: 2\n"),
    ] {
        assert_eq!(part(text), expected);
        assert_eq!(expected.lines().count(), text.lines().count(), "lines keep their numbers");
    }
}

#[test]
fn where_it_is_not_certain_what_belongs_to_a_section_nothing_is_cut() {
    for text in [
        "other: \"a\nown: b\"\n",
        "other: \"a\\\" \nown: \"\n",
        "other: {a: 1,\nown: b}\n",
        "other: &a 1\nown: 2\n",
        "other: 1\nown: *a\n",
        "other: !tag \"a\nown: b\"\n",
        "{other: 1, own: 2}\n",
        "\"other\": 1\nown: 2\n",
        "? other\n: 1\nown: 2\n",
        "%YAML 1.1\n---\nown: 1\nother: 2\n",
        "other: 1\n---\nown: 1\n",
        "--- {other: 1,\nown: 2}\n",
        "other: 1\n...\nown: 1\n",
        "other: 1\nown\n",
        "  other: 1\n  own: 1\n",
        "other:\n\ta: 1\nown: 1\n",
        "other: a\rown: 1\nother: 1\n",
        "<<: 1\nown: 1\n",
    ] {
        assert_eq!(part(text), text);
    }
}

fn line() -> impl Strategy<Value = &'static str> {
    select(vec![
        "own: 1",
        "other: two words # c",
        "third:",
        "version: {a: 1, b: [2, 'x']}",
        "  k: it's",
        "  own: a#b",
        "  other: a: b",
        "  - a",
        "- b",
        "# own: 1",
        "  # it's [",
        "",
        "own: |",
        "  text \"open",
        "other: |+",
        "third: \"over",
        "own: lines\"",
        "  goes on",
        "own: [x,",
        "other: y]",
        "own: 'a: b'",
        "version: >-",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_part_says_of_our_keys_what_the_whole_says(lines in vec(line(), 1..8)) {
        let text = lines.join("\n") + "\n";
        if let (Ok(whole), Ok(cut)) = (yaml::parse(&text), yaml::parse(&part(&text))) {
            for key in ["own", "version"] {
                prop_assert_eq!(cut.values.get(key), whole.values.get(key), "{}", text);
                let repeated = |paths: &[Vec<String>]| paths.iter().filter(|path| path[0] == key).count();
                prop_assert_eq!(repeated(&cut.repeated), repeated(&whole.repeated), "{}", text);
            }
        }
    }
}
