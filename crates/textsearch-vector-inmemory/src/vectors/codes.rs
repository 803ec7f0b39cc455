//! The 8-bit copy of vectors, by which a scan leaves out what cannot be among the nearest.

use textsearch_core::vector::{Distance, VectorField};

use super::norm::ORDINARY;
use crate::simd::{CodeRows, Instructions, Line};

/// The most elements of a vector: with more, the sums of their products with a query would not fit 32 bits, and a chunk of
/// a single vector could take any memory.
pub(crate) const MOST_DIMENSIONS: usize = 65_536;

/// More than all roundings of a bound and of a score add up to, but for those that grow with the dimensions, as a part
/// of the product of both lengths.
pub(super) const ROUNDING: f64 = 1.0 / (1 << 18) as f64;

/// Whether a field has an 8-bit copy, and what its bounds are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Of dot products and what is made of them.
    Plain,
    /// Of dot products of vectors that are made as long as one first.
    Unit,
}

impl Coding {
    /// The coding of a field; `None` where its distance is not made of dot products.
    pub(crate) fn of(field: &VectorField) -> Option<Self> {
        match field.distance {
            Distance::CosineSimilarity | Distance::CosineDistance => Some(Self::Unit),
            Distance::DotProduct
            | Distance::NegativeDotProduct
            | Distance::Euclidean
            | Distance::EuclideanSquared => Some(Self::Plain),
            _ => None,
        }
    }
}

/// The codes of rows, one after another.
#[derive(Clone, Default)]
pub(crate) struct CodeBlock {
    lines: Vec<Line<u8>>,
    scalings: Vec<Scaling>,
}

/// What codes say of a row: it is about `scale × code`, and differs from that by a vector of the length `loss`.
///
/// Both stand in one place, since they are read together, and of few rows from memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scaling {
    pub(crate) scale: f32,
    /// At least the length of what the codes lose; infinite for a row that has no bounds.
    pub(crate) loss: f32,
}

impl CodeBlock {
    /// All rows, each of `dimensions`.
    pub(crate) fn rows(&self, dimensions: usize) -> CodeRows<'_> {
        CodeRows { lines: &self.lines, lines_a_row: lines_a_row(dimensions) }
    }

    /// Of all rows.
    pub(crate) fn scalings(&self) -> &[Scaling] {
        &self.scalings
    }

    /// Takes the memory for that many rows of `dimensions`.
    pub(crate) fn reserve(&mut self, rows: usize, dimensions: usize) {
        self.scalings.reserve_exact(rows);
        self.lines.reserve_exact(rows * lines_a_row(dimensions));
    }

    /// Sets the codes of the row at `offset` to those of a vector of the length `norm`.
    pub(crate) fn set(&mut self, offset: usize, elements: &[f32], norm: f32, coding: Coding) {
        let lines = lines_a_row(elements.len());
        if self.scalings.len() <= offset {
            self.scalings.resize(offset + 1, Scaling { scale: 0.0, loss: f32::INFINITY });
            self.lines.resize((offset + 1) * lines, Line::ZERO);
        }
        let codes = self.lines.get_mut(offset * lines..(offset + 1) * lines).unwrap_or_default();
        let (mut scale, mut loss) = (0.0, f32::INFINITY);
        if ORDINARY.contains(&norm) {
            let coded = Instructions::detect().code(elements, codes);
            (scale, loss) = (coded.scale, coded.loss);
            // What the computation of the loss itself may have lost.
            loss += loss * rounding_of_sums(elements.len()) as f32 + norm * ROUNDING as f32;
        } else {
            codes.fill(Line::ZERO);
        }
        if coding == Coding::Unit {
            (scale, loss) = (scale / norm, loss / norm);
        }
        if let Some(place) = self.scalings.get_mut(offset) {
            *place = Scaling { scale, loss };
        }
    }
}

/// The largest relative error of a sum of that many products or squares in `f32`, in any order.
pub(super) fn rounding_of_sums(dimensions: usize) -> f64 {
    // A lane of 16 adds up a sixteenth of them, and five more additions come after the last; the products round, too.
    let roundings = (dimensions / 16 + 8) as f64;
    roundings / f64::from(1 << 24) * 1.01
}

fn lines_a_row(dimensions: usize) -> usize {
    dimensions.div_ceil(64)
}
