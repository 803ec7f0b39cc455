//! Sizes and depths of values.

use serde_json::Value;

/// The deepest result or input.
pub(crate) const DEEPEST_RESULT: usize = 100;

/// Takes the size of `value`, about its length as JSON, from `left`; `None` if it is larger.
pub(crate) fn weigh(value: &Value, left: &mut usize) -> Option<()> {
    take(left, 1)?;
    match value {
        Value::String(text) => take(left, text.len()),
        Value::Array(items) => items.iter().try_for_each(|item| weigh(item, left)),
        Value::Object(fields) => fields.iter().try_for_each(|(name, field)| {
            take(left, name.len() + 3)?;
            weigh(field, left)
        }),
        // A number needs about this much memory, and most as much JSON.
        Value::Number(_) => take(left, 8),
        Value::Null | Value::Bool(_) => Some(()),
    }
}

/// Returns the size of `value`, about its length as JSON.
pub(crate) fn size(value: &Value) -> usize {
    let mut left = usize::MAX;
    let _ = weigh(value, &mut left);
    usize::MAX - left
}

pub(crate) fn take(left: &mut usize, size: usize) -> Option<()> {
    *left = left.checked_sub(size)?;
    Some(())
}

/// Whether it is nested so deep that a saved state with it can't be read: JSON readers stop at 128.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    fn is_deeper(value: &Value, left: usize) -> bool {
        let Some(rest) = left.checked_sub(1) else { return true };
        match value {
            Value::Array(items) => items.iter().any(|item| is_deeper(item, rest)),
            Value::Object(fields) => fields.values().any(|field| is_deeper(field, rest)),
            _ => false,
        }
    }
    is_deeper(value, DEEPEST_RESULT + 1)
}
