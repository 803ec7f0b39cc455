//! Values of a JSON object, by the names they have in different kinds of models.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// Larger sizes overflow when they are multiplied.
const MAX_SIZE: usize = 1 << 24;

#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Fields(Map<String, Value>);

impl Fields {
    /// Returns the value of the first name that has one other than `null`.
    pub(crate) fn optional<T: DeserializeOwned>(
        &self,
        names: &[&str],
    ) -> Result<Option<T>, String> {
        let mut values = names.iter().filter_map(|name| Some((name, self.0.get(*name)?)));
        let value = values.find(|(_, value)| !value.is_null());
        let parsed = value.map(|(name, value)| {
            T::deserialize(value)
                .map_err(|error| format!("`{name}` has an unexpected form: {error}"))
        });
        parsed.transpose()
    }

    /// The error names the first of the names.
    pub(super) fn required<T: DeserializeOwned>(&self, names: &[&str]) -> Result<T, String> {
        let name = names.first().copied().unwrap_or_default();
        self.optional(names)?.ok_or_else(|| format!("`{name}` is missing"))
    }

    /// A number of rows, columns or layers.
    pub(crate) fn size(&self, names: &[&str]) -> Result<usize, String> {
        let size = self.required(names)?;
        checked(names.first().copied().unwrap_or_default(), size)
    }

    pub(super) fn optional_size(&self, name: &str) -> Result<Option<usize>, String> {
        self.optional(&[name])?.map(|size| checked(name, size)).transpose()
    }
}

fn checked(name: &str, size: usize) -> Result<usize, String> {
    match size {
        1..=MAX_SIZE => Ok(size),
        _ => Err(format!("`{name}` is {size}: supported are 1 to {MAX_SIZE}")),
    }
}
