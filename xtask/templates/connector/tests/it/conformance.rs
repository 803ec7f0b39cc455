//! The suite that every connector passes.

use textsearch_acme::{AcmeConfig, AcmeTextSearch};
use textsearch_conformance::{Capabilities, Document, RecordedRequest, Response};

/// How Acme would answer if it found these documents.
///
/// Its format is in its reference, which nobody but you has read yet. `crates/textsearch-searxng/tests/it/conformance.rs`
/// is an example.
fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let place = format!("{}:{}", file!(), line!());
    let message = format!(
        "{place}: write what Acme answers. Here it found {} documents, and was asked at {} for {:?}: take as many of \
         them, from there on, as the page has that is asked for, and put their name, text and link into its format",
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
    Capabilities::default(),
);
