//! `POST /v1/grounding`, which Gemini calls.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde::{Deserialize, Serialize};
use textsearch_core::SearchOptions;
use utoipa::ToSchema;

use crate::{body::JsonBody, config::DEFAULT_TOP, problem::Answer, shared::Shared, tenant::Tenant};

/// A search of Gemini. Other members are ignored, because the service may add some.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(example = json!({ "query": "fusion" }))]
pub(crate) struct GroundingRequest {
    /// What to search for.
    query: String,
}

/// A result for Gemini.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GroundingSnippet {
    /// The text.
    snippet: String,
    /// The link, or else the id or the name.
    uri: String,
}

/// Searches the first source, in the form that Gemini's "Grounding with your search API" reads. The token
/// may also be the parameter `key` of the URL.
#[utoipa::path(
    post, path = "/v1/grounding", operation_id = "grounding", tag = "search",
    request_body = GroundingRequest,
    responses((status = 200, description = "The results, best first", body = Vec<GroundingSnippet>)),
)]
pub(crate) async fn grounding(
    State(shared): State<Arc<Shared>>,
    Extension(tenant): Extension<Arc<Tenant>>,
    JsonBody(request): JsonBody<GroundingRequest>,
) -> Answer<Json<Vec<GroundingSnippet>>> {
    let source = tenant.source(None)?;
    let search = source.search(None, Default::default(), |search| search)?;
    let options = SearchOptions::top(DEFAULT_TOP.min(shared.config.max_top));
    let results = search.text_search_results(&request.query, &options).await?;
    let mut results = results.window(0, options.top);
    let mut snippets = Vec::new();
    let mut bytes = 0;
    while let Some(result) = results.next().await {
        let result = result?;
        let uri = result.link.or(result.id).or(result.name).unwrap_or_default();
        bytes += result.value.len() + uri.len();
        if bytes > shared.config.max_response_bytes {
            break;
        }
        snippets.push(GroundingSnippet { snippet: result.value, uri });
    }
    shared.metrics.count_results(snippets.len());
    Ok(Json(snippets))
}
