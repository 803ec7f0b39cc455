//! Operations on each element or row, written so that the compiler uses the widest registers.

use super::{Processor, Work};

/// Number of separate sums: the compiler may not reorder float additions.
const LANES: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activation {
    /// With the error function.
    Gelu,
    /// With the hyperbolic tangent, an approximation.
    GeluTanh,
    Relu,
    /// Times the logistic function.
    Silu,
    Tanh,
}

impl Activation {
    pub(crate) fn apply(self, values: &mut [f32]) {
        Processor::detect().run(Activate { activation: self, values });
    }

    /// Replaces each row of twice the `width` by its activated first half times its second half.
    /// The shorter rows are at the start of `rows`.
    pub(crate) fn gate(self, rows: &mut [f32], width: usize) {
        Processor::detect().run(Gate { activation: self, rows, width });
    }
}

struct Activate<'a> {
    activation: Activation,
    values: &'a mut [f32],
}

impl Work for Activate<'_> {
    #[inline(always)]
    fn run(self) {
        match self.activation {
            Activation::Gelu => {
                for value in self.values {
                    *value = gelu(*value);
                }
            }
            Activation::GeluTanh => {
                for value in self.values {
                    *value = gelu_tanh(*value);
                }
            }
            Activation::Relu => {
                for value in self.values {
                    *value = if *value > 0.0 { *value } else { 0.0 };
                }
            }
            Activation::Silu => {
                for value in self.values {
                    *value /= 1.0 + exp(-*value);
                }
            }
            Activation::Tanh => {
                for value in self.values {
                    *value = value.tanh();
                }
            }
        }
    }
}

struct Gate<'a> {
    activation: Activation,
    rows: &'a mut [f32],
    width: usize,
}

impl Work for Gate<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { activation, rows, width } = self;
        for row in rows.chunks_exact_mut((2 * width).max(1)) {
            let (values, factors) = row.split_at_mut(width);
            Activate { activation, values }.run();
            values.iter_mut().zip(factors).for_each(|(value, factor)| *value *= *factor);
        }
        for (place, start) in (0..rows.len()).step_by((2 * width).max(1)).enumerate() {
            rows.copy_within(start..start + width, place * width);
        }
    }
}

/// A normalisation of rows.
#[derive(Debug)]
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    pub(crate) epsilon: f32,
    /// Whether the mean is subtracted.
    pub(crate) is_centred: bool,
}

impl Norm {
    pub(crate) fn apply(&self, rows: &mut [f32]) {
        Processor::detect().run(Normalize { rows, other: None, norm: self });
    }

    /// Adds `other` to the rows before it normalises them.
    pub(crate) fn add(&self, rows: &mut [f32], other: &[f32]) {
        Processor::detect().run(Normalize { rows, other: Some(other), norm: self });
    }

    /// Divides the normalised rows.
    pub(crate) fn divide(&mut self, divisor: f32) {
        self.weight.iter_mut().chain(&mut self.bias).for_each(|value| *value /= divisor);
    }
}

struct Normalize<'a> {
    rows: &'a mut [f32],
    other: Option<&'a [f32]>,
    norm: &'a Norm,
}

impl Work for Normalize<'_> {
    #[inline(always)]
    fn run(self) {
        if let Some(other) = self.other {
            for (value, other) in self.rows.iter_mut().zip(other) {
                *value += other;
            }
        }
        for row in self.rows.chunks_exact_mut(self.norm.weight.len().max(1)) {
            normalize_row(row, self.norm);
        }
    }
}

#[inline(always)]
fn normalize_row(row: &mut [f32], norm: &Norm) {
    let Norm { weight, bias, epsilon, is_centred } = norm;
    let count = row.len() as f32;
    let mean = if *is_centred { sum(row, |value| value) / count } else { 0.0 };
    let variance = sum(row, |value| (value - mean) * (value - mean)) / count;
    let scale = 1.0 / (variance + epsilon).sqrt();
    for ((value, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
        *value = (*value - mean) * scale * weight + bias;
    }
}

#[inline(always)]
fn sum(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += term(*value);
        }
    }
    sums.iter().sum::<f32>() + rest.iter().map(|value| term(*value)).sum::<f32>()
}

/// `x` times the share of a normal distribution below it.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

#[inline(always)]
fn gelu_tanh(x: f32) -> f32 {
    const SQRT_2_OVER_PI: f32 = 0.797_884_6;
    let inner = SQRT_2_OVER_PI * (x + 0.044_715 * x * x * x);
    let tanh = 1.0 - 2.0 / (1.0 + exp(2.0 * inner));
    0.5 * x * (1.0 + tanh)
}

/// To 2e-7: Abramowitz and Stegun, *Handbook of Mathematical Functions*, 7.1.26.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let z = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let polynomial = ((((1.061_405_4 * t - 1.453_152_1) * t + 1.421_413_8) * t - 0.284_496_72) * t
        + 0.254_829_6)
        * t;
    (1.0 - polynomial * exp(-z * z)).copysign(x)
}

/// The same function as in `exponential.rs`, for loops that the compiler vectorizes.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    /// Adding it rounds to a whole number and leaves that number in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let whole = rounded - ROUND;
    let rest = x - whole * LN_2_HIGH - whole * LN_2_LOW;
    let polynomial = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5
                        + rest
                            * (1.0 / 6.0
                                + rest
                                    * (1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0))))));
    let power = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
    polynomial * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(from: f32, to: f32) -> impl Iterator<Item = f32> {
        (0..=20_000).map(move |step| from + (to - from) * step as f32 / 20_000.0)
    }

    #[test]
    fn the_exponential_is_close_to_the_standard_one() {
        for x in range(-87.0, 88.0) {
            let actual = f64::from(exp(x));
            let expected = f64::from(x).exp();
            assert!((actual / expected - 1.0).abs() < 4e-7, "exp({x}): {actual}, not {expected}");
        }
        assert!(exp(-1e9) < 1e-37);
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn the_error_function_is_close_to_its_known_values() {
        let known = [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3)];
        for (x, expected) in known {
            assert!((erf(x) - expected).abs() < 4e-7, "erf({x}): {}", erf(x));
            assert!((erf(-x) + expected).abs() < 4e-7, "erf(-{x}): {}", erf(-x));
        }
        assert_eq!((erf(9.0), erf(-9.0)), (1.0, -1.0));
    }

    #[test]
    fn both_forms_of_gelu_agree_to_three_decimals() {
        for x in range(-8.0, 8.0) {
            assert!((gelu(x) - gelu_tanh(x)).abs() < 1e-3, "{x}");
        }
        assert_eq!(gelu(20.0), 20.0);
    }

    #[test]
    fn normalised_row_is_scaled_by_weight_and_shifted_by_bias() {
        let mut values: Vec<f32> = (0..100).map(|x| x as f32).collect();
        let weight = vec![2.0; 50];
        let bias = vec![3.0; 50];
        Norm { weight, bias, epsilon: 1e-12, is_centred: true }.apply(&mut values);
        for row in values.chunks(50) {
            let mean = row.iter().sum::<f32>() / 50.0;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 50.0;
            assert!((mean - 3.0).abs() < 1e-5 && (variance - 4.0).abs() < 1e-4);
        }
    }
}
