//! Fetches and reads a page.

use std::{num::NonZero, sync::Arc, thread::available_parallelism};

use textsearch_core::{
    Error, ErrorKind, Result,
    http::{
        AddressPolicy, HostResolver, HttpBody, HttpClient, HttpRequest, HttpResponse,
        SystemResolver, Url, displayable,
    },
};
use textsearch_html::tidy;
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

use crate::{
    WebPage, WebPageSettings, charset,
    content_type::{self, Kind, UnsupportedContentType},
    html::{self, Readable},
};

pub(crate) const CONNECTOR: &str = "web-page";

/// Reads web pages as text, from public addresses only.
///
/// A URL from a search engine, a document or a model may point into your own network. So
/// [`AddressPolicy`](textsearch_core::http::AddressPolicy) checks every request: literal addresses
/// in any spelling, names on each resolution, and each redirect (at most five). No cookies, keys or
/// proxies are used.
///
/// A stranger wrote the text, and it may contain instructions to a model. Pass it to a model as
/// data, as the templates of `textsearch-prompt` do with all insertions.
///
/// ```no_run
/// use textsearch_web_page::{WebPageReader, WebPageSettings};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_core::Result<()> {
/// let reader = WebPageReader::new(WebPageSettings::default())?;
/// let page = reader.read("https://www.rust-lang.org/learn").await?;
/// println!("{}\n\n{}", page.title.unwrap_or_default(), page.text);
/// # Ok(())
/// # }
/// ```
///
/// Clones are cheap and share connections. Requires a `tokio` runtime with I/O and time enabled.
#[derive(Debug, Clone)]
pub struct WebPageReader {
    client: HttpClient,
    addresses: AddressPolicy,
    /// Parsing is CPU-bound: at most one page per processor is parsed at a time.
    workers: Arc<Semaphore>,
}

impl WebPageReader {
    /// Creates a reader.
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidOptions`], naming the setting, if a setting can't work.
    /// - [`ErrorKind::Backend`] if the HTTP client can't be built.
    pub fn new(settings: WebPageSettings) -> Result<Self> {
        Self::with_resolver(settings, SystemResolver::default())
    }

    /// Creates a reader with a custom resolver. Its answers are checked like the system resolver's.
    ///
    /// # Errors
    /// Same as [`new`](Self::new).
    pub fn with_resolver(
        settings: WebPageSettings,
        resolver: impl HostResolver + 'static,
    ) -> Result<Self> {
        let WebPageSettings { addresses, http } = settings;
        let policy = addresses.clone();
        let client = HttpClient::for_untrusted_urls(CONNECTOR, http, policy, resolver)?;
        let workers = available_parallelism().map_or(1, NonZero::get);
        Ok(Self { client, addresses, workers: Arc::new(Semaphore::new(workers)) })
    }

    /// Reads the page at a URL, given as text or [`Url`].
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidOptions`] if the URL is invalid or the address rules refuse it.
    /// - [`ErrorKind::Timeout`] if reading takes too long.
    /// - [`ErrorKind::Undecodable`] if the page is too long, too complex (see
    ///   [`MAX_DEPTH`](crate::MAX_DEPTH) and [`MAX_ELEMENTS`](crate::MAX_ELEMENTS)), or neither
    ///   HTML nor plain text. The last has an [`UnsupportedContentType`] as its source.
    /// - [`ErrorKind::Unavailable`] and the kinds for HTTP statuses, as in [`HttpClient::send`].
    pub async fn read(&self, url: impl AsRef<str> + Send) -> Result<WebPage> {
        self.try_read(url).await.map_err(|failure| failure.error)
    }

    /// The error also tells whether the body was too large.
    pub(crate) async fn try_read(
        &self,
        url: impl AsRef<str> + Send,
    ) -> Result<WebPage, ReadFailure> {
        let url = Url::parse(url.as_ref()).map_err(|error| {
            let is_absolute = url.as_ref().contains("://");
            let value = if is_absolute { error.to_string() } else { "not absolute".to_owned() };
            let allowed = "an absolute URL such as https://example.com/";
            Error::invalid_options(CONNECTOR, "url", value, allowed)
        })?;
        let place = displayable(&url);
        let allowed = self.client.settings().total_timeout;
        timeout(allowed, self.fetch(url)).await.unwrap_or_else(|_| {
            let message = format!("{place} took longer than the allowed {allowed:?}");
            Err(Error::new(ErrorKind::Timeout, CONNECTOR, message).into())
        })
    }

    /// Returns whether a service may see the URL: of a public address, not of an allowed host. A name without
    /// a dot, such as `wiki`, is one of an own network.
    pub(crate) fn is_public(&self, url: &Url) -> bool {
        let has_dot = |name: &str| name.trim_end_matches('.').contains('.');
        self.addresses.check_url(url).is_ok()
            && !self.addresses.allows_by_name(url)
            && url.domain().is_none_or(has_dot)
    }

    async fn fetch(&self, url: Url) -> Result<WebPage, ReadFailure> {
        let request = HttpRequest::get(url)
            .with_header("accept", "text/html, application/xhtml+xml, text/plain;q=0.9");
        // Fails early if the announced length exceeds the limit.
        let response = self.client.open(request).await.map_err(ReadFailure::of_body)?;
        // Never fetch the body of a video.
        let kind = content_type::read(response.content_type());
        let kind = kind.map_err(|media_type| unsupported(&response.url, &media_type))?;
        let charset = response.charset().map(str::to_owned);
        let HttpResponse { url, body, .. } = response;
        let body = whole(body).await.map_err(ReadFailure::of_body)?;
        let read = move || read_body(&body, kind, charset.as_deref());
        let Readable { title, byline, language, excerpt, published, text } =
            self.on_a_worker(&url, read).await?;
        Ok(WebPage { url, title, byline, language, excerpt, published, text })
    }

    async fn on_a_worker(
        &self,
        url: &Url,
        read: impl FnOnce() -> Result<Readable, String> + Send + 'static,
    ) -> Result<Readable> {
        let permit = Arc::clone(&self.workers).acquire_owned().await;
        let read = spawn_blocking(move || {
            let _permit = permit;
            read()
        });
        // A panic in the parser becomes an error.
        let read = read.await.unwrap_or_else(|_| Err("HTML that crashes the parser".to_owned()));
        read.map_err(|why| {
            let message = format!("{} has {why}", displayable(url));
            Error::new(ErrorKind::Undecodable, CONNECTOR, message)
        })
    }
}

#[derive(Debug)]
pub(crate) struct ReadFailure {
    pub(crate) error: Error,
    /// There's no error kind for it.
    pub(crate) is_too_large: bool,
}

impl ReadFailure {
    fn of_body(error: Error) -> Self {
        let is_too_large = *error.kind() == ErrorKind::Undecodable;
        Self { error, is_too_large }
    }
}

impl From<Error> for ReadFailure {
    fn from(error: Error) -> Self {
        Self { error, is_too_large: false }
    }
}

fn unsupported(url: &Url, media_type: &str) -> Error {
    let source = UnsupportedContentType::new(media_type);
    let message =
        format!("{} has {source}: allowed are {}", displayable(url), content_type::ALLOWED);
    Error::new(ErrorKind::Undecodable, CONNECTOR, message).with_source(source)
}

async fn whole(mut body: HttpBody) -> Result<Vec<u8>> {
    let mut whole = Vec::new();
    while let Some(piece) = body.chunk().await? {
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

fn read_body(body: &[u8], kind: Kind, charset: Option<&str>) -> Result<Readable, String> {
    let decoded = charset::decode(body, charset, kind == Kind::Html);
    match kind {
        Kind::Html => html::readable(&decoded),
        Kind::PlainText => Ok(Readable { text: tidy(&decoded), ..Readable::default() }),
    }
}
