//! Reads the values of filters.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use super::depth::Depth;
use crate::filter::{DateTime, FilterValue};

impl<'de> Deserialize<'de> for FilterValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ValueSeed(Depth::ROOT).deserialize(deserializer)
    }
}

pub(super) struct ValueSeed(pub(super) Depth);

impl<'de> DeserializeSeed<'de> for ValueSeed {
    type Value = FilterValue;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<FilterValue, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed {
    type Value = FilterValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .write_str("a boolean, a number, a string, {\"date_time\":\"…\"} or an array of these")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<FilterValue, E> {
        Ok(FilterValue::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<FilterValue, E> {
        Ok(FilterValue::Integer(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<FilterValue, E> {
        i64::try_from(value).map(FilterValue::Integer).map_err(|_| {
            E::custom(format_args!(
                "{value} does not fit a signed integer of 64 bits: write {value}.0 to compare as a float"
            ))
        })
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<FilterValue, E> {
        if value.is_finite() {
            return Ok(FilterValue::Float(value));
        }
        Err(E::custom(format_args!("{value} is not finite: no field can equal it")))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<FilterValue, E> {
        Ok(FilterValue::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<FilterValue, E> {
        Ok(FilterValue::String(value))
    }

    fn visit_unit<E: Error>(self) -> Result<FilterValue, E> {
        Err(E::custom("null isn't a value of a filter: use the operator `exists`"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<FilterValue, A::Error> {
        let depth = self.0.deeper()?;
        ValuesSeed(depth).visit_seq(sequence).map(FilterValue::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FilterValue, A::Error> {
        let Some(DateTimeKey::DateTime) = map.next_key()? else {
            return Err(A::Error::missing_field("date_time"));
        };
        let value: DateTime = map.next_value()?;
        match map.next_entry::<DateTimeKey, IgnoredAny>()? {
            None => Ok(FilterValue::DateTime(value)),
            Some(_) => Err(A::Error::duplicate_field("date_time")),
        }
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum DateTimeKey {
    DateTime,
}

pub(super) struct ValuesSeed(pub(super) Depth);

impl<'de> DeserializeSeed<'de> for ValuesSeed {
    type Value = Vec<FilterValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ValuesSeed {
    type Value = Vec<FilterValue>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = sequence.next_element_seed(ValueSeed(self.0))? {
            values.push(value);
        }
        Ok(values)
    }
}
