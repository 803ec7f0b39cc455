//! One attempt of a request.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::time::timeout_at;
use tracing::{Instrument, Span, field::Empty};
use url::Url;

use super::{
    ErrorAnswer, HttpBody, HttpRequest, HttpResponse, HttpSettings, HttpTransport,
    TransportResponse,
    body::LimitedBody,
    failure::{Failure, Retry},
    redirect::{Hop, NotFollowed, Redirects},
    report::Report,
    retry::Attempt,
    scrub::Scrubber,
    status::{self, ReadError},
};
use crate::ErrorKind;

/// The longest body of an error. A longer one is cut or, with a success status, no error.
const ERROR_BODY: usize = 64 * 1024;

/// What every attempt of a client follows.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) connector: Arc<str>,
    pub(super) settings: Arc<HttpSettings>,
    pub(super) redirects: Redirects,
    pub(super) read_error: Option<Arc<ReadError>>,
    pub(super) read_success_error: Option<Arc<ReadError>>,
}

pub(super) struct Call<'a> {
    pub(super) rules: &'a Rules,
    pub(super) transport: &'a dyn HttpTransport,
    pub(super) request: &'a HttpRequest,
    pub(super) scrubber: Scrubber<'a>,
}

impl Call<'_> {
    pub(super) async fn read(&self, attempt: Attempt) -> Result<HttpResponse, Failure> {
        self.in_time(attempt, pin!(self.whole())).await
    }

    /// Includes decoding, so that a truncated body is requested again.
    pub(super) async fn read_json<T>(&self, attempt: Attempt) -> Result<HttpResponse<T>, Failure>
    where
        T: DeserializeOwned,
    {
        let decoded = async { self.whole().await?.decoded(|url| self.report(url)) };
        self.in_time(attempt, pin!(decoded)).await
    }

    /// The body is read later, with its own timeout.
    pub(super) async fn open(&self, attempt: Attempt) -> Result<HttpResponse<HttpBody>, Failure> {
        let opened = async {
            let response = self.successful().await?;
            if let Err(failure) = response.body.announced(&response.headers) {
                return Err(failure.into_failure(&self.report(&response.url)));
            }
            let connector = Arc::clone(&self.rules.connector);
            let url = response.url.clone();
            let total = self.rules.settings.stream_timeout;
            let body = |body| HttpBody::new(body, connector, self.request.secrets(), url, total);
            Ok(response.map_body(body))
        };
        self.in_time(attempt, pin!(opened)).await
    }

    /// Takes pinned work: a future by value would reserve memory twice.
    async fn in_time<T>(
        &self,
        attempt: Attempt,
        work: Pin<&mut impl Future<Output = Result<T, Failure>>>,
    ) -> Result<T, Failure> {
        let span = self.span(attempt.number);
        let timed = timeout_at(attempt.end, work.instrument(span.clone()));
        let result =
            timed.await.unwrap_or_else(|_| Err(self.too_slow(attempt.end - attempt.start)));
        if let Err(failure) = &result {
            span.record("error.type", failure.error.kind().name());
        }
        result
    }

    fn too_slow(&self, allowed: Duration) -> Failure {
        let report = self.report(self.request.url());
        let message = format!("no complete answer from {} within {allowed:?}", report.place());
        Failure::new(report.error(ErrorKind::Timeout, &message), Retry::IfIdempotent)
    }

    async fn whole(&self) -> Result<HttpResponse<Bytes>, Failure> {
        let HttpResponse { url, status, headers, mut body } = self.successful().await?;
        let body = match body.collect(&headers).await {
            Ok(body) => body,
            Err(failure) => return Err(failure.into_failure(&self.report(&url))),
        };
        let read_error = self.rules.read_success_error.as_deref();
        if let Some(read) = read_error.filter(|_| body.len() <= ERROR_BODY) {
            let answer = ErrorAnswer { status, headers: &headers, body: &body };
            if let Some(details) = read(&answer) {
                return Err(status::failure_of(&self.report(&url), &answer, false, details));
            }
        }
        Ok(HttpResponse { url, status, headers, body })
    }

    async fn successful(&self) -> Result<HttpResponse<LimitedBody>, Failure> {
        let response = self.answer().await?;
        Span::current().record("http.response.status_code", i64::from(response.status.as_u16()));
        if response.status.is_success() {
            return Ok(response);
        }
        // Boxed, so that a success reserves no memory for it.
        Err(Box::pin(self.failure(response)).await)
    }

    async fn failure(&self, response: HttpResponse<LimitedBody>) -> Failure {
        let HttpResponse { url, status, headers, body } = response;
        let (body, is_cut) = body.beginning(ERROR_BODY).await;
        let answer = ErrorAnswer { status, headers: &headers, body: &body };
        let read = self.rules.read_error.as_deref();
        let details = read.and_then(|read| read(&answer)).unwrap_or_default();
        status::failure_of(&self.report(&url), &answer, is_cut, details)
    }

    async fn answer(&self) -> Result<HttpResponse<LimitedBody>, Failure> {
        let free = self.may_leave_its_origin();
        let mut hop = Hop::first(self.request);
        loop {
            let sent = self.transport.send(hop.request()).await;
            let response =
                sent.map_err(|error| Failure::of_transport(&self.report(hop.url()), error))?;
            let is_elsewhere = hop.follow(&response, free);
            if !is_elsewhere.map_err(|refused| self.not_followed(&refused))? {
                return Ok(self.limited(hop.into_url(), response));
            }
        }
    }

    fn limited(&self, mut url: Url, response: TransportResponse) -> HttpResponse<LimitedBody> {
        // Connectors make links from it. A URL that was sent has a host, so neither call fails.
        let _ = url.set_username("").and_then(|()| url.set_password(None));
        let TransportResponse { status, mut headers, body } = response;
        self.scrubber.clean(&mut headers);
        let settings = &self.rules.settings;
        let body = LimitedBody::new(body, settings.max_body_bytes, settings.idle_timeout);
        HttpResponse { url, status, headers, body }
    }

    /// A request with a secret never leaves its origin.
    fn may_leave_its_origin(&self) -> bool {
        self.rules.redirects == Redirects::Anywhere && self.request.secrets().is_empty()
    }

    fn not_followed(&self, refused: &NotFollowed) -> Failure {
        let NotFollowed { from, status, why } = refused;
        let report = self.report(from);
        let status = status.as_u16();
        let kind = ErrorKind::UnexpectedStatus { status, code: None, excerpt: String::new() };
        Failure::last(report.error(kind, &format!("{} answered {why}", report.place())))
    }

    fn report(&self, url: &Url) -> Report<'_> {
        Report::new(&self.rules.connector, &self.scrubber, url)
    }

    /// Leaves out query and headers. Numbers are signed: exporters write unsigned ones as text.
    fn span(&self, number: u32) -> Span {
        let url = self.request.url();
        tracing::debug_span!(
            "http.attempt",
            otel.kind = "client",
            textsearch.connector = self.rules.connector.as_ref(),
            http.request.method = self.request.method().as_str(),
            http.request.resend_count = i64::from(number - 1),
            server.address = url.host_str(),
            server.port = url.port_or_known_default().map(i64::from),
            http.response.status_code = Empty,
            error.type = Empty,
        )
    }
}
