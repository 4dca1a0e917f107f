//! The cells of a row: the default as YAML, the values with their unit, the meaning.

use serde_json::Value;

/// Maximum length of a default in the table; the cell of a longer one gives its length.
const MAX_DEFAULT: usize = 64;

const UNITS: [(&str, &str); 10] = [
    ("_secs", "seconds"),
    ("_ttl", "seconds"),
    ("_hours", "hours"),
    ("_days", "days"),
    ("_pct", "percent"),
    ("_points", "points"),
    ("_chars", "characters"),
    ("_tokens", "tokens"),
    ("_mib", "MiB"),
    ("_usd_per_day", "US dollars"),
];

/// The default of config/defaults.yaml, or for what is not in there that of the schema.
pub(super) fn default_of(schema: &Value, default: Option<&Value>) -> String {
    match default.or_else(|| schema.get("default")) {
        None | Some(Value::Null) => "none".to_owned(),
        Some(Value::Array(items)) if items.is_empty() => "none".to_owned(),
        Some(Value::Object(map)) if map.is_empty() => "none".to_owned(),
        Some(value) => {
            let written = flow(value);
            let count = value.as_array().map(Vec::len).or_else(|| Some(value.as_object()?.len()));
            match count.filter(|_| written.chars().count() > MAX_DEFAULT) {
                Some(count) => format!("{count} entries: `req docs defaults`"),
                None => code(&written),
            }
        }
    }
}

pub(super) fn example_of(key: &str, schema: &Value) -> Option<String> {
    let name = key.rsplit('.').next().unwrap_or(key);
    let example = schema.get("examples")?.get(0)?;
    Some(code(&format!("{name}: {}", flow(example))))
}

/// The description of the key and of each of its words.
pub(super) fn meaning_of(schema: &Value) -> String {
    let own = described(schema).unwrap_or_default();
    let words = words(schema).into_iter().filter(|(_, meaning)| !meaning.is_empty());
    let words = words.map(|(word, meaning)| format!("`{word}`: {}", lower_case(&meaning)));
    let all: Vec<String> = [own].into_iter().chain(words).filter(|part| !part.is_empty()).collect();
    all.join(" ").replace('|', r"\|")
}

fn described(schema: &Value) -> Option<String> {
    Some(schema.get("description")?.as_str()?.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn lower_case(text: &str) -> String {
    let mut chars = text.chars();
    let is_name = text.starts_with("Anthropic") || text.starts_with("Claude");
    match chars.next() {
        Some(first) if !is_name => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// The words a key takes, with what each means.
fn words(schema: &Value) -> Vec<(String, String)> {
    let ways = ways(schema);
    if let [one] = ways.as_slice() {
        return words(one);
    }
    let word = |way: &&Value| Some((way["const"].as_str()?.to_owned(), described(way).unwrap_or_default()));
    let found: Vec<(String, String)> = ways.iter().filter_map(word).collect();
    if found.len() == ways.len() { found } else { Vec::new() }
}

/// The forms a value may have, but for the empty one.
fn ways(schema: &Value) -> Vec<&Value> {
    let all = [&schema["anyOf"], &schema["oneOf"]].into_iter().filter_map(Value::as_array).flatten();
    all.filter(|way| way["type"] != "null").collect()
}

pub(super) fn values_of(schema: &Value, key: &str) -> String {
    let ways = ways(schema);
    if let Some(all) = schema["enum"].as_array() {
        return all.iter().map(|value| code(&flow(value))).collect::<Vec<_>>().join(", ");
    }
    if !ways.is_empty() {
        return joined(&ways, key);
    }
    if let Some(word) = schema["const"].as_str() {
        return code(word);
    }
    if let Some(title) = schema["title"].as_str() {
        return title.replace('|', r"\|");
    }
    let kinds = schema["type"].as_array().map_or_else(|| vec![&schema["type"]], |all| all.iter().collect());
    match kinds.into_iter().filter_map(Value::as_str).find(|kind| *kind != "null") {
        Some("boolean") => "`true`, `false`".to_owned(),
        Some("integer" | "number") => number(schema, key),
        Some("array") => format!("list: {}", values_of(&schema["items"], key)),
        Some("object") => "map".to_owned(),
        _ => "text".to_owned(),
    }
}

fn joined(ways: &[&Value], key: &str) -> String {
    let mut told: Vec<String> = ways.iter().map(|way| values_of(way, key)).collect();
    told.dedup();
    let is_one_or_more = told.len() == 2 && told[1] == format!("list: {}", told[0]);
    if is_one_or_more {
        return format!("{}; or a list", told[0]);
    }
    let are_words = told.iter().all(|way| way.starts_with('`'));
    told.join(if are_words { ", " } else { "; or " })
}

fn number(schema: &Value, key: &str) -> String {
    let unit = UNITS.iter().find(|(end, _)| key.ends_with(end)).map(|(_, unit)| format!(" {unit}"));
    let (least, most) = (&schema["minimum"], &schema["maximum"]);
    let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
    format!("{range}{}", unit.filter(|_| least != most).unwrap_or_default())
}

fn flow(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| format!("{key}: {}", flow(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// YAML reads it as a text as it stands.
fn is_plain(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || "-_./ ()=".contains(char))
        && !matches!(text, "true" | "false" | "yes" | "no" | "on" | "off" | "null")
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', r"\|"))
}
