//! The tables of settings: every key of the schema stands in one row of one page, with the default of config/defaults.yaml
//! and, where it is a number, its unit. That the tables are what the generator writes is `cargo xtask schema --check`.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use shared::catalog::Catalog;

use super::{pages, root};

/// What a number can be of, as it stands in a row: units, and things that are counted.
const UNITS: [&str; 19] = [
    "seconds",
    "hours",
    "days",
    "percent",
    "points",
    "characters",
    "dollars",
    "tokens",
    "MiB",
    "calls",
    "rounds",
    "times",
    "tools",
    "lines",
    "messages",
    "questions",
    "blocks",
    "stops",
    "conditions",
];

/// How many words may stand between a number and what it is of: "so many of the last messages".
const BETWEEN: usize = 3;

/// One row.
struct Row {
    page: String,
    default: String,
    values: String,
    meaning: String,
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
            let row = Row {
                page: page.path.clone(),
                default: cells[1].to_owned(),
                values: cells[2].to_owned(),
                meaning: cells[4].trim_end_matches(" |").to_owned(),
            };
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

/// A number, a list of numbers, or numbers by names.
fn is_number(schema: &Value) -> bool {
    let says = |kind: &Value| ["integer", "number"].iter().any(|number| kind == number);
    let own = says(&schema["type"]) || schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(says));
    let has_number = |ways: &Value| ways.as_array().is_some_and(|ways| ways.iter().any(is_number));
    let inner = |key: &str| schema[key].is_object() && is_number(&schema[key]);
    // `true` and `1` are no quantities.
    let is_one_of_some = schema["enum"].is_array() || schema["const"].is_number();
    !is_one_of_some
        && (own
            || has_number(&schema["anyOf"])
            || has_number(&schema["oneOf"])
            || inner("items")
            || inner("additionalProperties"))
}

/// Words without what stands around them.
fn words(cell: &str) -> Vec<String> {
    let words = cell.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|unit| unit.eq_ignore_ascii_case(word))
}

/// The unit ends the values ("1 to 50 seconds"), or the meaning begins with what is counted, or counts it: "so many", "how
/// many".
fn has_unit(row: &Row) -> bool {
    let (values, meaning) = (words(&row.values), words(&row.meaning));
    let counts = meaning.windows(2).zip(2..).any(|(pair, next)| {
        let asks = ["so", "how"].iter().any(|word| pair[0].eq_ignore_ascii_case(word)) && pair[1] == "many";
        asks && meaning[next..].iter().take(BETWEEN + 1).any(|word| is_unit(word))
    });
    counts || [values.last(), meaning.first()].into_iter().flatten().any(|word| is_unit(word))
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
    let (rows, mut count) = (rows(), 0);
    let mut without = Vec::new();
    for (key, _) in schema().into_iter().filter(|(_, schema)| is_number(schema)) {
        let row = &rows[&key][0];
        if !has_unit(row) {
            without.push(format!("{key}: {} | {}", row.values, row.meaning));
        }
        count += 1;
    }
    assert!(without.is_empty(), "numbers of what? say it in the setting's comment\n{}", without.join("\n"));
    assert!(count >= 45, "only {count} numbers were found");
}

#[test]
fn a_unit_is_a_whole_word_where_it_belongs() {
    for (values, meaning, expected) in [
        ("1 to 50 seconds", "After that the call goes on.", true),
        ("0 to 100", "So many of the last messages are shown.", true),
        ("0 to 100", "Calls may be made.", true),
        ("0 to 100", "The user is told that the record begins.", false),
        ("0 to 100", "For the secondshand.", false),
        ("seconds, or text", "Something else is set.", false),
        ("0 to 100", "So many things in a session, not counting calls.", false),
    ] {
        let row = Row {
            page: String::new(),
            default: String::new(),
            values: values.to_owned(),
            meaning: meaning.to_owned(),
        };
        assert_eq!(has_unit(&row), expected, "{values} | {meaning}");
    }
}
