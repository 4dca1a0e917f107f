//! The tables of settings: every key of the schema stands in one row of one page, with the default of config/defaults.yaml
//! and, where it is a number, its unit. That the tables are what the generator writes is `cargo xtask schema --check`.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use shared::catalog::Catalog;

use super::{pages, root};

/// What a number can count; one of these stands in its key, its values or its meaning.
const UNITS: [&str; 22] = [
    "second",
    "percent",
    "point",
    "hour",
    "day",
    "character",
    "dollar",
    "token",
    "call",
    "round",
    "times",
    "tool",
    "line",
    "message",
    "question",
    "block",
    "stop",
    "condition",
    "mib",
    "million",
    "original tool's name of",
    "sessions",
];

/// One row, and the text of the group it stands in.
#[derive(Clone)]
struct Row {
    page: String,
    default: String,
    words: String,
}

/// The rows of all pages, by the path of their key in a file.
fn rows() -> BTreeMap<String, Vec<Row>> {
    let catalog = Catalog::built_in().unwrap();
    let mut rows: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for page in pages() {
        let Some((_, tables)) = page.text.split_once("<!-- settings:begin -->\n") else { continue };
        let (tables, _) = tables.split_once("<!-- settings:end -->").unwrap();
        let hook = catalog.hooks.iter().find(|hook| page.path == format!("hooks/{}/README.md", hook.name));
        // What follows the first heading of a hook's page is its own section; the rest stands at the top of the file.
        let mut section = String::new();
        for line in tables.lines() {
            if line.starts_with("Section ") {
                section = format!("{}.", hook.unwrap().name);
            } else if line.starts_with("At the top of the file") {
                section.clear();
            }
            let Some(row) = line.strip_prefix("| `") else { continue };
            let cells: Vec<&str> = row.split(" | ").collect();
            let key = format!("{section}{}", cells[0].trim_end_matches('`'));
            let row =
                Row { page: page.path.clone(), default: cells[1].to_owned(), words: line.to_lowercase() };
            rows.entry(key).or_default().push(row);
        }
    }
    rows
}

/// The keys of a schema, each with its own schema; of a map of a user's choosing as `NAME`, of a list as `[]`.
fn keys(above: &str, schema: &Value, found: &mut Vec<(String, Value)>) {
    for (key, schema) in schema["properties"].as_object().into_iter().flatten() {
        let path = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
        found.push((path.clone(), schema.clone()));
        keys(&path, schema, found);
    }
    keys_if_any(&format!("{above}.NAME"), &schema["additionalProperties"], found);
    keys_if_any(&format!("{above}[]"), &schema["items"], found);
    for way in ["anyOf", "oneOf"].into_iter().filter_map(|way| schema[way].as_array()).flatten() {
        keys(above, way, found);
    }
}

fn keys_if_any(above: &str, schema: &Value, found: &mut Vec<(String, Value)>) {
    if schema.is_object() {
        keys(above, schema, found);
    }
}

fn schema() -> Vec<(String, Value)> {
    let text = fs::read_to_string(root().join("config/requirements.schema.json")).unwrap();
    let mut found = Vec::new();
    keys("", &serde_json::from_str(&text).unwrap(), &mut found);
    let sections: Vec<String> =
        Catalog::built_in().unwrap().hooks.into_iter().map(|hook| hook.name).collect();
    found.retain(|(path, _)| !sections.contains(path));
    assert!(found.len() > 150, "{} keys", found.len());
    found
}

fn is_number(schema: &Value) -> bool {
    let says = |kind: &Value| ["integer", "number"].iter().any(|number| kind == number);
    let own = says(&schema["type"]) || schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(says));
    let ways = schema["anyOf"].as_array().is_some_and(|ways| ways.iter().all(is_number));
    own || ways
}

#[test]
fn every_key_stands_in_exactly_one_row_of_the_manual_and_no_other_does() {
    let rows = rows();
    let keys: Vec<String> = schema().into_iter().map(|(key, _)| key).collect();
    for key in &keys {
        let pages: Vec<&str> = rows.get(key).into_iter().flatten().map(|row| row.page.as_str()).collect();
        assert_eq!(pages.len(), 1, "{key} stands in {pages:?}: run `cargo xtask schema`");
    }
    let strange: Vec<&String> = rows.keys().filter(|key| !keys.contains(key)).collect();
    assert!(strange.is_empty(), "no key of the schema: {strange:?}");
}

#[test]
fn every_row_has_the_default_of_the_defaults() {
    let text = fs::read_to_string(root().join("config/defaults.yaml")).unwrap();
    let defaults: Value = serde_yaml::from_str(&text).unwrap();
    let (rows, mut count) = (rows(), 0);
    for (key, schema) in schema() {
        let row = &rows[&key][0];
        let default = key.split('.').try_fold(&defaults, |above, key| above.get(key));
        let is_group = schema["properties"].is_object();
        let written = row.default.trim_matches('`').replace("\\|", "|");
        match default {
            _ if is_group => assert_eq!(row.default, "", "{key}"),
            None => {
                let own = &schema["default"];
                let is_none = own.is_null() || own.as_array().is_some_and(Vec::is_empty);
                assert!(
                    written == "none" && is_none || serde_yaml::from_str::<Value>(&written).unwrap() == *own,
                    "{key}"
                );
            }
            Some(Value::Null) => assert_eq!(written, "none", "{key}"),
            Some(Value::Array(list)) if list.is_empty() => assert_eq!(written, "none", "{key}"),
            Some(Value::Object(map)) if map.is_empty() => assert_eq!(written, "none", "{key}"),
            Some(value) => {
                let many = value.as_array().map(Vec::len).or_else(|| Some(value.as_object()?.len()));
                let is_counted =
                    many.is_some_and(|many| row.default == format!("{many} entries: `req docs defaults`"));
                assert!(
                    is_counted || serde_yaml::from_str::<Value>(&written).unwrap() == *value,
                    "{key}: {written}"
                );
                count += 1;
            }
        }
    }
    assert!(count > 80, "only {count} defaults were compared");
}

#[test]
fn every_number_has_a_unit() {
    let rows = rows();
    for (key, _) in schema().into_iter().filter(|(_, schema)| is_number(schema)) {
        // The row of the map it stands in speaks for it, too.
        let group = key.rsplit_once('.').and_then(|(group, _)| rows.get(group.trim_end_matches(".NAME")));
        let words: String =
            [&rows[&key]].into_iter().chain(group).flatten().map(|row| row.words.as_str()).collect();
        assert!(UNITS.iter().any(|unit| words.contains(unit)), "{key} has no unit: {words}");
    }
}
