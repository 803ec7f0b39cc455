//! The transport over `reqwest`. No other file sends anything.

use std::{
    error::Error as StdError,
    fmt, mem,
    pin::pin,
    sync::Arc,
    task::{Poll, ready},
};

use ::http::header::AUTHORIZATION;
use async_trait::async_trait;
use futures_util::stream;
use reqwest::{Client, ClientBuilder, Request, Response, redirect::Policy};

use super::{
    AddressPolicy, AddressRefused, BodyStream, HostResolver, HttpSettings, HttpTransport,
    TransportError, TransportErrorKind, TransportRequest, TransportResponse, resolver::Lookup, tls,
};

/// Sends requests with a `reqwest` client.
///
/// [`HttpClient`](super::HttpClient) creates one by itself. Create one for settings that
/// [`HttpSettings`] lacks, such as a proxy with a password, a client certificate or HTTP/2, from a
/// client of the `reqwest` crate 0.13.
///
/// ```no_run
/// use std::sync::Arc;
/// use textsearch_core::http::{HttpClient, HttpSettings, ReqwestTransport};
///
/// let proxy = reqwest::Proxy::all("http://proxy.example:3128")?.basic_auth("user", "password");
/// let client = reqwest::Client::builder().proxy(proxy).redirect(reqwest::redirect::Policy::none()).build()?;
/// let transport = Arc::new(ReqwestTransport::new(client));
/// let client = HttpClient::from_transport("brave", HttpSettings::default(), transport)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ReqwestTransport {
    client: Client,
    /// The caller built the client, which may follow redirects by itself.
    foreign: bool,
}

/// Hides the client, whose proxy or headers may hold a password.
impl fmt::Debug for ReqwestTransport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ReqwestTransport").finish_non_exhaustive()
    }
}

impl ReqwestTransport {
    /// Creates a transport. `client` must not follow redirects: build it with
    /// `redirect(Policy::none())`.
    ///
    /// A redirected response is an error, since it may have taken keys to another server.
    pub fn new(client: Client) -> Self {
        Self { client, foreign: true }
    }

    /// Uses reqwest's builder, which copies headers one by one, only to turn a URL's user and
    /// password into a header.
    fn prepared(&self, request: TransportRequest) -> Result<Request, TransportError> {
        let TransportRequest { method, url, headers, body } = request;
        let has_user = !url.username().is_empty() || url.password().is_some();
        let mut prepared = if has_user {
            self.client.request(method, url).build().map_err(failed_request)?
        } else {
            Request::new(method, url)
        };
        let credentials = mem::replace(prepared.headers_mut(), headers).remove(AUTHORIZATION);
        if let Some(value) = credentials {
            prepared.headers_mut().entry(AUTHORIZATION).or_insert(value);
        }
        if !body.is_empty() {
            *prepared.body_mut() = Some(body.into());
        }
        Ok(prepared)
    }

    /// Creates the transport that [`HttpClient`](super::HttpClient) creates by itself: with its own
    /// TLS configuration, the proxy of `settings`, and no redirects.
    ///
    /// # Errors
    /// Returns a [`TransportError`] if a setting is invalid or the root certificates can't be read.
    pub fn from_settings(settings: &HttpSettings) -> Result<Self, TransportError> {
        Self::built(builder(settings)?)
    }

    /// Returns the client, for a library that sends requests itself.
    pub fn into_client(self) -> Client {
        self.client
    }

    fn built(builder: ClientBuilder) -> Result<Self, TransportError> {
        let client = builder.redirect(Policy::none()).referer(false).build();
        client
            .map(|client| Self { client, foreign: false })
            .map_err(|error| transport_error(TransportErrorKind::Other, error))
    }
}

#[async_trait]
impl HttpTransport for ReqwestTransport {
    async fn send(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        let request = self.prepared(request)?;
        let url = self.foreign.then(|| request.url().clone());
        let response = self.client.execute(request).await.map_err(failed_request)?;
        if url.is_some_and(|url| *response.url() != url) {
            return Err(TransportError::new(TransportErrorKind::Other, FOLLOWED));
        }
        Ok(received(response))
    }
}

const FOLLOWED: &str = "the reqwest client followed a redirect by itself: build it with \
                        `redirect(Policy::none())`";

/// Sends only to addresses that a policy allows, without a proxy and without cookies. Checks each
/// URL, including redirects, and each address that a name resolves to.
#[derive(Debug, Clone)]
pub(super) struct GuardedTransport {
    policy: AddressPolicy,
    guarded: ReqwestTransport,
    /// For hosts allowed by name. A separate client, so that no other host shares its resolver or
    /// its open connections.
    trusted: ReqwestTransport,
}

impl GuardedTransport {
    pub(super) fn new(
        settings: &HttpSettings,
        policy: AddressPolicy,
        resolver: Arc<dyn HostResolver>,
    ) -> Result<Self, TransportError> {
        let with = |policy| {
            let lookup = Lookup { resolver: Arc::clone(&resolver), policy };
            let resolver = Arc::new(lookup);
            ReqwestTransport::built(builder(settings)?.no_proxy().dns_resolver(resolver))
        };
        let guarded = with(Some(policy.clone()))?;
        // Creating a client reads the root certificates.
        let trusted = if policy.allows_hosts() { with(None)? } else { guarded.clone() };
        Ok(Self { policy, guarded, trusted })
    }
}

#[async_trait]
impl HttpTransport for GuardedTransport {
    async fn send(&self, request: TransportRequest) -> Result<TransportResponse, TransportError> {
        let checked = self.policy.check_url(&request.url);
        checked.map_err(|error| TransportError::new(TransportErrorKind::Refused, error))?;
        let is_trusted = self.policy.allows_by_name(&request.url);
        let transport = if is_trusted { &self.trusted } else { &self.guarded };
        transport.send(request).await
    }
}

fn builder(settings: &HttpSettings) -> Result<ClientBuilder, TransportError> {
    let builder = Client::builder().connect_timeout(settings.connect_timeout).gzip(true);
    let builder = builder.tls_backend_preconfigured(tls::client_config()?);
    Ok(if settings.proxy { builder } else { builder.no_proxy() })
}

fn received(mut response: Response) -> TransportResponse {
    let status = response.status();
    let headers = mem::take(response.headers_mut());
    let mut rest = Some(response);
    let body: BodyStream = Box::pin(stream::poll_fn(move |context| {
        let Some(response) = &mut rest else { return Poll::Ready(None) };
        // A new future for each poll loses nothing: the response keeps the data that arrived.
        let piece = ready!(pin!(response.chunk()).poll(context)).map_err(failed_body);
        if !matches!(piece, Ok(Some(_))) {
            rest = None;
        }
        Poll::Ready(piece.transpose())
    }));
    TransportResponse::new(status, headers, body)
}

fn failed_request(error: reqwest::Error) -> TransportError {
    if let Some(refused) = cause::<AddressRefused>(&error) {
        return TransportError::new(TransportErrorKind::Refused, refused.clone());
    }
    let kind = match &error {
        error if error.is_connect() => TransportErrorKind::Connect,
        error if error.is_timeout() => TransportErrorKind::Timeout,
        error if error.is_builder() => TransportErrorKind::Other,
        _ => TransportErrorKind::Interrupted,
    };
    transport_error(kind, error)
}

fn failed_body(error: reqwest::Error) -> TransportError {
    let is_late = error.is_timeout();
    let kind = if is_late { TransportErrorKind::Timeout } else { TransportErrorKind::Interrupted };
    transport_error(kind, error)
}

/// Removes the URL, whose query may hold a key.
fn transport_error(kind: TransportErrorKind, error: reqwest::Error) -> TransportError {
    TransportError::new(kind, error.without_url())
}

fn cause<T: StdError + 'static>(error: &reqwest::Error) -> Option<&T> {
    let first = error.source();
    std::iter::successors(first, |&cause| cause.source()).find_map(|cause| cause.downcast_ref())
}
