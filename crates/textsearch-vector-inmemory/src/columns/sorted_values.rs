//! Sorted values: the result of a comparison is a contiguous run.

use std::cmp::Ordering;

use serde_json::{Number, Value};
use textsearch_core::filter::{Comparison, FilterValue};

use super::values::Values;
use crate::rows::Bitmap;

/// A row, or an element of the row's list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    row: u16,
    element: u32,
}

impl Place {
    const WHOLE: u32 = u32::MAX;

    pub(super) fn new(row: u16) -> Self {
        Self { row, element: Self::WHOLE }
    }

    pub(super) fn of_element(row: u16, element: u32) -> Self {
        Self { row, element }
    }

    pub(super) fn value(self, column: &Values) -> &Value {
        let value = column.get(self.row.into());
        match self.element {
            Self::WHOLE => value,
            element => value.get(element as usize).unwrap_or(&Value::Null),
        }
    }
}

#[derive(Default)]
pub(super) struct SortedValues {
    truths: Bitmap,
    falsehoods: Bitmap,
    numbers: Section<f64>,
    texts: Section<u64>,
    /// Lists and objects.
    others: Vec<Place>,
}

impl SortedValues {
    pub(super) fn new<'a>(values: impl Iterator<Item = (Place, &'a Value)>) -> Self {
        let mut sorted = Self::default();
        let mut numbers = Vec::new();
        let mut texts = Vec::new();
        for (place, value) in values {
            match value {
                Value::Null => {}
                Value::Bool(true) => sorted.truths.insert(place.row.into()),
                Value::Bool(false) => sorted.falsehoods.insert(place.row.into()),
                Value::Number(number) => numbers.push((rounded(number), place)),
                Value::String(text) => texts.push((text.as_str(), place)),
                Value::Array(_) | Value::Object(_) => sorted.others.push(place),
            }
        }
        numbers.sort_by(|(left, _), (right, _)| order(*left, *right));
        texts.sort_by_key(|(text, _)| *text);
        let numbers = numbers.into_iter().map(|((number, _), place)| (number, place));
        let texts = texts.into_iter().map(|(text, place)| (first_bytes(text), place));
        sorted.numbers = Section::new(numbers);
        sorted.texts = Section::new(texts);
        sorted
    }

    /// `operator` compares order or tests a prefix.
    pub(super) fn compare(
        &self,
        column: &Values,
        operator: Comparison,
        value: &FilterValue,
    ) -> Bitmap {
        let holds = |operator: Comparison, place: Place| operator.holds(place.value(column), value);
        match value {
            FilterValue::Integer(number) => {
                self.numbers.compare(operator, &(*number as f64), holds)
            }
            FilterValue::Float(number) if number.is_finite() => {
                self.numbers.compare(operator, number, holds)
            }
            FilterValue::String(text) => self.texts.compare(operator, &first_bytes(text), holds),
            _ => Bitmap::default(),
        }
    }

    pub(super) fn equal(&self, column: &Values, value: &FilterValue) -> Bitmap {
        let is_equal = |place: Place| Comparison::Eq.holds(place.value(column), value);
        match value {
            FilterValue::Bool(true) => self.truths,
            FilterValue::Bool(false) => self.falsehoods,
            FilterValue::DateTime(_) => self.texts_that(is_equal),
            FilterValue::List(_) => those_that(&self.others, is_equal),
            _ => self.compare(column, Comparison::Eq, value),
        }
    }

    pub(super) fn texts_that(&self, holds: impl Fn(Place) -> bool) -> Bitmap {
        those_that(&self.texts.places, holds)
    }
}

/// Sorted values of one type, with keys that decide nearly all comparisons.
pub(super) struct Section<K> {
    /// A lesser value has a lesser or equal key.
    keys: Vec<K>,
    places: Vec<Place>,
}

impl<K: PartialOrd> Section<K> {
    pub(super) fn new(sorted: impl IntoIterator<Item = (K, Place)>) -> Self {
        let (keys, places) = sorted.into_iter().unzip();
        Self { keys, places }
    }

    /// `key` belongs to the value to compare with; `holds` decides for a single value.
    pub(super) fn compare(
        &self,
        operator: Comparison,
        key: &K,
        holds: impl Fn(Comparison, Place) -> bool,
    ) -> Bitmap {
        let first = self.keys.partition_point(|other| other < key);
        let (_, rest) = self.keys.split_at(first);
        let alike = leading(rest, |other| other <= key);
        let alike = self.places.get(first..first + alike).unwrap_or_default();
        let up_to = |operator| first + alike.partition_point(|place| holds(operator, *place));
        let run = match operator {
            Comparison::Lt => 0..up_to(Comparison::Lt),
            Comparison::Le => 0..up_to(Comparison::Le),
            Comparison::Gt => up_to(Comparison::Le)..self.places.len(),
            Comparison::Ge => up_to(Comparison::Lt)..self.places.len(),
            Comparison::Eq => up_to(Comparison::Lt)..up_to(Comparison::Le),
            Comparison::StartsWith => {
                let first = up_to(Comparison::Lt);
                let (_, rest) = self.places.split_at(first);
                first..first + rest.partition_point(|place| holds(operator, *place))
            }
            _ => 0..0,
        };
        let mut rows = Bitmap::default();
        let places = self.places.get(run).unwrap_or_default();
        places.iter().for_each(|place| rows.insert(place.row.into()));
        rows
    }
}

impl<K> Default for Section<K> {
    fn default() -> Self {
        Self { keys: Vec::new(), places: Vec::new() }
    }
}

/// Usually there are few.
fn leading<K>(keys: &[K], are_in: impl Fn(&K) -> bool) -> usize {
    let mut end = 1;
    while keys.get(end - 1).is_some_and(&are_in) {
        end *= 2;
    }
    // All keys up to the middle match; the last one doesn't, or there is none.
    let middle = end / 2;
    let rest = keys.get(middle..(end - 1).min(keys.len())).unwrap_or_default();
    middle + rest.partition_point(are_in)
}

fn those_that(places: &[Place], holds: impl Fn(Place) -> bool) -> Bitmap {
    let mut rows = Bitmap::default();
    let selected = places.iter().filter(|place| holds(**place));
    selected.for_each(|place| rows.insert(place.row.into()));
    rows
}

fn rounded(number: &Number) -> (f64, i128) {
    let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match integer {
        Some(integer) => {
            let rounded = integer as f64;
            (rounded, integer - rounded as i128)
        }
        None => (number.as_f64().unwrap_or_default(), 0),
    }
}

fn order((left, left_rest): (f64, i128), (right, right_rest): (f64, i128)) -> Ordering {
    let rounded = left.partial_cmp(&right).unwrap_or(Ordering::Equal);
    rounded.then(left_rest.cmp(&right_rest))
}

/// The number sorts like the text.
fn first_bytes(text: &str) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(text.as_bytes()).for_each(|(place, byte)| *place = *byte);
    u64::from_be_bytes(bytes)
}
