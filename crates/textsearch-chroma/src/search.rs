//! Search by vector.

use std::sync::Arc;

use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{
        Distance, RecordKey, ScoreOrder, Scored, SearchInput, StoredRecord, VectorField,
        VectorSearchOptions,
    },
};

use crate::{
    CONNECTOR,
    client::{Query, RANKED, Ranked},
    error::{refused, undecodable},
    filter::Where,
    handle::Handle,
    record,
};

/// A larger request is limited to the number of records.
const MANY: usize = 1_000;

/// Records that the first repetition of a request reads, at least.
const REPEATED: usize = 64;

/// The number is signed for the server.
const MAX_RESULTS: u32 = i32::MAX as u32;

/// A search that the collection can run.
pub(crate) struct Search<'a> {
    handle: &'a Handle,
    options: &'a VectorSearchOptions,
    order: ScoreOrder,
    field: &'a VectorField,
    vector: Arc<[f32]>,
}

/// The best records, and whether they are all there are.
struct Ranking {
    best: Vec<Scored<StoredRecord>>,
    are_all: bool,
}

impl<'a> Search<'a> {
    /// Checks a search before anything is sent.
    pub(crate) fn new(
        handle: &'a Handle,
        input: &SearchInput,
        options: &'a VectorSearchOptions,
    ) -> Result<Self> {
        let SearchInput::Vector(vector) = input else {
            return Err(refused("input", "a text", "a vector, or an embedding generator"));
        };
        let definition = &handle.definition;
        let field = definition.vector_field(options.vector_field.as_deref(), CONNECTOR)?;
        field.check_query(vector, CONNECTOR)?;
        if options.exact {
            return Err(refused("exact", true, "false: Chroma has only an approximate index"));
        }
        if let Some(candidates) = options.ef_search {
            let allowed = "not set: Chroma takes the number of candidates from the definition";
            return Err(refused("ef_search", candidates, allowed));
        }
        definition.check_filter(options.filter.as_ref(), CONNECTOR)?;
        let order = options.order(field.distance.is_higher_better(), CONNECTOR)?;
        Ok(Self { handle, options, order, field, vector: Arc::clone(vector) })
    }

    pub(crate) async fn run(&self) -> Result<SearchResults<Scored<StoredRecord>>> {
        let filter = self.options.filter.as_ref();
        let selection = self.handle.selection(filter).await?;
        let ranking = if selection.is_never {
            self.handle.check_exists().await?;
            Ranking { best: Vec::new(), are_all: true }
        } else {
            self.ranking(&selection).await?
        };
        let count = if self.options.include_total_count {
            Some(self.count(&selection, &ranking).await?)
        } else {
            None
        };
        let mut window: Vec<_> = self.options.window(ranking.best).collect();
        if self.options.include_vectors {
            self.read_vectors(&mut window).await?;
        }
        Ok(SearchResults::from_vec(window).with_total_count(count))
    }

    /// Reads the records again: their vectors must be of the same write.
    async fn read_vectors(&self, window: &mut Vec<Scored<StoredRecord>>) -> Result<()> {
        let keys: Vec<RecordKey> = window.iter().map(|scored| scored.record.key.clone()).collect();
        let mut records = self.handle.read(&keys, true).await?.into_iter().peekable();
        // A record may have been deleted meanwhile.
        window.retain_mut(|scored| {
            let record = records.next_if(|record| record.key == scored.record.key);
            record.map(|record| scored.record = record).is_some()
        });
        Ok(())
    }

    /// Requests more until the wanted records match the filter, and until no record beyond them is
    /// as good as the last.
    async fn ranking(&self, selection: &Where) -> Result<Ranking> {
        let end = self.options.end();
        // To count what reaches a threshold, all of it must be read.
        let counts = self.options.include_total_count && self.options.score_threshold.is_some();
        let mut limit = end.saturating_add(1);
        if limit > MANY {
            limit = limit.min(self.handle.count().await?.saturating_add(1));
        }
        let mut selection = selection.clone();
        let mut skips_placeholders = false;
        loop {
            let ranked = self.ranked(limit, &selection).await?;
            if ranked.iter().any(|(_, lacks_vector)| *lacks_vector) && !skips_placeholders {
                selection = selection.with_vector();
                skips_placeholders = true;
                continue;
            }
            let are_all = ranked.len() < limit;
            let count = ranked.len();
            let mut best: Vec<_> = ranked.into_iter().map(|(scored, _)| scored).collect();
            if are_all && !self.is_complete(count, &selection).await? {
                best = self.ranked_here(&selection).await?;
            }
            best.retain(|scored| scored.record.matches(self.options.filter.as_ref()));
            let matching = best.len();
            self.order.rank(&mut best, |scored| (scored.score, &scored.record.key));
            let is_past_threshold = best.len() < matching;
            let is_decided = match (end.checked_sub(1).map(|last| best.get(last)), best.last()) {
                (Some(Some(cutoff)), Some(last)) => cutoff.score != last.score,
                (None, _) => true,
                _ => false,
            };
            if are_all || is_past_threshold || (is_decided && !counts) {
                return Ok(Ranking { best, are_all: are_all || is_past_threshold });
            }
            limit = limit.saturating_mul(4).max(REPEATED);
        }
    }

    /// Returns the nearest records as the server ranks them, each with whether it lacks its vector.
    async fn ranked(
        &self,
        limit: usize,
        selection: &Where,
    ) -> Result<Vec<(Scored<StoredRecord>, bool)>> {
        let query = Query {
            query_embeddings: [&self.vector],
            n_results: u32::try_from(limit).unwrap_or(u32::MAX).min(MAX_RESULTS),
            selection,
            include: RANKED,
        };
        let response: Ranked = self.handle.post_query(&query, selection).await?;
        let documents = response.documents.into_iter().next().unwrap_or_default();
        let distances = response.distances.into_iter().next().unwrap_or_default();
        if documents.len() != distances.len() {
            return Err(undecodable("the response has not one document for each distance"));
        }
        let ranked = documents.into_iter().zip(distances).map(|(text, distance)| {
            let distance = distance.ok_or_else(|| undecodable("a result has no distance"))?;
            let read = record::read(&text.unwrap_or_default(), &self.handle.definition)?;
            let score = score(self.field.distance, distance);
            Ok((self.scored(read.record, score), read.lacks_vector))
        });
        ranked.collect()
    }

    /// Returns whether the server found all selected records. Its graph may not reach all of them,
    /// above all if many vectors are equal.
    async fn is_complete(&self, count: usize, selection: &Where) -> Result<bool> {
        let expected = if selection.is_all() {
            self.handle.count().await?
        } else {
            self.handle.select(selection).await?.len()
        };
        Ok(count >= expected)
    }

    /// Compares all selected vectors.
    async fn ranked_here(&self, selection: &Where) -> Result<Vec<Scored<StoredRecord>>> {
        let mut ranked = Vec::new();
        let filter = self.options.filter.as_ref();
        let each = |mut record: StoredRecord| {
            let Some(vector) = record.vectors.get(&self.field.name) else { return };
            let score = self.field.distance.score(&self.vector, vector);
            record.vectors.clear();
            ranked.push(self.scored(record, score));
        };
        self.handle.for_each(selection, filter, true, each).await?;
        Ok(ranked)
    }

    async fn count(&self, selection: &Where, ranking: &Ranking) -> Result<TotalCount> {
        if ranking.are_all {
            return Ok(TotalCount::Exact(ranking.best.len() as u64));
        }
        let selection = selection.clone().with_vector();
        if selection.is_exact {
            return Ok(TotalCount::Exact(self.handle.select(&selection).await?.len() as u64));
        }
        let mut count = 0;
        let filter = self.options.filter.as_ref();
        self.handle.for_each(&selection, filter, false, |_| count += 1).await?;
        Ok(TotalCount::Exact(count))
    }

    fn scored(&self, record: StoredRecord, score: f64) -> Scored<StoredRecord> {
        Scored::new(record, score, Arc::clone(&self.handle.definition))
    }
}

/// Converts the server's distance to a score, as [`Distance::score`] defines it.
fn score(distance: Distance, raw: f32) -> f64 {
    let raw = f64::from(raw);
    match distance {
        Distance::CosineSimilarity | Distance::DotProduct => 1.0 - raw,
        Distance::NegativeDotProduct => raw - 1.0,
        Distance::Euclidean => raw.max(0.0).sqrt(),
        _ => raw,
    }
}
