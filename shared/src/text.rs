//! A JSON string read whatever it holds. Escapes of half a surrogate pair are legal JSON and come from real tools;
//! they become replacement characters here instead of voiding the input.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

#[derive(Debug, Default)]
pub struct Text(pub String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Lossy)
    }
}

struct Lossy;

impl Visitor<'_> for Lossy {
    type Value = Text;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(text.to_owned()))
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text, E> {
        Ok(Text(String::from_utf8_lossy(bytes).into_owned()))
    }
}
