//! Typed switches of one section, as the layer above the files. Where they are kept is the caller's business.

use std::collections::BTreeMap;

use figment::value::{Dict, Tag, Value};
use serde::{Deserialize, Serialize};

use crate::layer::Layer;
use crate::problem::LayerKind;
use crate::spec::SectionSpec;
use crate::tree::{flag, merged, put};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Position {
    /// Enabled, whatever the files say.
    On,
    /// Disabled, unless the files lock it.
    Off,
    /// The files decide.
    #[default]
    Auto,
}

impl Position {
    pub const fn word(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Auto => "auto",
        }
    }

    /// The position of a word, in small letters; `None`: it is none of the three.
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::On, Self::Off, Self::Auto].into_iter().find(|position| position.word() == word)
    }
}

/// The switches of one section: its own, and those of keys within it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SectionSwitches {
    pub own: Position,
    /// Those of keys that are turned, by the key's dotted path within the section.
    pub keys: BTreeMap<String, Position>,
}

impl From<Position> for SectionSwitches {
    fn from(own: Position) -> Self {
        Self { own, keys: BTreeMap::new() }
    }
}

/// Name of the layer in texts that name files.
const FILE: &str = "its switch";

impl SectionSwitches {
    /// The switches as a layer that sets `KEY.enabled`; `None`: none is turned. A key without a default `enabled` is skipped.
    pub(crate) fn layer(&self, spec: SectionSpec, below: &[Layer]) -> Option<Layer> {
        let own = (vec!["enabled".to_owned()], self.own);
        let keys = self.keys.iter().map(|(key, position)| {
            (key.split('.').chain(["enabled"]).map(str::to_owned).collect::<Vec<_>>(), *position)
        });
        let mut section = Dict::new();
        for (path, position) in std::iter::once(own).chain(keys) {
            // A switch never starts what costs money and is off in the files.
            let may_begin = || path != ["enabled"] || !spec.costs_money || is_on(below);
            let is_wanted = match position {
                Position::On => may_begin(),
                Position::Off => true,
                Position::Auto => false,
            };
            if is_wanted && flag(&below.first()?.section, &path).is_some() {
                put(&mut section, &path, Value::Bool(Tag::Default, position == Position::On));
            }
        }
        let mut layer = Layer::of_values(LayerKind::Switch, FILE, Dict::new());
        layer.section = section;
        (!layer.section.is_empty()).then_some(layer)
    }
}

fn is_on(layers: &[Layer]) -> bool {
    flag(&merged(layers.iter().map(|layer| &layer.section)), &["enabled"]) == Some(true)
}
