//! Buffers for registers as wide as a line of the cache.

use std::ops::{Deref, DerefMut};

/// The bytes of a line of the cache.
const LINE: usize = 64;

/// Numbers of which the first begins a line of the cache: to fill a register from two lines, or to empty it into two,
/// makes multiplications a tenth slower.
#[derive(Debug, Default)]
pub(crate) struct Aligned {
    data: Vec<f32>,
    first: usize,
    length: usize,
}

impl Aligned {
    /// Forgets all numbers, so that those there is room for next are zeros.
    pub(crate) fn clear(&mut self) {
        self.data.clear();
        self.length = 0;
    }

    /// Makes room for `length` numbers, which may be any.
    pub(crate) fn resize(&mut self, length: usize) {
        let most = LINE / size_of::<f32>() - 1;
        self.data.resize(length + most, 0.0);
        self.first = self.data.as_ptr().align_offset(LINE).min(most);
        self.length = length;
    }
}

impl Deref for Aligned {
    type Target = [f32];

    #[inline(always)]
    fn deref(&self) -> &[f32] {
        self.data.get(self.first..self.first + self.length).unwrap_or_default()
    }
}

impl DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f32] {
        self.data.get_mut(self.first..self.first + self.length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_a_line_of_the_cache_however_many_there_are() {
        let mut numbers = Aligned::default();
        assert!(numbers.is_empty());
        for length in [1, 1000, 16, 100_000, 0, 17] {
            numbers.resize(length);
            numbers.fill(1.0);
            assert_eq!(numbers.iter().sum::<f32>(), length as f32);
            assert_eq!(numbers.as_ptr().align_offset(LINE), 0, "{length}");
        }
    }

    #[test]
    fn numbers_are_zeros_once_all_were_forgotten() {
        let mut numbers = Aligned::default();
        numbers.resize(100);
        numbers.fill(1.0);
        numbers.clear();
        assert!(numbers.is_empty());
        numbers.resize(50);
        assert_eq!(*numbers, [0.0; 50]);
    }
}
