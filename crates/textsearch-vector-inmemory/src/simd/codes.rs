//! Dot products of rows of bytes with a query of two bytes an element.

use super::by_fours;

/// As many elements as the widest register holds bytes, aligned to a cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Line<T>(pub(crate) [T; 64]);

impl Line<u8> {
    pub(crate) const ZERO: Self = Self([128; 64]);
}

/// A code is a whole number from -127 to 127, plus 128.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodeRows<'a> {
    pub(crate) lines: &'a [Line<u8>],
    pub(crate) lines_a_row: usize,
}

impl<'a> CodeRows<'a> {
    /// Empty if there is no such row.
    #[inline(always)]
    pub(crate) fn row(self, offset: u16) -> &'a [Line<u8>] {
        let first = usize::from(offset) * self.lines_a_row;
        self.lines.get(first..first + self.lines_a_row).unwrap_or_default()
    }
}

/// The elements of a query as whole numbers, in signed bytes: one part for those of a row's codes,
/// two for 128 × the first + the second.
#[derive(Debug, Clone)]
pub(crate) struct QueryCodes<const PARTS: usize> {
    pub(super) lines: Vec<[Line<i8>; PARTS]>,
    /// The contribution to the sums of the 128 that is added to each code of a row.
    pub(super) surplus: [i32; PARTS],
}

impl QueryCodes<2> {
    pub(crate) const LARGEST: f64 = 127.0 * 128.0;

    /// Elements have absolute values up to [`LARGEST`](Self::LARGEST).
    pub(crate) fn new(elements: impl Iterator<Item = i16>) -> Self {
        let elements: Vec<i16> = elements.collect();
        // The last line is padded with zeros.
        let lines = elements.chunks(64).map(|part| {
            let mut high = Line([0; 64]);
            let mut low = Line([0; 64]);
            for ((element, high), low) in part.iter().zip(&mut high.0).zip(&mut low.0) {
                *high = ((element + 64) >> 7) as i8;
                *low = (element - 128 * i16::from(*high)) as i8;
            }
            [high, low]
        });
        Self::of_lines(lines.collect())
    }
}

#[cfg(any(test, feature = "hnsw"))]
impl QueryCodes<1> {
    pub(crate) fn of_row(row: &[Line<u8>]) -> Self {
        let signed = row.iter().map(|line| [Line(line.0.map(|code| (code ^ 0x80) as i8))]);
        Self::of_lines(signed.collect())
    }
}

impl<const PARTS: usize> QueryCodes<PARTS> {
    fn of_lines(lines: Vec<[Line<i8>; PARTS]>) -> Self {
        let mut surplus = [0_i32; PARTS];
        for parts in &lines {
            for (surplus, line) in surplus.iter_mut().zip(parts) {
                let sum: i32 = line.0.iter().map(|element| i32::from(*element)).sum();
                *surplus = surplus.wrapping_add(128 * sum);
            }
        }
        Self { lines, surplus }
    }

    /// The sums may wrap around like the surplus.
    #[inline(always)]
    pub(super) fn join(&self, sums: [i32; PARTS]) -> f32 {
        let sums = sums.iter().zip(self.surplus).map(|(sum, surplus)| sum.wrapping_sub(surplus));
        sums.fold(0.0, |joined, sum| joined * 128.0 + sum as f32)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) fn sums_avx2<'a, const PARTS: usize>(
    query: &QueryCodes<PARTS>,
    offsets: &[u16],
    row: impl Fn(u16) -> &'a [Line<u8>] + Copy,
    out: &mut Vec<f32>,
) {
    sums(query, offsets, row, out);
}

#[inline(always)]
pub(super) fn sums<'a, const PARTS: usize>(
    query: &QueryCodes<PARTS>,
    offsets: &[u16],
    row: impl Fn(u16) -> &'a [Line<u8>] + Copy,
    out: &mut Vec<f32>,
) {
    let single = |offset| {
        let mut sums = [0_i32; PARTS];
        for (row, parts) in row(offset).iter().zip(&query.lines) {
            for (sum, part) in sums.iter_mut().zip(parts) {
                *sum = sum.wrapping_add(line_sum(row, part));
            }
        }
        query.join(sums)
    };
    by_fours(offsets, out, |_| {}, |offsets| offsets.map(single), single);
}

#[inline(always)]
fn line_sum(row: &Line<u8>, query: &Line<i8>) -> i32 {
    let products = row.0.iter().zip(&query.0);
    products.map(|(row, query)| i32::from(i16::from(*row)) * i32::from(i16::from(*query))).sum()
}
