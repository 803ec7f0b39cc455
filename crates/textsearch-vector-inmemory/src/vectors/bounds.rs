//! Upper bounds of the score of a row, from its 8-bit copy alone.

use textsearch_core::vector::Distance;

use super::{
    block::VectorBlock,
    codes::{ROUNDING, Scaling, rounding_of_sums},
    norm::{ORDINARY, norm},
};
use crate::simd::{Instructions, QueryCodes, RowLocation};

/// A row `x` is `x̂`, its codes times their scale, plus a rounding error. The same holds for the
/// query `q`. By Cauchy and Schwarz, `x·q ≤ x̂·q̂ + ‖x − x̂‖ ‖q̂‖ + ‖x‖ ‖q − q̂‖`, where `x̂·q̂` is
/// a sum of whole numbers. The rounding errors of bounds and scores are added.
///
/// Bounds limit a *key*, which is higher for better rows: the cosine, the dot product, or the
/// negated squared distance.
pub(crate) struct Bounds {
    instructions: Instructions,
    dimensions: usize,
    distance: Distance,
    codes: QueryCodes<2>,
    of_sum: f32,
    of_loss: f32,
    /// The factors of the powers 0, 1 and 2 of the length of a row.
    of_norm: [f32; 3],
}

impl Bounds {
    /// Returns `None` if this distance or query has no bounds.
    pub(crate) fn new(
        instructions: Instructions,
        distance: Distance,
        query: &[f32],
    ) -> Option<Self> {
        let length = f64::from(norm(query));
        if !ORDINARY.contains(&(length as f32)) {
            return None;
        }
        let largest = query.iter().map(|element| f64::from(element.abs())).fold(0.0, f64::max);
        let scale = largest / QueryCodes::LARGEST;
        let code = |element: &f32| rounded(f64::from(*element) / scale);
        let lost = query.iter().map(|element| f64::from(*element) - code(element) * scale);
        let loss = lost.map(|lost| lost * lost).sum::<f64>().sqrt();
        let rounding = rounding_of_sums(query.len()) + ROUNDING;
        let coded_length = (length + loss) * (1.0 + ROUNDING);
        // The uncertainty for each unit of a row's length.
        let uncertain = loss + (rounding + ROUNDING) * length;
        let (factor, of_norm) = match distance {
            Distance::CosineSimilarity | Distance::CosineDistance => {
                (1.0 / length, [uncertain / length, 0.0, 0.0])
            }
            Distance::DotProduct | Distance::NegativeDotProduct => (1.0, [0.0, uncertain, 0.0]),
            Distance::Euclidean | Distance::EuclideanSquared => {
                // -(‖x‖² + ‖q‖²) + 2 x·q, and its rounding error, which is at most (‖x‖ + ‖q‖)²
                // times as large.
                let square = rounding - 1.0;
                let linear = 2.0 * uncertain + 2.0 * rounding * length;
                (2.0, [square * length * length, linear, square])
            }
            _ => return None,
        };
        Some(Self {
            instructions,
            dimensions: query.len(),
            distance,
            codes: QueryCodes::new(query.iter().map(|element| code(element) as i16)),
            of_sum: (scale * factor) as f32,
            of_loss: (coded_length * factor) as f32,
            of_norm: of_norm.map(|factor| factor as f32),
        })
    }

    /// Writes infinity or NaN for rows without a bound.
    pub(crate) fn write(
        &self,
        block: &VectorBlock,
        offsets: &[u16],
        location: RowLocation,
        bounds: &mut Vec<f32>,
    ) {
        let codes = block.codes();
        let rows = codes.rows(self.dimensions);
        self.instructions.code_sums(
            &self.codes,
            offsets,
            |offset| rows.row(offset),
            location,
            bounds,
        );
        // Don't read lengths from memory if bounds don't depend on them.
        let norms = self.depends_on_norms().then(|| block.norms());
        let first = offsets.first().map_or(0, |first| usize::from(*first));
        let last = offsets.last().map_or(0, |last| usize::from(*last));
        if last + 1 - first == offsets.len() {
            let scalings = codes.scalings().get(first..).unwrap_or_default();
            let norms = norms.map(|norms| norms.get(first..).unwrap_or_default());
            self.bound_run(scalings, norms, bounds);
        } else {
            self.bound_each(offsets, codes.scalings(), norms, bounds);
        }
    }

    fn bound_run(&self, scalings: &[Scaling], norms: Option<&[f32]>, bounds: &mut [f32]) {
        let rows = bounds.iter_mut().zip(scalings);
        match norms {
            Some(norms) => {
                for ((bound, scaling), norm) in rows.zip(norms) {
                    *bound = self.bound(*bound, *scaling, *norm);
                }
            }
            None => {
                for (bound, scaling) in rows {
                    *bound = self.bound(*bound, *scaling, 0.0);
                }
            }
        }
    }

    fn bound_each(
        &self,
        offsets: &[u16],
        scalings: &[Scaling],
        norms: Option<&[f32]>,
        bounds: &mut [f32],
    ) {
        for (bound, offset) in bounds.iter_mut().zip(offsets) {
            let offset = usize::from(*offset);
            let norm = norms.map_or(Some(0.0), |norms| norms.get(offset).copied());
            let row = scalings.get(offset).zip(norm);
            *bound =
                row.map_or(f32::INFINITY, |(scaling, norm)| self.bound(*bound, *scaling, norm));
        }
    }

    fn depends_on_norms(&self) -> bool {
        let [_, linear, square] = self.of_norm;
        linear != 0.0 || square != 0.0
    }

    #[inline(always)]
    fn bound(&self, sum: f32, Scaling { scale, loss }: Scaling, norm: f32) -> f32 {
        let [constant, linear, square] = self.of_norm;
        sum * scale * self.of_sum + loss * self.of_loss + constant + norm * (linear + norm * square)
    }

    /// `merit` is the score, negated if lower is better.
    pub(crate) fn key_of(&self, merit: f64) -> f32 {
        let key = match self.distance {
            _ if merit.is_infinite() => merit,
            Distance::CosineDistance => merit + 1.0 - 1e-12,
            Distance::Euclidean => -(merit.min(0.0) * merit) * (1.0 + 1e-12),
            _ => merit,
        };
        let rounded = key as f32;
        if f64::from(rounded) > key { rounded.next_down() } else { rounded }
    }
}

/// After adding the constant to a small number, no bits are left for fractions. Not every processor
/// has an instruction for this, and the library function is a call for each element.
fn rounded(number: f64) -> f64 {
    const MAGIC: f64 = 1.5 * (1_u64 << 52) as f64;
    (number + MAGIC) - MAGIC
}
