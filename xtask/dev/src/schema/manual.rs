//! The tables of settings in the manual: every key of the schema once, on the page of the hook that reads it; what several
//! hooks read on a page of its own, `config/manual/<key>.md`; what belongs to no hook on the page about configuration.

mod cells;

use std::collections::BTreeMap;

use anyhow::Context as _;
use installer::catalog::Catalog;
use serde_json::Value;

use cells::{default_of, example_of, meaning_of, values_of};

const TOP: &str = "config/manual/configuration.md";

const CHOSEN: &str = "NAME";

const EACH: &str = "[]";

pub(super) const MARKERS: (&str, &str) = ("<!-- settings:begin -->\n", "<!-- settings:end -->\n");

#[derive(Debug, Default)]
struct Row {
    /// Path of the key; within a hook's section without the section's name.
    key: String,
    default: String,
    values: String,
    set_in: &'static str,
    meaning: String,
    example: Option<String>,
}

/// The tables of each page, by its path. `defaults` is config/defaults.yaml.
pub(super) fn tables(
    catalog: &Catalog,
    schema: &Value,
    defaults: &Value,
) -> anyhow::Result<BTreeMap<String, String>> {
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    let properties = schema["properties"].as_object().context("the schema has no properties")?;
    for hook in &catalog.hooks {
        let rows = section(&properties[&hook.name], &defaults[&hook.name]);
        let text = format!("Section `{}`:\n\n{}", hook.name, table(&rows));
        pages.insert(format!("hooks/{}/README.md", hook.name), text);
    }
    let is_section = |key: &str| catalog.hooks.iter().any(|hook| hook.name == key);
    let mut top = Vec::new();
    for (key, schema) in properties.iter().filter(|(key, _)| !is_section(key)) {
        let rows = rows_of(key, schema, defaults.get(key), "any");
        match owners(schema).as_slice() {
            [] => top.extend(rows),
            [one] => {
                let headed = format!("\nAt the top of the file, `{key}`:\n\n{}", table(&rows));
                pages.entry(format!("hooks/{one}/README.md")).or_default().push_str(&headed);
            }
            _ => {
                pages.insert(format!("config/manual/{key}.md"), table(&rows));
            }
        }
    }
    pages.insert(TOP.to_owned(), table(&top));
    Ok(pages)
}

fn owners(schema: &Value) -> Vec<&str> {
    schema["x-owners"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A hook's keys; those every hook has come first.
fn section(schema: &Value, defaults: &Value) -> Vec<Row> {
    let mut properties: Vec<_> = schema["properties"].as_object().into_iter().flatten().collect();
    properties.sort_by_key(|(key, _)| !["enabled", "headless"].contains(&key.as_str()));
    let mut rows: Vec<Row> = properties
        .into_iter()
        .flat_map(|(key, schema)| rows_of(key, schema, defaults.get(key), "any"))
        .collect();
    let enabled = rows.iter_mut().find(|row| row.key == "enabled");
    if let Some(enabled) = enabled.filter(|_| schema.get("x-costs-money").is_some()) {
        enabled.set_in = "any; `true` global";
    }
    rows
}

fn rows_of(key: &str, schema: &Value, default: Option<&Value>, set_in: &'static str) -> Vec<Row> {
    let set_in = match schema["x-set-in"].as_str() {
        _ if schema.get("x-global-only").is_some() => "global",
        Some("global") => "global",
        Some("project") => "project",
        _ => set_in,
    };
    let keys = below(schema);
    let is_map = !keys.is_empty() && schema["properties"].is_object();
    let default_cell = if is_map { String::new() } else { default_of(schema, default) };
    let row = Row {
        key: key.to_owned(),
        default: default_cell,
        values: values_of(schema, key),
        set_in,
        meaning: meaning_of(schema),
        example: example_of(key, schema),
    };
    let rest = keys.into_iter().flat_map(|(name, schema)| {
        let default = if is_map { default.and_then(|default| default.get(&name)) } else { None };
        let dot = if name.starts_with(EACH) { "" } else { "." };
        rows_of(&format!("{key}{dot}{name}"), schema, default, set_in)
    });
    [row].into_iter().chain(rest).collect()
}

/// The keys of a map, of the maps of a map, and of the maps in a list.
fn below(schema: &Value) -> Vec<(String, &Value)> {
    if let Some(properties) = schema["properties"].as_object() {
        return properties.iter().map(|(name, schema)| (name.clone(), schema)).collect();
    }
    let each = [&schema["items"], &schema["additionalProperties"]].into_iter().find(|each| each.is_object());
    if let Some(each) = each {
        let prefix = if schema["items"].is_object() { EACH } else { CHOSEN };
        return below(each).into_iter().map(|(name, schema)| (format!("{prefix}.{name}"), schema)).collect();
    }
    let ways = [&schema["anyOf"], &schema["oneOf"]].into_iter().filter_map(Value::as_array).flatten();
    ways.flat_map(below).collect()
}

fn table(rows: &[Row]) -> String {
    let has_examples = rows.iter().any(|row| row.example.is_some());
    let (head, line) = if has_examples { (" example |", "---|") } else { ("", "") };
    let lines = rows.iter().map(|row| {
        let Row { key, default, values, set_in, meaning, example } = row;
        let example = example.as_deref().unwrap_or_default();
        let example = if has_examples { format!(" {example} |") } else { String::new() };
        format!("| `{key}` | {default} | {values} | {set_in} | {meaning} |{example}\n")
    });
    let head =
        format!("| key | default | values | set in | what it sets |{head}\n|---|---|---|---|---|{line}\n");
    head + &lines.collect::<String>()
}

#[cfg(test)]
mod tests;
