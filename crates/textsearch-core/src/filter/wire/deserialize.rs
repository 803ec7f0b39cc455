//! Reads filters and counts their depth, which a format may not bound.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor},
};

use super::{depth::Depth, parts::Parts};
use crate::filter::Filter;

impl<'de> Deserialize<'de> for Filter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        FilterSeed(Depth::ROOT).deserialize(deserializer)
    }
}

pub(super) struct FilterSeed(pub(super) Depth);

impl<'de> DeserializeSeed<'de> for FilterSeed {
    type Value = Filter;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Filter, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FilterSeed {
    type Value = Filter;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "a filter: an object with `field` and `operator`, or with one of `and`, `or`, `not`",
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Filter, A::Error> {
        let mut parts = Parts::default();
        while let Some(key) = map.next_key()? {
            parts.read(key, &mut map, self.0)?;
        }
        parts.into_filter()
    }
}

pub(super) struct FiltersSeed(pub(super) Depth);

impl<'de> DeserializeSeed<'de> for FiltersSeed {
    type Value = Vec<Filter>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Filter>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for FiltersSeed {
    type Value = Vec<Filter>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of filters")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<Filter>, A::Error> {
        let mut filters = Vec::new();
        while let Some(filter) = sequence.next_element_seed(FilterSeed(self.0))? {
            filters.push(filter);
        }
        Ok(filters)
    }
}
