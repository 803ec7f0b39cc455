//! The 8-bit copy of vectors, which lets a scan skip rows that cannot be among the nearest.

use textsearch_core::vector::{Distance, VectorField};

use super::norm::ORDINARY;
use crate::simd::{CodeRows, Instructions, Line};

/// With more elements, sums of products with a query could overflow 32 bits, and a chunk with a
/// single vector could take any amount of memory.
pub(crate) const MAX_DIMENSIONS: usize = 65_536;

/// An upper bound of all rounding errors of a bound and a score that do not grow with the
/// dimensions, relative to the product of both lengths.
pub(super) const ROUNDING: f64 = 1.0 / (1 << 18) as f64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// For dot products and squared distances.
    Plain,
    /// For cosines: the vectors are scaled to length 1.
    Unit,
}

impl Coding {
    /// Returns `None` if the distance is not based on dot products.
    pub(crate) fn for_field(field: &VectorField) -> Option<Self> {
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

#[derive(Clone, Default)]
pub(crate) struct CodeBlock {
    lines: Vec<Line<u8>>,
    scalings: Vec<Scaling>,
}

/// A row is about `scale × code`, with an error of length `loss`. Both are in one struct because
/// they are read together, and for a few rows from memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scaling {
    pub(crate) scale: f32,
    /// An upper bound. Infinite for a row without bounds.
    pub(crate) loss: f32,
}

impl CodeBlock {
    pub(super) fn from_parts(scalings: Vec<Scaling>, lines: Vec<Line<u8>>) -> Self {
        Self { lines, scalings }
    }

    pub(crate) fn lines(&self) -> &[Line<u8>] {
        &self.lines
    }

    pub(crate) fn rows(&self, dimensions: usize) -> CodeRows<'_> {
        CodeRows { lines: &self.lines, lines_a_row: lines_a_row(dimensions) }
    }

    pub(crate) fn scalings(&self) -> &[Scaling] {
        &self.scalings
    }

    pub(crate) fn reserve(&mut self, rows: usize, dimensions: usize) {
        self.scalings.reserve_exact(rows);
        self.lines.reserve_exact(rows * lines_a_row(dimensions));
    }

    pub(crate) fn set(&mut self, offset: usize, elements: &[f32], norm: f32, coding: Coding) {
        let lines = lines_a_row(elements.len());
        if self.scalings.len() <= offset {
            self.scalings.resize(offset + 1, Scaling { scale: 0.0, loss: f32::INFINITY });
            self.lines.resize((offset + 1) * lines, Line::ZERO);
        }
        let codes = self.lines.get_mut(offset * lines..(offset + 1) * lines).unwrap_or_default();
        let mut scale = 0.0;
        let mut loss = f32::INFINITY;
        if ORDINARY.contains(&norm) {
            let coded = Instructions::detect().code(elements, codes);
            (scale, loss) = (coded.scale, coded.loss);
            // Add the rounding error of computing the loss itself.
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

/// Returns the maximum relative error of summing so many products or squares in `f32`, in any
/// order.
pub(super) fn rounding_of_sums(dimensions: usize) -> f64 {
    // Each of 16 lanes adds a sixteenth of them, five additions follow, and the products round too.
    let roundings = (dimensions / 16 + 8) as f64;
    roundings / f64::from(1 << 24) * 1.01
}

pub(crate) fn lines_a_row(dimensions: usize) -> usize {
    dimensions.div_ceil(64)
}
