//! Configuration.

use std::collections::BTreeMap;

use textsearch_core::{
    Result,
    filter::DateTime,
    http::{HttpSettings, Secret, Url, parsed_variable, variable},
    web::{Endpoint, SafeSearch, TimeRange, closed_set, written_day},
};

use crate::CONNECTOR;

/// Environment variable for the API key. [`BingConfig::from_env`] requires it.
pub const BING_API_KEY: &str = "BING_API_KEY";

/// Environment variable for the endpoint URL; see [`BingConfig::with_endpoint`].
pub const BING_ENDPOINT: &str = "BING_ENDPOINT";

/// Environment variable for the key's header, `subscription` or `bearer`; see
/// [`BingConfig::with_key_header`].
pub const BING_KEY_HEADER: &str = "BING_KEY_HEADER";

const PUBLIC_ENDPOINT: &str = "https://api.bing.microsoft.com/v7.0";

/// Configuration of [`BingSearch`](crate::BingSearch).
///
/// Each setting is a parameter of the
/// [reference](https://learn.microsoft.com/bing/search-apis/bing-web-search/reference/query-parameters).
/// The service decides anything left unset. A filter on the same field overrides a setting for one
/// search. `BingTextSearch::new` validates all values.
///
/// ```
/// use textsearch_bing::{BingConfig, SafeSearch};
///
/// let config = BingConfig::new("key").with_market("en-GB").with_safe_search(SafeSearch::Strict);
/// assert!(!format!("{config:?}").contains("key\""));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BingConfig {
    /// API key (subscription key).
    pub api_key: Secret,
    /// URL of the endpoint.
    pub endpoint: Endpoint,
    /// Header that carries the key.
    pub key_header: BingKeyHeader,
    /// Timeouts, retries and limits.
    pub http: HttpSettings,
    /// Whether names and snippets keep highlighting marks. Default: false.
    pub markup_kept: bool,
    /// Whether skipped results stay unread. Default: false.
    pub skip_unread: bool,
    /// Value of the `Accept-Language` header, set together with `cc`.
    pub accept_language: Option<String>,
    pub(crate) parameters: BTreeMap<&'static str, String>,
}

closed_set! {
    /// Header that carries the key.
    #[derive(Default)]
    pub enum BingKeyHeader {
        /// `Ocp-Apim-Subscription-Key`, Bing's own header.
        #[default]
        Subscription = "subscription",
        /// `Authorization: Bearer …`, for compatible services that expect it.
        Bearer = "bearer",
    }
}

closed_set! {
    /// Format of highlighting marks.
    pub enum BingTextFormat {
        /// Special characters.
        Raw = "Raw",
        /// Tags.
        Html = "HTML",
    }
}

closed_set! {
    /// Order of news.
    pub enum BingNewsOrder {
        /// Newest first.
        Date = "Date",
        /// Most relevant first.
        Relevance = "Relevance",
    }
}

impl BingConfig {
    /// Creates a configuration with this API key and default settings.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self {
            api_key: api_key.into(),
            endpoint: PUBLIC_ENDPOINT.into(),
            key_header: BingKeyHeader::default(),
            http: HttpSettings::default(),
            markup_kept: false,
            skip_unread: false,
            accept_language: None,
            parameters: BTreeMap::new(),
        }
    }

    /// Reads the configuration from environment variables: [`BING_API_KEY`] and, if set,
    /// [`BING_ENDPOINT`] and [`BING_KEY_HEADER`].
    ///
    /// # Errors
    /// - [`ErrorKind::Authentication`](crate::ErrorKind::Authentication), naming the variable, if
    ///   there is no key.
    /// - [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if a value isn't Unicode,
    ///   or if the header is neither `subscription` nor `bearer`.
    pub fn from_env() -> Result<Self> {
        let mut config = Self::new(Secret::from_env(CONNECTOR, BING_API_KEY)?);
        if let Some(endpoint) = variable(CONNECTOR, BING_ENDPOINT)? {
            config = config.with_endpoint(endpoint);
        }
        if let Some(header) = parsed_variable(CONNECTOR, BING_KEY_HEADER)? {
            config = config.with_key_header(header);
        }
        Ok(config)
    }

    /// Sets the endpoint URL, for example of a compatible service. Pass the URL before `/search`
    /// and `/news/search`, or the full URL of the web search.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<Endpoint>) -> Self {
        self.endpoint = endpoint.into();
        self
    }

    /// Sets the header that carries the key.
    #[must_use]
    pub fn with_key_header(mut self, header: BingKeyHeader) -> Self {
        self.key_header = header;
        self
    }

    /// Sets timeouts, retries and limits.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// Sets whether reading starts at `skip` instead of the first result. Default: false.
    ///
    /// Saves the requests for skipped results, but `skip` is no longer exact: if pages overlap or
    /// are short, results may repeat or be missing.
    #[must_use]
    pub fn with_skip_unread(mut self, enabled: bool) -> Self {
        self.skip_unread = enabled;
        self
    }

    /// Sets the market that results come from (`mkt`), such as `en-US`.
    #[must_use]
    pub fn with_market(self, market: impl Into<String>) -> Self {
        self.with_parameter("mkt", market)
    }

    /// Sets the country that results come from (`cc`), such as `CH`, and its languages, such as
    /// `de-CH, fr-CH`. Can't be combined with a market.
    #[must_use]
    pub fn with_country(
        mut self,
        country: impl Into<String>,
        languages: impl Into<String>,
    ) -> Self {
        self.accept_language = Some(languages.into());
        self.with_parameter("cc", country)
    }

    /// Sets the language of the service's own texts (`setLang`), such as `en`.
    #[must_use]
    pub fn with_language(self, language: impl Into<String>) -> Self {
        self.with_parameter("setLang", language)
    }

    /// Sets how strictly adult content is filtered (`safeSearch`).
    #[must_use]
    pub fn with_safe_search(self, level: SafeSearch) -> Self {
        let name = match level {
            SafeSearch::Off => "Off",
            SafeSearch::Moderate => "Moderate",
            _ => "Strict",
        };
        self.with_parameter("safeSearch", name)
    }

    /// Sets the maximum age of results (`freshness`), in place of a date range. The service has no
    /// range of a year.
    #[must_use]
    pub fn with_time_range(self, range: TimeRange) -> Self {
        let freshness = match range {
            TimeRange::Day => "Day",
            TimeRange::Week => "Week",
            TimeRange::Month => "Month",
            // The search's constructor rejects it.
            _ => "Year",
        };
        self.with_parameter("freshness", freshness)
    }

    /// Sets the first and the last day of publication (`freshness`), in place of a time range. Each
    /// is the start of a day in UTC: `"2025-07-01".parse()?`. News searches reject it.
    #[must_use]
    pub fn with_date_range(self, first: DateTime, last: DateTime) -> Self {
        let days = format!("{}..{}", written_day(first), written_day(last));
        self.with_parameter("freshness", days)
    }

    /// Sets the kinds of answers (`responseFilter`), separated by commas, such as
    /// `Webpages,RelatedSearches` or `-Images`.
    #[must_use]
    pub fn with_response_filter(self, answers: impl Into<String>) -> Self {
        self.with_parameter("responseFilter", answers)
    }

    /// Sets the number of kinds of answers (`answerCount`). The best kinds come first.
    #[must_use]
    pub fn with_answer_count(self, count: u32) -> Self {
        self.with_parameter("answerCount", count.to_string())
    }

    /// Sets kinds of answers to include regardless of rank (`promote`), in addition to
    /// `answerCount`.
    #[must_use]
    pub fn with_promote(self, answers: impl Into<String>) -> Self {
        self.with_parameter("promote", answers)
    }

    /// Sets whether names and snippets mark the query's words (`textDecorations`). Only records
    /// keep the marks, and only with [`with_markup_kept`](Self::with_markup_kept). Default: false.
    #[must_use]
    pub fn with_text_decorations(self, enabled: bool) -> Self {
        self.with_parameter("textDecorations", enabled.to_string())
    }

    /// Sets the format of highlighting marks (`textFormat`).
    #[must_use]
    pub fn with_text_format(self, format: BingTextFormat) -> Self {
        self.with_parameter("textFormat", format.as_str())
    }

    /// Sets whether records keep highlighting marks. Texts and results stay plain. Default: false.
    #[must_use]
    pub fn with_markup_kept(mut self, enabled: bool) -> Self {
        self.markup_kept = enabled;
        self
    }

    /// Sets the order of news (`sortBy`).
    #[must_use]
    pub fn with_sort_by(self, order: BingNewsOrder) -> Self {
        self.with_parameter("sortBy", order.as_str())
    }

    /// Sets the earliest discovery time of news (`since`), in whole seconds. Requires the order
    /// `Date`.
    #[must_use]
    pub fn with_since(self, time: DateTime) -> Self {
        let seconds = time.unix_nanoseconds().div_euclid(1_000_000_000);
        self.with_parameter("since", seconds.to_string())
    }

    /// Sets whether news include the URL of the original image (`originalImg`) besides the
    /// thumbnail. Default: false.
    #[must_use]
    pub fn with_original_images(self, enabled: bool) -> Self {
        self.with_parameter("originalImg", enabled.to_string())
    }

    fn with_parameter(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.parameters.insert(name, value.into());
        self
    }

    /// `path` is relative to the configured endpoint.
    pub(crate) fn url(&self, path: &str) -> Result<Url> {
        let mut url = self.endpoint.url(CONNECTOR, "https://example.com/v7.0")?;
        let base = url.path().trim_end_matches('/');
        let base = base.strip_suffix("/search").unwrap_or(base);
        let base = base.strip_suffix("/news").unwrap_or(base);
        url.set_path(&format!("{}{path}", base.trim_end_matches('/')));
        Ok(url)
    }

    pub(crate) fn is_public_service(&self) -> bool {
        self.endpoint.as_str().starts_with(PUBLIC_ENDPOINT)
    }
}
