//! Rankings: by the server, and here if the server's limits are too narrow.

use std::sync::Arc;

use textsearch_core::{
    Result,
    vector::{Distance, RecordKey, ScoreOrder, StoredRecord, VectorField, VectorSearchOptions},
};

use crate::{
    columns::{ABSENT, TERMS, VectorColumn},
    definition::{hnsw, metric},
    error::Failure,
    filter::{Candidates, Condition, both},
    handle::Handle,
    literal,
    proto::DataType,
    request::{MAX_RESULTS, Search},
    rows::{self, Row},
    terms::{self, Weights},
};

/// The most records that one response carries.
const MAX_WITH_DATA: usize = 1_024;

pub(crate) enum Target<'a> {
    Vector {
        field: &'a VectorField,
        column: &'a VectorColumn,
        vector: Arc<[f32]>,
    },
    /// The weights of the query's terms, at least one.
    Words(Weights),
}

pub(crate) struct RankedKey {
    pub(crate) key: RecordKey,
    pub(crate) score: f64,
    pub(crate) record: Option<StoredRecord>,
}

/// Results in order, with at least all of the best that were wanted.
pub(crate) struct Ranked {
    pub(crate) ranked_keys: Vec<RankedKey>,
    /// Whether there are no more.
    pub(crate) whole: bool,
}

pub(crate) struct Ranking<'a> {
    pub(crate) handle: &'a Handle,
    pub(crate) options: &'a VectorSearchOptions,
    pub(crate) order: ScoreOrder,
    pub(crate) target: Target<'a>,
    pub(crate) condition: Condition,
}

impl Target<'_> {
    pub(crate) fn is_higher_better(&self) -> bool {
        match self {
            Self::Vector { field, .. } => field.distance.is_higher_better(),
            Self::Words(_) => true,
        }
    }
}

impl Ranking<'_> {
    /// Returns the best `top` records, and more if some are equal. They have their data if it
    /// was needed, or `with_records` is set and they are few.
    pub(crate) async fn best(&self, top: usize, with_records: bool) -> Result<Ranked> {
        if self.condition.candidates == Candidates::None {
            self.handle.check_exists().await?;
            return Ok(Ranked { ranked_keys: Vec::new(), whole: true });
        }
        if self.options.exact && self.is_approximate() {
            return self.all().await;
        }
        let is_checked_here = !self.condition.is_exact;
        let mut carries = is_checked_here || (with_records && top < MAX_WITH_DATA);
        let max = |carries| if carries { MAX_WITH_DATA } else { MAX_RESULTS };
        // One more shows whether the last one has equals.
        let mut limit = top.saturating_add(1).min(max(carries));
        let mut leaves_out_absent = false;
        loop {
            let vectors = carries && with_records && self.options.include_vectors;
            let outputs = self.outputs(carries, vectors);
            let rows = match self.ask(limit, outputs, leaves_out_absent).await {
                Err(failure) if failure.too_large && carries && !is_checked_here => {
                    carries = false;
                    continue;
                }
                Err(failure) if failure.too_large && is_checked_here => return self.all().await,
                rows => rows?,
            };
            let whole = rows.len() < limit && self.is_all(rows.len()).await?;
            let lowest = rows.last().map(|(_, score)| *score);
            let (ranked_keys, has_absent) = self.ranked_keys(rows)?;
            let last = top.checked_sub(1).map(|place| ranked_keys.get(place));
            let is_enough = match last {
                Some(Some((_, score))) => Some(*score) != lowest,
                Some(None) => false,
                None => true,
            };
            if whole || is_enough {
                let ranked_keys =
                    ranked_keys.into_iter().map(|(ranked_key, _)| ranked_key).collect();
                return Ok(Ranked { ranked_keys: self.ordered(ranked_keys), whole });
            }
            if has_absent && !leaves_out_absent {
                leaves_out_absent = true;
            } else if limit < max(carries) {
                limit = limit.saturating_mul(4).clamp(64, max(carries));
            } else if carries && !is_checked_here {
                carries = false;
                limit = limit.saturating_mul(4).min(MAX_RESULTS);
            } else {
                return self.all().await;
            }
        }
    }

    fn is_approximate(&self) -> bool {
        matches!(&self.target, Target::Vector { field, .. } if hnsw(field).is_some())
    }

    /// An approximate index may miss records although fewer than wanted were found.
    async fn is_all(&self, count: usize) -> Result<bool> {
        if !self.is_approximate() {
            return Ok(true);
        }
        let all = self.handle.count(&self.candidates()).await?;
        Ok(count as u64 >= all)
    }

    /// Returns the expression of the records that the ranking may contain.
    pub(crate) fn candidates(&self) -> String {
        let condition = self.condition.expression();
        match &self.target {
            Target::Vector { column, .. } => {
                let absent = literal::text(&column.column);
                both(condition, &format!("not array_contains({ABSENT}, {absent})"))
            }
            Target::Words(_) => condition.to_owned(),
        }
    }

    fn outputs(&self, data: bool, vectors: bool) -> Vec<String> {
        let mut outputs = if data { self.handle.record_columns(vectors) } else { Vec::new() };
        let absent = ABSENT.to_owned();
        if matches!(self.target, Target::Vector { .. }) && !outputs.contains(&absent) {
            outputs.push(absent);
        }
        outputs
    }

    async fn ask(
        &self,
        limit: usize,
        outputs: Vec<String>,
        leaves_out_absent: bool,
    ) -> Result<Vec<(Row, f32)>, Failure> {
        let condition = self.condition.expression();
        let (column, metric, data_type, bytes) = self.query();
        let parameters = match self.candidates_of_graph(limit) {
            Some(candidates) => serde_json::json!({ "ef": candidates }),
            None => serde_json::json!({}),
        };
        let search = Search {
            condition: if leaves_out_absent { &self.candidates() } else { condition },
            column,
            metric,
            data_type,
            vectors: vec![bytes],
            limit,
            parameters,
            outputs,
        };
        let response = self.handle.run_search(search).await?;
        Ok(rows::from_search(response, &self.handle.columns)?)
    }

    fn candidates_of_graph(&self, limit: usize) -> Option<usize> {
        let Target::Vector { field, .. } = &self.target else { return None };
        let set = self.options.ef_search.unwrap_or(hnsw(field)?.ef_search) as usize;
        Some(set.max(limit))
    }

    fn query(&self) -> (&str, &'static str, DataType, Vec<u8>) {
        match &self.target {
            Target::Vector { field, column, vector } => {
                let bytes = vector.iter().flat_map(|element| element.to_le_bytes()).collect();
                let metric = metric(field.distance).unwrap_or_default();
                (&column.column, metric, DataType::FloatVector, bytes)
            }
            Target::Words(weights) => {
                (TERMS, "IP", DataType::SparseFloatVector, terms::to_bytes(weights))
            }
        }
    }

    /// Leaves out records that lack the vector or don't match, and returns whether any lacks it.
    fn ranked_keys(&self, rows: Vec<(Row, f32)>) -> Result<(Vec<(RankedKey, f32)>, bool)> {
        let mut ranked_keys = Vec::with_capacity(rows.len());
        let mut has_absent = false;
        for (row, raw) in rows {
            if self.lacks_vector(&row) {
                has_absent = true;
                continue;
            }
            let key = row.key.clone();
            let record = row.data.is_some().then(|| self.handle.record(row)).transpose()?;
            let filter = self.options.filter.as_ref();
            if record.as_ref().is_none_or(|record| record.matches(filter)) {
                ranked_keys.push((RankedKey { key, score: self.score(raw), record }, raw));
            }
        }
        Ok((ranked_keys, has_absent))
    }

    fn lacks_vector(&self, row: &Row) -> bool {
        match &self.target {
            Target::Vector { column, .. } => row.absent.contains(&column.column),
            Target::Words(_) => false,
        }
    }

    /// Returns the server's score on the scale of the distance.
    fn score(&self, raw: f32) -> f64 {
        let raw = f64::from(raw);
        match &self.target {
            Target::Vector { field, .. } => match field.distance {
                Distance::CosineDistance => 1.0 - raw,
                // Not minus zero.
                Distance::NegativeDotProduct => 0.0 - raw,
                Distance::Euclidean => raw.max(0.0).sqrt(),
                _ => raw,
            },
            Target::Words(_) => raw,
        }
    }

    fn ordered(&self, mut ranked_keys: Vec<RankedKey>) -> Vec<RankedKey> {
        self.order.rank(&mut ranked_keys, |ranked_key| (ranked_key.score, &ranked_key.key));
        ranked_keys
    }

    /// Reads the vectors of all candidates and ranks them.
    async fn all(&self) -> Result<Ranked> {
        let handle = self.handle;
        let mut outputs = match &self.target {
            Target::Vector { column, .. } => vec![column.column.clone(), ABSENT.to_owned()],
            Target::Words(_) => vec![TERMS.to_owned()],
        };
        if !self.condition.is_exact {
            outputs.extend(handle.record_columns(false));
        }
        let mut ranked_keys = Vec::new();
        let read = handle.each(self.condition.expression(), outputs, |row| {
            let score = match &self.target {
                Target::Vector { field, vector, .. } => {
                    let stored = row.vectors.get(&field.name);
                    stored.map(|stored| field.distance.score(vector, stored))
                }
                Target::Words(weights) => {
                    Some(terms::score(weights, &row.terms)).filter(|score| *score > 0.0)
                }
            };
            let is_match = match (&row.data, &self.options.filter) {
                (Some(data), Some(filter)) => filter.matches_object(data),
                _ => true,
            };
            if let Some(score) = score.filter(|_| is_match) {
                ranked_keys.push(RankedKey { key: row.key, score, record: None });
            }
            Ok(true)
        });
        read.await?;
        Ok(Ranked { ranked_keys: self.ordered(ranked_keys), whole: true })
    }
}
