//! Multiplies by matrices that are packed once: the weights of a model.

use pulp::{Simd, WithSimd};

use super::{
    Processor,
    micro_kernel::{self, REGISTERS_ACROSS, Start, Target},
};

/// Rows summed at once with 32 registers; fewer would leave registers idle.
const MANY_ROWS: usize = 12;
/// The same with 16 registers.
const FEW_ROWS: usize = 6;
/// Depth of a block: the part of a panel that fits the nearest cache.
const DEPTH: usize = 384;

/// All or some columns of a matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    /// Starts at the first element of the first row.
    pub(crate) data: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) count: usize,
}

/// A matrix cut into panels of a few columns, each stored row by row and padded with zeros.
#[derive(Debug, Clone, Default)]
pub(crate) struct Panels {
    data: Vec<f32>,
    width: usize,
    depth: usize,
    columns: usize,
}

impl Panels {
    /// Packs the matrix whose *columns* are these rows of `depth` elements. Weights are stored this
    /// way.
    pub(crate) fn pack_columns(&mut self, processor: Processor, columns: Rows<'_>, depth: usize) {
        self.resize(processor, depth, columns.count);
        let width = self.width;
        if depth == 0 {
            return;
        }
        let panels = self.data.chunks_exact_mut(depth * width);
        for (panel, first) in panels.zip((0..columns.count).step_by(width)) {
            for column in 0..width.min(columns.count - first) {
                let start = (first + column) * columns.stride;
                let source = columns.data.get(start..).unwrap_or_default();
                let slots = panel.iter_mut().skip(column).step_by(width);
                slots.zip(source).for_each(|(slot, value)| *slot = *value);
            }
        }
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn panels(&self) -> impl Iterator<Item = &[f32]> {
        self.data.chunks_exact((self.depth * self.width).max(1))
    }

    fn resize(&mut self, processor: Processor, depth: usize, columns: usize) {
        self.width = processor.panel_width();
        (self.depth, self.columns) = (depth, columns);
        let length = columns.div_ceil(self.width) * self.width * depth;
        self.data.clear();
        self.data.resize(length, 0.0);
    }
}

/// Writes `left` × `right` (+ `bias` to each row) to `output`, whose rows are `stride` apart.
///
/// The order of additions doesn't depend on the row, so a text's vector doesn't depend on the other
/// texts in the batch.
pub(crate) fn multiply(
    processor: Processor,
    left: Rows<'_>,
    right: &Panels,
    bias: Option<&[f32]>,
    (output, stride): (&mut [f32], usize),
    interleaved: &mut Vec<f32>,
) {
    processor.0.dispatch(Multiply { left, right, bias, output, stride, interleaved });
}

struct Multiply<'a> {
    left: Rows<'a>,
    right: &'a Panels,
    bias: Option<&'a [f32]>,
    output: &'a mut [f32],
    stride: usize,
    interleaved: &'a mut Vec<f32>,
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if S::REGISTER_COUNT >= 32 {
            self.run::<S, MANY_ROWS>(simd);
        } else {
            self.run::<S, FEW_ROWS>(simd);
        }
    }
}

impl Multiply<'_> {
    #[inline(always)]
    fn run<S: Simd, const ROWS: usize>(mut self, simd: S) {
        // The processor is detected once, so the widths match.
        debug_assert_eq!(self.right.width, REGISTERS_ACROSS * S::F32_LANES);
        for from in (0..self.right.depth).step_by(DEPTH) {
            let depth = DEPTH.min(self.right.depth - from);
            interleave::<ROWS>(self.left, from, depth, self.interleaved);
            self.add_products::<S, ROWS>(simd, from, depth);
        }
    }

    #[inline(always)]
    fn add_products<S: Simd, const ROWS: usize>(&mut self, simd: S, from: usize, depth: usize) {
        let Panels { data, width, columns, .. } = self.right;
        let (blocks, _) = self.interleaved.as_chunks::<ROWS>();
        let panels = data.chunks_exact(self.right.depth * width);
        for (panel, column) in panels.zip((0..*columns).step_by(*width)) {
            let panel = panel.get(from * width..(from + depth) * width).unwrap_or_default();
            let start = match self.bias.and_then(|bias| bias.get(column..)) {
                _ if from > 0 => Start::Output,
                Some(bias) => Start::Bias(bias),
                None => Start::Zero,
            };
            for (place, block) in blocks.chunks_exact(depth).enumerate() {
                let row = place * ROWS;
                let data = self.output.get_mut(row * self.stride + column..).unwrap_or_default();
                let rows = ROWS.min(self.left.count - row);
                let columns = (*width).min(columns - column);
                let target = Target { data, stride: self.stride, rows, columns };
                micro_kernel::block::<S, ROWS>(simd, block, panel, start, target);
            }
        }
    }
}

/// Puts the same element of `ROWS` rows side by side. Missing rows are zero.
#[inline(always)]
pub(super) fn interleave<const ROWS: usize>(
    left: Rows<'_>,
    from: usize,
    depth: usize,
    interleaved: &mut Vec<f32>,
) {
    interleaved.clear();
    interleaved.resize(left.count.div_ceil(ROWS) * ROWS * depth, 0.0);
    let (all, _) = interleaved.as_chunks_mut::<ROWS>();
    for (place, block) in all.chunks_exact_mut(depth).enumerate() {
        let first = place * ROWS;
        for row in 0..ROWS.min(left.count - first) {
            let start = (first + row) * left.stride + from;
            let source = left.data.get(start..).unwrap_or_default();
            for (slots, value) in block.iter_mut().zip(source) {
                if let Some(slot) = slots.get_mut(row) {
                    *slot = *value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(left: &[f32], right: &[f32], bias: &[f32], depth: usize) -> Vec<f64> {
        let columns = bias.len();
        left.chunks(depth)
            .flat_map(|row| {
                (0..columns).map(|column| {
                    let products = row.iter().zip(&right[column * depth..]);
                    let sum: f64 = products.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                    sum + f64::from(bias[column])
                })
            })
            .collect()
    }

    fn random(part: u64, count: usize) -> Vec<f32> {
        let mut random = fastrand::Rng::with_seed(part << 32 | count as u64);
        (0..count).map(|_| random.f32() - 0.5).collect()
    }

    fn check(rows: usize, depth: usize, columns: usize) {
        let left = random(0, rows * depth);
        let right = random(1, columns * depth);
        let bias = random(2, columns);
        let expected = plain(&left, &right, &bias, depth);
        let left = Rows { data: &left, stride: depth, count: rows };
        let transposed = Rows { data: &right, stride: depth, count: columns };
        for processor in Processor::all_detected() {
            let mut panels = Panels::default();
            panels.pack_columns(processor, transposed, depth);
            let mut output = vec![f32::NAN; rows * columns];
            let target = (output.as_mut_slice(), columns);
            multiply(processor, left, &panels, Some(&bias), target, &mut Vec::new());
            for (actual, expected) in output.iter().zip(&expected) {
                let difference = (f64::from(*actual) - expected).abs();
                let what = format!("{processor:?}, {rows} x {depth} x {columns}");
                assert!(difference < 1e-4, "{what}: {actual}, not {expected}");
            }
        }
    }

    #[test]
    fn products_match_the_definition_at_every_remainder() {
        for (rows, depth, columns) in
            [(1, 1, 1), (12, 384, 32), (13, 385, 33), (5, 800, 31), (25, 7, 100), (200, 32, 200)]
        {
            check(rows, depth, columns);
        }
    }

    #[test]
    fn product_of_a_row_is_independent_of_its_place() {
        let row = random(0, 40);
        let right = random(1, 40 * 50);
        let rows = row.repeat(29);
        let left = Rows { data: &rows, stride: 40, count: 29 };
        for processor in Processor::all_detected() {
            let mut panels = Panels::default();
            panels.pack_columns(processor, Rows { data: &right, stride: 40, count: 50 }, 40);
            let mut output = vec![0.0; 29 * 50];
            multiply(processor, left, &panels, None, (&mut output, 50), &mut Vec::new());
            let is_same = |product| product == &output[..50];
            assert!(output.chunks(50).all(is_same), "{processor:?}");
        }
    }
}
