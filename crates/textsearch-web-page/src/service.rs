//! Services that read pages.

use std::time::Duration;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};
use textsearch_core::{
    Error, ErrorKind, Result, async_trait,
    http::{
        Endpoint, HttpClient, HttpRequest, HttpSettings, Secret, Url, closed_set, displayable,
        required_variable, variable,
    },
};
use textsearch_html::{one_line, tidy};

use crate::{PageReader, WebPage};

closed_set! {
    /// A service that reads pages, by the shape of its requests.
    pub enum ReaderService {
        /// [Jina Reader](https://jina.ai/reader). Its key is optional.
        Jina = "jina",
        /// [Firecrawl](https://docs.firecrawl.dev/api-reference/endpoint/scrape).
        Firecrawl = "firecrawl",
        /// [Tavily Extract](https://docs.tavily.com/documentation/api-reference/endpoint/extract).
        Tavily = "tavily",
    }
}

/// Where a service is, and where its answer has the page.
struct Shape {
    endpoint: &'static str,
    key_variable: &'static str,
    endpoint_variable: &'static str,
    url: &'static str,
    title: &'static str,
    text: &'static str,
}

impl ReaderService {
    const fn shape(self) -> Shape {
        match self {
            Self::Jina => Shape {
                endpoint: "https://r.jina.ai/",
                key_variable: "JINA_API_KEY",
                endpoint_variable: "JINA_READER_ENDPOINT",
                url: "/data/url",
                title: "/data/title",
                text: "/data/content",
            },
            Self::Firecrawl => Shape {
                endpoint: "https://api.firecrawl.dev/v2/scrape",
                key_variable: "FIRECRAWL_API_KEY",
                endpoint_variable: "FIRECRAWL_ENDPOINT",
                url: "/data/metadata/url",
                title: "/data/metadata/title",
                text: "/data/markdown",
            },
            Self::Tavily => Shape {
                endpoint: "https://api.tavily.com/extract",
                key_variable: "TAVILY_API_KEY",
                endpoint_variable: "TAVILY_EXTRACT_ENDPOINT",
                url: "/results/0/url",
                title: "/results/0/title",
                text: "/results/0/raw_content",
            },
        }
    }

    fn body(self, url: &Url) -> Value {
        let url = url.as_str();
        match self {
            Self::Jina => json!({ "url": url }),
            Self::Firecrawl => json!({ "url": url, "formats": ["markdown"] }),
            Self::Tavily => json!({ "urls": [url], "format": "markdown" }),
        }
    }
}

/// Reads pages through a service, which renders scripts, or reads PDF.
///
/// The service learns the URLs, query included. [`FullPages`](crate::FullPages) sends it public addresses only.
/// The text has no links, like that of [`WebPageReader`](crate::WebPageReader).
///
/// ```
/// use textsearch_web_page::{ReaderService, ServicePageReader};
///
/// let reader = ServicePageReader::new(ReaderService::Jina, None)?;
/// assert!(format!("{reader:?}").contains("https://r.jina.ai/"));
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ServicePageReader {
    service: ReaderService,
    endpoint: Endpoint,
    key: Option<Secret>,
    client: HttpClient,
}

impl ServicePageReader {
    /// Creates a reader with the key of the service.
    ///
    /// # Errors
    /// Returns [`Backend`](ErrorKind::Backend) if no HTTP client can be made.
    pub fn new(service: ReaderService, key: Option<Secret>) -> Result<Self> {
        let mut settings = HttpSettings::default().with_max_attempts(2);
        // Services render pages.
        settings.attempt_timeout = Duration::from_secs(60);
        settings.idle_timeout = Duration::from_secs(60);
        let client = HttpClient::new(service.as_str(), settings)?;
        let endpoint = Endpoint::from(service.shape().endpoint);
        Ok(Self { service, endpoint, key, client })
    }

    /// Creates a reader with key and endpoint from the environment: `JINA_API_KEY`, which is optional, and
    /// `JINA_READER_ENDPOINT`; `FIRECRAWL_API_KEY` and `FIRECRAWL_ENDPOINT`; `TAVILY_API_KEY` and
    /// `TAVILY_EXTRACT_ENDPOINT`.
    ///
    /// # Errors
    /// Returns [`InvalidOptions`](ErrorKind::InvalidOptions), naming the variable, if a key is missing.
    pub fn from_env(service: ReaderService) -> Result<Self> {
        let Shape { key_variable, endpoint_variable, .. } = service.shape();
        let key = match service {
            ReaderService::Jina => variable(service.as_str(), key_variable)?,
            _ => Some(required_variable(service.as_str(), key_variable)?),
        };
        let reader = Self::new(service, key.map(Secret::from))?;
        Ok(match variable(service.as_str(), endpoint_variable)? {
            Some(endpoint) => reader.with_endpoint(endpoint),
            None => reader,
        })
    }

    /// Sets the URL that requests go to, such as that of your own instance.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<Endpoint>) -> Self {
        self.endpoint = endpoint.into();
        self
    }

    fn page(&self, requested: &Url, answer: &Value) -> Result<WebPage> {
        let shape = self.service.shape();
        let value = |pointer| answer.pointer(pointer).and_then(Value::as_str);
        let failed = |reason: &str| {
            let message = format!("{}: {reason}", displayable(requested));
            Error::new(ErrorKind::Undecodable, self.name(), message)
        };
        // Firecrawl answers for pages that failed, too.
        let status = answer.pointer("/data/metadata/statusCode").and_then(Value::as_u64);
        if let Some(status) = status.filter(|status| *status >= 400) {
            return Err(failed(&format!("the site answered {status}")));
        }
        let text = plain(value(shape.text).unwrap_or_default());
        if text.is_empty() {
            return Err(failed("the service found no text"));
        }
        // It may have followed a redirect, so the requested URL says nothing about the page.
        let url = value(shape.url).and_then(|url| Url::parse(url).ok());
        let url = url.ok_or_else(|| failed("the service names no URL"))?;
        let mut page = WebPage::new(url, text);
        page.title = value(shape.title).map(one_line).filter(|title| !title.is_empty());
        Ok(page)
    }
}

#[async_trait]
impl PageReader for ServicePageReader {
    fn name(&self) -> &str {
        self.service.as_str()
    }

    async fn read(&self, url: &Url) -> Result<WebPage> {
        let endpoint = self.endpoint.url(self.name(), self.service.shape().endpoint)?;
        let mut request = HttpRequest::post(endpoint).with_json(&self.service.body(url));
        if let Some(key) = &self.key {
            request = request.with_bearer(key);
        }
        let answer = self.client.send_json::<Value>(request.with_idempotent(true)).await?;
        self.page(url, &answer.body)
    }
}

/// Returns the text of Markdown, with a line for each block, `- ` before list items and `|` between cells.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut images = 0_usize;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            Event::Text(part) | Event::Code(part) if images == 0 => text.push_str(&part),
            Event::Start(Tag::Item) => text.push_str("- "),
            Event::SoftBreak => text.push(' '),
            Event::HardBreak | Event::End(TagEnd::Item | TagEnd::TableRow | TagEnd::TableHead) => {
                text.push('\n');
            }
            Event::End(TagEnd::TableCell) => text.push_str(" | "),
            Event::End(
                TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::CodeBlock
                | TagEnd::List(_)
                | TagEnd::Table,
            ) => text.push_str("\n\n"),
            // Markup of HTML.
            _ => {}
        }
    }
    tidy(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_text_without_links() {
        let markdown = "# Title\n\nSee [the\nguide](https://a.example/?k) ![picture](b.png) <b>now</b>.\n\n\
                        * one\n* `two`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n\u{200b}";
        assert_eq!(
            plain(markdown),
            "Title\n\nSee the guide  now.\n\n- one\n- two\n\na | b |\n1 | 2 |\n\ncode"
        );
    }
}
