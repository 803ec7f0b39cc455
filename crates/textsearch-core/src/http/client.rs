//! The client of a connector.

use std::{fmt, sync::Arc};

use ::http::{HeaderValue, header};
use serde::de::DeserializeOwned;

#[cfg(feature = "reqwest")]
use super::{AddressPolicy, HostResolver, reqwest_transport::GuardedTransport};
use super::{
    ErrorAnswer, ErrorDetails, HttpBody, HttpRequest, HttpResponse, HttpSettings, HttpTransport,
    TransportError,
    attempt::{Call, Rules},
    lazy_transport::LazyTransport,
    redirect::Redirects,
    retry::with_retries,
    scrub::Scrubber,
};
use crate::{Error, ErrorKind, Result};

/// Sends the requests of one connector: see the [module](super).
///
/// Keep it: it holds the open connections. Clones are cheap and share them.
#[derive(Clone)]
pub struct HttpClient {
    rules: Rules,
    transport: Arc<LazyTransport>,
    user_agent: HeaderValue,
}

impl HttpClient {
    /// Creates a client for the provider of `connector`, whose name is in each error.
    ///
    /// The first request creates the transport and reads the root certificates.
    /// [`send`](Self::send) returns [`ErrorKind::Backend`] if that fails, or without the feature
    /// `reqwest`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOptions`], naming the setting, if a setting could never work.
    pub fn new(connector: impl Into<Arc<str>>, settings: HttpSettings) -> Result<Self> {
        Self::with(connector.into(), settings, LazyTransport::default())
    }

    /// Creates a client that sends with `transport`, such as your own `reqwest::Client` in a
    /// `ReqwestTransport`.
    ///
    /// The transport decides the connect timeout and the proxy; all other settings apply.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOptions`], naming the setting, if a setting could never work.
    pub fn from_transport(
        connector: impl Into<Arc<str>>,
        settings: HttpSettings,
        transport: impl HttpTransport + 'static,
    ) -> Result<Self> {
        Self::with(
            connector.into(),
            settings,
            LazyTransport::from(Arc::new(transport) as Arc<dyn HttpTransport>),
        )
    }

    fn with(connector: Arc<str>, settings: HttpSettings, transport: LazyTransport) -> Result<Self> {
        settings.check(&connector)?;
        let user_agent = settings.user_agent_header(&connector)?;
        let rules = Rules {
            connector,
            settings: Arc::new(settings),
            redirects: Redirects::WithinOrigin,
            read_error: None,
            read_success_error: None,
        };
        Ok(Self { rules, transport: Arc::new(transport), user_agent })
    }

    /// Creates a client for URLs that others wrote. It connects only to addresses that `policy`
    /// allows, checked at each redirect and name resolution by `resolver`, such as
    /// [`SystemResolver`](super::SystemResolver). It uses no proxy and no cookies, and follows redirects
    /// to other origins, too.
    ///
    /// ```
    /// use textsearch_core::http::{
    ///     AddressPolicy, HttpClient, HttpRequest, HttpSettings, SystemResolver, Url,
    /// };
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (settings, policy) = (HttpSettings::default(), AddressPolicy::public_only());
    /// let client = HttpClient::for_untrusted_urls("web-page", settings, policy, SystemResolver::default())?;
    /// let error = client.send(HttpRequest::get(Url::parse("http://2130706433/")?)).await.unwrap_err();
    /// assert_eq!(error.message(), "http://127.0.0.1/: `127.0.0.1` is a loopback address: not allowed");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`ErrorKind::Backend`] if no client can be built.
    #[cfg(feature = "reqwest")]
    pub fn for_untrusted_urls(
        connector: impl Into<Arc<str>>,
        settings: HttpSettings,
        policy: AddressPolicy,
        resolver: impl HostResolver + 'static,
    ) -> Result<Self> {
        let connector = connector.into();
        settings.check(&connector)?;
        let transport = GuardedTransport::new(&settings, policy, Arc::new(resolver));
        let transport = transport.map_err(|error| cannot_build(&connector, error))?;
        let mut client = Self::from_transport(connector, settings, transport)?;
        client.rules.redirects = Redirects::Anywhere;
        Ok(client)
    }

    /// Follows redirects only within the origin of the request, as clients of providers do anyway: for a crawler,
    /// which asks each host for its rules.
    #[must_use]
    pub fn with_redirects_within_origin(mut self) -> Self {
        self.rules.redirects = Redirects::WithinOrigin;
        self
    }

    /// Sets the reader of responses with an error status: see [`ErrorDetails`].
    #[must_use]
    pub fn with_error_reader(
        mut self,
        read: impl Fn(&ErrorAnswer<'_>) -> Option<ErrorDetails> + Send + Sync + 'static,
    ) -> Self {
        self.rules.read_error = Some(Arc::new(read));
        self
    }

    /// Sets the reader of errors in responses with a success status. [`send`](Self::send) and
    /// [`send_json`](Self::send_json) call it with each body of at most 64 KiB, before they decode
    /// it. A longer body is never an error, and not parsed twice. `None` means no error.
    ///
    /// An error without a [kind](ErrorDetails::kind) is [`ErrorKind::UnexpectedStatus`]. The
    /// kind decides about retries: always for `RateLimited`, for
    /// [idempotent](HttpRequest::with_idempotent) requests for `Unavailable` and `Timeout`, and never
    /// for others.
    ///
    /// ```
    /// use textsearch_core::{ErrorKind, http::{HttpClient, HttpSettings, ErrorDetails}};
    ///
    /// # fn main() -> textsearch_core::Result<()> {
    /// let client = HttpClient::new("mediawiki", HttpSettings::default())?;
    /// let client = client.with_success_error_reader(|answer| {
    ///     let code = answer.headers.get("mediawiki-api-error")?.to_str().ok()?;
    ///     let kind = (code == "ratelimited").then_some(ErrorKind::RateLimited);
    ///     Some(ErrorDetails { kind, code: Some(code.to_owned()), ..ErrorDetails::default() })
    /// });
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_success_error_reader(
        mut self,
        read: impl Fn(&ErrorAnswer<'_>) -> Option<ErrorDetails> + Send + Sync + 'static,
    ) -> Self {
        self.rules.read_success_error = Some(Arc::new(read));
        self
    }

    /// Returns the settings.
    pub fn settings(&self) -> &HttpSettings {
        &self.rules.settings
    }

    /// Sends a request and reads the whole response.
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidOptions`] if the request is invalid or the address rules refuse it
    /// - [`ErrorKind::Backend`] if nothing can be sent at all
    /// - [`ErrorKind::Unavailable`] if the connection fails or the response breaks off
    /// - [`ErrorKind::Timeout`] if the response is not there in time
    /// - [`ErrorKind::Undecodable`] if the response is too long
    ///
    /// A status other than success is [`ErrorKind::Authentication`] (401, 403),
    /// [`ErrorKind::QuotaExceeded`] (402), [`ErrorKind::RateLimited`] (429),
    /// [`ErrorKind::Unavailable`] (408, 500, 502 to 504) or [`ErrorKind::UnexpectedStatus`], unless
    /// the [error reader](Self::with_error_reader) decides otherwise. A success is an error if the
    /// [reader of successes](Self::with_success_error_reader) finds one.
    pub async fn send(&self, mut request: HttpRequest) -> Result<HttpResponse> {
        let call = self.call(&mut request)?;
        with_retries(&self.rules.settings, call.request.is_idempotent(), |attempt| {
            call.read(attempt)
        })
        .await
    }

    /// Sends a request and reads the response as JSON. Sets `Accept` unless the request has it.
    ///
    /// # Errors
    /// As [`send`](Self::send), and [`ErrorKind::Undecodable`], with the line and the column, if
    /// the response is an HTML page or isn't JSON of this shape.
    pub async fn send_json<T>(&self, mut request: HttpRequest) -> Result<HttpResponse<T>>
    where
        T: DeserializeOwned,
    {
        request.default_header(header::ACCEPT, || HeaderValue::from_static("application/json"));
        let call = self.call(&mut request)?;
        with_retries(&self.rules.settings, call.request.is_idempotent(), |attempt| {
            call.read_json(attempt)
        })
        .await
    }

    /// Sends a request and returns once the headers arrive; the caller reads the body. A failure
    /// after the headers is not retried.
    ///
    /// # Errors
    /// As [`send`](Self::send), for the status and the headers.
    pub async fn open(&self, mut request: HttpRequest) -> Result<HttpResponse<HttpBody>> {
        let call = self.call(&mut request)?;
        with_retries(&self.rules.settings, call.request.is_idempotent(), |attempt| {
            call.open(attempt)
        })
        .await
    }

    fn call<'a>(&'a self, request: &'a mut HttpRequest) -> Result<Call<'a>> {
        request.check(&self.rules.connector)?;
        request.default_header(header::USER_AGENT, || self.user_agent.clone());
        // Before any time counts: creating a transport reads files.
        let transport = self.transport.made(&self.rules.settings);
        let transport = transport.map_err(|error| cannot_build(&self.rules.connector, error))?;
        let request = &*request;
        let scrubber = Scrubber::new(request.secrets());
        Ok(Call { rules: &self.rules, transport, request, scrubber })
    }
}

fn cannot_build(connector: &str, error: TransportError) -> Error {
    let message = "cannot build an HTTP client";
    Error::new(ErrorKind::Backend, connector, message).with_source(error.into_source())
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpClient")
            .field("connector", &self.rules.connector)
            .field("settings", &self.rules.settings)
            .field("transport", &self.transport)
            .finish_non_exhaustive()
    }
}
