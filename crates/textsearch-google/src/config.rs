//! Configuration.

use std::collections::BTreeMap;

use textsearch_core::{
    Result,
    http::{HttpSettings, Secret, Url, required_variable, variable},
    web::{Endpoint, SafeSearch, TimeRange},
};

use crate::{
    CONNECTOR,
    images::{GoogleImageColor, GoogleImageColorType, GoogleImageSize, GoogleImageType},
};

/// Environment variable for the API key. [`GoogleConfig::from_env`] requires it.
pub const GOOGLE_API_KEY: &str = "GOOGLE_API_KEY";

/// Environment variable for the search engine's id (`cx`). [`GoogleConfig::from_env`] requires it.
pub const GOOGLE_SEARCH_ENGINE_ID: &str = "GOOGLE_SEARCH_ENGINE_ID";

/// Environment variable for the endpoint URL; see [`GoogleConfig::with_endpoint`].
pub const GOOGLE_SEARCH_ENDPOINT: &str = "GOOGLE_SEARCH_ENDPOINT";

const PUBLIC_ENDPOINT: &str = "https://customsearch.googleapis.com/customsearch/v1";

/// Configuration of [`GoogleTextSearch`](crate::GoogleTextSearch).
///
/// Each setting is a parameter of the
/// [reference](https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list). The
/// service decides anything left unset. A filter on the same field overrides a setting for one
/// search. `GoogleTextSearch::new` validates all values.
///
/// ```
/// use textsearch_google::{GoogleConfig, SafeSearch};
///
/// let config = GoogleConfig::new("key", "0123456789abcdef0")
///     .with_country("de")
///     .with_safe_search(SafeSearch::Strict);
/// assert!(format!("{config:?}").contains("api_key: Secret(..)"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GoogleConfig {
    /// API key.
    pub api_key: Secret,
    /// Id of the programmable search engine.
    pub search_engine_id: String,
    /// URL of the endpoint.
    pub endpoint: Endpoint,
    /// Timeouts, retries and limits.
    pub http: HttpSettings,
    /// Whether the key is sent in the URL instead of a header. Default: false.
    pub key_in_query: bool,
    /// Whether skipped results stay unread. Default: false.
    pub skip_unread: bool,
    pub(crate) parameters: BTreeMap<&'static str, String>,
}

impl GoogleConfig {
    /// Creates a configuration with this API key, this search engine and default settings.
    pub fn new(api_key: impl Into<Secret>, search_engine_id: impl Into<String>) -> Self {
        Self {
            api_key: api_key.into(),
            search_engine_id: search_engine_id.into(),
            endpoint: PUBLIC_ENDPOINT.into(),
            http: HttpSettings::default(),
            key_in_query: false,
            skip_unread: false,
            parameters: BTreeMap::new(),
        }
    }

    /// Reads the configuration from environment variables: [`GOOGLE_API_KEY`],
    /// [`GOOGLE_SEARCH_ENGINE_ID`] and, if set, [`GOOGLE_SEARCH_ENDPOINT`].
    ///
    /// # Errors
    /// - [`ErrorKind::Authentication`](crate::ErrorKind::Authentication), naming the variable, if
    ///   there is no key.
    /// - [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions), naming the variable, if
    ///   there is no search engine id or a value isn't Unicode.
    pub fn from_env() -> Result<Self> {
        let key = Secret::from_env(CONNECTOR, GOOGLE_API_KEY)?;
        let config = Self::new(key, required_variable(CONNECTOR, GOOGLE_SEARCH_ENGINE_ID)?);
        Ok(match variable(CONNECTOR, GOOGLE_SEARCH_ENDPOINT)? {
            Some(endpoint) => config.with_endpoint(endpoint),
            None => config,
        })
    }

    /// Sets the endpoint URL, for example of a compatible service. Pass the full URL.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<Endpoint>) -> Self {
        self.endpoint = endpoint.into();
        self
    }

    /// Sets timeouts, retries and limits.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// Sets whether the key is sent as the query parameter `key`, for services that ignore the
    /// header `X-Goog-Api-Key`. Default: false.
    ///
    /// This crate keeps the key out of errors and logs, but servers and proxies log URLs.
    #[must_use]
    pub fn with_key_in_query(mut self, enabled: bool) -> Self {
        self.key_in_query = enabled;
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

    /// Sets the country of the user (`gl`), such as `de`. Results from there rank higher.
    #[must_use]
    pub fn with_country(self, country: impl Into<String>) -> Self {
        self.with_parameter("gl", country)
    }

    /// Sets the language of the user (`hl`), such as `en`.
    #[must_use]
    pub fn with_interface_language(self, language: impl Into<String>) -> Self {
        self.with_parameter("hl", language)
    }

    /// Sets the language of pages (`lr`), such as `lang_en`.
    #[must_use]
    pub fn with_page_language(self, language: impl Into<String>) -> Self {
        self.with_parameter("lr", language)
    }

    /// Sets the country of pages (`cr`), such as `countryDE`. Combine several with `|`, `.`, `-`
    /// and parentheses.
    #[must_use]
    pub fn with_page_country(self, country: impl Into<String>) -> Self {
        self.with_parameter("cr", country)
    }

    /// Sets how strictly adult content is filtered (`safe`). The service only knows on and off:
    /// `Moderate` is on.
    #[must_use]
    pub fn with_safe_search(self, level: SafeSearch) -> Self {
        self.with_parameter("safe", if level == SafeSearch::Off { "off" } else { "active" })
    }

    /// Sets the order (`sort`), such as `date` or `date:r:20250101:20250131`.
    #[must_use]
    pub fn with_sort(self, order: impl Into<String>) -> Self {
        self.with_parameter("sort", order)
    }

    /// Sets the maximum age of pages (`dateRestrict`).
    #[must_use]
    pub fn with_time_range(self, range: TimeRange) -> Self {
        let age = match range {
            TimeRange::Day => "d1",
            TimeRange::Week => "w1",
            TimeRange::Month => "m1",
            _ => "y1",
        };
        self.with_date_restrict(age)
    }

    /// Sets the maximum age of pages (`dateRestrict`): `d`, `w`, `m` or `y` (days, weeks, months,
    /// years) and a number, such as `m6`.
    #[must_use]
    pub fn with_date_restrict(self, age: impl Into<String>) -> Self {
        self.with_parameter("dateRestrict", age)
    }

    /// Sets the licence of pages (`rights`), such as `cc_publicdomain`.
    #[must_use]
    pub fn with_rights(self, rights: impl Into<String>) -> Self {
        self.with_parameter("rights", rights)
    }

    /// Sets whether the service drops near-duplicate results (`filter`). Default: true.
    #[must_use]
    pub fn with_duplicate_filter(self, enabled: bool) -> Self {
        self.with_parameter("filter", if enabled { "1" } else { "0" })
    }

    /// Sets whether queries in traditional Chinese also match simplified Chinese and vice versa
    /// (`c2coff`). Default: true.
    #[must_use]
    pub fn with_chinese_conversion(self, enabled: bool) -> Self {
        self.with_parameter("c2coff", if enabled { "0" } else { "1" })
    }

    /// Sets whether to search for images instead of pages (`searchType`). Default: false.
    #[must_use]
    pub fn with_images(mut self, enabled: bool) -> Self {
        if enabled {
            return self.with_parameter("searchType", "image");
        }
        self.parameters.remove("searchType");
        self
    }

    /// Sets the size of images (`imgSize`).
    #[must_use]
    pub fn with_image_size(self, size: GoogleImageSize) -> Self {
        self.with_parameter("imgSize", size.as_str())
    }

    /// Sets the kind of images (`imgType`).
    #[must_use]
    pub fn with_image_type(self, kind: GoogleImageType) -> Self {
        self.with_parameter("imgType", kind.as_str())
    }

    /// Sets the colour type of images (`imgColorType`).
    #[must_use]
    pub fn with_image_color_type(self, kind: GoogleImageColorType) -> Self {
        self.with_parameter("imgColorType", kind.as_str())
    }

    /// Sets the dominant colour of images (`imgDominantColor`).
    #[must_use]
    pub fn with_image_dominant_color(self, color: GoogleImageColor) -> Self {
        self.with_parameter("imgDominantColor", color.as_str())
    }

    fn with_parameter(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.parameters.insert(name, value.into());
        self
    }

    pub(crate) fn url(&self) -> Result<Url> {
        self.endpoint.url(CONNECTOR, "https://example.com/customsearch/v1")
    }
}
