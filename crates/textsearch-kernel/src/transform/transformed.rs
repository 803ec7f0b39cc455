//! A search for transformed queries.

use std::{fmt, sync::Arc, time::Duration};

use futures_util::future::join_all;
use textsearch_core::{
    Error, ErrorKind, Result, SearchOptions, SearchResults, TextSearch,
    chat::ChatHistory,
    connector::TextSearchWrapper,
    results::{AnyRecord, TotalCount},
};
use tokio::time::timeout;

use super::{
    QueryLeg, QueryTransform, TransformedQuery,
    fusion::{Ranking, fuse},
    plan::{MAX_QUERIES, Plan, PlannedQuery},
};

/// The name under which the metadata of a search reports its queries.
pub const QUERY_TRANSFORM: &str = "query_transform";

const TIMEOUT: Duration = Duration::from_secs(5);

/// Some engines return no more.
const MIN_DEPTH: usize = 20;

/// A search for the queries that a [`QueryTransform`] makes of the question.
///
/// # Queries
///
/// - At most [8 queries](Self::with_max_queries) are searched for, each of at most 1,000 characters on one line. Others, queries
///   without a letter or digit, and repeated ones are dropped.
/// - Each query gets the options of the search, so no query can widen a filter. To search for phrases and
///   excluded words, put `textsearch_compose::Phrased` around this wrapper: it takes them out of the
///   question and applies them to the results of all queries.
/// - If the transform fails, returns nothing usable or takes longer than
///   [5 seconds](Self::with_timeout), or if the search refuses all its queries, the search uses the
///   question as it is. A blank question is not transformed.
/// - Every call transforms its question, also for the next page.
///
/// # Results
///
/// - One query: the results of its search, unchanged.
/// - Several queries: they are searched for at once, and their best `skip + top` results,
///   [at least 20](Self::with_min_depth), are fused. A result scores the sum of `weight / (60 + rank)` over the queries that found it. Results
///   with the same id are one result; without an id, those with the same link, or else text. The total
///   count is an estimate, unless every query found fewer results than it may.
/// - A query that fails takes part with the results before its error. The search fails if all fail, or
///   if one refuses the options.
///
/// The metadata of the search has `query_transform`: the `transform`, the `queries` with `text`, `weight`
/// and, if several, `results` and `error`, how many queries were `dropped` by reason, and the reason for
/// a `fallback`, such as `timeout`. With several queries, the metadata of their searches is left out.
///
/// With several queries and [`SearchOptions::with_explanation`], a result has a step `query` for each query
/// that found it, and then a step `fusion`.
///
/// Calls need a Tokio runtime with time enabled.
///
/// ```
/// use std::sync::Arc;
/// use textsearch_kernel::{
///     Result, prelude::*, textsearch_core::results::Metadata,
///     transform::{QUERY_TRANSFORM, Standalone, Transformed},
/// };
///
/// async fn follow_up(search: Arc<dyn TextSearch>, model: Arc<dyn ChatCompletion>) -> Result<Metadata> {
///     let history = ChatHistory::from(vec![
///         ChatMessage::user("How high are the tides in Brest?"),
///         ChatMessage::assistant("Up to seven metres."),
///     ]);
///     let search = Transformed::new(search, Standalone::new(model)).with_history(history);
///     let results = search.text_search_results("And in winter?", &SearchOptions::top(3)).await?;
///     println!("{}", results.metadata()[QUERY_TRANSFORM]["queries"][0]["text"]);
/// #   Ok(results.metadata().clone())
/// }
/// ```
#[derive(Clone)]
pub struct Transformed {
    inner: Arc<dyn TextSearch>,
    vector: Option<Arc<dyn TextSearch>>,
    transform: Arc<dyn QueryTransform>,
    timeout: Duration,
    max_queries: usize,
    min_depth: usize,
    history: Arc<ChatHistory>,
}

impl Transformed {
    /// Transforms the queries of `search`.
    pub fn new(
        search: impl TextSearch + 'static,
        transform: impl QueryTransform + 'static,
    ) -> Self {
        Self {
            inner: Arc::new(search),
            vector: None,
            transform: Arc::new(transform),
            timeout: TIMEOUT,
            max_queries: MAX_QUERIES,
            min_depth: MIN_DEPTH,
            history: Arc::default(),
        }
    }

    /// Sets the search for queries of [`QueryLeg::Vector`], over the same records. Without it, these
    /// queries are dropped.
    #[must_use]
    pub fn with_vector_search(mut self, search: impl TextSearch + 'static) -> Self {
        self.vector = Some(Arc::new(search));
        self
    }

    /// Sets how long the transform may take; 5 seconds otherwise.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the maximum number of queries, from 1 to 8; 8 otherwise.
    #[must_use]
    pub fn with_max_queries(mut self, max: usize) -> Self {
        self.max_queries = max.clamp(1, MAX_QUERIES);
        self
    }

    /// Sets how many results of each of several queries are fused at least; 20 otherwise. More find
    /// better what several queries agree on; 0 reads no more than needed, where results cost money.
    #[must_use]
    pub fn with_min_depth(mut self, depth: usize) -> Self {
        self.min_depth = depth;
        self
    }

    /// Sets the messages before the question; none otherwise. A clone with another history is cheap.
    #[must_use]
    pub fn with_history(mut self, history: impl Into<Arc<ChatHistory>>) -> Self {
        self.history = history.into();
        self
    }

    async fn plan(&self, question: &str) -> Plan {
        let transforming = self.transform.transform(&self.history, question);
        let plan = |queries| Plan::new(question, queries, self.max_queries, self.vector.is_some());
        let (plan, reason) = match timeout(self.timeout, transforming).await {
            Ok(Ok(queries)) => {
                let plan = plan(queries);
                if !plan.queries.is_empty() {
                    return plan;
                }
                (plan, "no_queries")
            }
            Ok(Err(error)) => (plan(Vec::new()), error.name()),
            Err(_) => (plan(Vec::new()), "timeout"),
        };
        self.fall_back(plan, question, reason)
    }

    fn fall_back(&self, plan: Plan, question: &str, reason: &'static str) -> Plan {
        let transform = self.transform.name();
        tracing::info!(transform, reason, "the search uses the question as it is");
        plan.with_fallback(question, reason)
    }

    async fn search_plan(
        &self,
        plan: &mut Plan,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        match plan.queries.as_slice() {
            [single] => self.search_of(&single.query).search_any(&single.query.text, options).await,
            _ => self.search_fused(&mut plan.queries, options).await,
        }
    }

    async fn search_fused(
        &self,
        queries: &mut [PlannedQuery],
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        let mut deep = options.clone();
        deep.skip = 0;
        deep.top = options.skip.saturating_add(options.top).max(self.min_depth);
        let searches = queries.iter().map(|planned| self.read(&planned.query, &deep));
        let mut answers: Vec<Answer> = join_all(searches).await;
        let mut is_any = false;
        for (planned, answer) in queries.iter_mut().zip(&mut answers) {
            if let Some(error) = answer.error.take_if(|error| is_of_the_caller(error)) {
                return Err(error);
            }
            is_any |= answer.error.is_none() || !answer.records.is_empty();
            planned.results = Some(answer.records.len());
            planned.error = answer.error.as_ref().map(|error| error.kind().name());
        }
        if !is_any && let Some(error) = answers.iter_mut().find_map(|answer| answer.error.take()) {
            return Err(error);
        }
        let is_complete =
            answers.iter().all(|answer| answer.error.is_none() && answer.records.len() < deep.top);
        let counts = answers.iter().filter_map(|answer| answer.total_count);
        let max = counts.map(TotalCount::value).max();
        let rankings = queries.iter().zip(answers).map(|(planned, answer)| Ranking {
            query: &planned.query.text,
            weight: planned.query.weight,
            part: planned.query.part.as_deref(),
            records: answer.records,
        });
        let fused = fuse(rankings.collect(), options.include_explanation);
        let count = if is_complete {
            Some(TotalCount::Exact(fused.len() as u64))
        } else {
            max.map(TotalCount::Estimated)
        };
        let window = fused.into_iter().zip(1..).skip(options.skip).take(options.top);
        let window = window.map(|(fused, rank)| fused.into_record(rank)).collect();
        Ok(SearchResults::from_vec(window).with_total_count(count))
    }

    /// Reads no more results than requested, whatever the search returns.
    async fn read(&self, query: &TransformedQuery, options: &SearchOptions) -> Answer {
        let mut answer = Answer::default();
        answer.error = self.read_into(&mut answer, query, options).await.err();
        answer
    }

    async fn read_into(
        &self,
        answer: &mut Answer,
        query: &TransformedQuery,
        options: &SearchOptions,
    ) -> Result<()> {
        let mut results = self.search_of(query).search_any(&query.text, options).await?;
        answer.total_count = results.total_count();
        while answer.records.len() < options.top
            && let Some(record) = results.next().await
        {
            answer.records.push(record?);
        }
        Ok(())
    }

    fn search_of(&self, query: &TransformedQuery) -> &dyn TextSearch {
        match (query.leg, &self.vector) {
            (QueryLeg::Vector, Some(vector)) => vector,
            _ => &self.inner,
        }
    }
}

/// The results of one query until it ended or failed.
#[derive(Default)]
struct Answer {
    records: Vec<AnyRecord>,
    total_count: Option<TotalCount>,
    error: Option<Error>,
}

impl TextSearchWrapper for Transformed {
    fn inner(&self) -> &dyn TextSearch {
        &self.inner
    }

    async fn search_inner(
        &self,
        question: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        if options.top == 0 || question.trim().is_empty() {
            return self.inner.search_any(question, options).await;
        }
        let mut plan = self.plan(question).await;
        let results = match self.search_plan(&mut plan, options).await {
            Err(error) if refuses_query(&error) && !plan.contains(question) => {
                plan = self.fall_back(plan, question, "refused");
                self.search_plan(&mut plan, options).await?
            }
            results => results?,
        };
        let mut metadata = results.metadata().clone();
        metadata.insert(QUERY_TRANSFORM.to_owned(), plan.report(self.transform.name()));
        Ok(results.with_metadata(metadata))
    }
}

/// Such as a refused filter: the other queries would be refused, too.
fn is_of_the_caller(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::UnsupportedFilter { .. } => true,
        ErrorKind::InvalidOptions { option, .. } => option != "query",
        _ => false,
    }
}

fn refuses_query(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidOptions { option, .. } if option == "query")
}

impl fmt::Debug for Transformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Transformed")
            .field("inner", &self.inner.name())
            .field("transform", &self.transform.name())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
