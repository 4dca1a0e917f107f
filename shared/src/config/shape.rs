//! What says whether the entries of a section can be read: its types, or, where they are another binary's, its schema.

use std::marker::PhantomData;

use figment::value::{Dict, Value as Read};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::expected::schema_of;
use super::fits::{as_json, fits};
use super::section::{COMMON_KEYS, Common, extract};
use super::tree::merge;

/// A section's entries, as something can read them.
pub(super) trait Shape {
    /// What comes of them.
    type Settings;

    /// The layers of the section on top of each other, lowest first, if every entry can be read.
    fn read<'a>(&self, sections: impl IntoIterator<Item = &'a Dict>) -> Option<(Common, Self::Settings)>;

    /// What its keys should hold. Only when something is wrong.
    fn schema(&self) -> Value;
}

/// By its types.
pub(super) struct Typed<S>(PhantomData<S>);

impl<S> Typed<S> {
    pub(super) const NEW: Self = Self(PhantomData);
}

impl<S: DeserializeOwned + JsonSchema> Shape for Typed<S> {
    type Settings = S;

    fn read<'a>(&self, sections: impl IntoIterator<Item = &'a Dict>) -> Option<(Common, S)> {
        extract(sections)
    }

    fn schema(&self) -> Value {
        schema_of::<S>().to_value()
    }
}

/// By its schema.
pub(super) struct Described<'s>(pub(super) &'s Value);

impl Shape for Described<'_> {
    type Settings = ();

    fn read<'a>(&self, sections: impl IntoIterator<Item = &'a Dict>) -> Option<(Common, ())> {
        let mut own = sections.into_iter().fold(Dict::new(), |below, above| merge(below, above.clone()));
        let [enabled, headless] = COMMON_KEYS.map(|(key, _)| own.remove(key));
        let flag = |value: Option<Read>| value.as_ref().and_then(Read::to_bool);
        let common = Common { enabled: flag(enabled)?, headless: flag(headless)? };
        let own: Value = own.iter().map(|(key, value)| (key.clone(), as_json(value))).collect();
        fits(self.0, &own).then_some((common, ()))
    }

    fn schema(&self) -> Value {
        self.0.clone()
    }
}
