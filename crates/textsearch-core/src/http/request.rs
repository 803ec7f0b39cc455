//! Requests and the secrets in them.

use std::{fmt, sync::Arc};

use ::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use percent_encoding::percent_decode_str;
use serde::Serialize;
use url::{Url, form_urlencoded};

use super::{Secret, displayable, report::Report, scrub::Scrubber};
use crate::{Error, ErrorKind, Result};

const FORM: &str = "application/x-www-form-urlencoded";

/// A request to a provider.
///
/// Building one cannot fail. [`HttpClient::send`](super::HttpClient::send) returns an error for an
/// invalid one, such as a header value with a line break, before it sends anything.
///
/// ```
/// use textsearch_core::http::{HttpRequest, Secret, Url};
///
/// let endpoint = Url::parse("https://api.example.com/search")?;
/// let request = HttpRequest::get(endpoint)
///     .with_query("q", "to be & not")
///     .with_secret_header("x-api-key", &Secret::from("open sesame"));
/// assert_eq!(request.url().query(), Some("q=to+be+%26+not"));
/// assert!(!format!("{request:?}").contains("sesame"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct HttpRequest(Box<Parts>);

/// Boxed, because requests are moved often.
#[derive(Clone)]
struct Parts {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Bytes,
    is_idempotent: Option<bool>,
    secrets: Vec<Secret>,
    problem: Option<Problem>,
}

/// Lacks the value, which may be a secret.
#[derive(Clone)]
struct Problem {
    option: String,
    value: String,
    allowed: &'static str,
}

impl HttpRequest {
    /// Creates a request without headers and body.
    pub fn new(method: Method, url: Url) -> Self {
        let secrets = secrets_of(&url);
        let headers = HeaderMap::new();
        let body = Bytes::new();
        Self(Box::new(Parts {
            method,
            url,
            headers,
            body,
            is_idempotent: None,
            secrets,
            problem: None,
        }))
    }

    /// Creates a `GET` request.
    pub fn get(url: Url) -> Self {
        Self::new(Method::GET, url)
    }

    /// Creates a `POST` request. Call [`with_idempotent`](Self::with_idempotent) if sending it
    /// twice is harmless.
    pub fn post(url: Url) -> Self {
        Self::new(Method::POST, url)
    }

    /// Adds a form-encoded parameter to the query of the URL.
    #[must_use]
    pub fn with_query(mut self, name: &str, value: &str) -> Self {
        self.0.url.query_pairs_mut().append_pair(name, value);
        self
    }

    /// Adds parameters to the query of the URL, in this order.
    ///
    /// ```
    /// use textsearch_core::http::{HttpRequest, Url};
    ///
    /// let request = HttpRequest::get(Url::parse("https://example.com/")?);
    /// let request = request.with_query_pairs([("q", "rust"), ("count", "5")]);
    /// assert_eq!(request.url().query(), Some("q=rust&count=5"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_query_pairs<N, V>(mut self, parameters: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        let mut parameters = parameters.into_iter().peekable();
        // An empty list would add a `?` to the URL.
        if parameters.peek().is_some() {
            self.0.url.query_pairs_mut().extend_pairs(parameters);
        }
        self
    }

    /// Adds a query parameter that must not be printed. Prefer
    /// [`with_secret_header`](Self::with_secret_header) if the provider accepts it: servers and
    /// proxies log URLs.
    #[must_use]
    pub fn with_secret_query(self, name: &str, secret: &Secret) -> Self {
        self.with_query(name, secret.expose()).with_secret(secret)
    }

    /// Sets a header. A [`HeaderName`] is faster than text, which is parsed for each request.
    #[must_use]
    pub fn with_header(
        mut self,
        name: impl AsRef<str> + TryInto<HeaderName> + Clone,
        value: &str,
    ) -> Self {
        self.set_header(name, HeaderValue::from_str(value).ok());
        self
    }

    /// Sets a header that must not be printed.
    #[must_use]
    pub fn with_secret_header(
        self,
        name: impl AsRef<str> + TryInto<HeaderName> + Clone,
        secret: &Secret,
    ) -> Self {
        self.with_prefixed_secret(name, "", secret)
    }

    /// Sets `Authorization: Bearer` with a token that must not be printed.
    #[must_use]
    pub fn with_bearer(self, token: &Secret) -> Self {
        self.with_prefixed_secret(header::AUTHORIZATION, "Bearer ", token)
    }

    /// Registers a secret that the request carries, for example in its body. It is removed from
    /// errors, and the request stays within its origin.
    #[must_use]
    pub fn with_secret(mut self, secret: &Secret) -> Self {
        self.0.secrets.push(secret.clone());
        self
    }

    /// Sets a JSON body and its `Content-Type`.
    #[must_use]
    pub fn with_json(mut self, body: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_vec(body) {
            Ok(json) => self.with_body("application/json", json),
            Err(error) => {
                self.note("body", format!("not JSON ({error})"), "what can be written as JSON");
                self
            }
        }
    }

    /// Sets a body and its `Content-Type`.
    #[must_use]
    pub fn with_body(mut self, content_type: &str, body: impl Into<Bytes>) -> Self {
        self.0.body = body.into();
        self.with_header(header::CONTENT_TYPE, content_type)
    }

    /// Returns whether the body is a form.
    #[cfg(feature = "web")]
    pub(crate) fn is_form(&self) -> bool {
        self.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == FORM)
    }

    /// Adds parameters to a form in the body, and sets its `Content-Type`.
    ///
    /// ```
    /// use textsearch_core::http::{HttpRequest, Url};
    ///
    /// let request = HttpRequest::post(Url::parse("https://example.com/")?);
    /// let request = request.with_form([("q", "to be & not")]).with_form([("page", "2")]);
    /// assert_eq!(request.body(), "q=to+be+%26+not&page=2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_form<N, V>(self, parameters: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        let body = String::from_utf8_lossy(&self.0.body).into_owned();
        let mut form = form_urlencoded::Serializer::for_suffix(body, 0);
        let form = form.extend_pairs(parameters).finish();
        self.with_body(FORM, form)
    }

    /// Sets whether sending the request twice has the same effect as once, so that it may be
    /// retried even if the server has seen it. By default, `GET` is idempotent and `POST` is not.
    #[must_use]
    pub fn with_idempotent(mut self, enabled: bool) -> Self {
        self.0.is_idempotent = Some(enabled);
        self
    }

    /// Returns the method.
    pub(crate) fn method(&self) -> &Method {
        &self.0.method
    }

    /// Returns the URL as sent. For logs, use [`displayable`].
    pub fn url(&self) -> &Url {
        &self.0.url
    }

    /// Returns the headers; secret ones are marked sensitive.
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// Returns the body; empty if there is none.
    pub fn body(&self) -> &Bytes {
        &self.0.body
    }

    pub(crate) fn is_idempotent(&self) -> bool {
        self.0.is_idempotent.unwrap_or_else(|| self.0.method.is_idempotent())
    }

    /// Creates an error about the provider's response, such as an error with a success status. The
    /// message is bounded in length and loses the secrets of the request.
    ///
    /// ```
    /// use textsearch_core::{ErrorKind, http::{HttpRequest, Secret, Url}};
    ///
    /// let request = HttpRequest::get(Url::parse("https://api.example.com/?q=1")?).with_bearer(&Secret::from("sesame"));
    /// let error = request.error("example", ErrorKind::Unavailable, "sesame is not open");
    /// assert_eq!(error.to_string(), "example: https://api.example.com/: *** is not open");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn error(&self, connector: &str, kind: ErrorKind, message: &str) -> Error {
        let scrubber = Scrubber::new(&self.0.secrets);
        let report = Report::new(&Arc::from(connector), &scrubber, &self.0.url);
        let message = report.scrubber.line(message);
        report.error(kind, &format!("{}: {message}", report.place()))
    }

    pub(super) fn default_header(&mut self, name: HeaderName, value: impl FnOnce() -> HeaderValue) {
        self.0.headers.entry(name).or_insert_with(value);
    }

    pub(super) fn secrets(&self) -> &[Secret] {
        &self.0.secrets
    }

    pub(super) fn check(&self, connector: &str) -> Result<()> {
        match &self.0.problem {
            None => Ok(()),
            Some(problem) => {
                let Problem { option, value, allowed } = problem;
                Err(Error::invalid_options(connector, option, value, *allowed))
            }
        }
    }

    fn with_prefixed_secret(
        mut self,
        name: impl AsRef<str> + TryInto<HeaderName> + Clone,
        prefix: &str,
        secret: &Secret,
    ) -> Self {
        self.0.secrets.push(secret.clone());
        self.set_header(name, secret.header_value(prefix).ok());
        self
    }

    fn set_header(
        &mut self,
        name: impl AsRef<str> + TryInto<HeaderName> + Clone,
        value: Option<HeaderValue>,
    ) {
        let text = name.clone();
        let text = text.as_ref();
        match (name.try_into(), value) {
            (Ok(name), Some(value)) => {
                self.0.headers.insert(name, value);
            }
            (Err(_), _) => self.note(text, "not the name of a header", "letters, digits and `-`"),
            (_, None) => {
                self.note(text, "not a header value", "visible ASCII characters and spaces");
            }
        }
    }

    /// Keeps the first problem: later ones are often its consequences.
    fn note(&mut self, option: &str, value: impl Into<String>, allowed: &'static str) {
        let option = option.to_owned();
        let value = value.into();
        self.0.problem.get_or_insert(Problem { option, value, allowed });
    }
}

/// Returns the forms of the URL's password that a server may echo.
fn secrets_of(url: &Url) -> Vec<Secret> {
    let Some(password) = url.password() else { return Vec::new() };
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = decoded(url.username());
    let plain = decoded(password);
    let header = STANDARD.encode(format!("{user}:{plain}"));
    vec![Secret::from(password), Secret::from(plain), Secret::from(header)]
}

/// Hides the query, header values and body.
impl fmt::Debug for HttpRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpRequest")
            .field("method", &self.0.method)
            .field("url", &displayable(&self.0.url))
            .field("headers", &self.0.headers.keys().collect::<Vec<_>>())
            .field("body_bytes", &self.0.body.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> HttpRequest {
        HttpRequest::post(Url::parse("https://api.example.com/search").unwrap())
    }

    fn problem(request: &HttpRequest) -> String {
        request.check("tavily").unwrap_err().to_string()
    }

    #[test]
    fn a_value_cannot_add_a_parameter_to_the_query() {
        let request = request().with_query("q", "a&key=b#c").with_query("größe", "1");
        assert_eq!(request.url().query(), Some("q=a%26key%3Db%23c&gr%C3%B6%C3%9Fe=1"));
    }

    #[test]
    fn json_sets_body_and_content_type() {
        let request = request().with_json(&[1, 2]);
        assert_eq!(request.body(), "[1,2]");
        assert_eq!(request.headers()[header::CONTENT_TYPE], "application/json");
    }

    #[test]
    fn secrets_are_registered_wherever_they_go() {
        let secret = Secret::from("open sesame");
        let request = request()
            .with_bearer(&secret)
            .with_secret_header("x-key", &secret)
            .with_secret_query("key", &secret)
            .with_secret(&secret);
        assert_eq!(request.secrets().len(), 4);
        assert!(request.headers()[header::AUTHORIZATION].is_sensitive());
        assert!(request.headers()["x-key"].is_sensitive());
        assert!(!format!("{request:?}").contains("sesame"));
    }

    #[test]
    fn url_passwords_are_secret_in_every_encoding() {
        let url = Url::parse("https://me:open%2Fsesame@example.com").unwrap();
        let request = HttpRequest::get(url);
        let secrets: Vec<&str> = request.secrets().iter().map(Secret::expose).collect();
        assert_eq!(secrets, ["open%2Fsesame", "open/sesame", "bWU6b3Blbi9zZXNhbWU="]);
    }

    #[test]
    fn an_invalid_part_is_named_without_its_value() {
        let secret = Secret::from("open\nsesame");
        let expected = "tavily: `x-key` is not a header value; \
                        expected visible ASCII characters and spaces";
        assert_eq!(problem(&request().with_secret_header("x-key", &secret)), expected);
        let named = problem(&request().with_header("x key", "1").with_header("x", "a\nb"));
        assert!(named.starts_with("tavily: `x key` is not the name of a header"), "{named}");
        let map = std::collections::HashMap::from([((1, 2), 3)]);
        assert!(problem(&request().with_json(&map)).contains("`body` is not JSON"));
    }

    #[test]
    fn the_method_decides_retries_unless_the_connector_overrides() {
        assert!(HttpRequest::get(request().url().clone()).is_idempotent());
        assert!(!request().is_idempotent());
        assert!(request().with_idempotent(true).is_idempotent());
    }
}
