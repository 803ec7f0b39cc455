//! Search by vector, and by vector and words.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Value, json};
use textsearch_core::{
    Result, SearchResults,
    results::TotalCount,
    vector::{ScoreOrder, Scored, SearchInput, StoredRecord, VectorField, VectorSearchOptions},
};

use crate::{
    CONNECTOR,
    definition::score,
    error::refused,
    filter::{Selection, selection},
    handle::Handle,
    record::{GIVEN, VECTOR, ZERO},
    wire::{Matches, Query, SparseValues},
    words::{Blend, blend},
};

/// Pinecone ranks no more records.
const MAX_RANKED: usize = 10_000;

/// A search that Pinecone can run.
pub(crate) struct Search<'a> {
    handle: &'a Handle,
    options: &'a VectorSearchOptions,
    order: ScoreOrder,
    field: &'a VectorField,
    vector: Arc<[f32]>,
    sparse: Option<SparseValues>,
}

/// The best records, best first.
struct Ranking {
    candidates: Vec<Candidate>,
    /// Whether there are no others.
    is_whole: bool,
}

struct Candidate {
    id: String,
    score: f64,
    /// Unless it has to be read.
    record: Option<StoredRecord>,
}

/// The records of a window, and the number of records that match among the best.
struct Window {
    records: Vec<(StoredRecord, f64)>,
    count: usize,
    is_whole: bool,
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
        Self::by_vector(handle, vector, options)
    }

    /// Checks a hybrid search before anything is sent.
    pub(crate) fn hybrid(
        handle: &'a Handle,
        text: &str,
        vector: Option<Arc<[f32]>>,
        options: &'a VectorSearchOptions,
    ) -> Result<Self> {
        let vector = options.hybrid_vector(vector, CONNECTOR)?;
        let Blend { dense, sparse } = blend(&handle.words, &handle.definition, text, options)?;
        let search = Self::by_vector(handle, &vector, options)?;
        let vector = vector.iter().map(|element| (f64::from(*element) * dense) as f32).collect();
        Ok(Self { vector, sparse, ..search })
    }

    fn by_vector(
        handle: &'a Handle,
        vector: &Arc<[f32]>,
        options: &'a VectorSearchOptions,
    ) -> Result<Self> {
        let definition = &handle.definition;
        let field = definition.vector_field(options.vector_field.as_deref(), CONNECTOR)?;
        field.check_query(vector, CONNECTOR)?;
        if options.exact {
            return Err(refused("exact", true, "false: Pinecone's index is approximate"));
        }
        if let Some(candidates) = options.ef_search {
            return Err(refused("ef_search", candidates, "unset: Pinecone decides"));
        }
        definition.check_filter(options.filter.as_ref(), CONNECTOR)?;
        let order = options.order(field.distance.is_higher_better(), CONNECTOR)?;
        Ok(Self { handle, options, order, field, vector: Arc::clone(vector), sparse: None })
    }

    pub(crate) async fn run(&self) -> Result<SearchResults<Scored<StoredRecord>>> {
        let filter = self.options.filter.as_ref();
        let Some(filter) = self.condition(selection(filter, &self.handle.layout)) else {
            self.handle.open().await?;
            return Ok(self.results(Window { records: Vec::new(), count: 0, is_whole: true }));
        };
        // One more than wanted, for ties at the end.
        let first_depth = self.options.end().saturating_add(1).min(MAX_RANKED);
        let mut depth = if self.options.include_total_count { MAX_RANKED } else { first_depth };
        loop {
            let window = self.window(&filter, depth).await?;
            if window.is_whole || window.count >= self.options.end() {
                return Ok(self.results(window));
            }
            if depth == MAX_RANKED {
                let what = format_args!("{}", self.options.end());
                let allowed = "at most 10000 of the nearest records, which Pinecone ranks before \
                               parts of a filter are checked here";
                return Err(refused("skip + top", what, allowed));
            }
            depth = depth.saturating_mul(4).min(MAX_RANKED);
        }
    }

    /// Excludes records without a vector. Returns `None` if no record can match.
    fn condition(&self, selection: Selection) -> Option<Value> {
        let has_vector = json!({ VECTOR: { "$in": [GIVEN, ZERO] } });
        match selection {
            Selection::None => None,
            Selection::All => Some(has_vector),
            Selection::Where(condition) => Some(json!({ "$and": [has_vector, condition] })),
        }
    }

    async fn window(&self, filter: &Value, depth: usize) -> Result<Window> {
        let Ranking { candidates, is_whole } = self.ranking(filter, depth).await?;
        // Every match has to be read if there is more to check.
        let (skip, checks) = match self.options.filter {
            None => (self.options.skip.min(candidates.len()), false),
            Some(_) => (0, true),
        };
        let all = candidates.len();
        let mut window = Window { records: Vec::new(), count: skip, is_whole };
        let reads_all = checks && self.options.include_total_count;
        let mut candidates = candidates.into_iter().skip(skip).peekable();
        while candidates.peek().is_some() && (reads_all || window.count < self.options.end()) {
            let page: Vec<Candidate> = candidates.by_ref().take(self.handle.page(true)).collect();
            for (record, score) in self.records(page).await? {
                if record.matches(self.options.filter.as_ref()) {
                    if (self.options.skip..self.options.end()).contains(&window.count) {
                        window.records.push((record, score));
                    }
                    window.count += 1;
                }
            }
        }
        if !checks {
            window.count = all;
        }
        Ok(window)
    }

    /// Returns the best records that meet the condition and reach the threshold.
    async fn ranking(&self, filter: &Value, depth: usize) -> Result<Ranking> {
        let with_vectors = self.options.include_vectors;
        let is_read = depth <= self.handle.page(with_vectors);
        let query = Query {
            vector: &self.vector,
            sparse_vector: self.sparse.as_ref(),
            top_k: depth.max(1),
            filter: filter.clone(),
            include_values: is_read && with_vectors,
            include_metadata: is_read,
            namespace: self.handle.namespace(),
        };
        let matches: Matches = self.handle.post(&["query"], &query).await?;
        let mut is_whole = matches.matches.len() < query.top_k;
        let mut candidates = Vec::with_capacity(matches.matches.len());
        for matched in matches.matches {
            let id = matched.vector.id.clone();
            let score = score(self.field.distance, matched.score);
            let record = if is_read {
                Some(self.handle.record(matched.vector, with_vectors)?)
            } else {
                None
            };
            candidates.push(Candidate { id, score, record });
        }
        let ranked = candidates.len();
        // Identifiers sort as keys do.
        self.order.rank(&mut candidates, |candidate| (candidate.score, &candidate.id));
        is_whole |= candidates.len() < ranked;
        // Further records may be as near as the last.
        if let (false, true, Some(last)) = (is_whole, depth < MAX_RANKED, candidates.last()) {
            let last = last.score;
            candidates.retain(|candidate| candidate.score != last);
        }
        Ok(Ranking { candidates, is_whole })
    }

    /// Reads the records of candidates. Leaves out records deleted in the meantime.
    async fn records(&self, candidates: Vec<Candidate>) -> Result<Vec<(StoredRecord, f64)>> {
        let missing = candidates.iter().filter(|candidate| candidate.record.is_none());
        let missing: Vec<String> = missing.map(|candidate| candidate.id.clone()).collect();
        let mut read: HashMap<String, StoredRecord> =
            self.handle.fetch(&missing, self.options.include_vectors).await?;
        let records = candidates.into_iter().filter_map(|candidate| {
            let record = candidate.record.or_else(|| read.remove(&candidate.id))?;
            Some((record, candidate.score))
        });
        Ok(records.collect())
    }

    fn results(&self, window: Window) -> SearchResults<Scored<StoredRecord>> {
        let definition = &self.handle.definition;
        let scored = window.records.into_iter();
        let scored =
            scored.map(|(record, score)| Scored::new(record, score, Arc::clone(definition)));
        let count = window.count as u64;
        let count =
            if window.is_whole { TotalCount::Exact(count) } else { TotalCount::Estimated(count) };
        SearchResults::from_vec(scored.collect())
            .with_total_count(self.options.include_total_count.then_some(count))
    }
}
