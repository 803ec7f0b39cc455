//! Approximate nearest neighbours, if a walk is faster than a scan.

use std::sync::Arc;

use textsearch_core::{Result, results::TotalCount, vector::VectorSearchOptions};

use super::{nearest::Scan, ranked::Ranked, scanner::Scanner, selection::select};
use crate::{
    hnsw::{Index, Lookup, Searchable},
    rows::Row,
    simd::RowLocation,
    threads::Threads,
};

/// In rows of a scan: a walk compares about 16 rows a candidate, and a row at a random place costs
/// twice as much as the next row.
const COST_OF_CANDIDATE: usize = 32;

/// Scores the rows that a walk finds, and all rows that the graph does not know yet, like a scan.
/// So scores are exact, and records are found as soon as they are stored.
pub(super) struct Approximate {
    scan: Arc<Scan>,
    index: Arc<Index>,
    searchable: Arc<Searchable>,
    candidates: usize,
    max_compared: usize,
}

impl Approximate {
    /// Returns `None` if the field has no graph, or if a scan is as fast.
    ///
    /// # Errors
    ///
    /// Returns the errors of the filter.
    pub(super) async fn plan(
        scan: &Arc<Scan>,
        options: &VectorSearchOptions,
        threads: &Threads,
    ) -> Result<Option<Self>> {
        let Some(index) = scan.state.indexes().get(scan.place) else { return Ok(None) };
        let Some(candidates) = candidates(scan, index, options) else { return Ok(None) };
        if !is_shorter(index.len(), index.len(), candidates) {
            return Ok(None);
        }
        let searchable = if scan.filter.is_some() {
            select(scan, threads).await?;
            Some(Arc::new(Searchable::new(index, scan.selected().iter().copied())))
        } else {
            scan.state.indexes().all(scan.place, scan.state.chunks())
        };
        let Some(searchable) = searchable else { return Ok(None) };
        let count = searchable.known_count();
        let walks_pay = is_shorter(count, index.len(), candidates);
        Ok(walks_pay.then(|| Self {
            scan: Arc::clone(scan),
            index: Arc::clone(index),
            searchable,
            candidates,
            // Half a scan: an abandoned walk costs no more than the scan that follows.
            max_compared: count / 2,
        }))
    }

    /// Scans for the queries whose walks were abandoned.
    pub(super) async fn run<T: Send + 'static>(
        self,
        threads: &Threads,
        finish: impl FnOnce(Vec<Ranked>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let elements = self.elements();
        let length = self.length();
        let scan = Arc::clone(&self.scan);
        let join = move |parts| {
            let walked = join(parts)?;
            if walked.iter().any(Option::is_none) {
                return Ok(Walked::InPart(walked, finish));
            }
            finish(walked.into_iter().flatten().collect()).map(Walked::All)
        };
        match threads.run(elements, length, move |numbers| self.part(numbers), join).await? {
            Walked::All(finished) => Ok(finished),
            Walked::InPart(walked, finish) => {
                let rest = Arc::new(scan.of_those_without(&walked));
                rest.run(threads, move |scanned| finish(filled(walked, scanned))).await
            }
        }
    }

    fn length(&self) -> usize {
        self.scan.queries.len()
    }

    /// An estimate.
    fn elements(&self) -> usize {
        let rows = self.candidates.saturating_mul(COST_OF_CANDIDATE).saturating_mul(self.length());
        rows.saturating_mul(self.scan.field.dimensions)
    }

    fn part(&self, numbers: &mut dyn Iterator<Item = usize>) -> Result<Walks> {
        let queries = numbers.filter_map(|number| Some((number, self.scan.queries.get(number)?)));
        queries.map(|(number, query)| Ok((number, self.rank(query)?))).collect()
    }

    /// Returns `None` if the walk was abandoned.
    fn rank(&self, query: &[f32]) -> Result<Option<Ranked>> {
        let lookup = Lookup {
            query,
            allowed: self.searchable.known(),
            candidates: self.candidates,
            max_compared: self.max_compared,
        };
        let scan = &self.scan;
        let rows = self.index.nearest(scan.state.chunks(), scan.place, &scan.field, &lookup);
        // A walk among rows that are cut off from the others finds too few.
        let Some(mut rows) = rows.filter(|rows| rows.len() >= self.candidates) else {
            return Ok(None);
        };
        rows.sort_unstable();
        self.compare(query, &rows).map(Some)
    }

    /// Also ranks the rows that the graph does not know. `nearest` is sorted.
    fn compare(&self, query: &[f32], nearest: &[Row]) -> Result<Ranked> {
        let (scan, chunks) = (&self.scan, self.scan.state.chunks());
        let mut scanner = Scanner::new(&scan.field, query, scan.ranking);
        let mut compare = |number: usize, offsets: &[u16]| {
            let Some(chunk) = chunks.get(number) else { return Ok(()) };
            let Some(block) = chunk.block(scan.place)? else { return Ok(()) };
            scanner.scan(number, chunk, block, offsets, RowLocation::Memory)
        };
        let mut offsets = Vec::new();
        for rows in nearest.chunk_by(|row, other| row.chunk() == other.chunk()) {
            offsets.clear();
            offsets.extend(rows.iter().map(|row| row.offset() as u16));
            compare(rows.first().map_or(0, |row| row.chunk()), &offsets)?;
        }
        for (number, rows) in self.searchable.unknown() {
            rows.write_rows(&mut offsets);
            compare(*number, &offsets)?;
        }
        let count = TotalCount::Exact(self.searchable.count() as u64);
        Ok(Ranked { rows: scanner.into_best()?.into_rows(), count, ..Ranked::default() })
    }
}

/// The result if all walks finished, or the rankings so far and the function to call at the end.
enum Walked<T, Finish> {
    All(T),
    InPart(Vec<Option<Ranked>>, Finish),
}

type Walks = Vec<(usize, Option<Ranked>)>;

fn join(parts: Vec<Result<Walks>>) -> Result<Vec<Option<Ranked>>> {
    let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
    let mut ranked: Vec<_> = parts.into_iter().flatten().collect();
    ranked.sort_unstable_by_key(|(number, _)| *number);
    Ok(ranked.into_iter().map(|(_, ranked)| ranked).collect())
}

fn filled(walked: Vec<Option<Ranked>>, scanned: Vec<Ranked>) -> Vec<Ranked> {
    let mut scanned = scanned.into_iter();
    walked.into_iter().map(|ranked| ranked.or_else(|| scanned.next()).unwrap_or_default()).collect()
}

impl Scan {
    fn of_those_without(&self, walked: &[Option<Ranked>]) -> Self {
        let queries = self.queries.iter().zip(walked).filter(|(_, walked)| walked.is_none());
        Self {
            state: Arc::clone(&self.state),
            queries: queries.map(|(query, _)| Arc::clone(query)).collect(),
            filter: self.filter.clone(),
            field: self.field.clone(),
            selected: self.selected.clone(),
            ..*self
        }
    }
}

/// Returns `None` if walks cannot answer the search.
fn candidates(scan: &Scan, index: &Index, options: &VectorSearchOptions) -> Option<usize> {
    // The count of rows above a threshold needs every score.
    let counts_by_score = scan.ranking.counted && scan.ranking.threshold.is_some();
    if options.exact || counts_by_score {
        return None;
    }
    let requested = options.ef_search.map(|ef_search| ef_search as usize);
    let ef_search = requested.or(index.ef_search())?;
    Some(ef_search.max(scan.ranking.limit).max(1))
}

/// The fewer rows are allowed, the more rows a walk passes before it finds enough.
fn is_shorter(allowed: usize, nodes: usize, candidates: usize) -> bool {
    let walk = candidates.saturating_mul(COST_OF_CANDIDATE).saturating_mul(nodes);
    walk < allowed.saturating_mul(allowed)
}

#[cfg(test)]
mod tests;
