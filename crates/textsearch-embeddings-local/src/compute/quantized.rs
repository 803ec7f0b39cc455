//! Multiplies by 8-bit matrices.
//!
//! Each column of weights has a scale: `weight = scale × code`, with codes from -127 to 127. Each row
//! of activations has a scale and a smallest value: `activation = low + scale × code`, with codes
//! from 0 to 255. So a product is
//!
//! ```text
//! sum of codes × (row scale × column scale) + (low × sum of the column's weights + bias)
//! ```
//!
//! computed in this order, without fused multiplication: every processor returns the same bits.

use super::{
    Processor, Work,
    dot_products::{Blocks, Instructions, Sums},
};

/// A matrix of 8-bit weights, cut into panels of a few columns.
#[derive(Debug)]
pub(crate) struct QuantizedPanels {
    instructions: Instructions,
    /// Several codes each; as many for each column of a panel, then the next codes.
    elements: Vec<i32>,
    depth: usize,
    scales: Vec<f32>,
    /// The sum of each column's weights.
    totals: Vec<f32>,
}

/// Rows of 8-bit activations, interleaved in blocks. Reused for each multiplication.
#[derive(Debug, Default)]
pub(crate) struct QuantizedRows {
    elements: Vec<i32>,
    ranges: Vec<Range>,
    /// The codes of one row.
    codes: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Range {
    low: f32,
    scale: f32,
}

impl QuantizedPanels {
    /// Quantizes the matrix whose *columns* are these rows of `depth` elements.
    pub(crate) fn pack_columns(columns: &[f32], depth: usize) -> Self {
        Self::pack(Instructions::detect(), columns, depth)
    }

    fn pack(instructions: Instructions, columns: &[f32], depth: usize) -> Self {
        let width = instructions.columns();
        let count = columns.len() / depth.max(1);
        let elements_of_column = depth.div_ceil(instructions.codes());
        let mut panels = Self {
            instructions,
            elements: vec![0; count.div_ceil(width) * width * elements_of_column],
            depth,
            scales: Vec::with_capacity(count),
            totals: Vec::with_capacity(count),
        };
        for (place, column) in columns.chunks_exact(depth.max(1)).enumerate() {
            let largest = column.iter().map(|weight| weight.abs()).max_by(f32::total_cmp);
            let scale = largest.unwrap_or_default() / 127.0;
            let codes = column.iter().map(|weight| (weight / scale).round_ties_even() as i8);
            let codes: Vec<i8> = codes.collect();
            let total: i32 = codes.iter().map(|code| i32::from(*code)).sum();
            panels.scales.push(scale);
            panels.totals.push(total as f32 * scale);
            let start = place / width * width * elements_of_column + place % width;
            let slots = panels.elements.iter_mut().skip(start).step_by(width);
            for (slot, codes) in slots.zip(codes.chunks(instructions.codes())) {
                *slot = element(instructions, codes);
            }
        }
        panels
    }
}

impl QuantizedRows {
    /// Writes `rows` × `panels` + `bias` to `output`. The rows follow each other.
    pub(crate) fn multiply(
        &mut self,
        processor: Processor,
        rows: &[f32],
        panels: &QuantizedPanels,
        bias: &[f32],
        output: &mut [f32],
    ) {
        self.quantize(processor, rows, panels);
        panels.instructions.run(Product { rows: self, panels, bias, output });
    }

    fn quantize(&mut self, processor: Processor, rows: &[f32], panels: &QuantizedPanels) {
        processor.run(Quantize { rows, panels, quantized: self });
    }
}

/// Codes of a column; missing codes are 0.
fn element(instructions: Instructions, codes: &[i8]) -> i32 {
    let bits = 32 / instructions.codes();
    let mask = u32::MAX >> (32 - bits);
    let bits_of =
        |(place, code): (usize, &i8)| (i32::from(*code).cast_unsigned() & mask) << (place * bits);
    codes.iter().enumerate().map(bits_of).sum::<u32>().cast_signed()
}

struct Quantize<'a> {
    rows: &'a [f32],
    panels: &'a QuantizedPanels,
    quantized: &'a mut QuantizedRows,
}

impl Work for Quantize<'_> {
    #[inline(always)]
    fn run(self) {
        let instructions = self.panels.instructions;
        match (instructions.rows(), instructions.codes()) {
            (12, _) => self.interleave::<12>(quads),
            (_, 4) => self.interleave::<6>(quads),
            _ => self.interleave::<6>(pairs),
        }
    }
}

impl Quantize<'_> {
    #[inline(always)]
    fn interleave<const ROWS: usize>(self, elements_of: impl Fn(&[u8], &mut [[i32; ROWS]], usize)) {
        let Self { rows, panels, quantized } = self;
        let depth = panels.depth.max(1);
        let QuantizedRows { elements, ranges, codes } = quantized;
        let count = rows.len() / depth;
        let elements_of_row = depth.div_ceil(panels.instructions.codes());
        ranges.clear();
        codes.resize(depth.next_multiple_of(4), 0);
        // What an earlier multiplication left in missing rows is multiplied, and not used.
        elements.resize(count.div_ceil(ROWS) * ROWS * elements_of_row, 0);
        let (elements, _) = elements.as_chunks_mut::<ROWS>();
        let blocks = elements.chunks_exact_mut(elements_of_row);
        for (block, rows) in blocks.zip(rows.chunks(ROWS * depth)) {
            for (place, row) in rows.chunks_exact(depth).enumerate() {
                let range = Range::new(row);
                range.quantize(row, codes);
                ranges.push(range);
                elements_of(codes, block, place);
            }
        }
    }
}

#[inline(always)]
fn quads<const ROWS: usize>(codes: &[u8], block: &mut [[i32; ROWS]], row: usize) {
    let (codes, _) = codes.as_chunks::<4>();
    for (slots, codes) in block.iter_mut().zip(codes) {
        if let Some(slot) = slots.get_mut(row) {
            *slot = i32::from_le_bytes(*codes);
        }
    }
}

#[inline(always)]
fn pairs<const ROWS: usize>(codes: &[u8], block: &mut [[i32; ROWS]], row: usize) {
    let (codes, _) = codes.as_chunks::<2>();
    for (slots, [low, high]) in block.iter_mut().zip(codes) {
        if let Some(slot) = slots.get_mut(row) {
            *slot = i32::from(*low) | i32::from(*high) << 16;
        }
    }
}

impl Range {
    /// Is not a number if one of the row is not.
    #[inline(always)]
    fn new(row: &[f32]) -> Self {
        let mut low = i32::MAX;
        let mut high = i32::MIN;
        for value in row {
            let value = ordered(value.to_bits().cast_signed());
            low = low.min(value);
            high = high.max(value);
        }
        let value = |ordered_bits| f32::from_bits(ordered(ordered_bits).cast_unsigned());
        let low = value(low);
        Self { low, scale: (value(high) - low) / 255.0 }
    }

    /// If the scale is 0, codes don't matter.
    #[inline(always)]
    fn quantize(self, row: &[f32], codes: &mut [u8]) {
        /// Adding it rounds to a whole number and leaves that number in the lowest bits.
        const ROUND: f32 = 8_388_608.0;
        let factor = 1.0 / self.scale;
        for (code, value) in codes.iter_mut().zip(row) {
            *code = ((value - self.low) * factor + ROUND).to_bits() as u8;
        }
    }
}

/// Maps the bits of floats to integers of the same order, and back. Integers are compared by
/// one instruction, in any order, and NaN is beyond all numbers.
#[inline(always)]
fn ordered(bits: i32) -> i32 {
    bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed()
}

struct Product<'a> {
    rows: &'a QuantizedRows,
    panels: &'a QuantizedPanels,
    bias: &'a [f32],
    output: &'a mut [f32],
}

impl Blocks for Product<'_> {
    #[inline(always)]
    fn run<const ROWS: usize>(self, sums_of: impl Fn(&[[i32; ROWS]], &[i32], &mut Sums)) {
        let Self { rows, panels, bias, output } = self;
        let depth = panels.depth.div_ceil(panels.instructions.codes()).max(1);
        let width = panels.instructions.columns();
        let columns = bias.len().max(1);
        let (blocks, _) = rows.elements.as_chunks::<ROWS>();
        let mut sums: Sums = [0; _];
        let panels_of_elements = panels.elements.chunks_exact(depth * width);
        for (panel, first) in panels_of_elements.zip((0..columns).step_by(width)) {
            let last = columns.min(first + width);
            let [scales, totals, bias] = [&panels.scales, &panels.totals, bias]
                .map(|values| values.get(first..last).unwrap_or_default());
            let blocks = blocks.chunks_exact(depth).zip(rows.ranges.chunks(ROWS));
            for ((block, ranges), output) in blocks.zip(output.chunks_mut(ROWS * columns)) {
                sums_of(block, panel, &mut sums);
                let rows = output.chunks_exact_mut(columns).zip(sums.chunks_exact(width));
                for ((row, sums), range) in rows.zip(ranges) {
                    let row = row.get_mut(first..last).unwrap_or_default();
                    let factors = scales.iter().zip(totals).zip(bias);
                    for ((slot, sum), ((scale, total), bias)) in
                        row.iter_mut().zip(sums).zip(factors)
                    {
                        *slot = *sum as f32 * (range.scale * scale) + (range.low * total + bias);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(part: u64, count: usize) -> Vec<f32> {
        let mut random = fastrand::Rng::with_seed(part << 32 | count as u64);
        (0..count).map(|_| random.f32() - 0.4).collect()
    }

    fn product(
        instructions: Instructions,
        processor: Processor,
        (left, right, bias): (&[f32], &[f32], &[f32]),
        depth: usize,
    ) -> Vec<f32> {
        let panels = QuantizedPanels::pack(instructions, right, depth);
        let mut output = vec![f32::NAN; left.len() / depth * bias.len()];
        QuantizedRows::default().multiply(processor, left, &panels, bias, &mut output);
        output
    }

    /// By the formula above, from the codes of one row and one column.
    fn plain(left: &[f32], right: &[f32], bias: &[f32], depth: usize) -> Vec<f32> {
        let element = |row: &[f32], column: &[f32], bias: f32| {
            let range = Range::new(row);
            let mut codes = vec![0; depth];
            range.quantize(row, &mut codes);
            let largest = column.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
            let scale = largest / 127.0;
            let weights: Vec<i32> =
                column.iter().map(|weight| (weight / scale).round_ties_even() as i32).collect();
            let products =
                codes.iter().zip(&weights).map(|(code, weight)| i32::from(*code) * weight);
            let total = weights.iter().sum::<i32>() as f32 * scale;
            products.sum::<i32>() as f32 * (range.scale * scale) + (range.low * total + bias)
        };
        let row = |row| {
            let columns = right.chunks(depth).zip(bias);
            columns.map(move |(column, bias)| element(row, column, *bias))
        };
        left.chunks(depth).flat_map(row).collect()
    }

    #[test]
    fn all_instruction_sets_return_the_same_bits() {
        for (rows, depth, columns) in
            [(1, 1, 1), (12, 384, 32), (13, 385, 33), (5, 802, 31), (25, 7, 100), (200, 32, 200)]
        {
            let left = random(0, rows * depth);
            let right = random(1, columns * depth);
            let bias = random(2, columns);
            let expected = plain(&left, &right, &bias, depth);
            for instructions in Instructions::all_detected() {
                for processor in Processor::all_detected() {
                    let parts = (&left[..], &right[..], &bias[..]);
                    let actual = product(instructions, processor, parts, depth);
                    let what =
                        format!("{instructions:?}, {processor:?}, {rows} x {depth} x {columns}");
                    assert_eq!(actual, expected, "{what}");
                }
            }
        }
    }

    #[test]
    fn largest_codes_do_not_saturate() {
        let depth = 1000;
        let left = [vec![0.0], vec![1.0; depth - 1]].concat();
        let right = vec![-1.0; depth];
        for instructions in Instructions::all_detected() {
            let parts = (&left[..], &right[..], &[0.0][..]);
            let product = product(instructions, Processor::detect(), parts, depth);
            assert!((product[0] + 999.0).abs() < 1e-3, "{instructions:?}: {product:?}");
        }
    }

    #[test]
    fn products_are_close_to_those_of_floats() {
        let (rows, depth, columns) = (10, 384, 40);
        let left = random(0, rows * depth);
        let right = random(1, columns * depth);
        let bias = random(2, columns);
        let parts = (&left[..], &right[..], &bias[..]);
        let actual = product(Instructions::detect(), Processor::detect(), parts, depth);
        for (row, products) in left.chunks(depth).zip(actual.chunks(columns)) {
            for ((column, bias), product) in right.chunks(depth).zip(&bias).zip(products) {
                let exact: f32 = row.iter().zip(column).map(|(a, b)| a * b).sum::<f32>() + bias;
                assert!((product - exact).abs() < 0.1, "{product}, not {exact}");
            }
        }
    }

    #[test]
    fn rows_of_equal_elements_are_exact() {
        let parts = (&[0.3_f32; 8][..], &[0.5_f32; 8][..], &[1.0_f32][..]);
        for instructions in Instructions::all_detected() {
            let product = product(instructions, Processor::detect(), parts, 8);
            assert!((product[0] - 2.2).abs() < 1e-6, "{product:?}");
        }
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        for broken in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for processor in Processor::all_detected() {
                let left = [1.0, broken, 2.0, 3.0];
                let parts = (&left[..], &[0.5_f32; 4][..], &[1.0_f32][..]);
                let product = product(Instructions::detect(), processor, parts, 4);
                assert!(!product[0].is_finite(), "{broken}: {product:?}");
            }
        }
    }
}
