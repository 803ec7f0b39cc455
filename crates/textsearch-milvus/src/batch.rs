//! Splits points into batches that the server accepts.

use std::ops::Range;

pub(crate) struct Batches {
    most: usize,
    most_bytes: usize,
    start: usize,
    end: usize,
    bytes: usize,
}

impl Batches {
    pub(crate) fn new(most: usize, most_bytes: usize) -> Self {
        Self { most, most_bytes, start: 0, end: 0, bytes: 0 }
    }

    /// Adds the next point, and returns the previous batch if the point doesn't fit into it. A
    /// point that exceeds the size limit alone forms its own batch; the server decides about it.
    pub(crate) fn add(&mut self, bytes: usize) -> Option<Range<usize>> {
        let is_full = self.end - self.start >= self.most || self.bytes + bytes > self.most_bytes;
        let before = (is_full && self.end > self.start).then(|| self.take()).flatten();
        self.end += 1;
        self.bytes += bytes;
        before
    }

    pub(crate) fn take(&mut self) -> Option<Range<usize>> {
        let batch = self.start..self.end;
        (self.start, self.bytes) = (self.end, 0);
        Some(batch).filter(|batch| !batch.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batches(most: usize, most_bytes: usize, sizes: &[usize]) -> Vec<Range<usize>> {
        let mut batches = Batches::new(most, most_bytes);
        let mut found: Vec<_> = sizes.iter().filter_map(|size| batches.add(*size)).collect();
        found.extend(batches.take());
        found
    }

    #[test]
    fn batch_ends_at_maximum_number_of_points() {
        assert_eq!(batches(2, 100, &[1; 5]), [0..2, 2..4, 4..5]);
    }

    #[test]
    fn batch_ends_before_maximum_size() {
        assert_eq!(batches(10, 100, &[60, 40, 1]), [0..2, 2..3]);
    }

    #[test]
    fn oversized_point_forms_its_own_batch() {
        assert_eq!(batches(10, 100, &[1, 500, 1]), [0..1, 1..2, 2..3]);
    }

    #[test]
    fn no_points_make_no_batch() {
        assert!(batches(10, 100, &[]).is_empty());
    }
}
