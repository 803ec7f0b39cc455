//! `POST /v1/search`.

mod written;

use std::{sync::Arc, time::Duration};

use axum::{
    Extension,
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::header;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use textsearch_compose::{PerDocument, Recent};
use textsearch_core::{
    Filter, SearchOptions, SearchResults, TextSearch,
    results::{AnyRecord, Metadata, TotalCount},
};
use textsearch_documents::Around;
use utoipa::ToSchema;

use self::written::{Results, Written};
use crate::{
    access::read_filter,
    body::JsonBody,
    config::DEFAULT_TOP,
    problem::{Answer, Kind, Problem, internal},
    schemas::{filter_schema, results_schema},
    shared::Shared,
    tenant::Tenant,
};

/// A store may compare each with every document.
const MAX_FILTER_VALUES: usize = 1_000;

/// `skip` and `top` with `per_document`, which reads whole records of what it leaves out.
const MAX_DOCUMENTS: usize = 1_000;

/// With a half-life, this many results are sorted at once.
const CANDIDATES: usize = 50;

/// Web engines return about as many at once, and may charge for more.
const WEB_CANDIDATES: usize = 20;

/// A search.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "query": "fusion", "top": 2 }))]
pub(crate) struct SearchRequest {
    /// What to search for.
    query: String,
    /// The source; the first by default.
    #[serde(default)]
    #[schema(min_length = 1)]
    source: Option<String>,
    /// The mode of the source; its first by default.
    #[serde(default)]
    #[schema(min_length = 1)]
    mode: Option<String>,
    /// What to return: `results` by default.
    #[serde(default)]
    kind: ResultKind,
    /// The maximum number of results: 5 by default.
    #[serde(default = "default_top")]
    #[schema(minimum = 0, default = 5)]
    top: usize,
    /// The number of best results to leave out.
    #[serde(default)]
    #[schema(minimum = 0, default = 0)]
    skip: usize,
    /// Which records may match: text such as `year >= 2020`, or an object.
    #[serde(default)]
    #[schema(schema_with = filter_schema)]
    filter: Option<Value>,
    /// Whether to return only the best result of each document. `top` and `skip` then count
    /// documents, at most 1,000 together, and there is no total count.
    #[serde(default)]
    per_document: bool,
    /// What to show of its document around each result: `none`, `neighbours`, `neighbours:2`, `section` or
    /// `document`. Results with overlapping texts become one, so there may be fewer than `top`.
    #[serde(default)]
    #[schema(value_type = String, default = "none")]
    around: Around,
    /// Prefer recent results: after this time, such as `90d` or `1y`, a score has lost a quarter, and never
    /// more than half. Results without a date keep their scores.
    #[serde(default)]
    #[schema(min_length = 2)]
    half_life: Option<String>,
    /// Whether results say why they have their ranks, as `Explanation`; not for `texts`.
    #[serde(default)]
    explain: bool,
    /// Whether to count all results, even at a cost.
    #[serde(default)]
    include_total_count: bool,
}

/// The form of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ResultKind {
    /// Plain texts.
    Texts,
    /// Names, values, links and scores.
    #[default]
    Results,
    /// The connector's own records.
    Records,
}

/// The results of a search, best first.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SearchResponse {
    /// Texts, results or records.
    #[schema(schema_with = results_schema)]
    results: Written,
    /// The number of all results: `{"exact": 12}` or `{"estimated": 1000}`. Null if the source
    /// doesn't report it.
    #[schema(value_type = Option<Value>)]
    total_count: Option<TotalCount>,
    /// Whether results were left out, because together they are larger than the server returns.
    truncated: bool,
    /// The source that was searched.
    source: String,
}

const fn default_top() -> usize {
    DEFAULT_TOP
}

/// Searches a source.
#[utoipa::path(
    post, path = "/v1/search", operation_id = "search", tag = "search",
    request_body = SearchRequest,
    responses((status = 200, description = "The results, best first", body = SearchResponse)),
)]
pub(crate) async fn search(
    State(shared): State<Arc<Shared>>,
    Extension(tenant): Extension<Arc<Tenant>>,
    JsonBody(request): JsonBody<SearchRequest>,
) -> Answer<Response> {
    let source = tenant.source(request.source.as_deref())?;
    let half_life = half_life(&request)?;
    let candidates = if source.is_open_world == Some(true) { WEB_CANDIDATES } else { CANDIDATES };
    let wrap = |mut search: Arc<dyn TextSearch>| {
        if let Some(half_life) = half_life {
            search = Arc::new(Recent::new(search, half_life).with_candidates(candidates));
        }
        if request.per_document { Arc::new(PerDocument::new(search)) } else { search }
    };
    let search = source.search(request.mode.as_deref(), request.around, wrap)?;
    let options = options(&request, &shared)?;
    let max = shared.config.max_response_bytes;
    let Read { results, total_count, truncated } =
        request.run(search.as_ref(), &options, max).await?;
    shared.metrics.count_results(results.count);
    let source = source.name.clone();
    let response = SearchResponse { results: Written([]), total_count, truncated, source };
    let body = results.into_body(&response).map_err(|error| internal(&error))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

fn options(request: &SearchRequest, shared: &Shared) -> Answer<SearchOptions> {
    let SearchRequest { top, skip, filter, include_total_count, .. } = request;
    let mut max_top = shared.config.max_top;
    let mut max_skip = shared.config.max_skip;
    if request.per_document {
        max_top = max_top.min(MAX_DOCUMENTS);
        max_skip = max_skip.min(MAX_DOCUMENTS.saturating_sub(*top));
    }
    let limits = [("top", *top, max_top), ("skip", *skip, max_skip)];
    for (field, value, max) in limits {
        if value > max {
            let problem = Problem::invalid(field, format!("`{field}` is {value}"));
            return Err(problem.with_allowed([format!("0 to {max}")]));
        }
    }
    let mut options = SearchOptions::top(*top).with_skip(*skip);
    options.include_total_count = *include_total_count;
    options.include_explanation = request.explain;
    if request.explain && request.kind == ResultKind::Texts {
        let problem = Problem::invalid("explain", "plain texts have no place for an explanation");
        return Err(problem.with_allowed(["false"]));
    }
    Ok(match filter {
        Some(filter) => options.with_filter(checked_filter(filter)?),
        None => options,
    })
}

fn half_life(request: &SearchRequest) -> Answer<Option<Duration>> {
    let Some(text) = &request.half_life else { return Ok(None) };
    let half_life = Recent::parse_half_life(text);
    half_life.map(Some).map_err(|_| {
        let problem = Problem::invalid("half_life", "`half_life` isn't a time above 0");
        problem.with_allowed(["90d", "12w", "6mo", "1y"])
    })
}

pub(super) fn checked_filter(filter: &Value) -> Answer<Filter> {
    let invalid = |message| Problem::new(Kind::InvalidFilter, message).with_field("filter");
    let filter = match filter {
        Value::String(text) => text.parse::<Filter>().map_err(|error| {
            invalid(error.message().to_owned()).at(error.line(), error.column())
        })?,
        filter => read_filter(filter).map_err(invalid)?,
    };
    match size(&filter) {
        0..=MAX_FILTER_VALUES => Ok(filter),
        values => Err(invalid(format!("the filter has {values} conditions and listed values"))
            .with_allowed([format!("at most {MAX_FILTER_VALUES}")])),
    }
}

/// Returns the number of comparisons, and of values in lists.
fn size(filter: &Filter) -> usize {
    let mut pending = vec![filter];
    let mut size = 0;
    while let Some(filter) = pending.pop() {
        match filter {
            Filter::And(filters) | Filter::Or(filters) => pending.extend(filters),
            Filter::Not(filter) => pending.push(filter),
            Filter::In { values, .. } => size += values.len(),
            _ => size += 1,
        }
    }
    size
}

struct Read {
    results: Results,
    total_count: Option<TotalCount>,
    truncated: bool,
}

impl SearchRequest {
    /// Returns the results that fit into `max` bytes.
    async fn run(
        &self,
        search: &dyn TextSearch,
        options: &SearchOptions,
        max: usize,
    ) -> Answer<Read> {
        let query = &self.query;
        match self.kind {
            ResultKind::Texts => {
                read(search.search(query, options).await?, options, max, |_| {}).await
            }
            ResultKind::Results => {
                let results = search.text_search_results(query, options).await?;
                read(results, options, max, |result| hide_errors(&mut result.metadata)).await
            }
            ResultKind::Records => {
                let results = search.search_any(query, options).await?;
                let results = results.try_map(|record: AnyRecord| record.to_value());
                read(results, options, max, |record| {
                    let metadata = record.get_mut("Metadata").and_then(Value::as_object_mut);
                    metadata.into_iter().for_each(hide_errors);
                })
                .await
            }
        }
    }
}

async fn read<T: Serialize + Send + 'static>(
    results: SearchResults<T>,
    options: &SearchOptions,
    max: usize,
    hide: fn(&mut T),
) -> Answer<Read> {
    let total_count = results.total_count();
    let mut records = results.window(0, options.top);
    let mut results = Results::new(max);
    while let Some(record) = records.next().await {
        let mut record = record?;
        hide(&mut record);
        if !results.add(&record).map_err(|error| internal(&error))? {
            return Ok(Read { results, total_count, truncated: true });
        }
    }
    Ok(Read { results, total_count, truncated: false })
}

/// The text of an error can reveal internals, such as the address of a page's host.
pub(super) fn hide_errors(metadata: &mut Metadata) {
    metadata.retain(|name, _| !name.to_ascii_lowercase().contains("error"));
}
