//! Exact nearest neighbours: compares every vector that matches the filter.

use std::sync::Arc;
#[cfg(feature = "hnsw")]
use std::sync::OnceLock;

use textsearch_core::{
    Filter, Result,
    results::TotalCount,
    vector::{VectorField, VectorSearchOptions},
};

use super::{
    ranked::Ranked,
    scanner::Scanner,
    top::{Best, Ranking},
};
use crate::{
    error::CONNECTOR,
    rows::{Bitmap, CHUNK_ROWS},
    simd::RowLocation,
    state::{Chunk, Matcher, State},
    threads::Threads,
    vectors::VectorBlock,
};

/// All queries process these rows before the next, so that the codes stay in the L1 cache.
const TILE: usize = 64;

/// Several queries share one pass over all chunks.
pub(super) struct Scan {
    pub(super) state: Arc<State>,
    pub(super) queries: Vec<Arc<[f32]>>,
    pub(super) filter: Option<Filter>,
    pub(super) place: usize,
    pub(super) field: VectorField,
    pub(super) ranking: Ranking,
    /// Set if the matching rows of each chunk were computed before the scan.
    #[cfg(feature = "hnsw")]
    pub(super) selected: OnceLock<Vec<Bitmap>>,
}

impl Scan {
    /// `ranking` receives whether higher scores are better.
    pub(super) fn new(
        state: &Arc<State>,
        queries: Vec<Arc<[f32]>>,
        options: &VectorSearchOptions,
        ranking: impl FnOnce(bool) -> Result<Ranking>,
    ) -> Result<Self> {
        let (place, field) = state.schema().vector(options.vector_field.as_deref())?;
        queries.iter().try_for_each(|query| field.check_query(query, CONNECTOR))?;
        state.schema().definition().check_filter(options.filter.as_ref(), CONNECTOR)?;
        Ok(Self {
            state: Arc::clone(state),
            queries,
            filter: options.filter.clone(),
            place,
            field: field.clone(),
            ranking: ranking(field.distance.is_higher_better())?,
            #[cfg(feature = "hnsw")]
            selected: OnceLock::new(),
        })
    }

    pub(super) async fn run<T: Send + 'static>(
        self: Arc<Self>,
        threads: &Threads,
        finish: impl FnOnce(Vec<Ranked>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let elements = self.elements();
        let length = self.length();
        let whole = Arc::clone(&self);
        let join = move |parts| finish(whole.join(parts)?);
        threads.run(elements, length, move |numbers| self.part(numbers), join).await
    }

    pub(super) fn length(&self) -> usize {
        self.state.chunks().len()
    }

    /// Vector elements that the scan reads.
    fn elements(&self) -> usize {
        self.state.len().saturating_mul(self.field.dimensions).saturating_mul(self.queries.len())
    }

    pub(super) fn part(&self, numbers: &mut dyn Iterator<Item = usize>) -> Result<Vec<Ranked>> {
        let matcher = Matcher::new(self.filter.as_ref(), self.state.schema())?;
        let scanner = |query| Scanner::new(&self.field, query, self.ranking);
        let mut scanners: Vec<_> = self.queries.iter().map(|query| scanner(query)).collect();
        let mut offsets = Vec::new();
        for number in numbers {
            let Some(chunk) = self.state.chunks().get(number) else { continue };
            let Some(block) = chunk.block(self.place)? else { continue };
            self.rows(number, &matcher, chunk, block)?.write_rows(&mut offsets);
            let tile = if scanners.len() == 1 { CHUNK_ROWS } else { TILE };
            for tile in offsets.chunks(tile) {
                let mut location = RowLocation::Memory;
                for scanner in &mut scanners {
                    scanner.scan(number, chunk, block, tile, location)?;
                    location = RowLocation::Cache;
                }
            }
        }
        scanners.into_iter().map(|scanner| Ok(Ranked::new(scanner.into_best()?))).collect()
    }

    pub(super) fn rows(
        &self,
        number: usize,
        matcher: &Matcher<'_>,
        chunk: &Chunk,
        block: &VectorBlock,
    ) -> Result<Bitmap> {
        #[cfg(feature = "hnsw")]
        if let Some(selected) = self.selected.get() {
            return Ok(selected.get(number).copied().unwrap_or_default());
        }
        #[cfg(not(feature = "hnsw"))]
        let _ = number;
        Ok(matcher.select(chunk)?.and(block.present()).and(chunk.live()))
    }

    fn join(&self, parts: Vec<Result<Vec<Ranked>>>) -> Result<Vec<Ranked>> {
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or_default();
        parts.try_fold(first, |whole, part| {
            whole.into_iter().zip(part).map(|(whole, part)| self.join_two(whole, part)).collect()
        })
    }

    fn join_two(&self, left: Ranked, right: Ranked) -> Result<Ranked> {
        let count = TotalCount::Exact(left.count.value() + right.count.value());
        let mut best = Best::new(self.ranking);
        for scored in left.rows.into_iter().chain(right.rows) {
            best.offer(scored.row, scored.score, || self.state.key(scored.row))?;
        }
        Ok(Ranked { rows: best.into_rows(), count, ..Ranked::default() })
    }
}
