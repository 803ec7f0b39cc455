//! The settings of a search as plain data; what they may be is checked by `BingTextSearch::new`.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, Result,
    http::{HttpSettings, Secret, Url, variable},
    web::{Endpoint, SafeSearch, closed_set},
};

use crate::CONNECTOR;

/// The environment variable with the key, required by [`BingConfig::from_env`].
pub const BING_API_KEY: &str = "BING_API_KEY";

/// The environment variable with the address of the service; see [`BingConfig::with_endpoint`].
pub const BING_ENDPOINT: &str = "BING_ENDPOINT";

/// The environment variable with the header of the key, `subscription` or `bearer`; see [`BingConfig::with_key_header`].
pub const BING_KEY_HEADER: &str = "BING_KEY_HEADER";

const PUBLIC_ENDPOINT: &str = "https://api.bing.microsoft.com/v7.0";

/// Key, address and settings of a Bing search.
///
/// Each setting is a parameter of the
/// [reference](https://learn.microsoft.com/bing/search-apis/bing-web-search/reference/query-parameters); what is not
/// set is left to the service. A filter on the field of the same name overrides a setting for one search.
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
    /// The subscription key.
    pub api_key: Secret,
    /// The address of the service.
    pub endpoint: Endpoint,
    /// The header that the key is sent in.
    pub key_header: BingKeyHeader,
    /// Timeouts, attempts and limits.
    pub http: HttpSettings,
    /// Whether names and snippets keep the marks of highlighted words; false by default.
    pub markup_kept: bool,
    /// Whether results that are skipped are not even asked for; false by default.
    pub skip_unread: bool,
    /// The languages for the header `Accept-Language`, set together with `cc`.
    pub accept_language: Option<String>,
    pub(crate) parameters: BTreeMap<&'static str, String>,
}

/// The header that a key is sent in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BingKeyHeader {
    /// `Ocp-Apim-Subscription-Key`, as Bing itself had it.
    #[default]
    Subscription,
    /// `Authorization: Bearer …`, as some services that speak Bing's format have it.
    Bearer,
}

closed_set! {
    /// The form of the marks of highlighted words.
    pub enum BingTextFormat {
        /// Special characters.
        Raw = "Raw",
        /// Tags.
        Html = "HTML",
    }
}

closed_set! {
    /// The order of news.
    pub enum BingNewsOrder {
        /// The newest first.
        Date = "Date",
        /// What fits best first.
        Relevance = "Relevance",
    }
}

impl BingConfig {
    /// The settings with this key, the rest by default.
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

    /// The key from [`BING_API_KEY`] and, where they are set, the address from [`BING_ENDPOINT`] and the header of the key
    /// from [`BING_KEY_HEADER`].
    ///
    /// # Errors
    /// [`ErrorKind::Authentication`](crate::ErrorKind::Authentication) that names the variable where there is no key;
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) where one of them is not Unicode, or the header is
    /// neither `subscription` nor `bearer`.
    pub fn from_env() -> Result<Self> {
        let mut config = Self::new(Secret::from_env(CONNECTOR, BING_API_KEY)?);
        if let Some(endpoint) = variable(CONNECTOR, BING_ENDPOINT)? {
            config = config.with_endpoint(endpoint);
        }
        if let Some(header) = variable(CONNECTOR, BING_KEY_HEADER)? {
            config = config.with_key_header(key_header(&header)?);
        }
        Ok(config)
    }

    /// Another service that speaks the format: the part of the address before `/search` and `/news/search`, or the
    /// whole address of the web search.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<Endpoint>) -> Self {
        self.endpoint = endpoint.into();
        self
    }

    /// Sends the key in another header, for services that speak Bing's format and want `Authorization: Bearer`.
    #[must_use]
    pub fn with_key_header(mut self, header: BingKeyHeader) -> Self {
        self.key_header = header;
        self
    }

    /// Timeouts, attempts and limits.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// Sets whether the service does the skipping: reading then begins at the result of `skip`; false by default. `true`
    /// saves the requests for what is skipped. Where pages overlap or are short, a result may come twice or be missing.
    #[must_use]
    pub fn with_skip_unread(mut self, enabled: bool) -> Self {
        self.skip_unread = enabled;
        self
    }

    /// The market that results come from (`mkt`), such as `en-US`.
    #[must_use]
    pub fn with_market(self, market: impl Into<String>) -> Self {
        self.with_parameter("mkt", market)
    }

    /// The country that results come from (`cc`), such as `CH`, with several languages such as `de-CH, fr-CH`; instead
    /// of a market.
    #[must_use]
    pub fn with_country(
        mut self,
        country: impl Into<String>,
        languages: impl Into<String>,
    ) -> Self {
        self.accept_language = Some(languages.into());
        self.with_parameter("cc", country)
    }

    /// The language of texts that the service itself writes (`setLang`), such as `en`.
    #[must_use]
    pub fn with_language(self, language: impl Into<String>) -> Self {
        self.with_parameter("setLang", language)
    }

    /// How much adult content is left out (`safeSearch`).
    #[must_use]
    pub fn with_safe_search(self, level: SafeSearch) -> Self {
        let name = match level {
            SafeSearch::Off => "Off",
            SafeSearch::Moderate => "Moderate",
            _ => "Strict",
        };
        self.with_parameter("safeSearch", name)
    }

    /// The age of results (`freshness`): `Day`, `Week`, `Month`, a date such as `2025-07-01`, or two of them with `..`
    /// between; a news search knows the first three.
    #[must_use]
    pub fn with_freshness(self, freshness: impl Into<String>) -> Self {
        self.with_parameter("freshness", freshness)
    }

    /// The kinds of answers (`responseFilter`), separated by commas, such as `Webpages,RelatedSearches` or `-Images`.
    #[must_use]
    pub fn with_response_filter(self, answers: impl Into<String>) -> Self {
        self.with_parameter("responseFilter", answers)
    }

    /// The number of kinds of answers (`answerCount`), the best first.
    #[must_use]
    pub fn with_answer_count(self, count: u32) -> Self {
        self.with_parameter("answerCount", count.to_string())
    }

    /// The kinds of answers that come whatever their rank (`promote`), beside `answerCount`.
    #[must_use]
    pub fn with_promote(self, answers: impl Into<String>) -> Self {
        self.with_parameter("promote", answers)
    }

    /// Sets whether Bing marks the words of the query in names and snippets (`textDecorations`); false by default. Texts
    /// never hold the marks. Records do if [markup is kept](Self::with_markup_kept).
    #[must_use]
    pub fn with_text_decorations(self, enabled: bool) -> Self {
        self.with_parameter("textDecorations", enabled.to_string())
    }

    /// The form of those marks (`textFormat`).
    #[must_use]
    pub fn with_text_format(self, format: BingTextFormat) -> Self {
        self.with_parameter("textFormat", format.as_str())
    }

    /// Sets whether records keep the marks; false by default. Texts and results stay plain.
    #[must_use]
    pub fn with_markup_kept(mut self, enabled: bool) -> Self {
        self.markup_kept = enabled;
        self
    }

    /// The order of news (`sortBy`).
    #[must_use]
    pub fn with_sort_by(self, order: BingNewsOrder) -> Self {
        self.with_parameter("sortBy", order.as_str())
    }

    /// Only news discovered after so many seconds since 1970 (`since`); with the order `Date`.
    #[must_use]
    pub fn with_since(self, unix_seconds: u64) -> Self {
        self.with_parameter("since", unix_seconds.to_string())
    }

    /// Sets whether news have the address of the original image (`originalImg`), not only a thumbnail; false by default.
    #[must_use]
    pub fn with_original_images(self, enabled: bool) -> Self {
        self.with_parameter("originalImg", enabled.to_string())
    }

    fn with_parameter(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.parameters.insert(name, value.into());
        self
    }

    /// The address of the search with this path, below the part that all searches have in common.
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

/// A header of the key by its name in the environment.
fn key_header(name: &str) -> Result<BingKeyHeader> {
    match name.trim().to_ascii_lowercase().as_str() {
        "subscription" => Ok(BingKeyHeader::Subscription),
        "bearer" => Ok(BingKeyHeader::Bearer),
        _ => {
            let allowed = "subscription or bearer";
            Err(Error::invalid_options(CONNECTOR, BING_KEY_HEADER, format!("`{name}`"), allowed))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_header_is_named_in_any_case() {
        assert_eq!(key_header("Bearer").unwrap(), BingKeyHeader::Bearer);
        assert_eq!(key_header(" subscription").unwrap(), BingKeyHeader::Subscription);
        let error = key_header("basic").unwrap_err();
        let expected = "bing: `BING_KEY_HEADER` is `basic`: allowed is subscription or bearer";
        assert_eq!(error.to_string(), expected);
    }
}
