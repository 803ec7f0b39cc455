//! Batches of an upsert.

use std::{collections::HashMap, ops::Range};

use super::{RecordKey, StoredRecord};

/// Splits items, in order, into batches that fit into one request.
///
/// ```
/// use textsearch_core::vector::Batches;
///
/// // Five records of 40 bytes: at most 3 records and 100 bytes.
/// assert_eq!(Batches::new(3, 100).split([40; 5]), [0..2, 2..4, 4..5]);
/// ```
#[derive(Debug, Clone)]
pub struct Batches {
    max: usize,
    max_bytes: usize,
    start: usize,
    end: usize,
    bytes: usize,
}

impl Batches {
    /// Creates batches of at most `max` items and `max_bytes` bytes. An item that exceeds
    /// `max_bytes` forms its own batch.
    pub fn new(max: usize, max_bytes: usize) -> Self {
        Self { max, max_bytes, start: 0, end: 0, bytes: 0 }
    }

    /// Adds the next item, of `bytes` bytes. If it doesn't fit, it starts a new batch; returns the
    /// index range of the finished one.
    pub fn add(&mut self, bytes: usize) -> Option<Range<usize>> {
        let sum = self.bytes.saturating_add(bytes);
        let is_full = self.end - self.start >= self.max || sum > self.max_bytes;
        let before = if is_full { self.take() } else { None };
        self.end += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        before
    }

    /// Ends the current batch and returns its index range, or `None` if it is empty.
    pub fn take(&mut self) -> Option<Range<usize>> {
        let batch = self.start..self.end;
        (self.start, self.bytes) = (self.end, 0);
        Some(batch).filter(|batch| !batch.is_empty())
    }

    /// Returns the batches of items of these sizes, in bytes.
    pub fn split(mut self, sizes: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
        let mut batches: Vec<_> = sizes.into_iter().filter_map(|size| self.add(size)).collect();
        batches.extend(self.take());
        batches
    }
}

/// Keeps only the last record of each key, as an upsert must.
pub fn keep_last_of_each_key(records: &mut Vec<StoredRecord>) {
    let places = records.iter().enumerate().map(|(place, record)| (&record.key, place));
    let last: HashMap<&RecordKey, usize> = places.collect();
    if last.len() == records.len() {
        return;
    }
    let is_last = |(place, record): (usize, &StoredRecord)| last.get(&record.key) == Some(&place);
    let kept: Vec<bool> = records.iter().enumerate().map(is_last).collect();
    let mut kept = kept.into_iter();
    records.retain(|_| kept.next() == Some(true));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::vector::RecordDefinition;

    #[test]
    fn a_batch_ends_at_the_maximum_number_of_items() {
        assert_eq!(Batches::new(2, 100).split([1; 5]), [0..2, 2..4, 4..5]);
    }

    #[test]
    fn a_batch_ends_before_the_maximum_size() {
        assert_eq!(Batches::new(10, 100).split([60, 40, 1]), [0..2, 2..3]);
    }

    #[test]
    fn an_item_beyond_the_size_forms_its_own_batch() {
        assert_eq!(Batches::new(10, 100).split([1, 500, 1]), [0..1, 1..2, 2..3]);
        assert_eq!(Batches::new(10, 100).split([usize::MAX, usize::MAX]), [0..1, 1..2]);
    }

    #[test]
    fn no_items_make_no_batch() {
        assert!(Batches::new(10, 100).split([]).is_empty());
        assert_eq!(Batches::new(0, 0).split([1, 1]), [0..1, 1..2]);
    }

    #[test]
    fn the_last_record_of_a_key_stays_at_its_place() {
        let definition = RecordDefinition::new("id");
        let record = |(key, text): (&str, &str)| {
            let data = json!({ "id": key, "text": text }).as_object().cloned().unwrap();
            StoredRecord::new(data, &definition).unwrap()
        };
        let mut records: Vec<_> =
            [("a", "1"), ("b", "2"), ("a", "3"), ("c", "4")].into_iter().map(record).collect();
        keep_last_of_each_key(&mut records);
        let texts: Vec<_> = records.iter().map(|record| record.data["text"].as_str()).collect();
        assert_eq!(texts, [Some("2"), Some("3"), Some("4")]);
    }
}
