//! Runs the queries of a test collection.

use std::{collections::HashSet, sync::Arc};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;
use textsearch_core::{SearchOptions, TextSearch, TextSearchRecord as _, results::AnyRecord};

use crate::{
    Judged, Judgements, Query, QueryReport, Report,
    error::{EvalError, Result},
};

const CUTOFF: usize = 10;

const CONCURRENT_QUERIES: usize = 4;

/// Field with the id of a chunk's document, in records of `textsearch-documents`.
const DOCUMENT_ID: &str = "document_id";

const PATH: &str = "path";

/// Measures how well a search finds the documents that people judged relevant.
///
/// Judgements identify a chunk by the id of its document (`document_id`), and a record of JSON
/// Lines also by its own id. Other results are identified by their link, or else by their id, name
/// or value. A document counts once, at the rank of its best chunk: reduce a search for chunks to one
/// result per document, as `PerDocument` of `textsearch-compose` does, or fewer documents are measured.
#[derive(Clone)]
pub struct Evaluator {
    search: Arc<dyn TextSearch>,
    options: SearchOptions,
    concurrent_queries: usize,
    progress: Option<Arc<Progress>>,
}

type Progress = dyn Fn(&QueryReport) + Send + Sync;

impl Evaluator {
    /// Measures the first 10 documents of `search`.
    pub fn new(search: impl TextSearch + 'static) -> Self {
        Self {
            search: Arc::new(search),
            options: SearchOptions::top(CUTOFF),
            concurrent_queries: CONCURRENT_QUERIES,
            progress: None,
        }
    }

    /// Sets the number of documents that are measured. Default: 10.
    #[must_use]
    pub fn with_cutoff(mut self, documents: usize) -> Self {
        self.options.top = documents;
        self
    }

    /// Sets the options of each search, such as a filter. Their `top` replaces the cutoff.
    #[must_use]
    pub fn with_options(mut self, options: SearchOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the number of concurrent queries. Default: 4.
    #[must_use]
    pub fn with_concurrent_queries(mut self, queries: usize) -> Self {
        self.concurrent_queries = queries.max(1);
        self
    }

    /// Reports each measured query to `callback`, in the order of the queries. To cancel, drop the
    /// future of [`evaluate`](Self::evaluate).
    #[must_use]
    pub fn with_progress(
        mut self,
        callback: impl Fn(&QueryReport) + Send + Sync + 'static,
    ) -> Self {
        self.progress = Some(Arc::new(callback));
        self
    }

    /// Returns the number of documents that are measured.
    pub fn cutoff(&self) -> usize {
        self.options.top
    }

    /// Runs the judged queries and measures the answers.
    ///
    /// # Errors
    ///
    /// Returns [`Search`](EvalError::Search) for the first query that fails.
    pub async fn evaluate(&self, queries: &[Query], judgements: &Judgements) -> Result<Report> {
        let judged = queries.iter().filter_map(|query| Some((query, judgements.of(&query.id)?)));
        let asked: Vec<_> =
            judged.map(|(query, judged)| self.evaluate_query(query, judged)).collect();
        let reports = stream::iter(asked).buffered(self.concurrent_queries);
        let reports = reports.inspect_ok(|report| {
            if let Some(progress) = &self.progress {
                progress(report);
            }
        });
        let per_query = reports.try_collect().await?;
        let not_judged = queries.iter().filter(|query| judgements.of(&query.id).is_none());
        let not_judged = not_judged.map(|query| query.id.clone()).collect();
        Ok(Report::new(self.cutoff(), per_query, not_judged, judgements.not_among(queries)))
    }

    async fn evaluate_query(&self, query: &Query, judged: &Judged) -> Result<QueryReport> {
        let search = self.find(&query.text, judged).await;
        let documents =
            search.map_err(|source| EvalError::Search { query: query.id.clone(), source })?;
        Ok(QueryReport::new(query, documents, judged, self.cutoff()))
    }

    async fn find(&self, query: &str, judged: &Judged) -> textsearch_core::Result<Vec<String>> {
        let mut options = self.options.clone();
        // Some services take longer to count.
        options.include_total_count = false;
        let mut results = self.search.search_any(query, &options).await?;
        let mut ids = Vec::new();
        let mut seen = HashSet::new();
        while ids.len() < self.cutoff()
            && let Some(record) = results.next().await
        {
            let document = Document::from_record(&record?)?;
            if seen.insert(document.id.clone()) {
                ids.push(document.judged_id(judged, &ids));
            }
        }
        Ok(ids)
    }
}

impl std::fmt::Debug for Evaluator {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = formatter.debug_struct("Evaluator");
        debug.field("search", &self.search.name()).field("options", &self.options);
        debug.finish_non_exhaustive()
    }
}

struct Document {
    /// The id of a chunk's document, or the link of anything else.
    id: String,
    /// Id of a JSON record within its file. Other files may use the same.
    record_id: Option<String>,
}

impl Document {
    fn from_record(record: &AnyRecord) -> textsearch_core::Result<Self> {
        let value = record.to_value()?;
        let text = |field: &str| value.get(field).and_then(Value::as_str);
        let Some(id) = text(DOCUMENT_ID) else {
            let result = record.to_result();
            let id = result.link.or(result.id).or(result.name).unwrap_or(result.value);
            return Ok(Self { id, record_id: None });
        };
        let record_id = text(PATH)
            .and_then(|path| id.strip_prefix(path))
            .and_then(|rest| rest.strip_prefix('#'));
        Ok(Self { id: id.to_owned(), record_id: record_id.map(str::to_owned) })
    }

    /// Prefers the record's own id, unless judgements name it with its file or a better document
    /// has the same id.
    fn judged_id(self, judged: &Judged, better: &[String]) -> String {
        let is_free = |id: &String| !judged.contains_key(&self.id) && !better.contains(id);
        self.record_id.filter(is_free).unwrap_or(self.id)
    }
}

#[cfg(test)]
mod tests {
    use textsearch_core::{FixedSearch, TextSearchResult};

    use super::*;

    fn evaluator(links: &[&str]) -> Evaluator {
        let results = links.iter().map(|link| TextSearchResult::new("x").with_link(*link));
        Evaluator::new(FixedSearch::new(results.collect::<Vec<_>>())).with_cutoff(2)
    }

    async fn document_ids(evaluator: Evaluator) -> Vec<String> {
        let judgements = Judgements::parse("q\tb\t1\n").unwrap();
        let queries = [Query::new("q", "x"), Query::new("r", "y")];
        // An evaluation can run on another thread.
        let report = tokio::spawn(async move { evaluator.evaluate(&queries, &judgements).await });
        let report = report.await.unwrap().unwrap();
        assert_eq!((report.queries, report.not_judged), (1, vec!["r".to_owned()]));
        let documents = report.per_query.into_iter().flat_map(|query| query.documents);
        documents.map(|document| document.id).collect()
    }

    #[tokio::test]
    async fn document_counts_once() {
        assert_eq!(document_ids(evaluator(&["a", "a", "b"])).await, ["a"]);
        assert_eq!(document_ids(evaluator(&["a", "b", "c"])).await, ["a", "b"]);
    }
}
