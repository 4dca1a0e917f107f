//! Keys of any depth, set and taken out, in every style YAML has.

use crate::config::edit::Refused;
use crate::config::edit::{is_set, set_at, unset_at};

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
    assert!(!is_set(&edited, &path(key)).unwrap());
    assert_eq!(unset_at(&edited, &path(key)).unwrap(), after, "a second time changes nothing");
}

#[track_caller]
fn refused(edited: Result<String, Refused>) -> String {
    edited.unwrap_err().to_string()
}

#[test]
fn a_key_comes_where_its_map_is_with_the_maps_that_are_missing() {
    let plan = "requirements/plan/enabled";
    sets(plan, "true", "", "requirements:\n  plan:\n    enabled: true\n");
    sets(plan, "true", "a: 1\r\n", "a: 1\r\nrequirements:\r\n  plan:\r\n    enabled: true\r\n");
    sets(plan, "true", "requirements:\n", "requirements:\n  plan:\n    enabled: true\n");
    sets(
        plan,
        "true",
        "requirements: # ours\n    # about x\n    x: {}\nb: 1\n",
        "requirements: # ours\n    plan:\n      enabled: true\n    # about x\n    x: {}\nb: 1\n",
    );
    sets(
        plan,
        "true",
        "requirements:\n  plan:\n    # how\n    type: blocking\n",
        "requirements:\n  plan:\n    enabled: true\n    # how\n    type: blocking\n",
    );
    sets(plan, "true", "requirements: {}\n", "requirements: { plan: { enabled: true } }\n");
    sets(plan, "true", "requirements: {x: {}}\n", "requirements: {plan: { enabled: true }, x: {}}\n");
    sets(
        plan,
        "true",
        "requirements:\n  plan: { type: blocking }\n",
        "requirements:\n  plan: { enabled: true, type: blocking }\n",
    );
    sets(plan, "true", "{requirements: {plan: }}", "{requirements: {plan: { enabled: true } }}");
    sets("enabled", "false", "a: 1\n...\n", "a: 1\nenabled: false\n...\n");
    sets("enabled", "false", "\u{feff}# mine", "\u{feff}# mine\nenabled: false\n");
}

#[test]
fn a_value_gives_way_to_another_of_any_kind() {
    let key = "x/list";
    sets(key, "[b]", "x:\n  list: [a] # why\n", "x:\n  list: [b] # why\n");
    sets(key, "[b]", "x:\n  list:   # why\n    - a\n    - c\n  y: 1\n", "x:\n  list: [b]   # why\n  y: 1\n");
    sets(key, "[b]", "x:\n  list:\n  - a\n# end\n", "x:\n  list: [b]\n# end\n");
    sets(key, "[b]", "x:\r\n  list:\r\n  - a", "x:\r\n  list: [b]");
    sets(key, "5", "x:\n  list: |\n    # no comment\n\n# end\n", "x:\n  list: 5\n\n# end\n");
    sets(key, "5", "x:\n  list: \"a # b\n    c\" # why\n", "x:\n  list: 5 # why\n");
    sets(key, "5", "x:\n  list: 'it''s' # why\n", "x:\n  list: 5 # why\n");
    sets(key, "5", "x:\n  list: goes\n    on # why\n", "x:\n  list: 5 # why\n");
    sets(key, "{ a: 1 }", "x: {list: [1,\n  2], y: 1}\n", "x: {list: { a: 1 }, y: 1}\n");
    sets(key, "5", "x:\n  \"list\": &unused 3\n", "x:\n  \"list\": 5\n");
    sets("x", "[]", "x:\n  y:\n    z: 1\nw: 1\n", "x: []\nw: 1\n");
    sets("a b/c.d/é", "1", "a b:\n  c.d: {é: 0}\n", "a b:\n  c.d: {é: 1}\n");
    sets("a: b/#", "1", "", "\"a: b\":\n  \"#\": 1\n");
}

#[test]
fn reasons_beside_the_entries_of_a_list_are_not_lost() {
    let key = path("x/list");
    for text in [
        "x:\n  list:\n    - a # why\n",
        "x:\n  list:\n    # why\n    - a\n",
        "x:\n  list: [a, # why\n    b]\n",
        "x:\n  list: | # why\n    a\n",
    ] {
        assert_eq!(
            refused(set_at(text, &key, "[b]")),
            "line 2, column 3: `list` has comments inside; change it by hand, so that they stay right"
        );
    }
}

#[test]
fn a_key_goes_with_its_own_comment_and_leaves_all_others() {
    let key = "x/y";
    unsets(key, "x:\n  # about y\n  y: 1 # why\n  # end\n  z: 1\n", "x:\n  # about y\n  # end\n  z: 1\n");
    unsets(key, "x:\n  z: 1\n  y:\n    - a\n    # inside\n    - b # b\n# end\n", "x:\n  z: 1\n# end\n");
    unsets(key, "x:\n  z: 1\n  y: |\n    # no comment\n\n    text\n\n# end\n", "x:\n  z: 1\n\n# end\n");
    unsets(key, "x:\r\n  y: 1\r\n  z: 1\r\n", "x:\r\n  z: 1\r\n");
    unsets(key, "x:\n  z: 1\n  y: 1", "x:\n  z: 1\n");
    unsets(key, "x:\n  y:\n  z: 1\n", "x:\n  z: 1\n");
    unsets(key, "x:\n  y: \"a\n    b\" # why\n  z: 1\n", "x:\n  z: 1\n");
    unsets(key, "x:\n  \"y\": {a: 1,\n    b: 2}\n  z: 1\n", "x:\n  z: 1\n");
    unsets("x", "\u{feff}x: 1\ny: 1\n", "\u{feff}y: 1\n");
    unsets("x", "x: 1\n...\n", "...\n");
    unsets("x", "---\nx: 1\n", "---\n");
}

#[test]
fn maps_that_held_nothing_else_go_with_it() {
    unsets("x/y/z", "x:\n  y:\n    z: 1\nw: 1\n", "w: 1\n");
    unsets("x/y/z", "x: # x\n  # about y\n  y:\n    # about z\n    z: 1\n", "  # about y\n    # about z\n");
    unsets("x/y/z", "x:\n  y: {z: 1}\n  w: 1\n", "x:\n  w: 1\n");
    unsets("x/y/z", "x: {y: {z: 1}, w: 1}\n", "x: {w: 1}\n");
    unsets("x/y/z", "{x: {y: {z: 1}}}\n", "{}\n");
    unsets("x/y", "x:\n  y: 1\n", "");
}

#[test]
fn a_key_goes_out_of_brackets_with_one_comma() {
    unsets("x/b", "x: {a: 1, b: 2, c: 3}\n", "x: {a: 1, c: 3}\n");
    unsets("x/a", "x: { a: 1, b: 2 } # c\n", "x: { b: 2 } # c\n");
    unsets("x/b", "x: { a: 1, b: 2 } # c\n", "x: { a: 1 } # c\n");
    unsets("x/b", "x: {a: 1, b: [1, 2], c: }\n", "x: {a: 1, c: }\n");
    unsets(
        "x/b",
        "x: {\n  a: 1,\n  b: 2, # why\n  # about c\n  c: 3\n}\n",
        "x: {\n  a: 1,\n  # about c\n  c: 3\n}\n",
    );
    unsets("x/b", "x: {\n  a: 1,\n  b: 2\n}\n", "x: {\n  a: 1\n}\n");
    unsets("x", "{x: 1,\n y: 2}\n", "{y: 2}\n");
}

#[test]
fn what_is_not_there_is_not_taken_out() {
    for text in ["", "# x\n", "x:\n", "x: {z: 1}\n", "x: 5\n", "x: [y]\n"] {
        assert_eq!(unset_at(text, &path("x/y")).unwrap(), text);
        assert!(!is_set(text, &path("x/y")).unwrap());
    }
}

#[test]
fn what_cannot_be_done_for_certain_is_refused_with_its_place() {
    let (set, unset) = (
        |text: &str, key: &str| refused(set_at(text, &path(key), "1")),
        |text: &str, key: &str| refused(unset_at(text, &path(key))),
    );
    assert_eq!(set("a: 1\nx: [1]\n", "x/y/z"), "line 2, column 1: `x` must be a map of settings");
    assert_eq!(set("x:\n  y: no\n", "x/y/z"), "line 2, column 3: `x.y` must be a map of settings");
    assert!(set("x:\n  y: &y 2\nz: *y\n", "x/y").contains("line 2, column 1: `x.y: 1`"));
    assert!(set("? x\n: {y: *a}\n", "x/y").contains("not valid YAML"));
    assert!(unset("x:\n  y: &y 2\n  z: *y\n", "x/y").contains("by hand"));
    assert!(unset("x: {a: 1, # one\n  b: 2}\n", "x/a").contains("by hand"));
    assert!(unset("x: {a: 1 # one\n  , b: 2}\n", "x/b").contains("by hand"));
    assert!(unset("x: { # why\n  y: 1\n}\nz: 1\n", "x/y").contains("by hand"));
    assert!(unset("a: {b: [\n", "a/b").contains("not valid YAML"));
    assert!(set(&format!("a: {}", "[".repeat(100_000)), "a/b").contains("nested too deeply"));
}
