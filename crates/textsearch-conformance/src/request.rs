//! A recorded request.

use serde_json::Value;
use textsearch_core::http::{HeaderMap, Method, Url};

/// A request from a connector.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The method.
    pub method: Method,
    /// The URL, with the host that the request names.
    pub url: Url,
    /// The path of the URL.
    pub path: String,
    /// The decoded parameters: the URL's, then those of a form in the body.
    pub parameters: Vec<(String, String)>,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl RecordedRequest {
    pub(crate) fn new(method: Method, url: Url, headers: HeaderMap, body: Vec<u8>) -> Self {
        let mut parameters = decoded(url.query().unwrap_or_default());
        let kind = headers.get("content-type").and_then(|kind| kind.to_str().ok());
        if kind.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded")) {
            parameters.extend(decoded(&String::from_utf8_lossy(&body)));
        }
        let path = url.path().to_owned();
        Self { method, url, path, parameters, headers, body }
    }

    /// Returns the first parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut parameters = self.parameters.iter().filter(|(other, _)| other == name);
        parameters.next().map(|(_, value)| value.as_str())
    }

    /// Returns all parameters of that name.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let parameters = self.parameters.iter().filter(|(other, _)| other == name);
        parameters.map(|(_, value)| value.as_str()).collect()
    }

    /// Returns a parameter as a number, or `default` if it isn't one.
    pub fn number(&self, name: &str, default: usize) -> usize {
        self.parameter(name).and_then(|value| value.parse().ok()).unwrap_or(default)
    }

    /// Returns the text of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the body as JSON; `null` if it isn't JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        let mut texts = self.parameters.clone();
        collect("", &self.json(), &mut texts);
        texts
    }

    /// Without headers, to recognise repeated requests.
    pub(crate) fn essence(&self) -> (String, Vec<(String, String)>) {
        (self.path.clone(), self.texts())
    }
}

/// Uses the URL parser, as servers do.
fn decoded(query: &str) -> Vec<(String, String)> {
    let url = Url::parse(&format!("http://localhost/?{query}"));
    url.map(|url| url.query_pairs().into_owned().collect()).unwrap_or_default()
}

pub(crate) fn collect(name: &str, value: &Value, texts: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::String(text) => texts.push((name.to_owned(), text.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect(name, item, texts)),
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| collect(&format!("{name}/{key}"), value, texts));
        }
        other => texts.push((name.to_owned(), other.to_string())),
    }
}
