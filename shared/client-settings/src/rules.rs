//! Permission rules under `permissions.allow`. Only rules that were added for us ([`Owner::rules`]) are removed: the user's own
//! rules may read the same.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use serde_json::json;

use super::before::BeforeUs;
use super::document::{Document, elements, text};
use super::splice::{Level, insert_element, insert_property, remove};
use super::{Owner, Refused};

pub(super) fn there(document: &Document<'_>) -> Vec<String> {
    let permissions = document.root.get_object("permissions");
    let allow = permissions.map(|permissions| elements(permissions.get("allow"))).unwrap_or_default();
    allow.iter().filter_map(text).collect()
}

/// One edit towards the wanted rules; `None`: nothing is left to do.
pub(super) fn step(
    document: &Document<'_>,
    owner: &Owner<'_>,
    wanted: &[String],
    before_us: Option<&BeforeUs<'_>>,
) -> Result<Option<String>, Refused> {
    if wanted.is_empty() && owner.rules.is_empty() {
        return Ok(None);
    }
    document.check_unique(&document.root, Some("permissions"))?;
    let permissions = document.root.get_object("permissions");
    permissions.map_or(Ok(()), |permissions| document.check_unique(permissions, Some("allow")))?;
    let is_unwanted = |rule: &Value<'_>| {
        text(rule).is_some_and(|rule| owner.rules.contains(&rule) && !wanted.contains(&rule))
    };
    if let Some(permissions) = permissions
        && let Some(list) = permissions.get_array("allow")
        && let Some(index) = list.elements.iter().position(is_unwanted)
    {
        let levels = [
            Level::of_element(list, index, Some(&["permissions", "allow"])),
            Level::of_property(permissions, "allow", &["permissions"]),
            Level::of_property(&document.root, "permissions", &[]),
        ];
        return Ok(Some(remove(document, &levels, before_us)));
    }
    let there = there(document);
    wanted.iter().find(|rule| !there.contains(rule)).map(|rule| add(document, rule)).transpose()
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
