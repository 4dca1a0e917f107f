//! YAML values as figment values, with an eye on what a plain reader would swallow: keys that stand twice, and nesting.

use std::cell::{Cell, RefCell};
use std::fmt;

use figment::value::{Dict, Empty, Num, Tag, Value};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

/// The key paths that stand twice.
pub(super) type Repeated = RefCell<Vec<Vec<String>>>;

/// Aliases may make a small text large: more values than this are an error.
const MAX_VALUES: usize = 50_000;

/// Reads one value at `path`. Nesting deeper than `MAX_DEPTH` is an error.
#[derive(Clone)]
pub(super) struct Reader<'r> {
    pub(super) path: Vec<String>,
    pub(super) depth: usize,
    pub(super) repeated: &'r Repeated,
    pub(super) values: &'r Cell<usize>,
}

/// A key of a map: anything may stand there, and what is no text is none of our keys.
struct Key;

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
        self.values.set(self.values.get() + 1);
        if self.values.get() > MAX_VALUES {
            return Err(D::Error::custom(super::TOO_MANY));
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

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(number(value))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(number(value))
    }

    /// A tagged value is what it would be without its tag.
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Value, A::Error> {
        let (_tag, content) = data.variant::<IgnoredAny>()?;
        content.newtype_variant_seed(self.below(None))
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
        while let Some(key) = entries.next_key_seed(Key)? {
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

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let (repeated, values) = (Repeated::default(), Cell::new(0));
        let reader = Reader { path: Vec::new(), depth: 0, repeated: &repeated, values: &values };
        Ok(match reader.deserialize(deserializer)? {
            Value::String(_, text) => text,
            Value::Bool(_, flag) => flag.to_string(),
            Value::Num(_, number) => {
                number.to_u128().map_or_else(|| "(a number)".to_owned(), |number| number.to_string())
            }
            _ => "(no text)".to_owned(),
        })
    }
}
