//! The values of one filterable field in a run of rows, with their index.

use serde_json::Value;
use textsearch_core::filter::{Comparison, FilterValue};

use super::{index::ColumnIndex, values::Values};
use crate::{cached::Cached, rows::Bitmap};

#[derive(Clone, Default)]
pub(crate) struct Column {
    values: Values,
    /// Built by the first filter that reads it.
    index: Cached<ColumnIndex>,
}

impl Column {
    /// Null if missing.
    pub(crate) fn get(&self, offset: usize) -> &Value {
        self.values.get(offset)
    }

    pub(crate) fn set(&mut self, offset: usize, value: &Value) {
        self.index.clear();
        self.values.set(offset, value);
    }

    pub(crate) fn present(&self) -> Bitmap {
        self.index().present()
    }

    pub(crate) fn compare(&self, operator: Comparison, value: &FilterValue) -> Bitmap {
        self.index().compare(&self.values, operator, value)
    }

    pub(crate) fn equal(&self, value: &FilterValue) -> Bitmap {
        self.index().equal(&self.values, value)
    }

    fn index(&self) -> &ColumnIndex {
        self.index.get_or_compute(|| ColumnIndex::new(&self.values))
    }
}

#[cfg(test)]
mod tests;
