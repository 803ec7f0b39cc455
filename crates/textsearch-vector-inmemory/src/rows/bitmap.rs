//! A set of rows of one chunk.

use super::CHUNK_ROWS;

const WORDS: usize = CHUNK_ROWS / 64;

/// One bit a row of a chunk. 1,024 rows take 128 bytes. A compressed bitmap takes that for 64 rows,
/// and needs branches to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Bitmap([u64; WORDS]);

impl Bitmap {
    pub(crate) const ALL: Self = Self([u64::MAX; WORDS]);

    /// The first `count` rows.
    pub(crate) fn first(count: usize) -> Self {
        let mut rows = Self::default();
        (0..count.min(CHUNK_ROWS)).for_each(|row| rows.insert(row));
        rows
    }

    pub(crate) fn insert(&mut self, row: usize) {
        if let Some(word) = self.0.get_mut(row / 64) {
            *word |= 1 << (row % 64);
        }
    }

    pub(crate) fn remove(&mut self, row: usize) {
        if let Some(word) = self.0.get_mut(row / 64) {
            *word &= !(1 << (row % 64));
        }
    }

    pub(crate) fn contains(&self, row: usize) -> bool {
        self.0.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        self.zip(other, |left, right| left & right)
    }

    #[must_use]
    pub(crate) fn or(self, other: Self) -> Self {
        self.zip(other, |left, right| left | right)
    }

    #[must_use]
    pub(crate) fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Missing bytes are zero.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut bitmap = Self::default();
        for (word, bytes) in bitmap.0.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        bitmap
    }

    pub(crate) fn write_rows(self, rows: &mut Vec<u16>) {
        rows.clear();
        if self == Self::ALL {
            rows.extend(0..CHUNK_ROWS as u16);
        } else {
            // `for_each` runs over the words in one loop; `extend` does not.
            self.rows().for_each(|row| rows.push(row));
        }
    }

    pub(crate) fn rows(self) -> impl Iterator<Item = u16> {
        let words = (0..).step_by(64).zip(self.0);
        words.flat_map(|(first, word)| Ones(word).map(move |bit| first + bit))
    }

    fn zip(mut self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word = join(*word, other);
        }
        self
    }
}

struct Ones(u64);

impl Iterator for Ones {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        if self.0 == 0 {
            return None;
        }
        let place = self.0.trailing_zeros() as u16;
        self.0 &= self.0 - 1;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitmap_is_a_set_of_rows() {
        let mut bitmap = Bitmap::default();
        [0, 63, 64, 700, CHUNK_ROWS - 1].into_iter().for_each(|row| bitmap.insert(row));
        bitmap.remove(700);
        assert_eq!(bitmap.rows().collect::<Vec<_>>(), [0, 63, 64, 1023]);
        assert_eq!((bitmap.contains(63), bitmap.contains(700)), (true, false));
        assert_eq!(bitmap.not().rows().count(), CHUNK_ROWS - 4);
        assert!(bitmap.and(bitmap.not()).is_empty());
        assert_eq!(bitmap.or(bitmap.not()), Bitmap::ALL);
    }

    #[test]
    fn write_rows_writes_in_order() {
        let mut rows = vec![7];
        for length in [0, 1, 63, 64, 65, CHUNK_ROWS] {
            for gap in [0, 1, 64] {
                let mut bitmap = Bitmap::default();
                (0..length).for_each(|row| bitmap.insert(row));
                bitmap.remove(gap);
                bitmap.write_rows(&mut rows);
                let expected = (0..length).filter(|row| *row != gap).map(|row| row as u16);
                assert_eq!(rows, expected.collect::<Vec<_>>());
            }
        }
    }
}
