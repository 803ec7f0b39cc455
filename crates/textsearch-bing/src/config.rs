//! Configuration.

use std::{collections::BTreeMap, marker::PhantomData};

use textsearch_core::{
    Result,
    filter::DateTime,
    http::{Secret, closed_set, parsed_variable},
    web::{Connection, SafeSearch, TimeRange, settings, written_day},
};

use crate::{BingNewsArticle, BingWebPage, CONNECTOR};

/// Environment variable for the API key. [`BingConfig::from_env`] requires it.
pub const BING_API_KEY: &str = "BING_API_KEY";
/// Environment variable for the endpoint URL; see [`BingConfig::with_endpoint`].
pub const BING_ENDPOINT: &str = "BING_ENDPOINT";
/// Environment variable for the key's header, `subscription` or `bearer`; see
/// [`BingConfig::with_key_header`].
pub const BING_KEY_HEADER: &str = "BING_KEY_HEADER";

/// Configuration of [`BingTextSearch`](crate::BingTextSearch) and, with
/// [`for_news`](BingConfig::for_news), [`BingNewsSearch`](crate::BingNewsSearch).
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
pub struct BingConfig<R = BingWebPage> {
    /// API key (subscription key), endpoint and HTTP settings.
    pub connection: Connection,
    /// Header that carries the key.
    pub key_header: BingKeyHeader,
    /// Whether records keep highlighting marks. Texts and results stay plain. Default: false.
    pub markup_kept: bool,
    /// Whether reading starts at `skip` instead of the first result. Saves requests, but if pages
    /// overlap or are short, results may repeat or be missing. Default: false.
    pub skip_unread: bool,
    /// Value of the `Accept-Language` header, set together with `cc`.
    pub accept_language: Option<String>,
    pub(crate) parameters: BTreeMap<&'static str, String>,
    records: PhantomData<fn() -> R>,
}

/// Configuration of [`BingNewsSearch`](crate::BingNewsSearch): see [`BingConfig::for_news`].
pub type BingNewsConfig = BingConfig<BingNewsArticle>;

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

settings!(impl BingConfig {
    /// Sets the market that results come from (`mkt`), such as `en-US`.
    "mkt" => with_market(market: impl Into<String>) = market;
    /// Sets the language of the service's own texts (`setLang`), such as `en`.
    "setLang" => with_language(language: impl Into<String>) = language;
    /// Sets how strictly adult content is filtered (`safeSearch`).
    "safeSearch" => with_safe_search(level: SafeSearch) =
        level.spelled(&["Off", "Moderate", "Strict"]);
    /// Sets the maximum age of results (`freshness`), in place of a date range. The service has no
    /// range of a year: the search's constructor rejects it.
    "freshness" => with_time_range(range: TimeRange) =
        range.spelled(&["Day", "Week", "Month", "Year"]);
    /// Sets the first and the last day of publication (`freshness`), in place of a time range. Each
    /// is the start of a day in UTC: `"2025-07-01".parse()?`. News searches reject it.
    "freshness" => with_date_range(first: DateTime, last: DateTime) =
        format!("{}..{}", written_day(first), written_day(last));
    /// Sets the kinds of answers (`responseFilter`), separated by commas, such as
    /// `Webpages,RelatedSearches` or `-Images`.
    "responseFilter" => with_response_filter(answers: impl Into<String>) = answers;
    /// Sets the number of kinds of answers (`answerCount`). The best kinds come first.
    "answerCount" => with_answer_count(count: u32) = count.to_string();
    /// Sets kinds of answers to include regardless of rank (`promote`), in addition to
    /// `answerCount`.
    "promote" => with_promote(answers: impl Into<String>) = answers;
    /// Sets whether names and snippets mark the query's words (`textDecorations`). Only records
    /// keep the marks, and only with [`with_markup_kept`](Self::with_markup_kept). Default: false.
    "textDecorations" => with_text_decorations(enabled: bool) = enabled.to_string();
    /// Sets the format of highlighting marks (`textFormat`).
    "textFormat" => with_text_format(format: BingTextFormat) = format.as_str();
    /// Sets the order of news (`sortBy`).
    "sortBy" => with_sort_by(order: BingNewsOrder) = order.as_str();
    /// Sets the earliest discovery time of news (`since`), in whole seconds. Requires the order
    /// `Date`.
    "since" => with_since(time: DateTime) =
        time.unix_nanoseconds().div_euclid(1_000_000_000).to_string();
    /// Sets whether news include the URL of the original image (`originalImg`) besides the
    /// thumbnail. Default: false.
    "originalImg" => with_original_images(enabled: bool) = enabled.to_string();
    key_header => with_key_header(header: BingKeyHeader) = header;
    markup_kept => with_markup_kept(enabled: bool) = enabled;
    skip_unread => with_skip_unread(enabled: bool) = enabled;
});

impl BingConfig {
    /// Creates a configuration with this API key and default settings.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self {
            connection: Connection::new::<Self>(api_key),
            key_header: BingKeyHeader::default(),
            markup_kept: false,
            skip_unread: false,
            accept_language: None,
            parameters: BTreeMap::new(),
            records: PhantomData,
        }
    }

    /// Reads the configuration from environment variables: [`BING_API_KEY`] and, if set,
    /// [`BING_ENDPOINT`] and [`BING_KEY_HEADER`].
    ///
    /// # Errors
    /// As [`Connection::from_env`], and
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) for an unknown header.
    pub fn from_env() -> Result<Self> {
        let connection = Connection::from_env::<Self>()?;
        let key_header = parsed_variable(CONNECTOR, BING_KEY_HEADER)?.unwrap_or_default();
        Ok(Self { connection, key_header, ..Self::new("") })
    }

    /// Returns these settings for [`BingNewsSearch`](crate::BingNewsSearch), which ignores settings
    /// of web searches only.
    #[must_use]
    pub fn for_news(self) -> BingNewsConfig {
        BingNewsConfig {
            connection: self.connection,
            key_header: self.key_header,
            markup_kept: self.markup_kept,
            skip_unread: self.skip_unread,
            accept_language: self.accept_language,
            parameters: self.parameters,
            records: PhantomData,
        }
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
        self.parameters.insert("cc", country.into());
        self
    }
}
