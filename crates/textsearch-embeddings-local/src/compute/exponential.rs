//! The exponential function, for a register of values.

use pulp::Simd;

/// Adding it rounds to a whole number and leaves that number, plus an exponent's bias, in the
/// lowest bits.
const ROUND: f32 = 12_582_912.0 + 127.0;
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;
/// Bits of a float below its exponent.
const FRACTION_BITS: u32 = 23;
/// Coefficients of the series, highest power first.
const SERIES: [f32; 6] = [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];

/// Relative error 3e-7 between -87 and 88; clamps `x` to that range.
#[inline(always)]
pub(super) fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let x = clamp(simd, x);
    let round = simd.splat_f32s(ROUND);
    let rounded = simd.mul_add_e_f32s(x, simd.splat_f32s(std::f32::consts::LOG2_E), round);
    let whole = simd.sub_f32s(rounded, round);
    let rest = simd.mul_add_e_f32s(whole, simd.splat_f32s(-LN_2_HIGH), x);
    let rest = simd.mul_add_e_f32s(whole, simd.splat_f32s(-LN_2_LOW), rest);
    let mut sum = simd.splat_f32s(1.0 / 720.0);
    for factor in SERIES {
        sum = simd.mul_add_e_f32s(sum, rest, simd.splat_f32s(factor));
    }
    let exponent = simd.transmute_u32s_f32s(rounded);
    let power = simd.wrapping_dyn_shl_u32s(exponent, simd.splat_u32s(FRACTION_BITS));
    simd.mul_f32s(sum, simd.transmute_f32s_u32s(power))
}

/// Compares, so that NaN stays NaN.
#[inline(always)]
fn clamp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let min = simd.splat_f32s(-87.0);
    let max = simd.splat_f32s(88.0);
    let x = simd.select_f32s(simd.less_than_f32s(x, min), min, x);
    simd.select_f32s(simd.greater_than_f32s(x, max), max, x)
}

#[cfg(test)]
mod tests {
    use pulp::WithSimd;

    use super::*;
    use crate::compute::{Processor, elementwise};

    struct Exponential(f32);

    impl WithSimd for Exponential {
        type Output = f32;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> f32 {
            let mut value = [self.0];
            let register = exp(simd, simd.partial_load_f32s(&value));
            simd.partial_store_f32s(&mut value, register);
            value[0]
        }
    }

    #[test]
    fn matches_the_elementwise_exponential_within_two_ulps() {
        for processor in Processor::all_detected() {
            for step in 0..=20_000 {
                let x = -90.0 + 180.0 * step as f32 / 20_000.0;
                let actual = processor.0.dispatch(Exponential(x));
                let other = elementwise::exp(x);
                let apart = actual.to_bits().abs_diff(other.to_bits());
                assert!(apart <= 2, "{processor:?}: exp({x}): {actual} and {other}");
            }
        }
    }

    #[test]
    fn the_exponential_is_close_to_the_standard_one() {
        for processor in Processor::all_detected() {
            let exp_of = |x: f32| processor.0.dispatch(Exponential(x));
            for step in 0..=20_000 {
                let x = -87.0 + 175.0 * step as f32 / 20_000.0;
                let actual = f64::from(exp_of(x));
                let expected = f64::from(x).exp();
                let what = format!("{processor:?}: exp({x}): {actual}, not {expected}");
                assert!((actual / expected - 1.0).abs() < 4e-7, "{what}");
            }
            assert_eq!(exp_of(0.0), 1.0);
            assert!(exp_of(-1e9) < 1e-37);
            assert!(exp_of(1e9) > 1e38);
            assert!(exp_of(f32::NAN).is_nan());
        }
    }
}
