//! Configuration.

use std::collections::BTreeMap;

use textsearch_core::{
    Result,
    http::{Secret, closed_set, required_variable},
    web::{Connection, SafeSearch, TimeRange, settings},
};

use crate::CONNECTOR;

/// Environment variable for the API key. [`GoogleConfig::from_env`] requires it.
pub const GOOGLE_API_KEY: &str = "GOOGLE_API_KEY";
/// Environment variable for the search engine's id (`cx`). [`GoogleConfig::from_env`] requires it.
pub const GOOGLE_SEARCH_ENGINE_ID: &str = "GOOGLE_SEARCH_ENGINE_ID";
/// Environment variable for the endpoint URL; see [`GoogleConfig::with_endpoint`].
pub const GOOGLE_SEARCH_ENDPOINT: &str = "GOOGLE_SEARCH_ENDPOINT";

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
    /// API key, endpoint and HTTP settings.
    pub connection: Connection,
    /// Id of the programmable search engine.
    pub search_engine_id: String,
    /// Whether the key is sent as the query parameter `key`, for services that ignore the header
    /// `X-Goog-Api-Key`. Servers and proxies log URLs. Default: false.
    pub key_in_query: bool,
    /// Whether reading starts at `skip` instead of the first result. Saves requests, but if pages
    /// overlap or are short, results may repeat or be missing. Default: false.
    pub skip_unread: bool,
    pub(crate) parameters: BTreeMap<&'static str, String>,
}

settings!(impl GoogleConfig {
    /// Sets the country of the user (`gl`), such as `de`. Results from there rank higher.
    "gl" => with_country(country: impl Into<String>) = country;
    /// Sets the language of the user (`hl`), such as `en`.
    "hl" => with_interface_language(language: impl Into<String>) = language;
    /// Sets the language of pages (`lr`), such as `lang_en`.
    "lr" => with_page_language(language: impl Into<String>) = language;
    /// Sets the country of pages (`cr`), such as `countryDE`. Combine several with `|`, `.`, `-`
    /// and parentheses.
    "cr" => with_page_country(country: impl Into<String>) = country;
    /// Sets how strictly adult content is filtered (`safe`). The service only knows on and off:
    /// `Moderate` is on.
    "safe" => with_safe_search(level: SafeSearch) =
        level.spelled(&["off", "active", "active"]);
    /// Sets the order (`sort`), such as `date` or `date:r:20250101:20250131`.
    "sort" => with_sort(order: impl Into<String>) = order;
    /// Sets the maximum age of pages (`dateRestrict`).
    "dateRestrict" => with_time_range(range: TimeRange) = range.spelled(&["d1", "w1", "m1", "y1"]);
    /// Sets the maximum age of pages (`dateRestrict`): `d`, `w`, `m` or `y` (days, weeks, months,
    /// years) and a number, such as `m6`.
    "dateRestrict" => with_date_restrict(age: impl Into<String>) = age;
    /// Sets the licence of pages (`rights`), such as `cc_publicdomain`.
    "rights" => with_rights(rights: impl Into<String>) = rights;
    /// Sets whether the service drops near-duplicate results (`filter`). Default: true.
    "filter" => with_duplicate_filter(enabled: bool) = if enabled { "1" } else { "0" };
    /// Sets whether queries in traditional Chinese also match simplified Chinese and vice versa
    /// (`c2coff`). Default: true.
    "c2coff" => with_chinese_conversion(enabled: bool) = if enabled { "0" } else { "1" };
    /// Sets the size of images (`imgSize`).
    "imgSize" => with_image_size(size: GoogleImageSize) = size.as_str();
    /// Sets the kind of images (`imgType`).
    "imgType" => with_image_type(kind: GoogleImageType) = kind.as_str();
    /// Sets the colour type of images (`imgColorType`).
    "imgColorType" => with_image_color_type(kind: GoogleImageColorType) = kind.as_str();
    /// Sets the dominant colour of images (`imgDominantColor`).
    "imgDominantColor" => with_image_dominant_color(color: GoogleImageColor) = color.as_str();
    key_in_query => with_key_in_query(enabled: bool) = enabled;
    skip_unread => with_skip_unread(enabled: bool) = enabled;
});

impl GoogleConfig {
    /// Creates a configuration with this API key, this search engine and default settings.
    pub fn new(api_key: impl Into<Secret>, search_engine_id: impl Into<String>) -> Self {
        Self {
            connection: Connection::new::<Self>(api_key),
            search_engine_id: search_engine_id.into(),
            key_in_query: false,
            skip_unread: false,
            parameters: BTreeMap::new(),
        }
    }

    /// Reads the configuration from environment variables: [`GOOGLE_API_KEY`],
    /// [`GOOGLE_SEARCH_ENGINE_ID`] and, if set, [`GOOGLE_SEARCH_ENDPOINT`].
    ///
    /// # Errors
    /// As [`Connection::from_env`], and
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) without a search engine id.
    pub fn from_env() -> Result<Self> {
        let connection = Connection::from_env::<Self>()?;
        let search_engine_id = required_variable(CONNECTOR, GOOGLE_SEARCH_ENGINE_ID)?;
        Ok(Self { connection, ..Self::new("", search_engine_id) })
    }

    /// Sets whether to search for images instead of pages (`searchType`). Default: false.
    #[must_use]
    pub fn with_images(mut self, enabled: bool) -> Self {
        self.parameters.remove("searchType");
        self.parameters.extend(enabled.then(|| ("searchType", "image".to_owned())));
        self
    }

    pub(crate) fn is_for_images(&self) -> bool {
        self.parameters.contains_key("searchType")
    }
}

closed_set! {
    /// Size of an image.
    pub enum GoogleImageSize {
        Huge = "huge", Icon = "icon", Large = "large", Medium = "medium", Small = "small",
        XLarge = "xlarge", XxLarge = "xxlarge",
    }
}

closed_set! {
    /// Kind of an image.
    pub enum GoogleImageType {
        Clipart = "clipart", Face = "face", Lineart = "lineart", Stock = "stock",
        Photo = "photo", Animated = "animated",
    }
}

closed_set! {
    /// Colour type of an image.
    pub enum GoogleImageColorType {
        /// In colour.
        Color = "color",
        /// In grey scale.
        Gray = "gray",
        /// Black and white.
        Mono = "mono",
        /// With a transparent background.
        Transparent = "trans",
    }
}

closed_set! {
    /// Dominant colour of an image.
    pub enum GoogleImageColor {
        Black = "black", Blue = "blue", Brown = "brown", Gray = "gray", Green = "green",
        Orange = "orange", Pink = "pink", Purple = "purple", Red = "red", Teal = "teal",
        White = "white", Yellow = "yellow",
    }
}
