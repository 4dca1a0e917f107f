//! A settings text, parsed, with the place of everything in it. Plain JSON only: where the client and we could read a
//! text differently (comments, trailing commas, a key twice), it is refused with its place.

use std::borrow::Cow;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::Refused;

/// A text, and the same text with half surrogate pairs written as `\\ufffd`. The client's parser takes such escapes, ours does
/// not; both forms have the same length, so what is found in one stands at the same place in the other.
pub(super) struct Masked<'a> {
    text: &'a str,
    masked: Cow<'a, str>,
}

impl<'a> Masked<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let halves = half_pairs(text);
        if halves.is_empty() {
            return Self { text, masked: Cow::Borrowed(text) };
        }
        let mut masked = text.to_owned();
        for at in halves {
            masked.replace_range(at..at + 6, "\\ufffd");
        }
        Self { text, masked: Cow::Owned(masked) }
    }
}

/// Positions of escapes that are half a surrogate pair.
fn half_pairs(text: &str) -> Vec<usize> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut halves = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        at += found;
        match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
            (Some(0xD800..=0xDFFF), _) => {
                halves.push(at);
                at += 6;
            }
            // The escaped character is skipped with its backslash, or a `\\\\u` would be taken for an escape.
            _ => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    halves
}

/// A parsed text.
pub(super) struct Document<'a> {
    /// As it is written.
    pub(super) text: &'a str,
    pub(super) root: Object<'a>,
    masked: &'a str,
}

impl<'a> Document<'a> {
    pub(super) fn parse(masked: &'a Masked<'a>) -> Result<Self, Refused> {
        let document = Self::parse_loosely(masked)?;
        document.check_shape()?;
        Ok(document)
    }

    /// Takes any plain JSON object, whether an edit could rely on its shape or not.
    pub(super) fn parse_loosely(masked: &'a Masked<'a>) -> Result<Self, Refused> {
        let Masked { text, masked } = masked;
        let parsed = parse_to_ast(masked, &CollectOptions::default(), &plain_json());
        let value = parsed.map_err(|error| unparsable(&error))?.value;
        let Some(Value::Object(root)) = value else {
            return Err(refused(text, 0, "the settings must be an object, `{ ... }`"));
        };
        // The parser is made for JSON with comments; what it lets through must be plain JSON for the client too.
        serde_json::from_str::<serde::de::IgnoredAny>(masked).map_err(|error| not_plain(text, &error))?;
        Ok(Self { text, root, masked })
    }

    /// The object under `hooks`.
    pub(super) fn hooks(&self) -> Option<&Object<'a>> {
        self.root.get_object("hooks")
    }

    /// The value as data, for comparing.
    pub(super) fn value(&self, node: &Value<'a>) -> serde_json::Value {
        serde_json::from_str(node.text(self.masked)).unwrap_or_default()
    }

    /// A part of the text as it is written.
    pub(super) fn original(&self, range: Range) -> &'a str {
        &self.text[range.start..range.end]
    }

    /// A refusal at this place.
    pub(super) fn refused(&self, at: usize, why: &str) -> Refused {
        refused(self.text, at, why)
    }

    /// The line of this place, counted from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        memchr::memchr_iter(b'\n', &self.text.as_bytes()[..at]).count() + 1
    }

    /// The text with `node` replaced.
    pub(super) fn replace(&self, node: &Value<'a>, new: &str) -> String {
        self.splice(node.start(), node.end(), new)
    }

    /// The text with the bytes from `start` to `end` replaced.
    pub(super) fn splice(&self, start: usize, end: usize, new: &str) -> String {
        format!("{}{new}{}", &self.text[..start], &self.text[end..])
    }

    /// Checks the shape that an edit relies on: each key once, `hooks` an object, each event a list.
    fn check_shape(&self) -> Result<(), Refused> {
        self.check_unique(&self.root, Some("hooks"))?;
        let Some(hooks) = self.root.get("hooks") else { return Ok(()) };
        let Value::Object(events) = &hooks.value else {
            return Err(refused(self.text, hooks.value.start(), "`hooks` must be an object, `{ ... }`"));
        };
        self.check_unique(events, None)?;
        // The client takes null for nothing.
        for event in events.properties.iter().filter(|event| event.value.as_null_keyword().is_none()) {
            let Value::Array(groups) = &event.value else {
                let why = format!("`hooks.{}` must be a list, `[ ... ]`", event.name.as_str().escape_debug());
                return Err(refused(self.text, event.value.start(), &why));
            };
            groups
                .elements
                .iter()
                .filter_map(Value::as_object)
                .try_for_each(|group| self.check_group(group))?;
        }
        Ok(())
    }

    fn check_group(&self, group: &Object<'a>) -> Result<(), Refused> {
        self.check_unique(group, None)?;
        let entries = group.get_array("hooks").map(|entries| entries.elements.as_slice()).unwrap_or_default();
        entries.iter().filter_map(Value::as_object).try_for_each(|entry| self.check_unique(entry, None))
    }

    /// Refuses a key that stands twice; with `only`, only that key matters.
    pub(super) fn check_unique(&self, object: &Object<'a>, only: Option<&str>) -> Result<(), Refused> {
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

/// The key as the client reads it: of one that stands more than once, the last.
pub(super) fn last<'o, 'a>(object: &'o Object<'a>, key: &str) -> Option<&'o ObjectProp<'a>> {
    object.properties.iter().rev().find(|property| property.name.as_str() == key)
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

/// That parser counts bytes.
fn not_plain(text: &str, error: &serde_json::Error) -> Refused {
    let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let column = line.char_indices().take_while(|(at, _)| *at < error.column()).count();
    Refused { line: error.line(), column, why: "not plain JSON".to_owned() }
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
