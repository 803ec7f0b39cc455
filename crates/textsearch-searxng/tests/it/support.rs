//! A transport that answers as a test says, and remembers what it was asked.

use std::sync::{Arc, Mutex};

use textsearch_core::{
    SearchOptions, TextSearchConnector, async_trait,
    http::{
        HeaderMap, HttpClient, HttpSettings, HttpTransport, StatusCode, TransportError,
        TransportRequest, TransportResponse, Url,
    },
    serde_json::{Value, json},
};
use textsearch_searxng::{SearxngConfig, SearxngResult, SearxngTextSearch};

type Answer = dyn Fn(&Asked) -> (u16, String) + Send + Sync;

/// What was asked, decoded.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) request: TransportRequest,
    pub(crate) parameters: Vec<(String, String)>,
}

impl Asked {
    fn new(request: TransportRequest) -> Self {
        let mut url = request.url.clone();
        if !request.body.is_empty() {
            url.set_query(Some(&String::from_utf8_lossy(&request.body)));
        }
        let parameters = url.query_pairs().into_owned().collect();
        Self { request, parameters }
    }

    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let mut found = self.parameters.iter().filter(|(other, _)| other == name);
        found.next().map(|(_, value)| value.as_str())
    }
}

/// An instance that is not there.
#[derive(Clone)]
pub(crate) struct Instance {
    answer: Arc<Answer>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Instance")
    }
}

impl Instance {
    pub(crate) fn new(answer: impl Fn(&Asked) -> (u16, String) + Send + Sync + 'static) -> Self {
        Self { answer: Arc::new(answer), asked: Arc::default() }
    }

    /// Answers every first page with these results, and all others with none.
    pub(crate) fn with_results(results: Value) -> Self {
        Self::new(move |asked| {
            let is_first = asked.parameter("pageno") == Some("1");
            let results = if is_first { results.clone() } else { json!([]) };
            (200, json!({ "results": results, "number_of_results": 7 }).to_string())
        })
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn search(&self, config: SearxngConfig) -> SearxngTextSearch {
        let settings = HttpSettings::default().with_max_attempts(1);
        let transport = Arc::new(self.clone());
        let client = HttpClient::with_transport("searxng", settings, transport).unwrap();
        SearxngTextSearch::new(config).unwrap().with_http_client(client)
    }

    /// The results for `query` from an instance that is configured with nothing but its address.
    pub(crate) async fn results(&self, query: &str, options: &SearchOptions) -> Vec<SearxngResult> {
        let results = self.search(config()).search_records(query, options).await.unwrap();
        results.into_vec().await.unwrap()
    }
}

#[async_trait]
impl HttpTransport for Instance {
    async fn send(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        let asked = Asked::new(request);
        let (status, body) = (self.answer)(&asked);
        self.asked.lock().unwrap().push(asked);
        let status = StatusCode::from_u16(status).unwrap();
        Ok(TransportResponse::complete(status, HeaderMap::new(), body))
    }
}

pub(crate) fn config() -> SearxngConfig {
    SearxngConfig::new("http://search.example")
}

/// A result with an address, found by an engine.
pub(crate) fn found(url: &str, engine: &str) -> Value {
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    json!({ "url": url, "title": host, "content": "…", "engine": engine, "engines": [engine] })
}

pub(crate) fn urls(results: &[SearxngResult]) -> Vec<&str> {
    results.iter().filter_map(|result| result.url.as_deref()).collect()
}
