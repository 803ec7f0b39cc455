//! Search by vector.

use std::{collections::HashMap, sync::Arc};

use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{
        Distance, GetOptions, RecordKey, Scored, SearchInput, StoredRecord, VectorField,
        VectorSearchOptions,
    },
};

use crate::{
    CONNECTOR,
    api::{Query, RANKED, Ranked},
    document,
    error::{refused, undecodable},
    filter::Where,
    handle::Handle,
    read::matches,
};

/// A larger request is limited to the number of records.
const MANY: usize = 1_000;

/// Records that the first repetition of a request reads, at least.
const REPEATED: usize = 64;

/// The number is signed for the server.
const MAX_RESULTS: u32 = i32::MAX as u32;

/// A search that the collection can run.
struct Search<'a> {
    handle: &'a Handle,
    options: &'a VectorSearchOptions,
    field: &'a VectorField,
    vector: Arc<[f32]>,
}

struct Hit {
    record: StoredRecord,
    score: f64,
}

/// The best hits, and whether they are all there are.
struct Hits {
    best: Vec<Hit>,
    are_all: bool,
}

impl Handle {
    pub(crate) async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.checked(input, options)?.run().await
    }

    /// Checks a search before anything is sent.
    fn checked<'a>(
        &'a self,
        input: &SearchInput,
        options: &'a VectorSearchOptions,
    ) -> Result<Search<'a>> {
        let SearchInput::Vector(vector) = input else {
            return Err(refused("input", "a text", "a vector, or an embedding generator"));
        };
        let field = self.definition.vector_field(options.vector_field.as_deref(), CONNECTOR)?;
        if let Some(fault) = field.fault(vector) {
            return Err(refused("vector", fault, "a vector that fits"));
        }
        if options.score_threshold.is_some_and(f64::is_nan) {
            return Err(refused("score_threshold", "not a number", "a number"));
        }
        if options.exact {
            return Err(refused("exact", true, "false: Chroma has only an approximate index"));
        }
        if let Some(candidates) = options.ef_search {
            let allowed = "not set: Chroma takes the number of candidates from the definition";
            return Err(refused("ef_search", candidates, allowed));
        }
        if let Some(filter) = &options.filter {
            self.definition.check_filter(filter, CONNECTOR)?;
        }
        Ok(Search { handle: self, options, field, vector: Arc::clone(vector) })
    }
}

impl Search<'_> {
    async fn run(&self) -> Result<SearchResults<Scored<StoredRecord>>> {
        let filter = self.options.filter.as_ref();
        let selection = self.handle.selection(filter).await?;
        let hits = if selection.is_never {
            self.handle.check_exists().await?;
            Hits { best: Vec::new(), are_all: true }
        } else {
            self.hits(&selection).await?
        };
        let count = if self.options.include_total_count {
            Some(self.count(&selection, &hits).await?)
        } else {
            None
        };
        let window = hits.best.into_iter().skip(self.options.skip).take(self.options.top);
        let window = if self.options.include_vectors {
            self.with_vectors(window.collect()).await?
        } else {
            window.collect()
        };
        let definition = &self.handle.definition;
        let scored = window.into_iter();
        let scored = scored.map(|hit| Scored::new(hit.record, hit.score, Arc::clone(definition)));
        Ok(SearchResults::from_vec(scored.collect()).with_total_count(count))
    }

    /// Reads the records again: their vectors must be of the same write.
    async fn with_vectors(&self, hits: Vec<Hit>) -> Result<Vec<Hit>> {
        let keys: Vec<RecordKey> = hits.iter().map(|hit| hit.record.key.clone()).collect();
        let options = GetOptions::default().with_vectors(true);
        let records = self.handle.get(&keys, &options).await?;
        let mut records: HashMap<RecordKey, StoredRecord> =
            records.into_iter().map(|record| (record.key.clone(), record)).collect();
        // A record may have been deleted meanwhile.
        let hits = hits.into_iter().filter_map(|hit| {
            Some(Hit { record: records.remove(&hit.record.key)?, score: hit.score })
        });
        Ok(hits.collect())
    }

    /// Requests more until the wanted hits match the filter, and until no hit beyond them is as
    /// good as the last.
    async fn hits(&self, selection: &Where) -> Result<Hits> {
        let wanted = self.options.skip.saturating_add(self.options.top);
        // To count what reaches a threshold, all of it must be read.
        let counts = self.options.include_total_count && self.options.score_threshold.is_some();
        let mut limit = wanted.saturating_add(1);
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
            let found = ranked.len();
            let mut best: Vec<Hit> = ranked.into_iter().map(|(hit, _)| hit).collect();
            if are_all && !self.is_complete(found, &selection).await? {
                best = self.ranked_here(&selection).await?;
            }
            best.retain(|hit| matches(self.options.filter.as_ref(), &hit.record));
            self.sort(&mut best);
            let is_cut = |hit: &Hit| !self.reaches(hit.score);
            let is_past_threshold = best.last().is_some_and(is_cut);
            best.retain(|hit| self.reaches(hit.score));
            let is_decided = match (wanted.checked_sub(1).map(|last| best.get(last)), best.last()) {
                (Some(Some(wanted_last)), Some(last)) => wanted_last.score != last.score,
                (None, _) => true,
                _ => false,
            };
            if are_all || is_past_threshold || (is_decided && !counts) {
                return Ok(Hits { best, are_all: are_all || is_past_threshold });
            }
            limit = limit.saturating_mul(4).max(REPEATED);
        }
    }

    /// Returns the nearest records as the server ranks them, each with whether it lacks its vector.
    async fn ranked(&self, limit: usize, selection: &Where) -> Result<Vec<(Hit, bool)>> {
        let query = Query {
            query_embeddings: [&self.vector],
            n_results: u32::try_from(limit).unwrap_or(u32::MAX).min(MAX_RESULTS),
            selection,
            include: RANKED,
        };
        let found: Ranked = self.handle.post_query(&query, selection).await?;
        let documents = found.documents.into_iter().next().unwrap_or_default();
        let distances = found.distances.into_iter().next().unwrap_or_default();
        if documents.len() != distances.len() {
            return Err(undecodable("the response has not one document for each distance"));
        }
        let hits = documents.into_iter().zip(distances).map(|(text, distance)| {
            let distance = distance.ok_or_else(|| undecodable("a result has no distance"))?;
            let read = document::read(&text.unwrap_or_default(), &self.handle.definition)?;
            let score = score(self.field.distance, distance);
            Ok((Hit { record: read.record, score }, read.lacks_vector))
        });
        hits.collect()
    }

    /// Returns whether the server found all selected records. Its graph may not reach all of them,
    /// above all if many vectors are equal.
    async fn is_complete(&self, found: usize, selection: &Where) -> Result<bool> {
        let expected = if selection.is_all() {
            self.handle.count().await?
        } else {
            self.handle.select(selection).await?.len()
        };
        Ok(found >= expected)
    }

    /// Compares all selected vectors.
    async fn ranked_here(&self, selection: &Where) -> Result<Vec<Hit>> {
        let mut hits = Vec::new();
        let filter = self.options.filter.as_ref();
        let each = |mut record: StoredRecord| {
            let Some(vector) = record.vectors.get(&self.field.name) else { return };
            let score = self.field.distance.score(&self.vector, vector);
            record.vectors.clear();
            hits.push(Hit { record, score });
        };
        self.handle.for_each(selection, filter, true, each).await?;
        Ok(hits)
    }

    async fn count(&self, selection: &Where, hits: &Hits) -> Result<TotalCount> {
        if hits.are_all {
            return Ok(TotalCount::Exact(hits.best.len() as u64));
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

    fn sort(&self, hits: &mut [Hit]) {
        let is_higher_better = self.field.distance.is_higher_better();
        hits.sort_unstable_by(|one, other| {
            let (first, second) = if is_higher_better { (other, one) } else { (one, other) };
            let by_score = first.score.total_cmp(&second.score);
            by_score.then_with(|| one.record.key.cmp(&other.record.key))
        });
    }

    /// Compares within the precision of the server's distances.
    fn reaches(&self, score: f64) -> bool {
        self.options.score_threshold.is_none_or(|threshold| {
            let (score, threshold) = (score as f32, threshold as f32);
            if self.field.distance.is_higher_better() {
                score >= threshold
            } else {
                score <= threshold
            }
        })
    }
}

/// Converts the server's distance to a score, as [`Distance::score`] defines it.
fn score(distance: Distance, found: f32) -> f64 {
    let found = f64::from(found);
    match distance {
        Distance::CosineSimilarity | Distance::DotProduct => 1.0 - found,
        Distance::NegativeDotProduct => found - 1.0,
        Distance::Euclidean => found.max(0.0).sqrt(),
        _ => found,
    }
}
