//! Distances between a query and rows, and between rows.

use std::sync::Arc;

use textsearch_core::vector::{Distance, VectorField};

use crate::{
    rows::Row,
    simd::{Instructions, Line, QueryCodes, RowLocation},
    state::Chunk,
    vectors::{self, Coding, VectorBlock},
};

const AT_ONCE: usize = 64;

/// Measures *costs*: lower for nearer rows, and sorted like scores up to rounding.
pub(crate) struct Measure<'a> {
    instructions: Instructions,
    distance: Distance,
    dimensions: usize,
    blocks: Vec<Option<&'a VectorBlock>>,
    /// Whether walks compare 8-bit copies, which read a quarter of the memory.
    has_codes: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Query<'q> {
    pub(super) elements: &'q [f32],
    pub(super) norm: f32,
}

pub(super) struct Target<'q> {
    query: Query<'q>,
    codes: Codes,
}

enum Codes {
    None,
    /// Two bytes an element, in units of their own: the costs are scaled by a constant.
    Query(QueryCodes<2>),
    /// With their scale.
    Row(QueryCodes<1>, f32),
}

impl<'a> Measure<'a> {
    pub(super) fn new(chunks: &'a [Arc<Chunk>], place: usize, field: &VectorField) -> Self {
        // A squared distance is a small difference of large numbers: codes are too coarse.
        let is_product =
            !matches!(field.distance, Distance::Euclidean | Distance::EuclideanSquared);
        Self {
            instructions: Instructions::detect(),
            distance: field.distance,
            dimensions: field.dimensions,
            blocks: chunks.iter().map(|chunk| chunk.memory_block(place)).collect(),
            has_codes: is_product && Coding::for_field(field).is_some(),
        }
    }

    pub(super) fn blocks(&self) -> &[Option<&'a VectorBlock>] {
        &self.blocks
    }

    /// A row without a vector gets an empty one, which costs more than any other.
    pub(super) fn row(&self, row: Row) -> Query<'a> {
        let Some(block) = self.block(row) else { return Query { elements: &[], norm: f32::NAN } };
        let norm = block.norms().get(row.offset()).copied().unwrap_or(f32::NAN);
        Query { elements: block.elements_of(row.offset(), self.dimensions), norm }
    }

    #[inline]
    fn block(&self, row: Row) -> Option<&'a VectorBlock> {
        self.blocks.get(row.chunk()).copied().flatten()
    }

    pub(super) fn target<'q>(&self, query: Query<'q>) -> Target<'q> {
        let codes =
            if self.has_codes { Codes::Query(codes_of(query.elements)) } else { Codes::None };
        Target { query, codes }
    }

    /// The costs of all such targets are comparable.
    pub(super) fn row_target(&self, row: Row) -> Target<'a> {
        let (codes, scale) = if self.has_codes { self.coded(row) } else { (&[][..], 0.0) };
        let codes = match codes {
            [] => Codes::None,
            codes => Codes::Row(QueryCodes::of_row(codes), scale),
        };
        Target { query: self.row(row), codes }
    }

    /// Approximate if 8-bit copies are compared.
    pub(super) fn costs(&self, target: &Target<'_>, rows: &[Row], costs: &mut Vec<f32>) {
        match &target.codes {
            Codes::None => self.exact_costs(target.query, rows, costs),
            Codes::Query(query) => self.coded_costs(query, 1.0, rows, costs),
            Codes::Row(query, scale) => self.coded_costs(query, *scale, rows, costs),
        }
    }

    fn coded_costs<const PARTS: usize>(
        &self,
        query: &QueryCodes<PARTS>,
        query_scale: f32,
        rows: &[Row],
        costs: &mut Vec<f32>,
    ) {
        costs.clear();
        costs.resize(rows.len(), f32::INFINITY);
        let mut sums = Vec::with_capacity(AT_ONCE);
        let mut positions = [0; AT_ONCE];
        let mut coded = [(&[][..], 0.0); AT_ONCE];
        for (rows, costs) in rows.chunks(AT_ONCE).zip(costs.chunks_mut(AT_ONCE)) {
            // Skip rows without codes: four rows are summed together only as far as the shortest.
            let mut count = 0;
            for (place, (row, row_codes)) in (0..).zip(rows.iter().zip(&mut coded)) {
                *row_codes = self.coded(*row);
                if let Some(slot) = positions.get_mut(count).filter(|_| !row_codes.0.is_empty()) {
                    *slot = place;
                    count += 1;
                }
            }
            let (positions, _) = positions.split_at(count);
            let row = |place| coded.get(usize::from(place)).map_or(&[][..], |row| row.0);
            let location = RowLocation::Memory;
            self.instructions.code_sums(query, positions, row, location, &mut sums);
            for (place, sum) in positions.iter().zip(&sums) {
                let place = usize::from(*place);
                if let Some((cost, (_, scale))) = costs.get_mut(place).zip(coded.get(place)) {
                    *cost = -sum * (scale * query_scale);
                }
            }
        }
    }

    /// The codes are empty if the row has no vector.
    fn coded(&self, row: Row) -> (&'a [Line<u8>], f32) {
        let Some(block) = self.block(row) else { return (&[], 0.0) };
        let codes = block.codes();
        let offset = row.offset();
        let scale = codes.scalings().get(offset).map_or(0.0, |scaling| scaling.scale);
        (codes.rows(self.dimensions).row(offset as u16), scale)
    }

    pub(super) fn exact_costs(&self, query: Query<'_>, rows: &[Row], costs: &mut Vec<f32>) {
        costs.clear();
        let mut vectors = [Query { elements: &[], norm: f32::NAN }; AT_ONCE];
        let mut sums = Vec::with_capacity(AT_ONCE);
        let positions: [u16; AT_ONCE] = std::array::from_fn(|place| place as u16);
        for rows in rows.chunks(AT_ONCE) {
            vectors.iter_mut().zip(rows).for_each(|(place, row)| *place = self.row(*row));
            let (positions, _) = positions.split_at(rows.len());
            self.sums(query, &vectors, positions, &mut sums);
            let pairs = sums.iter().zip(&vectors);
            costs.extend(pairs.map(|(sum, row)| self.cost(*sum, query.norm, row.norm)));
        }
    }

    fn sums(
        &self,
        query: Query<'_>,
        rows: &[Query<'_>; AT_ONCE],
        positions: &[u16],
        sums: &mut Vec<f32>,
    ) {
        let row = |place: u16| {
            let elements = rows.get(usize::from(place)).map(|row| row.elements);
            // Rows are summed together, so an empty one would cut the others short. Use the query
            // in its place.
            let whole = elements.filter(|elements| elements.len() == query.elements.len());
            whole.unwrap_or(query.elements)
        };
        vectors::sums(self.distance, self.instructions, query.elements, positions, row, sums);
    }

    fn cost(&self, sum: f32, query_norm: f32, norm: f32) -> f32 {
        let cost = match self.distance {
            Distance::CosineSimilarity | Distance::CosineDistance => -sum / (query_norm * norm),
            Distance::DotProduct | Distance::NegativeDotProduct => -sum,
            _ => sum,
        };
        if cost.is_nan() || norm.is_nan() { f32::INFINITY } else { cost }
    }
}

fn codes_of(elements: &[f32]) -> QueryCodes<2> {
    let largest = elements.iter().fold(0.0_f32, |largest, element| largest.max(element.abs()));
    let factor = QueryCodes::<2>::LARGEST / f64::from(largest);
    QueryCodes::new(elements.iter().map(|element| (f64::from(*element) * factor).round() as i16))
}

#[cfg(test)]
mod tests;
