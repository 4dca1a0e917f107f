//! A JSON object whose fields are read one by one, each on its own risk.
//!
//! A field of an unexpected type counts as missing: a client that changes one field must not blind us to the others.
//! A repeated key counts with its last value, as everywhere else in the client.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::text::Text;

/// The fields of one object, still unparsed.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Fields<'a>(#[serde(borrow)] BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'a> Fields<'a> {
    /// The field as `T`, if it is there and is one.
    pub(crate) fn read<T: Deserialize<'a>>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }

    /// The field's own JSON text.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied()
    }

    /// A string that may hold anything, lone surrogates included.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.read::<Text>(name).map(|text| text.0)
    }

    /// A string that names something: an empty one counts as missing.
    pub(crate) fn name(&self, name: &str) -> Option<String> {
        self.text(name).filter(|value| !value.is_empty())
    }

    /// How many entries a list has; `None` if it is no list.
    pub(crate) fn count(&self, name: &str) -> Option<usize> {
        self.read::<Vec<&RawValue>>(name).map(|list| list.len())
    }
}
