//! From a URL to a page.

use std::{num::NonZero, sync::Arc, thread::available_parallelism};

use textsearch_core::{
    Error, ErrorKind, Result,
    http::{
        HostResolver, HttpBody, HttpClient, HttpRequest, HttpResponse, SystemResolver, Url,
        displayable,
    },
};
use textsearch_html::tidy;
use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

use crate::{
    WebPage, WebPageSettings, charset,
    content_type::{self, Kind, UnsupportedContentType},
    html::{self, Readable},
};

/// The name in errors.
pub(crate) const CONNECTOR: &str = "web-page";

/// Reads web pages as text, from public addresses only.
///
/// A URL that a search engine, a document or a model brings may point into the network of whoever fetches it. So a
/// page is fetched from where [`AddressPolicy`](textsearch_core::http::AddressPolicy) allows only: literal addresses
/// are checked in every spelling, names each time they are resolved, and each redirect (five at most) like a URL of its
/// own. No cookie, key or proxy is used.
///
/// What comes back is text that a stranger wrote. It may hold instructions to a model: give it to one as data, as the
/// templates of `textsearch-prompt` do with all that is inserted.
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
/// Clones are cheap and share their connections. Waits on a `tokio` runtime with its I/O and time drivers enabled.
#[derive(Debug, Clone)]
pub struct WebPageReader {
    client: HttpClient,
    /// Taking a page apart keeps a processor busy: as many at once as there are, whatever the number of requests.
    workers: Arc<Semaphore>,
}

impl WebPageReader {
    /// A reader of pages.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOptions`] that names the setting that could never work; [`ErrorKind::Backend`] where no HTTP
    /// client can be built.
    pub fn new(settings: WebPageSettings) -> Result<Self> {
        Self::with_resolver(settings, SystemResolver::default())
    }

    /// The same with another resolver than the system's. Its answers are checked like the system's.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_resolver(
        settings: WebPageSettings,
        resolver: impl HostResolver + 'static,
    ) -> Result<Self> {
        let WebPageSettings { addresses, http } = settings;
        let client = HttpClient::for_untrusted_urls_with(CONNECTOR, http, addresses, resolver)?;
        let workers = available_parallelism().map_or(1, NonZero::get);
        Ok(Self { client, workers: Arc::new(Semaphore::new(workers)) })
    }

    /// Reads the page at a URL, given as text or as [`Url`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidOptions`] where it is no URL or the address rules refuse it; [`ErrorKind::Timeout`] where it
    /// took too long; [`ErrorKind::Undecodable`] where it is neither HTML nor plain text, with an
    /// [`UnsupportedContentType`] as its source, too long, or nested too deeply;
    /// [`ErrorKind::Unavailable`] and the kinds of a status as [`HttpClient::send`] says.
    pub async fn read(&self, url: impl AsRef<str> + Send) -> Result<WebPage> {
        self.try_read(url).await.map_err(|failure| failure.error)
    }

    /// Like [`read`](Self::read), with what the kind of the error does not tell.
    pub(crate) async fn try_read(
        &self,
        url: impl AsRef<str> + Send,
    ) -> Result<WebPage, ReadFailure> {
        let url = Url::parse(url.as_ref()).map_err(|error| {
            Error::invalid_options(CONNECTOR, "url", error, "an absolute http or https URL")
        })?;
        let place = displayable(&url);
        let allowed = self.client.settings().total_timeout;
        timeout(allowed, self.fetch(url)).await.unwrap_or_else(|_| {
            let message = format!("{place} took longer than the allowed {allowed:?}");
            Err(Error::new(ErrorKind::Timeout, CONNECTOR, message).into())
        })
    }

    async fn fetch(&self, url: Url) -> Result<WebPage, ReadFailure> {
        let request = HttpRequest::get(url)
            .with_header("accept", "text/html, application/xhtml+xml, text/plain;q=0.9");
        // A body whose announced length is over the limit is refused before it is read.
        let response = self.client.open(request).await.map_err(ReadFailure::of_body)?;
        // Looked at before the body: a film is not fetched in order to be refused.
        let kind = content_type::read(response.header("content-type"));
        let (kind, charset) = kind.map_err(|found| unsupported(&response.url, &found))?;
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
        // A page that breaks the parser is an error like any other, not the end of the program.
        let read = read.await.unwrap_or_else(|_| Err("what the HTML parser breaks on".to_owned()));
        read.map_err(|why| {
            let message = format!("{} has {why}", displayable(url));
            Error::new(ErrorKind::Undecodable, CONNECTOR, message)
        })
    }
}

/// Why a page could not be read.
#[derive(Debug)]
pub(crate) struct ReadFailure {
    pub(crate) error: Error,
    /// Whether the body is longer than the limit, which has no error kind of its own.
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

fn unsupported(url: &Url, found: &str) -> Error {
    let found = UnsupportedContentType::new(found);
    let message =
        format!("{} has {found}: allowed are {}", displayable(url), content_type::ALLOWED);
    Error::new(ErrorKind::Undecodable, CONNECTOR, message).with_source(found)
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
