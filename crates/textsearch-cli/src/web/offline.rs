//! An HTTP client without a network, for inspecting connectors.

use textsearch_core::{
    Result, async_trait,
    http::{
        HeaderMap, HttpClient, HttpSettings, HttpTransport, StatusCode, TransportError,
        TransportRequest, TransportResponse,
    },
};

/// Returns the same response to every request.
#[derive(Debug)]
struct Offline(&'static str);

pub(super) fn client(connector: &str, answer: &'static str) -> Result<HttpClient> {
    HttpClient::from_transport(connector, HttpSettings::default(), Offline(answer))
}

#[async_trait]
impl HttpTransport for Offline {
    async fn send(&self, _request: TransportRequest) -> Result<TransportResponse, TransportError> {
        Ok(TransportResponse::complete(StatusCode::OK, HeaderMap::new(), self.0))
    }
}
