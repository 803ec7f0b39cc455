//! `GET /v1/capabilities`.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde::Serialize;
use serde_json::Value;
use textsearch_core::FilterableField;
use utoipa::ToSchema;

use crate::{
    Right,
    shared::Shared,
    tenant::{Caller, Source},
};

/// The server's offer to the caller.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Capabilities {
    /// The server's version.
    version: &'static str,
    sources: Vec<SourceCapabilities>,
    /// The forms of results.
    kinds: [&'static str; 3],
    /// The languages of templates.
    template_formats: [&'static str; 2],
    /// The caller's rights.
    rights: Vec<Right>,
    /// Whether the server can answer questions.
    answers: bool,
    /// Whether the server has the retrieval-plugin interface.
    retrieval_plugin: bool,
    limits: Limits,
}

/// A source to search.
#[derive(Debug, Serialize, ToSchema)]
struct SourceCapabilities {
    name: String,
    /// The connector, such as `inmemory`.
    connector: String,
    /// The modes, the default first.
    modes: Vec<String>,
    /// Whether searches reach an open world, such as the web. Null if unknown.
    open_world: Option<bool>,
    /// Whether the documents behind results can be read.
    documents: bool,
    /// Whether searches can show the text around results.
    around: bool,
    /// The fields that filters may name.
    fields: Vec<Field>,
    /// The JSON schema of a record.
    record_schema: Value,
}

/// A field that filters may name.
#[derive(Debug, Serialize, ToSchema)]
struct Field {
    name: String,
    description: String,
    /// The JSON schema of one value.
    schema: Value,
    /// The operators, such as `eq` and `starts_with`.
    operators: Vec<&'static str>,
}

/// The limits of requests.
#[derive(Debug, Serialize, ToSchema)]
struct Limits {
    max_top: usize,
    max_skip: usize,
    max_body_bytes: usize,
    max_template_bytes: usize,
    max_calls: usize,
    /// In seconds.
    request_timeout: f64,
    /// In seconds.
    answer_timeout: f64,
}

/// Describes the sources and the limits.
#[utoipa::path(
    get, path = "/v1/capabilities", operation_id = "capabilities", tag = "search",
    responses((status = 200, description = "The sources, limits and rights", body = Capabilities)),
)]
pub(crate) async fn capabilities(
    State(shared): State<Arc<Shared>>,
    Extension(Caller { tenant, rights }): Extension<Caller>,
) -> Json<Capabilities> {
    let config = &shared.config;
    let may_search = rights.contains(&Right::Search);
    Json(Capabilities {
        version: env!("CARGO_PKG_VERSION"),
        sources: tenant.sources.iter().filter_map(|source| describe(source, may_search)).collect(),
        kinds: ["texts", "results", "records"],
        template_formats: ["handlebars", "semantic-kernel"],
        rights: rights.to_vec(),
        answers: shared.model.is_some(),
        retrieval_plugin: tenant.documents.is_some() && config.needs_token(),
        limits: Limits {
            max_top: config.max_top,
            max_skip: config.max_skip,
            max_body_bytes: config.max_body_bytes,
            max_template_bytes: config.max_template_bytes,
            max_calls: config.max_calls,
            request_timeout: config.request_timeout.as_secs_f64(),
            answer_timeout: config.answer_timeout.as_secs_f64(),
        },
    })
}

/// Examples of a field are values of documents, for callers who may search.
fn describe(source: &Source, may_search: bool) -> Option<SourceCapabilities> {
    let (_, search) = source.modes.first()?;
    let fields = search.fields().iter().cloned();
    let fields = fields.map(|field| if may_search { field } else { field.with_examples([]) });
    Some(SourceCapabilities {
        name: source.name.clone(),
        connector: search.name().to_owned(),
        modes: source.modes.iter().map(|(mode, _)| mode.clone()).collect(),
        open_world: source.is_open_world,
        documents: source.documents().is_ok(),
        around: source.has_surroundings(),
        fields: fields.map(Field::from).collect(),
        record_schema: search.schema().into(),
    })
}

impl From<FilterableField> for Field {
    fn from(field: FilterableField) -> Self {
        Self {
            name: field.name,
            description: field.description,
            schema: field.schema,
            operators: field.operators.iter().map(|operator| operator.name()).collect(),
        }
    }
}
