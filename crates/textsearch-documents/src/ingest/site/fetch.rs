//! Requests to a site.

use std::{
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use encoding_rs::{Encoding, UTF_8};
use robotxt::{BYTE_LIMIT, Robots};
use textsearch_core::{
    Error, ErrorKind, Result,
    http::{HttpBody, HttpClient, HttpRequest, HttpResponse, SystemResolver, Url, displayable},
};
use tokio::time::{Instant, sleep_until};

use super::{
    page::{Entry, Page},
    settings::{CONNECTOR, SiteSettings},
};
use crate::{
    DocumentFormat,
    read::{extension_of, is_document},
};

/// The name in `robots.txt`.
const USER_AGENT: &str = "textsearch";

/// The longest delay that a site may ask for.
const MAX_CRAWL_DELAY: Duration = Duration::from_secs(10);

/// For the body of a page.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

const MAX_PAGE_BYTES: usize = 64 << 20;

const MAX_EXTENSION_BYTES: usize = 8;

/// The answer to a request for a page.
pub(super) enum Answer {
    Page(Page),
    NotModified,
    Moved(Url),
    /// There is no document: the page is missing, an image or similar, or a redirect to another origin or in a
    /// circle.
    Gone(Error),
}

/// Sends requests at the pace of the settings, to allowed addresses.
pub(super) struct Fetcher {
    client: HttpClient,
    interval: Duration,
    next: Mutex<Instant>,
    bytes: AtomicU64,
}

impl Fetcher {
    pub(super) fn new(settings: &SiteSettings) -> Result<Self> {
        let mut http = settings.http.clone();
        http.max_body_bytes = MAX_PAGE_BYTES;
        http.stream_timeout = BODY_TIMEOUT;
        let addresses = settings.addresses.clone();
        let resolver = SystemResolver::default();
        let client = HttpClient::for_untrusted_urls(CONNECTOR, http, addresses, resolver)?;
        Ok(Self {
            client: client.with_redirects_within_origin(),
            interval: settings.request_interval,
            next: Mutex::new(Instant::now()),
            bytes: AtomicU64::new(0),
        })
    }

    /// Returns the bytes of all pages so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Reads the rules of the site, and waits as long between requests as they ask.
    ///
    /// By [RFC 9309](https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1), a missing file allows everything,
    /// and a file that can't be reached nothing, which is an error here.
    pub(super) async fn robots(&mut self, start: &Url) -> Result<Robots> {
        // One byte more tells the parser that the file goes on.
        let file = self.file(at_root(start, "/robots.txt"), BYTE_LIMIT + 1).await?;
        let robots = file.map_or_else(Robots::allow_all, |file| Robots::parse(&file, USER_AGENT));
        let delay = robots.crawl_delay().unwrap_or_default().min(MAX_CRAWL_DELAY);
        self.interval = self.interval.max(delay);
        Ok(robots)
    }

    /// Returns the first `max_bytes` of a file; `None` if the site has none for us.
    pub(super) async fn file(&self, url: Url, max_bytes: usize) -> Result<Option<Vec<u8>>> {
        self.turn().await;
        match self.client.open(HttpRequest::get(url)).await {
            Ok(response) => self.read(response.body, max_bytes).await.map(Some),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Requests a page, unless it is still as `known`.
    pub(super) async fn page(&self, url: &Url, known: Option<Entry>) -> Result<Answer> {
        self.turn().await;
        let mut request =
            HttpRequest::get(url.clone()).with_header("accept", "text/html, */*;q=0.8");
        let known = known.as_ref();
        let etag = known.and_then(|known| known.etag.as_deref());
        let last_modified = known.and_then(|known| known.last_modified.as_deref());
        for (name, value) in [("if-none-match", etag), ("if-modified-since", last_modified)] {
            request = value.into_iter().fold(request, |all, value| all.with_header(name, value));
        }
        let response = match self.client.open(request).await {
            Ok(response) => response,
            Err(error) => {
                return match error.kind() {
                    ErrorKind::UnexpectedStatus { status: 304, .. } => Ok(Answer::NotModified),
                    ErrorKind::UnexpectedStatus { status: 300..400 | 404 | 410, .. } => {
                        Ok(Answer::Gone(error))
                    }
                    _ => Err(error),
                };
            }
        };
        // The walk decides whether to request the target itself: it may be known, disallowed, or above the start.
        if response.url != *url {
            return Ok(Answer::Moved(response.url));
        }
        let Some(extension) = extension(&response) else {
            let message = format!("{} has no text: try another URL", displayable(url));
            return Ok(Answer::Gone(Error::new(ErrorKind::Undecodable, CONNECTOR, message)));
        };
        let header = |name| response.header(name).map(str::to_owned);
        let [etag, last_modified, robots] = ["etag", "last-modified", "x-robots-tag"].map(header);
        let charset = charset(response.header("content-type"));
        // A PDF with a charset isn't text either.
        let charset = charset.filter(|_| ["html", "md", "txt"].contains(&extension.as_str()));
        let mut body = self.read(response.body, usize::MAX).await?;
        if let Some(charset) = charset {
            body = charset.decode(&body).0.into_owned().into_bytes();
        }
        Ok(Answer::Page(Page { body, extension, etag, last_modified, robots }))
    }

    async fn read(&self, mut body: HttpBody, max_bytes: usize) -> Result<Vec<u8>> {
        let mut whole = Vec::new();
        while whole.len() < max_bytes
            && let Some(piece) = body.chunk().await?
        {
            self.bytes.fetch_add(piece.len() as u64, Ordering::Relaxed);
            whole.extend_from_slice(&piece);
        }
        whole.truncate(max_bytes);
        Ok(whole)
    }

    /// Waits until the next request may begin.
    async fn turn(&self) {
        let at = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let at = (*next).max(Instant::now());
            *next = at + self.interval;
            at
        };
        sleep_until(at).await;
    }
}

/// Returns the URL of a file at the root of the site.
pub(super) fn at_root(start: &Url, path: &str) -> Url {
    let mut url = start.clone();
    url.set_query(None);
    url.set_path(path);
    url
}

/// Returns whether the answer means that the site has no such file: any status below 500 but 429, and a redirect to
/// another origin.
fn is_missing(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Authentication | ErrorKind::QuotaExceeded => true,
        ErrorKind::UnexpectedStatus { status, .. } => (300..500).contains(status),
        _ => false,
    }
}

/// Returns the extension for the file of a page, from its content type, else from its URL. Returns `None` for
/// images, styles and other content without text.
fn extension(response: &HttpResponse<HttpBody>) -> Option<String> {
    let own = extension_of(Path::new(response.url.path()));
    let is_plain = own.len() <= MAX_EXTENSION_BYTES
        && own.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && is_document(&own);
    let own = if is_plain { own } else { String::new() };
    let content_type = response.content_type().unwrap_or_default();
    match DocumentFormat::from_media_type(&content_type) {
        Some(DocumentFormat::Html) => return Some("html".to_owned()),
        Some(DocumentFormat::Markdown) => return Some("md".to_owned()),
        _ => {}
    }
    match content_type.split_once('/').unwrap_or_default() {
        ("application", "pdf") => Some("pdf".to_owned()),
        ("audio" | "font" | "image" | "video", _) => None,
        ("text" | "application", "css" | "javascript" | "rss+xml" | "atom+xml") => None,
        ("text", _) if own.is_empty() => Some("txt".to_owned()),
        _ => Some(own),
    }
}

/// Returns the encoding that the header names, unless it is UTF-8.
fn charset(content_type: Option<&str>) -> Option<&'static Encoding> {
    let mut parameters = content_type?.split(';').skip(1);
    let label = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches(['"', '\'']))
    })?;
    Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != UTF_8)
}
