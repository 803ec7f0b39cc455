//! A transport that gives recorded answers and remembers what it was asked.

use std::sync::{Arc, Mutex};

use textsearch_core::async_trait;
use textsearch_google::http::{
    HeaderMap, HeaderValue, HttpClient, HttpSettings, HttpTransport, StatusCode, TransportError,
    TransportRequest, TransportResponse,
};
use textsearch_google::{GoogleConfig, GoogleTextSearch};

pub(crate) const PAGES: &str = include_str!("../fixtures/web_pages.json");
pub(crate) const IMAGES: &str = include_str!("../fixtures/images.json");

/// Gives the answers one after the other, and the last one again and again.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    answers: Vec<(u16, String)>,
    requests: Mutex<Vec<TransportRequest>>,
}

impl Replay {
    pub(crate) fn of<T: Into<String>>(answers: impl IntoIterator<Item = (u16, T)>) -> Arc<Self> {
        let answers = answers.into_iter().map(|(status, body)| (status, body.into())).collect();
        Arc::new(Self { answers, ..Self::default() })
    }

    pub(crate) fn client(self: &Arc<Self>) -> HttpClient {
        let settings = HttpSettings::default().with_max_attempts(1);
        HttpClient::with_transport("google", settings, Arc::clone(self) as Arc<dyn HttpTransport>)
            .unwrap()
    }

    pub(crate) fn requests(&self) -> Vec<TransportRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// A parameter of the request of that number.
    pub(crate) fn parameter(&self, number: usize, name: &str) -> Option<String> {
        let request = self.requests().into_iter().nth(number)?;
        let mut pairs = request.url.query_pairs();
        pairs.find(|(found, _)| found == name).map(|(_, value)| value.into_owned())
    }
}

#[async_trait]
impl HttpTransport for Replay {
    async fn send(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        let number = {
            let mut requests = self.requests.lock().unwrap();
            requests.push(request);
            requests.len() - 1
        };
        let (status, body) = self.answers.get(number).or(self.answers.last()).unwrap().clone();
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        Ok(TransportResponse::complete(StatusCode::from_u16(status).unwrap(), headers, body))
    }
}

pub(crate) fn config() -> GoogleConfig {
    GoogleConfig::new("open-sesame", "engine-1").with_endpoint("https://google.example/v1")
}

pub(crate) fn search(config: GoogleConfig, replay: &Arc<Replay>) -> GoogleTextSearch {
    GoogleTextSearch::new(config).unwrap().with_http_client(replay.client())
}

/// What is wrong with a configuration.
pub(crate) fn refused(config: GoogleConfig) -> String {
    GoogleTextSearch::new(config).unwrap_err().to_string()
}
