//! Sums over pairs of floats, in the same order for every instruction set.

use super::by_fours;

/// As many as two AVX2 registers hold.
const LANES: usize = 16;

/// Enough to hide the latency of additions.
const SQUARE_LANES: usize = 32;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) fn of_rows_avx2<'a>(
    query: &[f32],
    offsets: &[u16],
    row: impl Fn(u16) -> &'a [f32] + Copy,
    term: impl Fn(f32, f32) -> f32 + Copy,
    sums: &mut Vec<f32>,
) {
    of_rows(query, offsets, row, term, sums);
}

#[inline(always)]
pub(super) fn of_rows<'a>(
    query: &[f32],
    offsets: &[u16],
    row: impl Fn(u16) -> &'a [f32] + Copy,
    term: impl Fn(f32, f32) -> f32 + Copy,
    sums: &mut Vec<f32>,
) {
    let four = |offsets: [u16; 4]| of_four(offsets.map(row), query, term);
    by_fours(offsets, sums, |_| {}, four, |offset| of_one(row(offset), query, term));
}

#[inline(always)]
fn of_four(
    [a, b, c, d]: [&[f32]; 4],
    query: &[f32],
    term: impl Fn(f32, f32) -> f32 + Copy,
) -> [f32; 4] {
    let (query_lanes, query_rest) = query.as_chunks::<LANES>();
    let [(a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)] =
        [a, b, c, d].map(|row| row.as_chunks::<LANES>());
    let [mut a_sums, mut b_sums, mut c_sums, mut d_sums] = [[0.0_f32; LANES]; 4];
    for ((((query, a), b), c), d) in query_lanes.iter().zip(a).zip(b).zip(c).zip(d) {
        add(&mut a_sums, query, a, term);
        add(&mut b_sums, query, b, term);
        add(&mut c_sums, query, c, term);
        add(&mut d_sums, query, d, term);
    }
    add(&mut a_sums, query_rest, a_rest, term);
    add(&mut b_sums, query_rest, b_rest, term);
    add(&mut c_sums, query_rest, c_rest, term);
    add(&mut d_sums, query_rest, d_rest, term);
    [a_sums, b_sums, c_sums, d_sums].map(fold)
}

/// Returns the same bits as one row of [`of_four`].
#[inline(always)]
fn of_one(row: &[f32], query: &[f32], term: impl Fn(f32, f32) -> f32 + Copy) -> f32 {
    let (query_lanes, query_rest) = query.as_chunks::<LANES>();
    let (row_lanes, row_rest) = row.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (query, row) in query_lanes.iter().zip(row_lanes) {
        add(&mut sums, query, row, term);
    }
    add(&mut sums, query_rest, row_rest, term);
    fold(sums)
}

#[inline(always)]
fn add(sums: &mut [f32; LANES], query: &[f32], row: &[f32], term: impl Fn(f32, f32) -> f32 + Copy) {
    for (sum, (query, row)) in sums.iter_mut().zip(query.iter().zip(row)) {
        *sum += term(*query, *row);
    }
}

/// Rounds less than adding the lanes in sequence.
#[inline(always)]
fn fold([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]: [f32; LANES]) -> f32 {
    let [a, b, c, d] = [(a + i) + (e + m), (b + j) + (f + n), (c + k) + (g + o), (d + l) + (h + p)];
    (a + c) + (b + d)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub(super) fn of_squares_avx2(elements: &[f32]) -> f64 {
    of_squares(elements)
}

#[inline(always)]
pub(super) fn of_squares(elements: &[f32]) -> f64 {
    let square = |element: &f32| f64::from(*element) * f64::from(*element);
    let (parts, rest) = elements.as_chunks::<SQUARE_LANES>();
    let mut sums = [0.0; SQUARE_LANES];
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, element)| *sum += square(element));
    }
    sums.iter().sum::<f64>() + rest.iter().map(square).sum::<f64>()
}
