//! Configuration.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, Result,
    filter::DateTime,
    http::{Secret, closed_set, variable},
    web::{Connection, SafeSearch, TimeRange, settings, valid, written_day},
};

use crate::{CONNECTOR, values};

/// Environment variable for the API key. [`BraveConfig::from_env`] requires it.
pub const BRAVE_API_KEY: &str = "BRAVE_API_KEY";
/// Environment variable for the endpoint URL; see [`BraveConfig::with_endpoint`].
pub const BRAVE_ENDPOINT: &str = "BRAVE_ENDPOINT";
/// Environment variable for the endpoint URL of [`BraveContextSearch`](crate::BraveContextSearch).
pub const BRAVE_CONTEXT_ENDPOINT: &str = "BRAVE_CONTEXT_ENDPOINT";
/// Environment variable for the country to search from; see [`BraveConfig::with_country`].
pub const BRAVE_COUNTRY: &str = "BRAVE_COUNTRY";
/// Environment variable for the preferred language; see [`BraveConfig::with_search_language`].
pub const BRAVE_SEARCH_LANG: &str = "BRAVE_SEARCH_LANG";
/// Environment variable for the safe search level; see [`BraveConfig::with_safe_search`].
pub const BRAVE_SAFESEARCH: &str = "BRAVE_SAFESEARCH";

/// Configuration of [`BraveTextSearch`](crate::BraveTextSearch).
///
/// Each setting is a parameter of the
/// [reference](https://api-dashboard.search.brave.com/api-reference/web/search/get), with codes from
/// [Brave's list](https://api-dashboard.search.brave.com/app/documentation/web-search/codes). The
/// service decides anything left unset. A filter on the same field overrides a setting for one
/// search. `BraveTextSearch::new` validates all values.
///
/// ```
/// use textsearch_brave::{BraveConfig, SafeSearch};
///
/// let config = BraveConfig::new("sesame").with_country("DE").with_safe_search(SafeSearch::Strict);
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BraveConfig {
    /// API key (subscription token), endpoint and HTTP settings.
    pub connection: Connection,
    /// Whether records keep highlighting marks and character references (`text_decorations`). Texts
    /// and results stay plain. Default: false.
    pub markup_kept: bool,
    /// Whether operators in queries, such as `site:` and `-`, take effect (`operators`). If false,
    /// queries are plain text; filters still work. Default: true.
    pub operators: bool,
    /// Whether reading starts at `skip` instead of the first result. Saves requests, but if pages
    /// overlap or are short, results may repeat or be missing. Default: false.
    pub skip_unread: bool,
    /// Kinds of results (`result_filter`): `query` and `web`, which are the default, and any of
    /// `discussions`, `faq`, `infobox`, `locations`, `news`, `rich`, `summarizer` and `videos`. Other
    /// kinds than web pages are in the metadata.
    pub result_filter: Vec<String>,
    /// Rules that change the ranking: URLs of hosted Goggles, or inline rules.
    pub goggles: Vec<String>,
    /// Location of the user.
    pub location: BraveLocation,
    /// API version (`Api-Version`), such as `2025-03-31`. Default: the latest.
    pub api_version: Option<String>,
    pub(crate) parameters: BTreeMap<&'static str, String>,
}

/// Location of the user, for local results. Sent in headers.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct BraveLocation {
    /// Latitude in degrees, from -90 (south) to 90 (north).
    pub latitude: Option<f64>,
    /// Longitude in degrees, from -180 (west) to 180 (east).
    pub longitude: Option<f64>,
    /// Time zone, such as `Europe/Berlin`.
    pub time_zone: Option<String>,
    /// City.
    pub city: Option<String>,
    /// Code of the state or region, such as `CA`.
    pub state: Option<String>,
    /// Name of the state or region.
    pub state_name: Option<String>,
    /// Two-letter country code.
    pub country: Option<String>,
    /// Postal code.
    pub postal_code: Option<String>,
}

closed_set! {
    /// Units of measurement in the service's own texts.
    pub enum BraveUnits {
        /// Metres and degrees Celsius.
        Metric = "metric",
        /// Miles and degrees Fahrenheit.
        Imperial = "imperial",
    }
}

settings!(impl BraveConfig {
    /// Sets the country to search from (`country`): a code in Brave's list, such as `DE`, or `ALL`.
    "country" => with_country(country: impl Into<String>) = country;
    /// Sets the language of the results (`search_lang`): a code in Brave's list, such as `en`,
    /// `pt-br` or `zh-hans`. Japanese is `jp`.
    "search_lang" => with_search_language(language: impl Into<String>) = language;
    /// Sets the language of the service's own texts (`ui_lang`), such as `en-US`, in Brave's list.
    "ui_lang" => with_interface_language(language: impl Into<String>) = language;
    /// Sets how strictly adult content is filtered (`safesearch`).
    "safesearch" => with_safe_search(level: SafeSearch) = level.as_str();
    /// Sets the maximum age of results (`freshness`), in place of a date range.
    "freshness" => with_time_range(range: TimeRange) = range.spelled(&["pd", "pw", "pm", "py"]);
    /// Sets the first and the last day of publication (`freshness`), in place of a time range. Each
    /// is the start of a day in UTC: `"2025-03-31".parse()?`.
    "freshness" => with_date_range(first: DateTime, last: DateTime) =
        format!("{}to{}", written_day(first), written_day(last));
    /// Sets whether the service corrects the spelling of queries (`spellcheck`). Default: true.
    "spellcheck" => with_spellcheck(enabled: bool) = enabled.to_string();
    /// Sets the units of measurement (`units`).
    "units" => with_units(units: BraveUnits) = units.as_str();
    /// Sets whether pages have up to five more excerpts (`extra_snippets`). Default: false.
    "extra_snippets" => with_extra_snippets(enabled: bool) = enabled.to_string();
    /// Sets whether the metadata has the key of a summary (`summary`). Default: false.
    "summary" => with_summary(enabled: bool) = enabled.to_string();
    /// Sets whether the metadata has the key of data such as weather or exchange rates, under `rich`
    /// (`enable_rich_callback`). Default: false.
    "enable_rich_callback" => with_rich_callback(enabled: bool) = enabled.to_string();
    /// Sets whether pages have the time of Brave's visit (`include_fetch_metadata`). Default: false.
    "include_fetch_metadata" => with_fetch_metadata(enabled: bool) = enabled.to_string();
    [result_filter] => with_result_filter;
    operators => with_operators(enabled: bool) = enabled;
    skip_unread => with_skip_unread(enabled: bool) = enabled;
    markup_kept => with_markup_kept(enabled: bool) = enabled;
    location => with_location(location: BraveLocation) = location;
    api_version => with_api_version(version: impl Into<String>) = Some(version.into());
});

impl BraveConfig {
    /// Creates a configuration with this API key and default settings.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self {
            connection: Connection::new::<Self>(api_key),
            markup_kept: false,
            operators: true,
            skip_unread: false,
            result_filter: vec!["query".to_owned(), "web".to_owned()],
            goggles: Vec::new(),
            location: BraveLocation::default(),
            api_version: None,
            parameters: BTreeMap::new(),
        }
    }

    /// Reads the configuration from environment variables: [`BRAVE_API_KEY`] and, if set,
    /// [`BRAVE_ENDPOINT`], [`BRAVE_COUNTRY`], [`BRAVE_SEARCH_LANG`] and [`BRAVE_SAFESEARCH`].
    ///
    /// # Errors
    /// As [`Connection::from_env`].
    pub fn from_env() -> Result<Self> {
        let mut config = Self { connection: Connection::from_env::<Self>()?, ..Self::new("") };
        let variables = [
            ("country", BRAVE_COUNTRY),
            ("search_lang", BRAVE_SEARCH_LANG),
            ("safesearch", BRAVE_SAFESEARCH),
        ];
        for (parameter, name) in variables {
            if let Some(value) = variable(CONNECTOR, name)? {
                config.parameters.insert(parameter, value);
            }
        }
        Ok(config)
    }

    /// Adds a Goggle (`goggles`): its URL, or rules such as `$discard,site=example.com`.
    #[must_use]
    pub fn with_goggle(mut self, goggle: impl Into<String>) -> Self {
        self.goggles.push(goggle.into());
        self
    }

    pub(crate) fn sent_parameters(&self) -> Result<BTreeMap<&str, String>> {
        let parameters = self.parameters.iter();
        parameters.map(|(name, value)| Ok((*name, values::setting(name, value)?))).collect()
    }

    /// Returns the kinds of results to request; `None` means all. Adds the kinds that other settings
    /// need, because Brave would drop them.
    pub(crate) fn sent_kinds(&self) -> Option<String> {
        if self.result_filter.is_empty() {
            return None;
        }
        let mut kinds = self.result_filter.join(",");
        for (parameter, kind) in [("summary", "summarizer"), ("enable_rich_callback", "rich")] {
            let is_wanted = self.parameters.get(parameter).is_some_and(|value| value == "true");
            if is_wanted && !self.result_filter.iter().any(|known| known == kind) {
                kinds.extend([",", kind]);
            }
        }
        Some(kinds)
    }
}

impl BraveLocation {
    pub(crate) fn check(&self) -> Result<()> {
        let degrees = [("latitude", self.latitude, 90.0), ("longitude", self.longitude, 180.0)];
        for (name, value, max) in degrees {
            if let Some(value) = value.filter(|value| !(-max..=max).contains(value)) {
                let allowed = format!("from -{max} to {max}");
                return Err(Error::invalid_options(CONNECTOR, name, value, allowed));
            }
        }
        let is_visible = |text: &str| text.chars().all(|c| c == ' ' || c.is_ascii_graphic());
        let allowed = "visible ASCII characters and spaces";
        let check = |(name, value): (_, String)| {
            valid(CONNECTOR, name, &value, is_visible(&value), allowed)
        };
        self.headers().try_for_each(check)
    }

    pub(crate) fn headers(&self) -> impl Iterator<Item = (&'static str, String)> {
        let degrees = |degrees: Option<f64>| degrees.map(|degrees| degrees.to_string());
        [
            ("X-Loc-Lat", degrees(self.latitude)),
            ("X-Loc-Long", degrees(self.longitude)),
            ("X-Loc-Timezone", self.time_zone.clone()),
            ("X-Loc-City", self.city.clone()),
            ("X-Loc-State", self.state.clone()),
            ("X-Loc-State-Name", self.state_name.clone()),
            ("X-Loc-Country", self.country.clone()),
            ("X-Loc-Postal-Code", self.postal_code.clone()),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }
}
