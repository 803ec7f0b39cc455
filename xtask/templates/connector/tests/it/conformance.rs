//! The conformance suite that every connector passes.

use textsearch_acme::{AcmeConfig, AcmeTextSearch};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};

/// Simulates Acme: returns its response for these documents.
///
/// Acme's reference describes the format. See `crates/textsearch-searxng/tests/it/conformance.rs`
/// for an example.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let place = format!("{}:{}", file!(), line!());
    let message = format!(
        "{place}: return Acme's response. {} documents match the request to {} with {:?}. Write the \
         name, text and link of those on the requested page in Acme's format",
        documents.len(),
        request.path,
        request.parameters,
    );
    Response::new(501, "text/plain", message)
}

textsearch_conformance::suite!(
    |endpoint| {
        let address = format!("{}/v1/search", endpoint.base());
        let config = AcmeConfig::new(endpoint.key()).with_endpoint(address);
        let client = endpoint.http_client("acme");
        AcmeTextSearch::new(config).map(|search| search.with_http_client(client))
    },
    answer,
    // Add what Acme can do: `with_filter` for each field of src/filter.rs, `with_query_operators`,
    // `with_error_answer`, `with_marks`, limits and counts. Skipped cases say what they need.
    Capabilities::default(),
);
