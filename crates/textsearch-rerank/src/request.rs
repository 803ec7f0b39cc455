//! Bodies of requests.

use serde_json::{Map, Value};
use textsearch_core::http::{HttpRequest, Url};

use crate::{RerankConfig, RerankFormat};

pub(crate) const OWN_FIELDS: &[&str] = &["documents", "model", "query", "texts", "top_n"];

pub(crate) fn request(
    config: &RerankConfig,
    url: &Url,
    query: &str,
    texts: &[&str],
) -> HttpRequest {
    // Scoring twice only costs twice.
    let request =
        HttpRequest::post(url.clone()).with_idempotent(true).with_json(&body(config, query, texts));
    match &config.api_key {
        Some(key) => request.with_bearer(key),
        None => request,
    }
}

fn body(config: &RerankConfig, query: &str, texts: &[&str]) -> Map<String, Value> {
    let own: Vec<(&str, Value)> = match config.format {
        RerankFormat::Cohere => {
            let model = config.model.as_deref().map(|model| ("model", model.into()));
            let fields = [("documents", texts.into()), ("top_n", texts.len().into())];
            fields.into_iter().chain(model).collect()
        }
        // Without it, a text beyond the model's limit is an error.
        RerankFormat::Tei => vec![("texts", texts.into()), ("truncate", true.into())],
    };
    let own = own.into_iter().chain([("query", query.into())]);
    let own = own.map(|(name, value)| (name.to_owned(), value));
    own.chain(config.extra.clone()).collect()
}
