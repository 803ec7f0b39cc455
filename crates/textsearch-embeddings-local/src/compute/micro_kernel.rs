//! The innermost loop of a multiplication: a few rows by two registers of columns.

use pulp::Simd;

/// The width of a panel, in registers.
pub(super) const REGISTERS_ACROSS: usize = 2;

#[derive(Clone, Copy)]
pub(super) enum Start<'a> {
    Zero,
    /// One value per column.
    Bias(&'a [f32]),
    Output,
}

pub(super) struct Target<'a> {
    pub(super) data: &'a mut [f32],
    pub(super) stride: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    clippy::needless_range_loop,
    reason = "the indices are below the lengths of the arrays; written otherwise, the sums leave the registers, and it \
              takes several times as long"
)]
pub(super) fn block<S: Simd, const ROWS: usize>(
    simd: S,
    left: &[[f32; ROWS]],
    panel: &[f32],
    start: Start<'_>,
    target: Target<'_>,
) {
    let (panel, _) = S::as_simd_f32s(panel);
    let (panel, _) = panel.as_chunks::<REGISTERS_ACROSS>();
    let mut sums = [[simd.splat_f32s(0.0); REGISTERS_ACROSS]; ROWS];
    for (left, right) in left.iter().zip(panel) {
        for row in 0..ROWS {
            let value = simd.splat_f32s(left[row]);
            for register in 0..REGISTERS_ACROSS {
                let sum = sums[row][register];
                sums[row][register] = simd.mul_add_e_f32s(value, right[register], sum);
            }
        }
    }
    let Target { data, stride, rows, columns } = target;
    for row in 0..rows {
        let output = &mut data[row * stride..][..columns];
        for register in 0..REGISTERS_ACROSS {
            let first = register * S::F32_LANES;
            if first >= columns {
                break;
            }
            let last = (first + S::F32_LANES).min(columns);
            let part = &mut output[first..last];
            let before = match start {
                Start::Zero => simd.splat_f32s(0.0),
                Start::Bias(bias) => simd.partial_load_f32s(&bias[first..last]),
                Start::Output => simd.partial_load_f32s(part),
            };
            simd.partial_store_f32s(part, simd.add_f32s(before, sums[row][register]));
        }
    }
}
