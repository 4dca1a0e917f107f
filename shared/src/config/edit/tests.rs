//! One key set in every style YAML has: what changes, and that nothing else does.

use super::{get, set};

#[track_caller]
fn check(before: &str, after: &str) {
    let edited = set(before, "a-gate", "enabled", "true").unwrap();
    assert_eq!(edited, after);
    assert_eq!(set(&edited, "a-gate", "enabled", "true").unwrap(), after, "a second time changes nothing");
}

#[track_caller]
fn refused(text: &str) -> String {
    set(text, "a-gate", "enabled", "true").unwrap_err().to_string()
}

#[test]
fn a_new_line_ends_as_the_one_it_stands_below() {
    let path = |dotted: &str| dotted.split('.').map(str::to_owned).collect::<Vec<_>>();
    for (text, key, expected) in [
        ("x: 1\r\na:\n  c: 1\n", "a.b", "x: 1\r\na:\n  b: 1\n  c: 1\n"),
        ("x: 1\r\na:\n", "a.b", "x: 1\r\na:\n  b: 1\n"),
        ("x: 1\na:\r\n", "a.b", "x: 1\na:\r\n  b: 1\r\n"),
        ("x: 1\r\ny: 1\n", "b", "x: 1\r\ny: 1\nb: 1\n"),
        ("x: 1\ny: 1\r\n", "b", "x: 1\ny: 1\r\nb: 1\r\n"),
        ("x: 1\r\ny: 1", "b", "x: 1\r\ny: 1\r\nb: 1\r\n"),
        ("x: 1", "b", "x: 1\nb: 1\n"),
    ] {
        assert_eq!(super::set_at(text, &path(key), "1").unwrap(), expected, "{text:?}");
    }
}

#[test]
fn an_empty_file_gets_the_section() {
    check("", "a-gate:\n  enabled: true\n");
    check("\u{feff}", "\u{feff}a-gate:\n  enabled: true\n");
    check("# my settings\n", "# my settings\na-gate:\n  enabled: true\n");
    check("# my settings", "# my settings\na-gate:\n  enabled: true\n");
}

#[test]
fn a_missing_section_comes_last_in_the_files_own_line_ends() {
    check("b: 1 # one\n# end\n", "b: 1 # one\n# end\na-gate:\n  enabled: true\n");
    check("b:\r\n  c: 1\r\n", "b:\r\n  c: 1\r\na-gate:\r\n  enabled: true\r\n");
    check("b: 1", "b: 1\na-gate:\n  enabled: true\n");
    check("---\nb: 1\n...\n", "---\nb: 1\na-gate:\n  enabled: true\n...\n");
    check("  b: 1\n", "  b: 1\n  a-gate:\n    enabled: true\n");
    check("# ü\nb: [\"ü\"]\n", "# ü\nb: [\"ü\"]\na-gate:\n  enabled: true\n");
}

#[test]
fn a_value_is_replaced_and_its_comment_stays() {
    check(
        "a-gate:\n  x: 1\n  enabled: false   # why\n  y: 2\nb: 1\n",
        "a-gate:\n  x: 1\n  enabled: true   # why\n  y: 2\nb: 1\n",
    );
    check("a-gate:\n  enabled: \"no\"\n", "a-gate:\n  enabled: true\n");
    check("a-gate:\r\n  enabled:   # soon\r\n", "a-gate:\r\n  enabled: true   # soon\r\n");
    check("ü: é\na-gate: {enabled: false}\n", "ü: é\na-gate: {enabled: true}\n");
}

#[test]
fn a_missing_key_comes_first_in_its_section() {
    check(
        "a-gate:\n    # about x\n    x: 1\nb: 1\n",
        "a-gate:\n    enabled: true\n    # about x\n    x: 1\nb: 1\n",
    );
    check("a-gate:\n  x:\n    enabled: false\n", "a-gate:\n  enabled: true\n  x:\n    enabled: false\n");
    check("a-gate:   # soon\nb: 1\n", "a-gate:   # soon\n  enabled: true\nb: 1\n");
    check("a-gate:\r\n", "a-gate:\r\n  enabled: true\r\n");
    check("a-gate:", "a-gate:\n  enabled: true");
}

#[test]
fn flow_style_stays_flow_style() {
    check("a-gate: {}\n", "a-gate: { enabled: true }\n");
    check("a-gate: { x: 1 } # c\n", "a-gate: { enabled: true, x: 1 } # c\n");
    check("a-gate: {x: 1}\n", "a-gate: {enabled: true, x: 1}\n");
    check("{}\n", "{ a-gate: { enabled: true } }\n");
    check("{b: 1}\n", "{a-gate: { enabled: true }, b: 1}\n");
    check("{a-gate: , b: 1}", "{a-gate: { enabled: true } , b: 1}");
}

#[test]
fn keys_of_the_same_name_elsewhere_do_not_matter() {
    check(
        "x: {a-gate: {enabled: false}}\na-gate: {enabled: false}\n",
        "x: {a-gate: {enabled: false}}\na-gate: {enabled: true}\n",
    );
    check(
        "t: |\n  a-gate:\n    enabled: false\na-gate:\n  enabled: false\n",
        "t: |\n  a-gate:\n    enabled: false\na-gate:\n  enabled: true\n",
    );
}

#[test]
fn what_cannot_be_set_for_certain_is_refused_with_its_place() {
    assert!(refused("a: [\n").contains("not valid YAML"));
    assert_eq!(refused("- a\n"), "line 1, column 1: not a map of settings");
    assert_eq!(refused("b: 1\na-gate: [1]\n"), "line 2, column 1: `a-gate` must be a map of settings");
    assert!(refused("a: 1\n---\nb: 1\n").contains("more than one YAML document"));
    assert!(refused("a-gate: {x: 1}\na-gate: {x: 2}\n").contains("stands twice"));
    let shared_value = "b: &x { c: &y false }\na-gate: *x\n";
    assert!(refused(shared_value).contains("line 2"));
    assert!(refused("a-gate: {enabled: &y false}\nb: *y\n").contains("by hand"));
}

#[test]
fn a_value_is_read_as_it_stands() {
    let text = "a-gate: {enabled: false, n: 5, t: \"x\", list: [1]}\n";
    for (key, value) in
        [("enabled", Some("false")), ("n", Some("5")), ("t", Some("x")), ("list", None), ("none", None)]
    {
        assert_eq!(get(text, "a-gate", key).unwrap().as_deref(), value, "{key}");
    }
    assert_eq!(get("", "a-gate", "enabled").unwrap(), None);
    assert!(get("- a\n", "a-gate", "enabled").is_err());
}

mod any_depth;
mod any_file;
