//! The cases, each for a promise of `EmbeddingGenerator`.

mod calls;
mod faults;
mod texts;
mod vectors;

pub use calls::*;
pub use faults::*;
pub use texts::*;
pub use vectors::*;

/// No two have the same number of words: small models know few words, and batches by length change
/// the order.
fn some() -> Vec<String> {
    let texts = [
        "A connector answers a query.",
        "apple",
        "The quick brown fox jumps over the lazy dog, and then it jumps back over the dog again.",
        "Filters are applied or refused by each store.",
        "river bank",
    ];
    texts.map(str::to_owned).into()
}

/// More than any request takes, of about the same length.
fn many() -> Vec<String> {
    (1_000..3_500).map(|number| format!("text {number}")).collect()
}

/// Rounding may differ between batches.
fn is_near(one: &[f32], other: &[f32]) -> bool {
    let largest =
        one.iter().chain(other).fold(0.0_f32, |largest, element| largest.max(element.abs()));
    let is_near = |(one, other): (&f32, &f32)| (one - other).abs() <= 1e-3 * largest;
    one.len() == other.len() && one.iter().zip(other).all(is_near)
}
