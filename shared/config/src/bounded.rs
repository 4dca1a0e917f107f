//! Numbers with bounds, so that a wrong one is caught where the file is read and the schema says what is right.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bounded<const MIN: u32, const MAX: u32>(u32);

/// A whole number from `MIN` to `MAX`, or 0 for "never".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ZeroOr<const MIN: u32, const MAX: u32>(u32);

/// A number from `MIN` to `MAX`, whole or not; always finite.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Decimal<const MIN: u32, const MAX: u32>(f64);

/// A finite number equals itself.
impl<const MIN: u32, const MAX: u32> Eq for Decimal<MIN, MAX> {}

impl<const MIN: u32, const MAX: u32> Bounded<MIN, MAX> {
    pub const fn new(number: u32) -> Option<Self> {
        if number >= MIN && number <= MAX { Some(Self(number)) } else { None }
    }

    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const MIN: u32, const MAX: u32> ZeroOr<MIN, MAX> {
    pub const fn new(number: u32) -> Option<Self> {
        if number == 0 || (number >= MIN && number <= MAX) { Some(Self(number)) } else { None }
    }

    pub const fn get(self) -> Option<u32> {
        if self.0 == 0 { None } else { Some(self.0) }
    }
}

impl<const MIN: u32, const MAX: u32> Decimal<MIN, MAX> {
    pub fn new(number: f64) -> Option<Self> {
        (f64::from(MIN)..=f64::from(MAX)).contains(&number).then_some(Self(number))
    }

    pub const fn get(self) -> f64 {
        self.0
    }
}

/// Reads the type through `new`, and describes it.
macro_rules! read_within_bounds {
    ($name:ident, $number:ty, $schema_name:literal, $schema:expr) => {
        impl<'de, const MIN: u32, const MAX: u32> Deserialize<'de> for $name<MIN, MAX> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let number = <$number>::deserialize(deserializer)?;
                Self::new(number).ok_or_else(|| D::Error::custom("out of bounds"))
            }
        }

        impl<const MIN: u32, const MAX: u32> JsonSchema for $name<MIN, MAX> {
            fn schema_name() -> Cow<'static, str> {
                format!($schema_name, MIN, MAX).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema(MIN, MAX)
            }
        }
    };
}

read_within_bounds!(Bounded, u32, "From{}To{}", |min: u32, max: u32| {
    json_schema!({ "type": "integer", "minimum": min, "maximum": max })
});
read_within_bounds!(ZeroOr, u32, "ZeroOrFrom{}To{}", |min: u32, max: u32| {
    json_schema!({ "anyOf": [
        { "type": "integer", "minimum": 0, "maximum": 0 },
        { "type": "integer", "minimum": min, "maximum": max }
    ] })
});
read_within_bounds!(Decimal, f64, "NumberFrom{}To{}", |min: u32, max: u32| {
    json_schema!({ "type": "number", "minimum": min, "maximum": max })
});

#[cfg(test)]
mod tests {
    use super::{Decimal, ZeroOr};
    use crate::yaml::read_typed;

    #[test]
    fn a_decimal_is_a_finite_number_within_its_bounds_whole_or_not() {
        for (text, number) in [("1", 1.0), ("2.5", 2.5), ("1e1", 10.0), ("10.0", 10.0)] {
            assert_eq!(read_typed::<Decimal<1, 10>>(text).map(Decimal::get), Ok(number), "{text}");
        }
        for text in
            ["0.99", "-3", "10.01", ".nan", ".inf", "-.inf", "1e999", "\"5\"", "five", "[5]", "true", ""]
        {
            assert!(read_typed::<Decimal<1, 10>>(text).is_err(), "{text}");
        }
        assert_eq!(read_typed::<Decimal<0, 10>>("-0.0").map(Decimal::get), Ok(0.0));
    }

    #[test]
    fn zero_stands_for_never_and_the_numbers_below_the_least_for_nothing() {
        let read = |text| read_typed::<ZeroOr<2, 9>>(text).map(ZeroOr::get).ok();
        for (text, number) in [("0", Some(None)), ("2", Some(Some(2))), ("9", Some(Some(9)))] {
            assert_eq!(read(text), number, "{text}");
        }
        for text in ["1", "10", "-1", "2.5", "false", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
