//! Settings that this crate doesn't know.

use std::{collections::BTreeMap, fmt};

use serde_json::Value;

/// The settings of a section that this crate doesn't know, for constructors that do. `Debug` shows
/// their names alone.
#[derive(Clone, Default, PartialEq)]
pub struct OtherSettings(pub(crate) BTreeMap<String, Value>);

impl OtherSettings {
    /// Returns the setting `name`, such as `engine`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl fmt::Debug for OtherSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}
