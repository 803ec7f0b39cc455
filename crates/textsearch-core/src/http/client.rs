//! The client that a connector holds.

use std::{fmt, sync::Arc};

use ::http::{HeaderValue, header};
use serde::de::DeserializeOwned;

#[cfg(feature = "reqwest")]
use super::{AddressPolicy, HostResolver, SystemResolver, reqwest_transport::GuardedTransport};
use super::{
    ErrorAnswer, HttpBody, HttpRequest, HttpResponse, HttpSettings, HttpTransport, ProviderError,
    TransportError, attempt::Call, lazy_transport::LazyTransport, redirect::Redirects,
    retry::with_retries, scrub::Scrubber, status::ReadError,
};
use crate::{Error, ErrorKind, Result};

/// Sends the requests of one connector, with retries, limits and errors as the [module](super) says.
///
/// Make one and keep it: it holds the open connections. Clones are cheap and share them.
#[derive(Clone)]
pub struct HttpClient {
    pub(super) connector: Arc<str>,
    pub(super) settings: Arc<HttpSettings>,
    transport: Arc<LazyTransport>,
    pub(super) redirects: Redirects,
    pub(super) user_agent: HeaderValue,
    pub(super) read_error: Option<Arc<ReadError>>,
}

impl HttpClient {
    /// A client for the provider of `connector`, whose name is in each of its errors.
    ///
    /// The first request makes the transport and reads the root certificates: [`send`](Self::send) returns
    /// [`ErrorKind::Backend`] if that fails, or if the build lacks the feature `reqwest`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOptions`] that names the setting that could never work.
    pub fn new(connector: impl Into<Arc<str>>, settings: HttpSettings) -> Result<Self> {
        Self::with(connector.into(), settings, LazyTransport::default())
    }

    /// A client that sends with `transport`: your own `reqwest::Client` in a `ReqwestTransport`, another HTTP client, or
    /// recorded responses.
    ///
    /// The connect timeout and the proxy are the transport's own then; all other settings hold.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOptions`] that names the setting that could never work.
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
        let (settings, transport) = (Arc::new(settings), Arc::new(transport));
        let redirects = Redirects::WithinOrigin;
        Ok(Self { connector, settings, transport, redirects, user_agent, read_error: None })
    }

    /// A client for URLs that others wrote: to the addresses that `policy` allows, checked at each redirect and each
    /// time a name is resolved; without proxy and cookies. Redirects lead to other origins too.
    ///
    /// ```
    /// use textsearch_core::http::{AddressPolicy, HttpClient, HttpRequest, HttpSettings, Url};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let policy = AddressPolicy::public_only();
    /// let client = HttpClient::for_untrusted_urls("web-page", HttpSettings::default(), policy)?;
    /// let error = client.send(HttpRequest::get(Url::parse("http://2130706433/")?)).await.unwrap_err();
    /// assert_eq!(error.message(), "http://127.0.0.1/: `127.0.0.1` is a loopback address: not allowed");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`ErrorKind::Backend`] where no client can be built.
    #[cfg(feature = "reqwest")]
    pub fn for_untrusted_urls(
        connector: impl Into<Arc<str>>,
        settings: HttpSettings,
        policy: AddressPolicy,
    ) -> Result<Self> {
        Self::for_untrusted_urls_with(connector, settings, policy, SystemResolver)
    }

    /// The same with another resolver than the system's.
    ///
    /// # Errors
    /// As [`for_untrusted_urls`](Self::for_untrusted_urls).
    #[cfg(feature = "reqwest")]
    pub fn for_untrusted_urls_with(
        connector: impl Into<Arc<str>>,
        settings: HttpSettings,
        policy: AddressPolicy,
        resolver: impl HostResolver + 'static,
    ) -> Result<Self> {
        let connector = connector.into();
        settings.check(&connector)?;
        let transport = GuardedTransport::new(&settings, policy, Arc::new(resolver));
        let transport = transport.map_err(|error| cannot_build(&connector, error))?;
        let client = Self::from_transport(connector, settings, transport)?;
        Ok(Self { redirects: Redirects::Anywhere, ..client })
    }

    /// Reads the errors of the provider with `read`, which says more than their status does; see [`ProviderError`].
    #[must_use]
    pub fn with_error_reader(
        mut self,
        read: impl Fn(&ErrorAnswer<'_>) -> Option<ProviderError> + Send + Sync + 'static,
    ) -> Self {
        self.read_error = Some(Arc::new(read));
        self
    }

    /// The name of the connector.
    pub fn connector(&self) -> &str {
        &self.connector
    }

    /// The settings.
    pub fn settings(&self) -> &HttpSettings {
        &self.settings
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOptions`] where the request cannot be sent or the address rules refuse it;
    /// [`ErrorKind::Backend`] where nothing can be sent at all; [`ErrorKind::Unavailable`] where no connection came about
    /// or the answer broke off; [`ErrorKind::Timeout`] where it did not come in time; [`ErrorKind::Undecodable`] where it
    /// is too long. A status other than success is [`ErrorKind::Authentication`] (401, 403),
    /// [`ErrorKind::QuotaExceeded`] (402), [`ErrorKind::RateLimited`] (429), [`ErrorKind::Unavailable`] (408, 500, 502 to
    /// 504) or [`ErrorKind::UnexpectedStatus`], unless the [error reader](Self::with_error_reader) knows better.
    pub async fn send(&self, mut request: HttpRequest) -> Result<HttpResponse> {
        let call = self.call(&mut request)?;
        with_retries(&self.settings, call.request.is_idempotent(), |attempt| call.read(attempt))
            .await
    }

    /// Sends a request and reads the answer as JSON, which the request asks for unless it has an `Accept` of its own.
    ///
    /// # Errors
    /// As [`send`](Self::send), and [`ErrorKind::Undecodable`] where the answer is a page of HTML or not JSON of this
    /// shape: the message says what was wrong at which line and column.
    pub async fn send_json<T>(&self, mut request: HttpRequest) -> Result<HttpResponse<T>>
    where
        T: DeserializeOwned,
    {
        request.default_header(header::ACCEPT, || HeaderValue::from_static("application/json"));
        let call = self.call(&mut request)?;
        with_retries(&self.settings, call.request.is_idempotent(), |attempt| {
            call.read_json(attempt)
        })
        .await
    }

    /// Sends a request and returns as soon as the headers are there; the body is then read as it arrives. A failure
    /// after that is not tried again.
    ///
    /// # Errors
    /// As [`send`](Self::send), as far as status and headers go.
    pub async fn open(&self, mut request: HttpRequest) -> Result<HttpResponse<HttpBody>> {
        let call = self.call(&mut request)?;
        with_retries(&self.settings, call.request.is_idempotent(), |attempt| call.open(attempt))
            .await
    }

    fn call<'a>(&'a self, request: &'a mut HttpRequest) -> Result<Call<'a>> {
        request.check(&self.connector)?;
        request.default_header(header::USER_AGENT, || self.user_agent.clone());
        // Before any time begins to count: making one reads files.
        let transport = self.transport.made(&self.settings);
        let transport = transport.map_err(|error| cannot_build(&self.connector, error))?;
        let request = &*request;
        let scrubber = Scrubber::new(request.secrets());
        Ok(Call { client: self, transport, request, scrubber })
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
            .field("connector", &self.connector)
            .field("settings", &self.settings)
            .field("transport", &self.transport)
            .finish_non_exhaustive()
    }
}
