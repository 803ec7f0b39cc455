//! Limits the work of one rendering.

use serde_json::Value;

/// The work of one rendering, and its limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work {
    max: Option<usize>,
    done: usize,
}

impl Work {
    pub(super) fn new(max: Option<usize>) -> Self {
        Self { max, done: 0 }
    }

    pub(super) fn spend(&mut self, units: usize) -> Result<(), String> {
        self.done = self.done.saturating_add(units);
        match self.max {
            Some(max) if self.done > max => Err(format!(
                "the template inserts and computes too much: one rendering may handle {max} bytes and tags"
            )),
            _ => Ok(()),
        }
    }

    /// Spends the size of `value`, before a copy of it is made.
    pub(super) fn spend_value(&mut self, value: &Value) -> Result<(), String> {
        // The size takes time to compute.
        if self.max.is_none() { Ok(()) } else { self.spend(size(value)) }
    }
}

/// Values come from JSON or from lists in a template, so their depth is limited.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).fold(1, usize::saturating_add),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| name.len().saturating_add(size(member)))
            .fold(1, usize::saturating_add),
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}
