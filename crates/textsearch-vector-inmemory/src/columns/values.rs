//! Each row's value of one field. Neighbours with the same value share it.

use serde_json::Value;

use crate::rows::CHUNK_ROWS;

/// How many recent values are searched for an equal one.
const RECENT: usize = 64;

/// Some may no longer belong to a row.
const MAX_VALUES: usize = 2 * CHUNK_ROWS;

const NONE: u16 = u16::MAX;

#[derive(Clone, Default)]
pub(super) struct Values {
    values: Vec<Value>,
    places: Vec<u16>,
}

impl Values {
    pub(super) fn get(&self, offset: usize) -> &Value {
        let place = self.places.get(offset);
        place.and_then(|place| self.values.get(usize::from(*place))).unwrap_or(&Value::Null)
    }

    /// Ends after the last row that has a value.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn set(&mut self, offset: usize, value: &Value) {
        if self.places.len() <= offset {
            self.places.resize(offset + 1, NONE);
        }
        let place = self.place_of(value);
        if let Some(old) = self.places.get_mut(offset) {
            *old = place;
        }
        if self.values.len() > MAX_VALUES {
            self.drop_unused();
        }
    }

    fn place_of(&mut self, value: &Value) -> u16 {
        if value.is_null() {
            return NONE;
        }
        let recent = self.values.len().saturating_sub(RECENT);
        let known = self.values.iter().skip(recent).rposition(|known| is_same(known, value));
        known.map_or_else(|| self.push(value.clone()), |place| (recent + place) as u16)
    }

    /// The returned index fits: `MAX_VALUES` limits the number of values.
    fn push(&mut self, value: Value) -> u16 {
        if self.values.len() == self.values.capacity() {
            self.values.reserve_exact(8 + self.values.len() / 8);
        }
        self.values.push(value);
        (self.values.len() - 1) as u16
    }

    fn drop_unused(&mut self) {
        let old = std::mem::take(self);
        (0..old.places.len()).for_each(|offset| self.set(offset, old.get(offset)));
    }
}

/// `0.0` and `-0.0` are equal, but serialize differently.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::String(left), Value::String(right)) => left == right,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Number(left), Value::Number(right)) => !left.is_f64() && left == right,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn get_returns_the_value_set_last() {
        let mut column = Values::default();
        for round in 0..10 {
            for offset in 0..CHUNK_ROWS {
                column.set(offset, &json!(offset + round));
            }
            assert!(column.values.len() <= MAX_VALUES + 1);
            assert!((0..CHUNK_ROWS).all(|offset| *column.get(offset) == json!(offset + round)));
        }
        column.set(3, &Value::Null);
        assert_eq!(
            [column.get(3), column.get(4), column.get(CHUNK_ROWS)],
            [&Value::Null, &json!(13), &Value::Null]
        );
    }

    #[test]
    fn neighbours_share_a_value() {
        let mut column = Values::default();
        for offset in 0..CHUNK_ROWS {
            column.set(offset, &json!(format!("{}", offset / 100)));
        }
        assert_eq!(column.values.len(), 11);
    }

    #[test]
    fn equal_values_keep_their_own_spelling() {
        let mut column = Values::default();
        let values = [json!(0.0), json!(-0.0), json!(0), json!([1]), json!([1.0]), json!({})];
        for (offset, value) in values.iter().enumerate() {
            column.set(offset, value);
        }
        let texts = (0..values.len()).map(|offset| column.get(offset).to_string());
        assert_eq!(texts.collect::<Vec<_>>(), values.map(|value| value.to_string()));
    }
}
