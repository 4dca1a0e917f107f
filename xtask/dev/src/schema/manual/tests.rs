//! The tables of settings: which page a key is on, and what its row says.

use installer::catalog::{Catalog, HookEntry};
use serde_json::{Value, json};

use super::{Row, rows_of, tables};

fn rows(schema: &Value, default: &Value) -> Vec<Row> {
    rows_of("key", schema, Some(default), "any")
}

#[track_caller]
fn check(schema: &Value, default: &Value, expected: [&str; 3]) {
    let rows = rows(schema, default);
    let row = &rows[0];
    assert_eq!([row.default.as_str(), row.values.as_str(), row.meaning.as_str()], expected);
}

#[test]
fn a_row_says_default_values_and_meaning() {
    let secs = json!({ "type": "integer", "minimum": 1, "maximum": 60, "description": "It waits." });
    check(&secs, &json!(5), ["`5`", "1 to 60", "It waits."]);
    assert_eq!(rows_of("a.wait_secs", &secs, None, "any")[0].values, "1 to 60 seconds");
    let flag = json!({ "type": "boolean", "description": "a|b" });
    check(&flag, &json!(true), ["`true`", "`true`, `false`", r"a\|b"]);
    let text = json!({ "type": ["string", "null"], "description": "A text." });
    check(&text, &Value::Null, ["none", "text", "A text."]);
    let zero = json!({ "anyOf": [
        { "type": "integer", "minimum": 0, "maximum": 0 }, { "type": "integer", "minimum": 2, "maximum": 9 }
    ] });
    check(&zero, &json!(4), ["`4`", "0; or 2 to 9", ""]);
    let list = json!({ "type": "array", "items": { "type": "string" } });
    check(&list, &json!(["a", "*.b"]), ["`[a, \"*.b\"]`", "list: text", ""]);
    check(
        &list,
        &json!(vec!["long enough to matter"; 5]),
        ["5 entries: `req docs defaults`", "list: text", ""],
    );
}

#[test]
fn manual_lists_the_words_of_a_key_with_their_meaning() {
    let word = |word: &str, means: &str| json!({ "type": "string", "const": word, "description": means });
    let words =
        json!({ "oneOf": [word("a", "It is so."), word("b", "It is not.")], "description": "Whether." });
    check(&words, &json!("a"), ["`a`", "`a`, `b`", "Whether. `a`: it is so. `b`: it is not."]);
    let or_none = json!({ "anyOf": [words, { "type": "null" }], "description": "Perhaps." });
    check(&or_none, &Value::Null, ["none", "`a`, `b`", "Perhaps. `a`: it is so. `b`: it is not."]);
    let one_or_more = json!({ "anyOf": [
        { "type": "string", "title": "a day" }, { "type": "array", "items": { "type": "string", "title": "a day" } }
    ] });
    check(&one_or_more, &json!([]), ["none", "a day; or a list", ""]);
}

#[test]
fn the_keys_below_a_key_have_rows_of_their_own() {
    let entry = json!({ "type": "object", "properties": { "tool": { "type": "string" } } });
    let chosen = json!({ "type": "object", "additionalProperties": entry });
    let schema = json!({ "type": "object", "x-global-only": true, "properties": {
        "one": { "type": "integer" },
        "maps": chosen,
        "list": { "type": ["array", "null"], "items": { "anyOf": [{ "type": "string" }, entry] } },
    } });
    let rows = rows(&schema, &json!({ "one": 1 }));
    let keys: Vec<(&str, &str, &str)> =
        rows.iter().map(|row| (row.key.as_str(), row.default.as_str(), row.set_in)).collect();
    assert_eq!(
        keys,
        [
            ("key", "", "global"),
            ("key.one", "`1`", "global"),
            ("key.maps", "none", "global"),
            ("key.maps.NAME.tool", "none", "global"),
            ("key.list", "none", "global"),
            ("key.list[].tool", "none", "global"),
        ]
    );
}

#[test]
fn a_key_is_on_the_page_of_whoever_reads_it() {
    let first = Catalog::built_in().unwrap().hooks[0].clone();
    let hook = |name: &str| HookEntry { name: name.to_owned(), ..first.clone() };
    let catalog = Catalog { hooks: vec![hook("a"), hook("b")] };
    let key = |owners: &[&str]| json!({ "type": "boolean", "x-owners": owners });
    let schema = json!({ "properties": {
        "a": { "properties": { "own": { "type": "boolean" }, "enabled": { "type": "boolean" } }, "x-costs-money": true },
        "b": { "properties": {} },
        "nobodys": { "type": "boolean" },
        "of_one": key(&["b"]),
        "of_both": key(&["a", "b"]),
    } });
    let pages = tables(&catalog, &schema, &json!({ "a": { "own": true } })).unwrap();
    let paths: Vec<&str> = pages.keys().map(String::as_str).collect();
    let expected = [
        "config/manual/configuration.md",
        "config/manual/of_both.md",
        "hooks/a/README.md",
        "hooks/b/README.md",
    ];
    assert_eq!(paths, expected);
    let has = |page: &str, key: &str| pages[page].contains(&format!("| `{key}` |"));
    assert!(has("config/manual/configuration.md", "nobodys") && has("config/manual/of_both.md", "of_both"));
    assert!(has("hooks/b/README.md", "of_one"), "{}", pages["hooks/b/README.md"]);
    let own = &pages["hooks/a/README.md"];
    let enabled = own.find("| `enabled` | none | `true`, `false` | any; `true` global |").unwrap();
    assert!(enabled < own.find("| `own` | `true` |").unwrap(), "the common keys come first: {own}");
}
