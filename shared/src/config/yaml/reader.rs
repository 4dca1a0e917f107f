//! YAML values as figment values, with an eye on what a plain reader would swallow: keys that stand twice, and nesting.

use std::cell::RefCell;
use std::fmt;

use figment::value::{Dict, Empty, Num, Tag, Value};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The key paths that stand twice.
pub(super) type Repeated = RefCell<Vec<Vec<String>>>;

/// Reads one value at `path`. Nesting deeper than `MAX_DEPTH` is an error.
#[derive(Clone)]
pub(super) struct Reader<'r> {
    pub(super) path: Vec<String>,
    pub(super) depth: usize,
    pub(super) repeated: &'r Repeated,
}

impl Reader<'_> {
    fn below(&self, key: Option<&String>) -> Self {
        let mut below = self.clone();
        below.depth += 1;
        below.path.extend(key.cloned());
        below
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.depth > super::MAX_DEPTH {
            return Err(D::Error::custom(super::TOO_DEEP));
        }
        deserializer.deserialize_any(self)
    }
}

fn number(number: impl Into<Num>) -> Value {
    Value::Num(Tag::Default, number.into())
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(Tag::Default, value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(number(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(number(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(Tag::Default, value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Empty(Tag::Default, Empty::Unit))
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = entries.next_element_seed(self.below(None))? {
            list.push(entry);
        }
        Ok(Value::Array(Tag::Default, list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut dict = Dict::new();
        while let Some(key) = entries.next_key::<String>()? {
            let below = self.below(Some(&key));
            let path = below.path.clone();
            let value = entries.next_value_seed(below)?;
            if dict.insert(key, value).is_some() {
                self.repeated.borrow_mut().push(path);
            }
        }
        Ok(Value::Dict(Tag::Default, dict))
    }
}
