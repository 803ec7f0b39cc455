//! A provider's response.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Value, json};

/// A response as the provider would send it.
///
/// ```
/// use textsearch_conformance::{Response, core::serde_json::json};
///
/// let response = Response::json(&json!({ "results": [] })).with_header("x-request-id", "42");
/// assert_eq!(response.status, 200);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers, except those about the body's transfer.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// Makes a response with any status and content type.
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type".to_owned(), content_type.to_owned())];
        Self { status, headers, body: body.into() }
    }

    /// Makes a successful JSON response.
    ///
    /// # Panics
    /// If the value cannot be written as JSON.
    pub fn json(value: &(impl Serialize + ?Sized)) -> Self {
        let body = serde_json::to_vec(value).expect("the answer can be written as JSON");
        Self::new(200, "application/json", body)
    }

    /// Changes the status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn endless_head(&self) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} Answer\r\n", self.status);
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "Connection: close\r\n\r\n");
        head.into_bytes()
    }

    fn head(&self, length: usize) -> Vec<u8> {
        self.clone().with_header("Content-Length", length.to_string()).endless_head()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head(self.body.len());
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// Cuts the body. The length is right.
    pub(crate) fn cut(mut self) -> Self {
        self.body.truncate(self.body.len() / 2);
        self
    }

    /// Changes the body if it is JSON. The message of a new connector's placeholder, plain text, must
    /// reach the author.
    pub(crate) fn map_json(self, change: impl FnOnce(&mut Value)) -> Self {
        let Ok(mut body) = serde_json::from_slice(&self.body) else { return self };
        change(&mut body);
        Self { body: body.to_string().into_bytes(), ..self }
    }

    /// A provider that echoes the key wherever a service may look for a message. Providers differ in
    /// the type of `detail`.
    pub(crate) fn echoing(status: u16, key: &str, detail: &Value) -> Self {
        let wrong = format!("the key {key} is wrong");
        let inner = json!({ "code": key, "reason": key, "message": wrong, "detail": wrong });
        let body = json!({
            "error": { "code": key, "type": key, "status": key, "message": wrong, "errors": [inner] },
            "errors": [inner],
            "detail": detail,
            "message": wrong,
            "type": "error",
        });
        Self::json(&body).with_status(status)
    }

    /// Returns the response in wire format with only half of its body, although the headers promise
    /// all of it. For [`Action::Reset`](crate::Action::Reset) and
    /// [`Action::Stall`](crate::Action::Stall).
    pub fn half(&self) -> Vec<u8> {
        let mut bytes = self.head(self.body.len());
        bytes.extend(self.body.iter().take(self.body.len() / 2));
        bytes
    }
}

/// Makes a JSON response.
impl<B: Into<Vec<u8>>> From<(u16, B)> for Response {
    fn from((status, body): (u16, B)) -> Self {
        Self::new(status, "application/json", body)
    }
}

/// Repeats the last answer.
pub(crate) fn in_order<A: Into<Response>>(
    answers: impl IntoIterator<Item = A>,
) -> impl Fn(usize) -> Response + Send + Sync + 'static {
    let answers: Vec<Response> = answers.into_iter().map(Into::into).collect();
    move |number| {
        let answer = answers.get(number).or(answers.last());
        answer.expect("a script has at least one answer").clone()
    }
}
