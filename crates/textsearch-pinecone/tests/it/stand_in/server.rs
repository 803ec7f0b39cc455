//! Listens on loopback, and checks what all requests have in common.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, Response, header},
};
use serde_json::Value;
use textsearch_pinecone::http::Url;
use tokio::net::TcpListener;

use super::{
    Answer, control, data,
    state::{Behavior, Index},
};

pub(crate) const KEY: &str = "pcsk_sesame";

const VERSION: &str = "2026-07";

/// A request as it was received.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Value,
    /// The answer's status.
    pub(crate) status: u16,
}

#[derive(Clone)]
pub(crate) struct Server(Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) behavior: Behavior,
    indexes: Mutex<BTreeMap<String, Index>>,
    pub(crate) seen: Mutex<Vec<Seen>>,
    /// Answers that the next requests get, instead of being served.
    pub(crate) next: Mutex<VecDeque<Answer>>,
}

impl std::ops::Deref for Server {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Server {
    pub(crate) fn new(behavior: Behavior) -> Self {
        let (indexes, seen, next) = Default::default();
        Self(Arc::new(Shared { behavior, indexes, seen, next }))
    }

    pub(crate) fn indexes(&self) -> MutexGuard<'_, BTreeMap<String, Index>> {
        self.indexes.lock().unwrap()
    }

    /// Starts the data plane of an index at an address of its own.
    pub(crate) fn open_host(&self, index: &str) -> String {
        self.listen(Some(index.to_owned()))
    }

    /// Listens as the control plane, or as an index. Returns host and port.
    pub(crate) fn listen(&self, index: Option<String>) -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = self.clone();
        let router = Router::new().fallback(move |request: Request| {
            let server = server.clone();
            let index = index.clone();
            async move { server.answer(index.as_deref(), request).await.response() }
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        address
    }

    async fn answer(&self, index: Option<&str>, request: Request) -> Answer {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let url = Url::parse("http://stand.in").unwrap().join(&parts.uri.to_string()).unwrap();
        let json = (!body.is_empty()).then(|| serde_json::from_slice::<Value>(&body));
        let json = json.transpose();
        let seen = json.as_ref().ok().cloned().flatten().unwrap_or_default();
        let planned = self.next.lock().unwrap().pop_front();
        let answer = match (planned, refused(&parts.headers, body.is_empty()), json) {
            (Some(planned), _, _) => planned,
            (None, Some(refusal), _) => refusal,
            (None, None, Err(error)) => Answer::text(400, &error.to_string()),
            (None, None, Ok(json)) => {
                let segments = url.path_segments().unwrap().map(unescaped);
                let segments: Vec<String> = segments.collect();
                let path: Vec<&str> = segments.iter().map(String::as_str).collect();
                let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
                let method = parts.method.as_str();
                match index {
                    None if !query.is_empty() => Answer::text(400, "an unknown parameter"),
                    None => control::answer(self, method, &path, json),
                    Some(index) => {
                        let request = data::Request {
                            method,
                            path: &path,
                            query: &query,
                            url_bytes: url.as_str().len(),
                            body_bytes: body.len(),
                            body: json,
                        };
                        data::answer(self, index, &request)
                    }
                }
            }
        };
        self.seen.lock().unwrap().push(Seen {
            method: parts.method.to_string(),
            path: url.path().to_owned(),
            body: seen,
            status: answer.status,
        });
        answer
    }
}

fn refused(headers: &HeaderMap, is_empty: bool) -> Option<Answer> {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|actual| actual == value);
    if !is("api-key", KEY) {
        return Some(Answer::text(401, "Unauthorized"));
    }
    if !is("x-pinecone-api-version", VERSION) {
        return Some(Answer::text(400, "the version of the API is missing or another"));
    }
    if !is_empty && !is("content-type", "application/json") {
        return Some(Answer::text(415, "the body is not declared as JSON"));
    }
    None
}

/// The segments of a path hold ASCII.
fn unescaped(segment: &str) -> String {
    let form = format!("s={}", segment.replace('+', "%2B"));
    let url = Url::parse(&format!("http://stand.in/?{form}")).unwrap();
    url.query_pairs().next().unwrap().1.into_owned()
}

impl Answer {
    fn response(self) -> Response<Body> {
        let response = Response::builder().status(self.status);
        response.header(header::CONTENT_TYPE, self.content_type).body(self.body.into()).unwrap()
    }
}
