//! A client that reaches nobody: a connector over it can be asked what it would do.

use textsearch_core::{
    Result, async_trait,
    http::{
        HeaderMap, HttpClient, HttpSettings, HttpTransport, StatusCode, TransportError,
        TransportRequest, TransportResponse,
    },
};

/// Gives the same answer to every request.
#[derive(Debug)]
struct Offline(&'static str);

/// A client whose every request is answered by `answer`.
pub(super) fn client(connector: &str, answer: &'static str) -> Result<HttpClient> {
    HttpClient::from_transport(connector, HttpSettings::default(), Offline(answer))
}

#[async_trait]
impl HttpTransport for Offline {
    async fn send(&self, _request: TransportRequest) -> Result<TransportResponse, TransportError> {
        Ok(TransportResponse::complete(StatusCode::OK, HeaderMap::new(), self.0))
    }
}
