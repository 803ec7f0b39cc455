//! The settings of a search as plain data; what they may be is checked by `GoogleTextSearch::new`.

use std::collections::BTreeMap;

use textsearch_core::{
    Result,
    http::{HttpSettings, Secret, Url, required_variable, variable},
    web::{Endpoint, SafeSearch},
};

use crate::{
    CONNECTOR,
    images::{GoogleImageColor, GoogleImageColorType, GoogleImageSize, GoogleImageType},
};

/// The environment variable with the key, required by [`GoogleConfig::from_env`].
pub const GOOGLE_API_KEY: &str = "GOOGLE_API_KEY";

/// The environment variable with the id of the search engine (`cx`), required by [`GoogleConfig::from_env`].
pub const GOOGLE_SEARCH_ENGINE_ID: &str = "GOOGLE_SEARCH_ENGINE_ID";

/// The environment variable with the address of another service that speaks the format.
pub const GOOGLE_SEARCH_ENDPOINT: &str = "GOOGLE_SEARCH_ENDPOINT";

const PUBLIC_ENDPOINT: &str = "https://customsearch.googleapis.com/customsearch/v1";

/// Key, search engine, address and settings of a Google search.
///
/// Each setting is a parameter of the
/// [reference](https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list); what is not set is left to
/// the service. A filter on the field of the same name overrides a setting for one search.
///
/// ```
/// use textsearch_google::{GoogleConfig, SafeSearch};
///
/// let config = GoogleConfig::new("key", "0123456789abcdef0").with_country("de").with_safe_search(SafeSearch::Strict);
/// assert!(format!("{config:?}").contains("api_key: Secret(..)"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GoogleConfig {
    /// The key of the API.
    pub api_key: Secret,
    /// The id of the programmable search engine.
    pub search_engine_id: String,
    /// The address of the service.
    pub endpoint: Endpoint,
    /// Timeouts, attempts and limits.
    pub http: HttpSettings,
    /// Whether the key goes into the address instead of a header; false by default.
    pub key_in_query: bool,
    /// Whether results that are skipped are not even asked for; false by default.
    pub skip_unread: bool,
    pub(crate) parameters: BTreeMap<&'static str, String>,
}

impl GoogleConfig {
    /// The settings with this key and this search engine, the rest by default.
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

    /// The key from [`GOOGLE_API_KEY`], the search engine from [`GOOGLE_SEARCH_ENGINE_ID`] and, where it is set, the
    /// address from [`GOOGLE_SEARCH_ENDPOINT`].
    ///
    /// # Errors
    /// [`ErrorKind::Authentication`](crate::ErrorKind::Authentication) that names the variable where there is no key;
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) that names it where there is no search engine, or
    /// where one of them is not Unicode.
    pub fn from_env() -> Result<Self> {
        let key = Secret::from_env(CONNECTOR, GOOGLE_API_KEY)?;
        let config = Self::new(key, required_variable(CONNECTOR, GOOGLE_SEARCH_ENGINE_ID)?);
        Ok(match variable(CONNECTOR, GOOGLE_SEARCH_ENDPOINT)? {
            Some(endpoint) => config.with_endpoint(endpoint),
            None => config,
        })
    }

    /// Another service that speaks the format, by its whole address.
    #[must_use]
    pub fn with_endpoint(mut self, endpoint: impl Into<Endpoint>) -> Self {
        self.endpoint = endpoint.into();
        self
    }

    /// Timeouts, attempts and limits.
    #[must_use]
    pub fn with_http_settings(mut self, settings: HttpSettings) -> Self {
        self.http = settings;
        self
    }

    /// Sets whether the key is sent as the parameter `key`, for services that don't read the header `X-Goog-Api-Key`;
    /// false by default. Errors and logs never hold it here, but servers and proxies log addresses.
    #[must_use]
    pub fn with_key_in_query(mut self, enabled: bool) -> Self {
        self.key_in_query = enabled;
        self
    }

    /// Sets whether the service does the skipping: reading then begins at the result of `skip`; false by default. `true`
    /// saves the requests for what is skipped. Where pages overlap or are short, a result may come twice or be missing.
    #[must_use]
    pub fn with_skip_unread(mut self, enabled: bool) -> Self {
        self.skip_unread = enabled;
        self
    }

    /// The country of the user (`gl`), such as `de`: results from there rank higher.
    #[must_use]
    pub fn with_country(self, country: impl Into<String>) -> Self {
        self.with_parameter("gl", country)
    }

    /// The language of the user (`hl`), such as `en`.
    #[must_use]
    pub fn with_interface_language(self, language: impl Into<String>) -> Self {
        self.with_parameter("hl", language)
    }

    /// The language that pages are in (`lr`), such as `lang_en`.
    #[must_use]
    pub fn with_page_language(self, language: impl Into<String>) -> Self {
        self.with_parameter("lr", language)
    }

    /// The country that pages are from (`cr`), such as `countryDE`; `|`, `.`, `-` and parentheses combine several.
    #[must_use]
    pub fn with_page_country(self, country: impl Into<String>) -> Self {
        self.with_parameter("cr", country)
    }

    /// Whether adult content is left out (`safe`). The service knows on and off: `Moderate` is on.
    #[must_use]
    pub fn with_safe_search(self, level: SafeSearch) -> Self {
        self.with_parameter("safe", if level == SafeSearch::Off { "off" } else { "active" })
    }

    /// The order (`sort`), such as `date` or `date:r:20250101:20250131`.
    #[must_use]
    pub fn with_sort(self, order: impl Into<String>) -> Self {
        self.with_parameter("sort", order)
    }

    /// The age of pages (`dateRestrict`): `d`, `w`, `m` or `y` with a number, such as `m6`.
    #[must_use]
    pub fn with_date_restrict(self, age: impl Into<String>) -> Self {
        self.with_parameter("dateRestrict", age)
    }

    /// The licence of pages (`rights`), such as `cc_publicdomain`.
    #[must_use]
    pub fn with_rights(self, rights: impl Into<String>) -> Self {
        self.with_parameter("rights", rights)
    }

    /// Sets whether the service leaves out results that are much like others (`filter`); true by default.
    #[must_use]
    pub fn with_duplicate_filter(self, enabled: bool) -> Self {
        self.with_parameter("filter", if enabled { "1" } else { "0" })
    }

    /// Sets whether a query in traditional Chinese also finds simplified Chinese and vice versa (`c2coff`); true by default.
    #[must_use]
    pub fn with_chinese_conversion(self, enabled: bool) -> Self {
        self.with_parameter("c2coff", if enabled { "0" } else { "1" })
    }

    /// Sets whether images are searched instead of pages (`searchType`); false by default.
    #[must_use]
    pub fn with_images(mut self, enabled: bool) -> Self {
        if enabled {
            return self.with_parameter("searchType", "image");
        }
        self.parameters.remove("searchType");
        self
    }

    /// The size of images (`imgSize`).
    #[must_use]
    pub fn with_image_size(self, size: GoogleImageSize) -> Self {
        self.with_parameter("imgSize", size.as_str())
    }

    /// The kind of images (`imgType`).
    #[must_use]
    pub fn with_image_type(self, kind: GoogleImageType) -> Self {
        self.with_parameter("imgType", kind.as_str())
    }

    /// The colours of images (`imgColorType`).
    #[must_use]
    pub fn with_image_color_type(self, kind: GoogleImageColorType) -> Self {
        self.with_parameter("imgColorType", kind.as_str())
    }

    /// The main colour of images (`imgDominantColor`).
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
