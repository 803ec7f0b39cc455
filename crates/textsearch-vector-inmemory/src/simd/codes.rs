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

/// Whole numbers: 128 × `high` + `low`, both signed bytes.
#[derive(Debug, Clone)]
pub(crate) struct QueryCodes {
    pub(super) high: Vec<Line<i8>>,
    pub(super) low: Vec<Line<i8>>,
    /// The contribution to the sums of the 128 that is added to each code of a row.
    pub(super) high_surplus: i32,
    pub(super) low_surplus: i32,
}

impl QueryCodes {
    pub(crate) const LARGEST: f64 = 127.0 * 128.0;

    /// Elements have absolute values up to [`LARGEST`](Self::LARGEST).
    pub(crate) fn new(elements: impl Iterator<Item = i16>) -> Self {
        let split = elements.map(|element| {
            let high = (element + 64) >> 7;
            (high as i8, (element - 128 * high) as i8)
        });
        let (high, low): (Vec<i8>, Vec<i8>) = split.unzip();
        let surplus = |part: &[i8]| part.iter().map(|element| 128 * i32::from(*element)).sum();
        Self {
            high_surplus: surplus(&high),
            low_surplus: surplus(&low),
            high: lines(&high),
            low: lines(&low),
        }
    }

    /// The sums may wrap around like the surplus.
    #[inline(always)]
    pub(super) fn join(&self, high: i32, low: i32) -> f32 {
        let high = high.wrapping_sub(self.high_surplus);
        let low = low.wrapping_sub(self.low_surplus);
        high as f32 * 128.0 + low as f32
    }
}

/// Pads the last line with zeros.
fn lines(elements: &[i8]) -> Vec<Line<i8>> {
    let line = |part: &[i8]| {
        let mut line = [0; 64];
        line.iter_mut().zip(part).for_each(|(place, element)| *place = *element);
        Line(line)
    };
    elements.chunks(64).map(line).collect()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) fn sums_avx2<'a>(
    query: &QueryCodes,
    offsets: &[u16],
    row: impl Fn(u16) -> &'a [Line<u8>] + Copy,
    out: &mut Vec<f32>,
) {
    sums(query, offsets, row, out);
}

#[inline(always)]
pub(super) fn sums<'a>(
    query: &QueryCodes,
    offsets: &[u16],
    row: impl Fn(u16) -> &'a [Line<u8>] + Copy,
    out: &mut Vec<f32>,
) {
    let single = |offset| {
        let mut high_sum = 0_i32;
        let mut low_sum = 0_i32;
        for ((row, high), low) in row(offset).iter().zip(&query.high).zip(&query.low) {
            high_sum = high_sum.wrapping_add(line_sum(row, high));
            low_sum = low_sum.wrapping_add(line_sum(row, low));
        }
        query.join(high_sum, low_sum)
    };
    by_fours(offsets, out, |_| {}, |offsets| offsets.map(single), single);
}

#[inline(always)]
fn line_sum(row: &Line<u8>, query: &Line<i8>) -> i32 {
    let products = row.0.iter().zip(&query.0);
    products.map(|(row, query)| i32::from(i16::from(*row)) * i32::from(i16::from(*query))).sum()
}
