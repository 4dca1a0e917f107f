//! The check of one layer against the schema, on the cold path: which entries are wrong, and what was expected. It knows as much
//! of JSON Schema as our own schemas use. A whole number with a fraction (`5.0`) is none, as for the types.
//!
//! The committed schema of the whole file is compiled in for command lines, which read the sections of other binaries by it. A hook
//! reads its own section by its types.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use crate::{Fault, SectionSpec};

/// The schema of a settings type, without references.
pub fn schema_of<S: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<S>()
}

/// The entries of the map `value` that are wrong, by their paths. What `below` has need not stand here again.
pub(crate) fn wrong_entries(map: &Value, value: &Value, below: &Value) -> Vec<(Vec<String>, Fault)> {
    let mut wrong = Vec::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        let found = match property(map, key) {
            Some(schema) => wrong_value(schema, value, below.get(key).unwrap_or(&Value::Null)),
            None if map.get("additionalProperties") == Some(&Value::Bool(false)) => {
                vec![(Vec::new(), Fault::UnknownKey(nearest(key, &known_keys(map))))]
            }
            None => Vec::new(),
        };
        wrong.extend(found.into_iter().map(|(path, fault)| ([vec![key.clone()], path].concat(), fault)));
    }
    wrong
}

fn wrong_value(schema: &Value, value: &Value, below: &Value) -> Vec<(Vec<String>, Fault)> {
    let expected = |what: String| vec![(Vec::new(), Fault::Expected(what))];
    match (map_of(schema), value) {
        (Some(map), Value::Object(entries)) => {
            let mut wrong = wrong_entries(map, value, below);
            if !has_required(map, entries, below) {
                wrong.extend(expected(keys_of(map).unwrap_or_default()));
            }
            wrong
        }
        _ if fits(schema, value) => Vec::new(),
        _ => {
            let wrong = value.as_array().zip(schema.get("items")).and_then(|(entries, items)| {
                let at = entries.iter().position(|entry| !fits(items, entry))?;
                Some(format!("entry {} to be {}", at + 1, describe(items)))
            });
            expected(wrong.unwrap_or_else(|| describe(schema)))
        }
    }
}

fn has_required(map: &Value, entries: &Map<String, Value>, below: &Value) -> bool {
    let mut required = list(map, "required").iter().filter_map(Value::as_str);
    required.all(|key| entries.contains_key(key) || below.get(key).is_some())
}

/// The schema of a map's entries, where a map may stand.
fn map_of(schema: &Value) -> Option<&Value> {
    let is_map = schema.get("properties").or(schema.get("additionalProperties")).is_some();
    if is_map { Some(schema) } else { list(schema, "anyOf").iter().find_map(map_of) }
}

/// The schema of the entry of that name, which a map may name or not.
fn property<'a>(map: &'a Value, key: &str) -> Option<&'a Value> {
    let named = map.get("properties").and_then(|properties| properties.get(key));
    named.or_else(|| map.get("additionalProperties").filter(|any| any.is_object()))
}

fn list<'a>(schema: &'a Value, keyword: &str) -> &'a [Value] {
    schema[keyword].as_array().map_or(&[], Vec::as_slice)
}

/// The keys a map may have; empty where any key may stand.
pub fn known_keys(schema: &Value) -> Vec<&str> {
    schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

pub fn nearest(word: &str, known: &[&str]) -> Option<String> {
    let close = known.iter().map(|known| (strsim::jaro_winkler(word, known), *known));
    let best = close.filter(|(score, _)| *score > 0.75).max_by(|left, right| left.0.total_cmp(&right.0));
    best.map(|(_, known)| known.to_owned())
}

/// The schema of the value at `path`.
pub(crate) fn at<'a>(schema: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(schema, |schema, key| property(map_of(schema)?, key))
}

pub fn fits(schema: &Value, value: &Value) -> bool {
    let is_whole = match value {
        Value::Array(entries) => {
            schema.get("items").is_none_or(|items| entries.iter().all(|entry| fits(items, entry)))
        }
        Value::Object(entries) => {
            has_required(schema, entries, &Value::Null)
                && wrong_entries(schema, value, &Value::Null).is_empty()
        }
        _ => true,
    };
    is_whole && is_kind(schema, value) && is_choice(schema, value) && is_within(schema, value)
}

fn is_kind(schema: &Value, value: &Value) -> bool {
    let is = |kind: &Value| match kind.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    };
    let kinds = kinds(schema);
    kinds.is_empty() || kinds.iter().any(is)
}

fn kinds(schema: &Value) -> &[Value] {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds,
        Some(kind) => std::slice::from_ref(kind),
        None => &[],
    }
}

fn is_choice(schema: &Value, value: &Value) -> bool {
    let one_of = |keyword: &str| {
        schema.get(keyword).is_none() || list(schema, keyword).iter().any(|option| fits(option, value))
    };
    schema.get("const").is_none_or(|word| word == value)
        && (schema.get("enum").is_none() || list(schema, "enum").contains(value))
        && one_of("anyOf")
        && one_of("oneOf")
}

fn is_within(schema: &Value, value: &Value) -> bool {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    let is_long = || {
        let length = value.as_str().map(|text| text.chars().count() as u64);
        let least = schema.get("minLength").and_then(Value::as_u64);
        length.zip(least).is_none_or(|(length, least)| length >= least)
    };
    let number = value.as_f64();
    number.zip(bound("minimum")).is_none_or(|(number, least)| number >= least)
        && number.zip(bound("maximum")).is_none_or(|(number, most)| number <= most)
        && is_long()
}

/// Describes the values of a schema: `true or false`, `a whole number from 1 to 6`, `one of: always, unfinished`.
pub fn describe(schema: &Value) -> String {
    if let Some(words) = choices(schema) {
        return format!("one of: {}", words.join(", "));
    }
    match kinds(schema).iter().filter_map(Value::as_str).find(|kind| *kind != "null") {
        Some("boolean") => "true or false".to_owned(),
        Some("integer") => number("a whole number", schema),
        Some("number") => number("a number", schema),
        Some("string") => schema.get("title").and_then(Value::as_str).unwrap_or("text").to_owned(),
        Some("array") => {
            let each = schema.get("items").map(|entry| format!(", each entry {}", describe(entry)));
            format!("a list{}", each.unwrap_or_default())
        }
        Some("object") => "a map of settings".to_owned(),
        _ => alternatives(schema).unwrap_or_else(|| "another kind of value".to_owned()),
    }
}

fn choices(schema: &Value) -> Option<Vec<&str>> {
    let options = schema.get("enum").or(schema.get("oneOf"))?.as_array()?;
    let words = options.iter().filter(|option| !option.is_null());
    words.map(|option| option.get("const").unwrap_or(option).as_str()).collect()
}

fn alternatives(schema: &Value) -> Option<String> {
    schema.get("anyOf")?;
    let options = list(schema, "anyOf").iter().filter(|option| option.get("type") != Some(&"null".into()));
    let described: Vec<_> =
        options.map(|option| keys_of(option).unwrap_or_else(|| describe(option))).collect();
    Some(described.join(" or "))
}

/// A map with its keys: where it is one of several kinds, no path says which of its keys is wrong.
fn keys_of(schema: &Value) -> Option<String> {
    let keys = schema["properties"].as_object()?;
    let keys: Vec<_> = keys.iter().map(|(key, value)| format!("{key} ({})", describe(value))).collect();
    Some(format!("a map of {}", keys.join(", ")))
}

fn number(kind: &str, schema: &Value) -> String {
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(least), Some(most)) if least == most => least.to_string(),
        (Some(least), Some(most)) => format!("{kind} from {least} to {most}"),
        (Some(least), None) => format!("{kind} of at least {least}"),
        (None, Some(most)) => format!("{kind} of at most {most}"),
        (None, None) => kind.to_owned(),
    }
}

/// The name of the copy that lies beside a file, for editors.
pub const SCHEMA_FILE: &str = "requirements.schema.json";

/// The schema's title. A file with another one is somebody else's.
pub const SCHEMA_TITLE: &str = "Barbless: requirements.yaml";

/// The whole file, as `cargo xtask schema` generates it.
pub const SCHEMA_TEXT: &str = include_str!("../../../config/requirements.schema.json");

static WHOLE: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(SCHEMA_TEXT).unwrap_or_default());

/// Specification and schema of each section. They live as long as the process, as the constants of a hook do.
static SECTIONS: LazyLock<Vec<(SectionSpec, Value)>> =
    LazyLock::new(|| known_keys(&WHOLE).into_iter().filter_map(section).collect());

/// The section `name`, with its keys at the top of the file.
fn section(name: &'static str) -> Option<(SectionSpec, Value)> {
    let sections = WHOLE.get("properties")?.as_object()?;
    let mut schema = sections.get(name)?.clone();
    let is_owned = |schema: &Value| list(schema, "x-owners").iter().any(|owner| owner == name);
    let owned: Vec<_> = sections.iter().filter(|(_, schema)| is_owned(schema)).collect();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.extend(owned.iter().map(|(key, schema)| ((*key).clone(), (*schema).clone())));
    }
    let renamed = sections[name]["x-renamed"].as_object().into_iter().flatten();
    let renamed = renamed.filter_map(|(old, new)| Some((old.as_str(), new.as_str()?)));
    let spec = SectionSpec {
        name,
        root_keys: owned.into_iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().leak(),
        global_only: global_only("", &schema).leak(),
        renamed: renamed.collect::<Vec<_>>().leak(),
        costs_money: schema.get("x-costs-money").is_some(),
    };
    Some((spec, schema))
}

/// The dotted keys that only the global file may set; the empty one is the whole section.
fn global_only(above: &str, schema: &Value) -> Vec<&'static str> {
    if schema.get("x-global-only") == Some(&Value::Bool(true)) {
        return vec![above.to_owned().leak()];
    }
    let of_property = |(key, property): (&String, &Value)| {
        let path = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
        global_only(&path, property)
    };
    schema["properties"].as_object().into_iter().flatten().flat_map(of_property).collect()
}

/// The schema of what stands at this path of a file.
pub fn schema_at(path: &[String]) -> Option<&'static Value> {
    at(&WHOLE, path)
}

/// Specification and schema of a hook's section; `None` for a name no section has.
pub fn section_by_schema(name: &str) -> Option<(SectionSpec, &'static Value)> {
    SECTIONS.iter().find(|(spec, _)| spec.name == name).map(|(spec, schema)| (*spec, schema))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;
    use crate::layer::json as as_json;
    use crate::{Bounded, Decimal, LayerKind, Origin, ZeroOr, yaml};

    #[test]
    fn finds_the_schema_of_a_path_and_names_an_origin_with_its_layer() {
        let path = |keys: &str| keys.split('.').map(str::to_owned).collect::<Vec<_>>();
        let schema = schema_at(&path("stop-momentum.max_blocks")).unwrap();
        assert!(fits(schema, &json!(3)) && !fits(schema, &json!(7)));
        assert!(schema_at(&path("stop-momentum.nowhere")).is_none());
        let origin = Origin { layer: LayerKind::Project, file: "a.yaml".to_owned(), line: Some(4) };
        assert_eq!(origin.with_layer(), "a.yaml:4 (project)");
        assert!((Decimal::<0, 9>::new(2.5).unwrap().get() - 2.5).abs() < f64::EPSILON);
    }

    #[test]
    fn describes_each_kind_of_value_in_words() {
        let inner = json!({ "type": "object", "properties": { "inner": { "type": "integer", "minimum": 0, "maximum": 255 } } });
        for (schema, expected) in [
            (schema_of::<Decimal<0, 9>>().to_value(), "a number from 0 to 9"),
            (schema_of::<ZeroOr<2, 9>>().to_value(), "0 or a whole number from 2 to 9"),
            (json!({ "type": ["string", "null"] }), "text"),
            (schema_of::<Vec<String>>().to_value(), "a list, each entry text"),
            (json!({ "oneOf": [{ "const": "first" }, { "const": "second" }] }), "one of: first, second"),
            (json!({ "type": "string", "title": "a name without spaces" }), "a name without spaces"),
            (inner.clone(), "a map of settings"),
            (
                json!({ "anyOf": [{ "type": "string" }, inner] }),
                "text or a map of inner (a whole number from 0 to 255)",
            ),
        ] {
            assert_eq!(describe(&schema), expected, "{schema}");
        }
    }

    /// Keywords that this module judges, and those that only explain.
    const KNOWN: &str = "type enum const anyOf oneOf items properties additionalProperties required minimum maximum minLength \
                         description title pattern format default examples x-costs-money x-renamed x-owners x-when-wrong \
                         x-global-only x-set-in";

    fn words(schema: &Value, found: &mut BTreeSet<String>) {
        let Some(map) = schema.as_object() else { return };
        for (word, value) in map {
            found.insert(word.clone());
            match word.as_str() {
                "properties" => value.as_object().unwrap().values().for_each(|value| words(value, found)),
                "anyOf" | "oneOf" => value.as_array().unwrap().iter().for_each(|value| words(value, found)),
                "items" | "additionalProperties" => words(value, found),
                _ => {}
            }
        }
    }

    #[test]
    fn no_word_of_the_committed_schema_is_passed_over() {
        let schema: Value = serde_json::from_str(SCHEMA_TEXT).unwrap();
        let mut found = BTreeSet::new();
        words(&schema, &mut found);
        found.retain(|word| word != "$schema" && KNOWN.split(' ').all(|known| known != word));
        assert!(found.is_empty(), "`fits` must learn {found:?}");
    }

    #[test]
    fn schema_accepts_and_rejects() {
        let list = json!({ "type": "array", "items": { "type": "string", "minLength": 1 } });
        let bounded = json!({ "type": ["integer", "null"], "minimum": 1, "maximum": 6 });
        let word = json!({ "oneOf": [{ "const": "a" }, { "const": "b" }] });
        let either = json!({ "anyOf": [{ "type": "integer", "maximum": 0, "minimum": 0 }, bounded] });
        let closed = json!({
            "type": "object", "additionalProperties": false, "required": ["a"], "properties": { "a": { "type": "boolean" } }
        });
        let open = json!({ "type": "object", "additionalProperties": bounded });
        for (schema, right, wrong) in [
            (&list, &["[]", "[a]"][..], &["[1]", "a", "['']", "{}", "null"][..]),
            (&bounded, &["1", "6", "null", "~"], &["0", "7", "1.0", "1.5", "'1'", "-1", "[1]", "true"]),
            (&word, &["a", "'b'"], &["c", "1", "[a]", "null"]),
            (&either, &["0", "3"], &["7", "0.0"]),
            (&closed, &["{a: true}"], &["{}", "{a: 1}", "{a: true, b: 1}", "[]"]),
            (&open, &["{}", "{x: 1, y: null}"], &["{x: 9}"]),
            (&json!({ "type": "integer" }), &["-1", "1"], &["1.5", "text"]),
            (&json!({ "type": "number", "maximum": 2 }), &["1", "1.5", "-1"], &["2.5", "'1'"]),
        ] {
            let fits = |text: &&str| fits(schema, &as_json(&yaml::parse_value(text).unwrap()));
            let found = (right.iter().copied().find(|text| !fits(text)), wrong.iter().copied().find(fits));
            assert_eq!(found, (None, None), "{schema}");
        }
    }

    /// Reads each text with the type, and compares the schema's judgement.
    #[track_caller]
    fn check<T: DeserializeOwned + JsonSchema>(right: &[&str], wrong: &[&str]) {
        let schema = schema_of::<T>().to_value();
        let right = right.iter().map(|text| (text, true));
        for (text, is_right) in right.chain(wrong.iter().map(|text| (text, false))) {
            let value = as_json(&yaml::parse_value(text).unwrap());
            assert_eq!(yaml::read_typed::<T>(text).is_ok(), is_right, "{text} as {schema}");
            assert_eq!(fits(&schema, &value), is_right, "{text} {schema}");
        }
    }

    #[test]
    fn numbers_keep_to_their_bounds_and_their_schemas_say_so() {
        check::<Bounded<2, 9>>(&["2", "9"], &["1", "10", "-3", "2.5", "\"5\"", "true", ""]);
        check::<ZeroOr<2, 9>>(&["0", "2", "9"], &["1", "10", "-1", "2.5", "false", ""]);
        check::<Decimal<1, 10>>(
            &["1", "2.5", "1e1", "10.0"],
            &["0.99", "-3", "10.01", ".nan", ".inf", "-.inf", "1e999", "\"5\"", "five", "[5]", "true", ""],
        );
        check::<Decimal<0, 10>>(&["-0.0"], &[]);
        assert_eq!([0, 2].map(|number| ZeroOr::<2, 9>::new(number).unwrap().get()), [None, Some(2)]);
    }

    #[test]
    fn a_key_at_the_top_of_the_file_is_read_with_each_hook_that_owns_it() {
        for hook in ["intent-validator", "tempo-stop"] {
            let (spec, schema) = section_by_schema(hook).unwrap();
            assert_eq!(spec.root_keys, ["judge"]);
            assert!(spec.global_only.contains(&"judge") && spec.costs_money, "{hook}");
            assert_eq!(schema["properties"]["judge"]["type"], "object");
        }
        assert_eq!(section_by_schema("requirements-check").unwrap().0.root_keys, ["requirements", "hooks"]);
        assert_eq!(section_by_schema("stop-momentum").unwrap().0.root_keys, [""; 0]);
    }
}
