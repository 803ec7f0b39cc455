//! Describes Microsoft's Web IQ to the core: one `POST` request, without pages.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;
use serde_json::{Map, Value};
use textsearch_core::{
    FilterableField, Result, TextSearchRecord, TextSearchResult,
    filter::FilterOperator::{Eq, Ne, Or},
    http::{ErrorAnswer, ErrorDetails, HttpResponse, Secret, closed_set},
    web::{
        Connection, ErrorFormat, FilterWords, KeyPlace, PageAddress, Paging, ResultList,
        ResultPage, SafeSearch, Sites, WebEngine, WebQuery, WebRequest, WebSearch, is_letters,
        page_result, records, settings, site_field, valid,
    },
};

/// Environment variable for the API key. [`WebIqConfig::from_env`] requires it.
pub const WEBIQ_API_KEY: &str = "WEBIQ_API_KEY";
/// Environment variable for the endpoint URL; see [`WebIqConfig::with_endpoint`].
pub const WEBIQ_ENDPOINT: &str = "WEBIQ_ENDPOINT";

const CONNECTOR: &str = "webiq";
const MAX_RESULTS: usize = 50;

/// Searches the web with [Microsoft Web IQ](https://learn.microsoft.com/web-iq/reference/web-search),
/// which succeeds the Bing Search APIs. See the [crate](crate) for an example.
pub type WebIqTextSearch = WebSearch<WebIqConfig>;

/// Configuration of [`WebIqTextSearch`].
///
/// Each setting is a parameter of the
/// [reference](https://learn.microsoft.com/web-iq/reference/web-search). The service decides anything
/// left unset. `WebIqTextSearch::new` validates all values.
///
/// ```
/// use textsearch_bing::{WebIqConfig, WebIqContent};
///
/// let config = WebIqConfig::new("sesame").with_region("GB").with_content(WebIqContent::Markdown);
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WebIqConfig {
    /// API key, endpoint and HTTP settings.
    pub connection: Connection,
    parameters: BTreeMap<&'static str, Value>,
}

closed_set! {
    /// The texts of results.
    pub enum WebIqContent {
        /// The default: the parts of a page about the query.
        Passage = "passage",
        /// The page as plain text.
        Text = "text",
        /// The page as HTML.
        Html = "html",
        /// The page as Markdown.
        Markdown = "markdown",
    }
}

settings!(impl WebIqConfig {
    /// Sets the region that results come from (`region`): two letters, such as `DE`. Default: `US`.
    "region" => with_region(region: impl Into<String>) = Into::<String>::into(region);
    /// Sets the language of the search (`language`): two letters, such as `de`. Default: `en`.
    "language" => with_language(language: impl Into<String>) = Into::<String>::into(language);
    /// Sets the texts of results (`contentFormat`). Whole pages need access.
    "contentFormat" => with_content(content: WebIqContent) = content.as_str();
    /// Sets the maximum number of characters of each text (`maxLength`), 1 to 500,000.
    "maxLength" => with_max_characters(characters: u32) = characters;
    /// Sets whether adult content is left out (`safeSearch`). Web IQ has two levels: `Moderate` is
    /// `strict`.
    "safeSearch" => with_safe_search(level: SafeSearch) = level.spelled(&["off", "strict", "strict"]);
    /// Sets the place to search from (`location`), in degrees.
    "location" => with_location(latitude: f32, longitude: f32) =
        format!("lat:{latitude};long:{longitude}");
});

impl WebIqConfig {
    /// Creates a configuration with this API key and default settings.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self { connection: Connection::new::<Self>(api_key), parameters: BTreeMap::new() }
    }

    /// Reads [`WEBIQ_API_KEY`] and, if set, [`WEBIQ_ENDPOINT`] from the environment.
    ///
    /// # Errors
    /// As [`Connection::from_env`].
    pub fn from_env() -> Result<Self> {
        Ok(Self { connection: Connection::from_env::<Self>()?, ..Self::new("") })
    }
}

impl WebEngine for WebIqConfig {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://api.microsoft.ai/v3/search/web";
    const ENDPOINT_VARIABLE: &'static str = WEBIQ_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(WEBIQ_API_KEY);
    const SITE_FIELDS: &'static [&'static str] = &["site"];
    const CHECKS_SITES: bool = true;
    // { "errorCode": "…", "errorCategory": "UserError", "userMessage": "…", "technicalDetails": "…" }
    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/errorCode"],
        codes: &["/errorCode"],
        messages: &["/userMessage"],
        details: &[("/technicalDetails", ": ", "")],
        ..ErrorFormat::NONE
    };

    type Record = WebIqPage;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn key_place(&self) -> KeyPlace {
        KeyPlace::header("x-apikey")
    }

    fn paging(&self) -> Paging {
        Paging { max_results: Some(MAX_RESULTS), ..Paging::SINGLE_PAGE }
    }

    fn fields(&self) -> Vec<FilterableField> {
        vec![site_field().with_operators([Eq, Ne])]
    }

    fn check(&self) -> Result<()> {
        for (name, value) in &self.parameters {
            let (is_valid, allowed) = match (*name, value) {
                ("region" | "language", Value::String(code)) => {
                    (is_letters(code, 2..=2), "two letters, such as de")
                }
                ("maxLength", length) => (
                    length.as_u64().is_some_and(|length| (1..=500_000).contains(&length)),
                    "1 to 500000",
                ),
                _ => continue,
            };
            let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            valid(CONNECTOR, name, shown, is_valid, allowed)?;
        }
        Ok(())
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<WebIqPage>>> {
        let Some(conditions) = query.conditions()? else { return Ok(None) };
        let mut sites = Sites::default();
        for condition in &conditions {
            if !condition.negated && condition.values.len() > 1 {
                return Err(condition.unsupported(Or)); // Only one `site:` is documented.
            }
            sites.narrow_by(CONNECTOR, condition)?;
        }
        if sites.are_none() {
            return Ok(None);
        }
        let mut words = FilterWords::default();
        words.add_sites("site", &sites);
        let text = words.with_query(query.text());
        let characters = text.chars().count();
        let allowed = "at most 1000 characters, including the filter's";
        valid(
            CONNECTOR,
            "query",
            format!("{characters} characters"),
            characters <= 1_000,
            allowed,
        )?;
        let mut body = self.parameters.clone();
        body.insert("query", text.into());
        body.insert("maxResults", query.wanted().into());
        Ok(Some(query.post_json(body).into()))
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<WebIqPage> {
        let Answer { web_results, rest } = answer.body;
        ResultPage::of(CONNECTOR, web_results).with_facts(rest)
    }

    fn link(page: &WebIqPage) -> &str {
        &page.url
    }

    fn read_error(&self, answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
        // `errorCode`, the message and the details are siblings, so read the whole body.
        Some(ErrorFormat { roots: &[], ..Self::ERRORS }.read(answer))
    }
}

records! {
    "camelCase";

    /// A web page found by Web IQ.
    ///
    /// Each field is one of the
    /// [reference](https://learn.microsoft.com/web-iq/reference/web-search), under the same name in
    /// `PascalCase`. Missing values are left out.
    #[schemars(description = "A web page that Microsoft Web IQ found")]
    pub struct WebIqPage {
        /// Title of the page.
        pub title: String,
        /// URL of the page.
        pub url: String,
        /// The part of the page about the query, or the page.
        pub content: String,
        /// Time of the last change: `2025-03-31T08:15:00Z`.
        pub last_updated_at: Option<String>,
        /// Time of Microsoft's visit.
        pub crawled_at: Option<String>,
        /// Language of the page, such as `en`.
        pub language: Option<String>,
        /// Whether the page has adult content.
        pub is_adult: Option<bool>,
        /// Kind of access to the content: `standard`, `entitled` or `premium`.
        pub content_tier: Option<String>,
        /// Quality of the source: `insufficient`, `adequate` or `preferred`.
        pub source_quality: Option<String>,
    }
}

impl TextSearchRecord for WebIqPage {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.content)
    }

    fn to_result(&self) -> TextSearchResult {
        page_result(&self.content, &self.title, &self.url, self.last_updated_at.as_deref())
    }
}

/// A response.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Answer {
    web_results: ResultList<WebIqPage>,
    /// Trace id, signals and addresses for pings.
    #[serde(flatten)]
    rest: Map<String, Value>,
}
