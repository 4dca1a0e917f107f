//! Permission rules under `permissions.allow`. A rule of the user's own that reads like one of ours is the user's: only
//! rules that were added for us ([`Owner::rules`]) are taken out.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use serde_json::json;

use super::document::Document;
use super::earlier::BeforeUs;
use super::splice::{Level, insert_element, insert_property, remove};
use super::{Owner, Refused};

/// Every rule there is.
pub(super) fn there(document: &Document<'_>) -> Vec<String> {
    list(document).map(|(_, list)| texts(list).map(|(_, rule)| rule).collect()).unwrap_or_default()
}

/// One edit towards these rules; `None` when there is nothing left to do.
pub(super) fn step(
    document: &Document<'_>,
    owner: &Owner<'_>,
    wanted: &[String],
    before_us: Option<&BeforeUs<'_>>,
) -> Result<Option<String>, Refused> {
    if wanted.is_empty() && owner.rules.is_empty() {
        return Ok(None);
    }
    check_once(document)?;
    if let Some((permissions, list)) = list(document) {
        let is_ours = |rule: &String| owner.rules.contains(rule) && !wanted.contains(rule);
        if let Some((index, _)) = texts(list).find(|(_, rule)| is_ours(rule)) {
            return Ok(Some(remove(document, &levels(document, permissions, list, index), before_us)));
        }
    }
    let there = there(document);
    match wanted.iter().find(|rule| !there.contains(rule)) {
        Some(rule) => add(document, rule).map(Some),
        None => Ok(None),
    }
}

/// Claude Code takes the other one of two equal keys.
fn check_once(document: &Document<'_>) -> Result<(), Refused> {
    document.check_unique(&document.root, Some("permissions"))?;
    match document.root.get_object("permissions") {
        Some(permissions) => document.check_unique(permissions, Some("allow")),
        None => Ok(()),
    }
}

fn add(document: &Document<'_>, rule: &str) -> Result<String, Refused> {
    let Some(permissions) = document.root.get("permissions") else {
        return Ok(insert_property(document, &document.root, "permissions", &json!({ "allow": [rule] })));
    };
    let Value::Object(object) = &permissions.value else {
        return Err(document.refused(permissions.value.start(), "`permissions` must be an object, `{ ... }`"));
    };
    match object.get("allow").map(|allow| &allow.value) {
        None => Ok(insert_property(document, object, "allow", &json!([rule]))),
        Some(Value::Array(list)) => Ok(insert_element(document, list, &json!(rule))),
        Some(other) => Err(document.refused(other.start(), "`permissions.allow` must be a list, `[ ... ]`")),
    }
}

fn list<'b, 'a>(document: &'b Document<'a>) -> Option<(&'b Object<'a>, &'b Array<'a>)> {
    let permissions = document.root.get_object("permissions")?;
    Some((permissions, permissions.get_array("allow")?))
}

fn texts<'b>(list: &'b Array<'_>) -> impl Iterator<Item = (usize, String)> + 'b {
    let text = |value: &Value<'_>| value.as_string_lit().map(|text| text.value.clone().into_owned());
    list.elements.iter().enumerate().filter_map(move |(index, value)| Some((index, text(value)?)))
}

fn levels(document: &Document<'_>, permissions: &Object<'_>, list: &Array<'_>, index: usize) -> Vec<Level> {
    let path = ["permissions", "allow"];
    vec![
        Level::of_elements(list, index, Some(&path)),
        Level::of_property(permissions, "allow", &path[..1]),
        Level::of_property(&document.root, "permissions", &[]),
    ]
}
