//! A transport that answers without a network.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use textsearch_core::{
    async_trait,
    http::{
        HeaderMap, HeaderName, HeaderValue, HttpClient, HttpSettings, HttpTransport, StatusCode,
        TransportError, TransportRequest, TransportResponse,
    },
};

use crate::{RecordedRequest, Response, response::in_order};

type Script = dyn Fn(&RecordedRequest, usize) -> Response + Send + Sync;

/// Answers requests in place of a provider, whatever their address, and records them. Copies share
/// their records.
///
/// To test how connections behave, use a [`Server`](crate::Server).
///
/// ```
/// use textsearch_conformance::{Replay, core::{Result, http::{HttpRequest, Url}, serde_json::Value}};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let replay = Replay::of([(200, r#"{ "found": 1 }"#)]);
/// let client = replay.client("acme"); // goes into a connector: `search.with_http_client(client)`
///
/// let url = Url::parse("https://api.acme.example/search").unwrap();
/// let answer = client.send_json::<Value>(HttpRequest::get(url).with_query("q", "rust")).await?;
/// assert_eq!(answer.body["found"], 1);
/// assert_eq!(replay.requests()[0].parameter("q"), Some("rust"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Replay {
    script: Arc<Script>,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
}

impl Replay {
    /// Returns the answers in order, then repeats the last one.
    pub fn of<A: Into<Response>>(answers: impl IntoIterator<Item = A>) -> Self {
        let answer = in_order(answers);
        Self { script: Arc::new(move |_, number| answer(number)), requests: Arc::default() }
    }

    /// Answers each request with the response that `script` returns.
    pub fn scripted(script: impl Fn(&RecordedRequest) -> Response + Send + Sync + 'static) -> Self {
        Self { script: Arc::new(move |request, _| script(request)), requests: Arc::default() }
    }

    /// Returns a client for the named connector that sends all requests here, without retries.
    ///
    /// # Panics
    /// If the client cannot be built.
    pub fn client(&self, connector: &str) -> HttpClient {
        let settings = HttpSettings::default().with_max_attempts(1);
        HttpClient::from_transport(connector, settings, self.clone()).expect("a client can be made")
    }

    /// Returns the requests so far.
    ///
    /// # Panics
    /// If a script has panicked.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.requests.lock().expect("no script panicked here").clone()
    }

    /// Returns a parameter of request `number`, counted from 0.
    pub fn parameter(&self, number: usize, name: &str) -> Option<String> {
        let request = self.requests().into_iter().nth(number)?;
        request.parameter(name).map(str::to_owned)
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Replay").finish_non_exhaustive()
    }
}

#[async_trait]
impl HttpTransport for Replay {
    async fn send(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        let TransportRequest { method, url, headers, body, .. } = request;
        let request = RecordedRequest::new(method, url, headers, body.to_vec());
        let number = {
            let mut requests = self.requests.lock().expect("no script panicked here");
            requests.push(request.clone());
            requests.len() - 1
        };
        let Response { status, headers, body } = (self.script)(&request, number);
        let status = StatusCode::from_u16(status).expect("a script names a status");
        Ok(TransportResponse::complete(status, header_map(&headers), body))
    }
}

fn header_map(headers: &[(String, String)]) -> HeaderMap {
    let header = |(name, value): &(String, String)| {
        let name: HeaderName = name.parse().expect("a script names headers");
        (name, HeaderValue::from_str(value).expect("a header has text"))
    };
    headers.iter().map(header).collect()
}
