//! Attention of one head, a panel of queries at a time. The scores of a few hundred tokens stay in
//! the nearest cache, and each query has its own place in the registers, so nothing is summed
//! across one.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::{
    PositionBias, Processor,
    exponential::exp,
    matrix::{Panels, Rows, interleave},
    micro_kernel::{self, REGISTERS_ACROSS, Start, Target},
};

/// Keys scored at once, and value elements summed at once.
const WITH_32_REGISTERS: (usize, usize) = (12, 8);
const WITH_16_REGISTERS: (usize, usize) = (6, 4);

/// All have `size` elements.
pub(crate) struct Head<'a> {
    pub(crate) queries: Rows<'a>,
    pub(crate) keys: Rows<'a>,
    pub(crate) values: Rows<'a>,
    pub(crate) size: usize,
    /// `None` if each query sees each key alike.
    pub(crate) position_bias: Option<&'a PositionBias>,
}

#[derive(Debug, Default)]
pub(crate) struct AttentionBuffers {
    queries: Panels,
    keys: Vec<f32>,
    values: Vec<f32>,
    /// A row for each key, a column for each query of a panel.
    scores: Vec<f32>,
    /// A row for each element of the head, a column for each query of a panel.
    means: Vec<f32>,
}

/// For each query, writes the mean of the values, weighted by the softmax of its products with the
/// keys: zeros if it sees none. Rows of `output` are `stride` apart.
pub(crate) fn attend(
    processor: Processor,
    head: &Head<'_>,
    (output, stride): (&mut [f32], usize),
    buffers: &mut AttentionBuffers,
) {
    if head.keys.count == 0 {
        let rows = output.chunks_mut(stride).take(head.queries.count);
        rows.for_each(|row| row.iter_mut().take(head.size).for_each(|value| *value = 0.0));
        return;
    }
    buffers.queries.pack_columns(processor, head.queries, head.size);
    processor.0.dispatch(Attend { head, output, stride, buffers });
}

struct Attend<'a> {
    head: &'a Head<'a>,
    output: &'a mut [f32],
    stride: usize,
    buffers: &'a mut AttentionBuffers,
}

impl WithSimd for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if S::REGISTER_COUNT >= 32 {
            self.run::<S, { WITH_32_REGISTERS.0 }, { WITH_32_REGISTERS.1 }>(simd);
        } else {
            self.run::<S, { WITH_16_REGISTERS.0 }, { WITH_16_REGISTERS.1 }>(simd);
        }
    }
}

impl Attend<'_> {
    #[inline(always)]
    fn run<S: Simd, const KEYS: usize, const ELEMENTS: usize>(self, simd: S) {
        let Self { head, output, stride, buffers } = self;
        let AttentionBuffers { queries, keys, values, scores, means } = buffers;
        let width = REGISTERS_ACROSS * S::F32_LANES;
        interleave::<KEYS>(head.keys, 0, head.size, keys);
        interleave_columns::<ELEMENTS>(head.values, head.size, values);
        scores.resize(head.keys.count * width, 0.0);
        means.resize(head.size * width, 0.0);
        let first_rows = (0..head.queries.count).step_by(width);
        for (panel, first) in queries.panels().zip(first_rows) {
            let visible = visible_keys::<KEYS>(head, first..first + width);
            let scores = scores.get_mut(..visible.len() * width).unwrap_or_default();
            let keys = keys.get(visible.start * head.size..).unwrap_or_default();
            products::<S, KEYS>(simd, (keys, head.size), 0..head.size, panel, scores);
            if let Some(position_bias) = head.position_bias {
                add_biases(simd, position_bias, first, visible.start, scores);
            }
            let sums = exponentials(simd, scores);
            products::<S, ELEMENTS>(simd, (values, head.keys.count), visible, scores, means);
            divide(simd, means, sums);
            let output = output.get_mut(first * stride..).unwrap_or_default();
            let rows = output.chunks_mut(stride).take(head.queries.count - first);
            transpose(means, width, head.size, rows);
        }
    }
}

/// Returns the keys that some of the queries see, from the start of a block of `KEYS`.
#[inline(always)]
fn visible_keys<const KEYS: usize>(head: &Head<'_>, queries: Range<usize>) -> Range<usize> {
    let count = head.keys.count;
    let Some(position_bias) = head.position_bias else { return 0..count };
    let visible = position_bias.visible_keys(queries);
    (visible.start / KEYS * KEYS).min(count)..visible.end.min(count)
}

#[inline(always)]
fn add_biases<S: Simd>(
    simd: S,
    position_bias: &PositionBias,
    first_query: usize,
    first_key: usize,
    scores: &mut [f32],
) {
    let width = REGISTERS_ACROSS * S::F32_LANES;
    for (place, row) in scores.chunks_exact_mut(width).enumerate() {
        let (biases, _) = S::as_simd_f32s(position_bias.for_key(first_key + place, first_query));
        let (row, _) = S::as_mut_simd_f32s(row);
        for (score, bias) in row.iter_mut().zip(biases) {
            *score = simd.add_f32s(*score, *bias);
        }
    }
}

/// Multiplies a range of interleaved rows of `depth` elements by a panel. Rows of `output` are as
/// wide as the panel.
#[inline(always)]
fn products<S: Simd, const ROWS: usize>(
    simd: S,
    (rows, depth): (&[f32], usize),
    range: Range<usize>,
    panel: &[f32],
    output: &mut [f32],
) {
    let width = REGISTERS_ACROSS * S::F32_LANES;
    let (blocks, _) = rows.as_chunks::<ROWS>();
    for (block, data) in blocks.chunks_exact(depth).zip(output.chunks_mut(ROWS * width)) {
        let block = block.get(range.clone()).unwrap_or_default();
        let rows = data.len() / width;
        let target = Target { data, stride: width, rows, columns: width };
        micro_kernel::block::<S, ROWS>(simd, block, panel, Start::Zero, target);
    }
}

/// Replaces scores by their exponentials, relative to the largest score of the column. Returns the
/// columns' sums.
#[inline(always)]
fn exponentials<S: Simd>(simd: S, scores: &mut [f32]) -> [S::f32s; REGISTERS_ACROSS] {
    let (scores, _) = S::as_mut_simd_f32s(scores);
    let (rows, _) = scores.as_chunks_mut::<REGISTERS_ACROSS>();
    // Finite, because a query may see no key.
    let mut largest = [simd.splat_f32s(f32::MIN); REGISTERS_ACROSS];
    for row in rows.iter() {
        for (largest, score) in largest.iter_mut().zip(row) {
            *largest = simd.max_f32s(*score, *largest);
        }
    }
    let mut sums = [simd.splat_f32s(0.0); REGISTERS_ACROSS];
    for row in rows {
        for ((score, largest), sum) in row.iter_mut().zip(&largest).zip(&mut sums) {
            *score = exp(simd, simd.sub_f32s(*score, *largest));
            *sum = simd.add_f32s(*sum, *score);
        }
    }
    sums
}

#[inline(always)]
fn divide<S: Simd>(simd: S, means: &mut [f32], sums: [S::f32s; REGISTERS_ACROSS]) {
    let mut scales = sums;
    for scale in &mut scales {
        // The exponential of the largest score is 1. Without a key, the mean is zero.
        let is_empty = simd.less_than_f32s(*scale, simd.splat_f32s(0.5));
        let inverse = simd.div_f32s(simd.splat_f32s(1.0), *scale);
        *scale = simd.select_f32s(is_empty, simd.splat_f32s(0.0), inverse);
    }
    let (means, _) = S::as_mut_simd_f32s(means);
    let (rows, _) = means.as_chunks_mut::<REGISTERS_ACROSS>();
    for row in rows {
        for (mean, scale) in row.iter_mut().zip(&scales) {
            *mean = simd.mul_f32s(*mean, *scale);
        }
    }
}

#[inline(always)]
fn transpose<'a>(
    means: &[f32],
    width: usize,
    size: usize,
    rows: impl Iterator<Item = &'a mut [f32]>,
) {
    for (column, row) in rows.take(width).enumerate() {
        let elements = means.iter().skip(column).step_by(width);
        row.iter_mut().take(size).zip(elements).for_each(|(slot, mean)| *slot = *mean);
    }
}

/// Puts `ELEMENTS` elements of each row side by side, row after row; then the next elements.
#[inline(always)]
fn interleave_columns<const ELEMENTS: usize>(
    rows: Rows<'_>,
    size: usize,
    interleaved: &mut Vec<f32>,
) {
    interleaved.clear();
    interleaved.resize(size.div_ceil(ELEMENTS) * ELEMENTS * rows.count, 0.0);
    let (all, _) = interleaved.as_chunks_mut::<ELEMENTS>();
    for (place, block) in all.chunks_exact_mut(rows.count).enumerate() {
        let first = place * ELEMENTS;
        let width = ELEMENTS.min(size - first);
        for (slots, row) in block.iter_mut().zip(rows.data.chunks(rows.stride)) {
            let source = row.get(first..first + width).unwrap_or_default();
            slots.iter_mut().zip(source).for_each(|(slot, value)| *slot = *value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(part: u64, count: usize, stride: usize, spread: f32) -> Vec<f32> {
        let mut random = fastrand::Rng::with_seed(part << 32 | (count * stride) as u64);
        (0..count * stride).map(|_| (random.f32() - 0.5) * spread).collect()
    }

    fn plain(
        parts: &[Vec<f32>; 3],
        stride: usize,
        size: usize,
        bias: impl Fn(isize) -> f64,
    ) -> Vec<f64> {
        let rows = |part: usize| {
            let rows = parts[part].chunks(stride).map(|row| &row[..size]);
            rows.map(|row| row.iter().map(|value| f64::from(*value)).collect::<Vec<_>>())
        };
        let mean = |(place, query): (usize, Vec<f64>)| {
            let products = rows(1).enumerate().map(|(other, key)| {
                let product: f64 = key.iter().zip(&query).map(|(a, b)| a * b).sum();
                product + bias(place.cast_signed() - other.cast_signed())
            });
            let products: Vec<f64> = products.collect();
            let largest = products.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let weights: Vec<f64> = products.iter().map(|x| (x - largest).exp()).collect();
            let total: f64 = weights.iter().sum();
            (0..size)
                .map(move |at| {
                    let values = rows(2).zip(&weights).map(|(value, weight)| value[at] * weight);
                    values.sum::<f64>() / total
                })
                .collect::<Vec<_>>()
        };
        rows(0).enumerate().flat_map(mean).collect()
    }

    fn check(count: usize, size: usize, spread: f32) {
        check_with(count, size, spread, None, |_| 0.0);
    }

    fn check_with(
        count: usize,
        size: usize,
        spread: f32,
        position_bias: Option<&PositionBias>,
        bias: impl Fn(isize) -> f64,
    ) {
        let stride = size + 3;
        let parts = [0, 1, 2].map(|part| random(part, count, stride, (part + 1) as f32 * spread));
        let part = |number: usize| Rows { data: &parts[number], stride, count };
        let head = Head { queries: part(0), keys: part(1), values: part(2), size, position_bias };
        let expected = plain(&parts, stride, size, bias);
        for processor in Processor::all_detected() {
            let mut output = vec![f32::NAN; count * stride];
            attend(processor, &head, (&mut output, stride), &mut AttentionBuffers::default());
            for (row, expected) in output.chunks(stride).zip(expected.chunks(size)) {
                for (actual, expected) in row.iter().zip(expected) {
                    let difference = (f64::from(*actual) - expected).abs();
                    let what = format!("{processor:?}, {count} x {size}: {actual}, not {expected}");
                    assert!(difference < 1e-5 * f64::from(spread).powi(2), "{what}");
                }
                assert!(row[size..].iter().all(|value| value.is_nan()), "beyond the head's own");
            }
        }
    }

    #[test]
    fn means_match_the_definition_at_every_remainder() {
        for (count, size) in [(1, 1), (12, 32), (13, 33), (32, 8), (33, 7), (70, 64), (200, 32)] {
            check(count, size, 1.0);
        }
    }

    #[test]
    fn means_match_the_definition_for_every_window() {
        let all = usize::MAX;
        for window in [(all, 0), (5, 0), (3, 3), (40, 40), (0, all), (0, 0)] {
            for count in [1, 13, 64, 200] {
                let position_bias =
                    PositionBias::new(200, window, |distance| distance as f32 / 64.0);
                let bias = |distance: isize| {
                    let window = if distance < 0 { window.1 } else { window.0 };
                    let is_visible = distance.unsigned_abs() <= window;
                    if is_visible { distance as f64 / 64.0 } else { f64::NEG_INFINITY }
                };
                check_with(count, 16, 1.0, Some(&position_bias), bias);
            }
        }
    }

    #[test]
    fn a_query_that_sees_no_key_has_a_mean_of_zero() {
        let data = random(0, 40, 8, 1.0);
        let rows = |count: usize| Rows { data: &data, stride: 8, count };
        let position_bias = PositionBias::new(40, (6, 6), |_| 0.0);
        let position_bias = Some(&position_bias);
        let head =
            Head { queries: rows(40), keys: rows(3), values: rows(3), size: 8, position_bias };
        for processor in Processor::all_detected() {
            let mut output = vec![f32::NAN; 40 * 8];
            attend(processor, &head, (&mut output, 8), &mut AttentionBuffers::default());
            // The last key is at position 2.
            let (seeing, blind) = output.split_at(9 * 8);
            assert!(seeing.iter().all(|value| *value != 0.0 && value.is_finite()), "{processor:?}");
            assert!(blind.iter().all(|value| *value == 0.0), "{processor:?}");
        }
    }

    #[test]
    fn without_keys_means_are_zero() {
        let rows = Rows { data: &[1.0; 6], stride: 3, count: 2 };
        let none = Rows { count: 0, ..rows };
        let head = Head { queries: rows, keys: none, values: none, size: 2, position_bias: None };
        let mut output = [7.0; 6];
        attend(Processor::detect(), &head, (&mut output, 3), &mut AttentionBuffers::default());
        assert_eq!(output, [0.0, 0.0, 7.0, 0.0, 0.0, 7.0]);
    }

    #[test]
    fn large_scores_do_not_overflow() {
        check(40, 16, 30.0);
    }

    #[test]
    fn buffers_grow_linearly_with_the_text() {
        for count in [500, 1000] {
            let data = random(0, count, 64, 1.0);
            let rows = Rows { data: &data, stride: 64, count };
            let head =
                Head { queries: rows, keys: rows, values: rows, size: 64, position_bias: None };
            let mut buffers = AttentionBuffers::default();
            let output = &mut vec![0.0; count * 64];
            attend(Processor::detect(), &head, (output, 64), &mut buffers);
            let AttentionBuffers { queries, keys, values, scores, means } = &buffers;
            let queries: usize = queries.panels().map(<[f32]>::len).sum();
            let rest = [keys, values, scores, means].map(Vec::len).iter().sum::<usize>();
            let bytes = (queries + rest) * size_of::<f32>() / count;
            assert!(bytes < 1000, "{bytes} a token of {count}");
        }
    }

    #[test]
    fn reused_buffers_do_not_affect_shorter_texts() {
        for processor in Processor::all_detected() {
            let mut buffers = AttentionBuffers::default();
            let [before, _, after] = [5, 90, 5].map(|count| {
                let parts = [0, 1, 2].map(|part| random(part, count, 8, 1.0));
                let part = |number: usize| Rows { data: &parts[number], stride: 8, count };
                let head = Head {
                    queries: part(0),
                    keys: part(1),
                    values: part(2),
                    size: 8,
                    position_bias: None,
                };
                let mut written = vec![0.0; count * 8];
                attend(processor, &head, (&mut written, 8), &mut buffers);
                written
            });
            assert_eq!(before, after, "{processor:?}");
        }
    }
}
