//! A switch as a layer above the files: where it stands. What was typed is kept elsewhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Position of a switch.
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
    /// The word that is typed.
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
