//! The sections of a file.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::Value;
use serde_saphyr::Spanned;

/// The settings of a section by name.
pub(crate) type Settings = BTreeMap<String, Spanned<Value>>;

/// The sections, and the lines where they begin.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    pub(crate) embeddings: Option<Spanned<Settings>>,
    pub(crate) index: Option<Spanned<Settings>>,
    /// Whatever else is in the file.
    pub(super) other: Settings,
}

// The derived implementation with a flattened map loses the lines.
impl<'de> Deserialize<'de> for Sections {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ReadSections)
    }
}

struct ReadSections;

impl<'de> Visitor<'de> for ReadSections {
    type Value = Sections;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("sections by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sections, A::Error> {
        let mut sections = Sections::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "embeddings" => sections.embeddings = map.next_value()?,
                "index" => sections.index = map.next_value()?,
                _ => drop(sections.other.insert(name, map.next_value()?)),
            }
        }
        Ok(sections)
    }

    /// An empty file has no sections.
    fn visit_unit<E>(self) -> Result<Sections, E> {
        Ok(Sections::default())
    }
}
