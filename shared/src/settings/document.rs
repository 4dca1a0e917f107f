//! A settings text, parsed, with the place of everything in it. Plain JSON only: where the client and we could read a
//! text differently (comments, trailing commas, a key twice), it is refused with its place.

use jsonc_parser::ast::{self, Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::Refused;

/// A parsed text.
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    pub(super) root: Object<'a>,
}

impl<'a> Document<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, Refused> {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &plain_json());
        let value = parsed.map_err(|error| unparsable(&error))?.value;
        let Some(Value::Object(root)) = value else {
            return Err(refused(text, 0, "the settings must be an object, `{ ... }`"));
        };
        // The parser is made for JSON with comments; what it lets through must be plain JSON for the client too.
        serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| Refused {
            line: error.line(),
            column: error.column(),
            why: "not plain JSON".to_owned(),
        })?;
        let document = Self { text, root };
        document.check_shape()?;
        Ok(document)
    }

    /// The object under `hooks`.
    pub(super) fn hooks(&self) -> Option<&Object<'a>> {
        self.root.properties.iter().find(|property| property.name.as_str() == "hooks")?.value.as_object()
    }

    /// The groups of an event.
    #[expect(clippy::unused_self, reason = "reads like the other questions to a document")]
    pub(super) fn groups<'b>(&self, hooks: &'b Object<'a>, event: &str) -> Option<&'b Array<'a>> {
        hooks.properties.iter().find(|property| property.name.as_str() == event)?.value.as_array()
    }

    /// The value as data, for comparing.
    pub(super) fn value(&self, node: &Value<'a>) -> serde_json::Value {
        serde_json::from_str(node.text(self.text)).unwrap_or_default()
    }

    /// The text with `node` replaced.
    pub(super) fn replace(&self, node: &Value<'a>, new: &str) -> String {
        self.splice(node.start(), node.end(), new)
    }

    /// The text with the bytes from `start` to `end` replaced.
    pub(super) fn splice(&self, start: usize, end: usize, new: &str) -> String {
        format!("{}{new}{}", &self.text[..start], &self.text[end..])
    }

    /// What an edit relies on: each key once, `hooks` an object, each event a list.
    fn check_shape(&self) -> Result<(), Refused> {
        self.check_unique(&self.root, Some("hooks"))?;
        let Some(hooks) = self.root.properties.iter().find(|property| property.name.as_str() == "hooks")
        else {
            return Ok(());
        };
        let Value::Object(events) = &hooks.value else {
            return Err(refused(self.text, hooks.value.start(), "`hooks` must be an object, `{ ... }`"));
        };
        self.check_unique(events, None)?;
        match events.properties.iter().find(|event| event.value.as_array().is_none()) {
            Some(event) => {
                let why = format!("`hooks.{}` must be a list, `[ ... ]`", event.name.as_str().escape_debug());
                Err(refused(self.text, event.value.start(), &why))
            }
            None => Ok(()),
        }
    }

    /// Refuses a key that stands twice; with `only`, only that key matters.
    fn check_unique(&self, object: &Object<'a>, only: Option<&str>) -> Result<(), Refused> {
        let mut seen = std::collections::BTreeSet::new();
        let mut names = object
            .properties
            .iter()
            .filter(|property| only.is_none_or(|only| property.name.as_str() == only));
        match names.find(|property| !seen.insert(property.name.as_str())) {
            Some(twice) => {
                let why =
                    format!("the key `{}` stands here a second time", twice.name.as_str().escape_debug());
                Err(refused(self.text, twice.range.start, &why))
            }
            None => Ok(()),
        }
    }
}

/// A property's value, by name.
pub(super) fn property<'b, 'a>(object: &'b Object<'a>, name: &str) -> Option<&'b ast::ObjectProp<'a>> {
    object.properties.iter().find(|property| property.name.as_str() == name)
}

fn plain_json() -> ParseOptions {
    ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn unparsable(error: &ParseError) -> Refused {
    let words = error.kind().to_string();
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    Refused {
        line: error.line_display(),
        column: error.column_display(),
        why: first.into_iter().chain(letters).collect(),
    }
}

fn refused(text: &str, at: usize, why: &str) -> Refused {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    Refused {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        why: why.to_owned(),
    }
}
