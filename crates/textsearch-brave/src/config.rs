//! The settings of a search as plain data; what they may be is checked by `BraveTextSearch::new`.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, Result,
    http::{HttpSettings, Secret, Url, variable},
    web::{Endpoint, SafeSearch, closed_set, exact_day},
};

use crate::{CONNECTOR, check};

/// The environment variable with the key, required by [`BraveConfig::from_env`].
pub const BRAVE_API_KEY: &str = "BRAVE_API_KEY";

/// The environment variable with the address of the service; see [`BraveConfig::with_endpoint`].
pub const BRAVE_ENDPOINT: &str = "BRAVE_ENDPOINT";

/// The environment variable with the country to search from; see [`BraveConfig::with_country`].
pub const BRAVE_COUNTRY: &str = "BRAVE_COUNTRY";

/// The environment variable with the language to prefer; see [`BraveConfig::with_search_language`].
pub const BRAVE_SEARCH_LANG: &str = "BRAVE_SEARCH_LANG";

/// The environment variable with the level of safe search; see [`BraveConfig::with_safe_search`].
pub const BRAVE_SAFESEARCH: &str = "BRAVE_SAFESEARCH";

const PUBLIC_ENDPOINT: &str = "https://api.search.brave.com/res/v1/web/search";
const PATH: &str = "/res/v1/web/search";

/// Key, address and settings of a Brave search.
///
/// Each setting is a parameter of the
/// [reference](https://api-dashboard.search.brave.com/api-reference/web/search/get); what is not set is left to the
/// service. A filter on the field of the same name overrides a setting for one search.
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
    /// The subscription token.
    pub api_key: Secret,
    /// The address of the service.
    pub endpoint: Endpoint,
    /// Timeouts, attempts and limits.
    pub http: HttpSettings,
    /// Whether titles and snippets keep the marks of highlighted words; false by default.
    pub markup_kept: bool,
    /// Whether operators in a query, such as `site:` and `-`, are operators; true by default.
    pub operators: bool,
    /// Whether results that are skipped are not even asked for; false by default.
    pub skip_unread: bool,
    /// The kinds of results that Brave sends; `query` and `web` by default, and only web pages become results.
    pub result_filter: Vec<String>,
    /// Rules that change the ranking: addresses of hosted Goggles, or rules themselves.
    pub goggles: Vec<String>,
    /// Where the user is.
    pub location: BraveLocation,
    /// The version of the service, as a date; the latest by default.
    pub api_version: Option<String>,
    pub(crate) parameters: BTreeMap<&'static str, String>,
}

/// Where the user is, for results of the neighbourhood: sent in headers.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct BraveLocation {
    /// Degrees north of the equator, from -90 to 90.
    pub latitude: Option<f64>,
    /// Degrees east of Greenwich, from -180 to 180.
    pub longitude: Option<f64>,
    /// The time zone, such as `Europe/Berlin`.
    pub time_zone: Option<String>,
    /// The city.
    pub city: Option<String>,
    /// The code of the state or region, such as `CA`.
    pub state: Option<String>,
    /// The name of the state or region.
    pub state_name: Option<String>,
    /// The two-letter code of the country.
    pub country: Option<String>,
    /// The postal code.
    pub postal_code: Option<String>,
}

closed_set! {
    /// Units of measurement in what the service writes.
    pub enum BraveUnits {
        /// Metres and degrees Celsius.
        Metric = "metric",
        /// Miles and degrees Fahrenheit.
        Imperial = "imperial",
    }
}

impl BraveConfig {
    /// The settings with this key, the rest by default.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self {
            api_key: api_key.into(),
            endpoint: PUBLIC_ENDPOINT.into(),
            http: HttpSettings::default(),
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

    /// The key from [`BRAVE_API_KEY`] and, where they are set, [`BRAVE_ENDPOINT`], [`BRAVE_COUNTRY`],
    /// [`BRAVE_SEARCH_LANG`] and [`BRAVE_SAFESEARCH`].
    ///
    /// # Errors
    /// [`ErrorKind::Authentication`](crate::ErrorKind::Authentication) that names the variable where there is no key;
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) where one of them is not Unicode.
    pub fn from_env() -> Result<Self> {
        let mut config = Self::new(Secret::from_env(CONNECTOR, BRAVE_API_KEY)?);
        if let Some(endpoint) = variable(CONNECTOR, BRAVE_ENDPOINT)? {
            config = config.with_endpoint(endpoint);
        }
        let parameters = [
            ("country", BRAVE_COUNTRY),
            ("search_lang", BRAVE_SEARCH_LANG),
            ("safesearch", BRAVE_SAFESEARCH),
        ];
        for (parameter, name) in parameters {
            if let Some(value) = variable(CONNECTOR, name)? {
                config = config.with_parameter(parameter, value);
            }
        }
        Ok(config)
    }

    /// Another service that speaks the format: the whole address of its web search, or its host alone.
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

    /// The country that results come from (`country`), such as `DE`, or `ALL`: one of
    /// [Brave's list](https://api-dashboard.search.brave.com/app/documentation/web-search/codes).
    #[must_use]
    pub fn with_country(self, country: impl Into<String>) -> Self {
        self.with_parameter("country", country)
    }

    /// The language of results (`search_lang`), such as `en`, `pt-br` or `zh-hans`: one of Brave's list, in which
    /// Japanese is `jp`.
    #[must_use]
    pub fn with_search_language(self, language: impl Into<String>) -> Self {
        self.with_parameter("search_lang", language)
    }

    /// The language of what the service itself writes (`ui_lang`), such as `en-US`: one of Brave's list.
    #[must_use]
    pub fn with_interface_language(self, language: impl Into<String>) -> Self {
        self.with_parameter("ui_lang", language)
    }

    /// How much adult content is left out (`safesearch`).
    #[must_use]
    pub fn with_safe_search(self, level: SafeSearch) -> Self {
        self.with_parameter("safesearch", level.as_str())
    }

    /// The age of results (`freshness`): `pd`, `pw`, `pm`, `py`, or a range such as `2025-01-01to2025-03-31`.
    #[must_use]
    pub fn with_freshness(self, freshness: impl Into<String>) -> Self {
        self.with_parameter("freshness", freshness)
    }

    /// Sets whether the service corrects the spelling of queries (`spellcheck`); true by default.
    #[must_use]
    pub fn with_spellcheck(self, enabled: bool) -> Self {
        self.with_parameter("spellcheck", enabled.to_string())
    }

    /// The units of measurement (`units`).
    #[must_use]
    pub fn with_units(self, units: BraveUnits) -> Self {
        self.with_parameter("units", units.as_str())
    }

    /// Sets whether each page comes with up to five more excerpts (`extra_snippets`); false by default.
    #[must_use]
    pub fn with_extra_snippets(self, enabled: bool) -> Self {
        self.with_parameter("extra_snippets", enabled.to_string())
    }

    /// Sets whether the service offers a summary (`summary`), whose key is then in the metadata; false by default.
    #[must_use]
    pub fn with_summary(self, enabled: bool) -> Self {
        self.with_parameter("summary", enabled.to_string())
    }

    /// Sets whether the service offers data such as weather or rates (`enable_rich_callback`), whose key is then in the
    /// metadata under `rich`; false by default.
    #[must_use]
    pub fn with_rich_callback(self, enabled: bool) -> Self {
        self.with_parameter("enable_rich_callback", enabled.to_string())
    }

    /// Sets whether each page comes with the time of its last visit (`include_fetch_metadata`); false by default.
    #[must_use]
    pub fn with_fetch_metadata(self, enabled: bool) -> Self {
        self.with_parameter("include_fetch_metadata", enabled.to_string())
    }

    /// The kinds of results (`result_filter`): `query` and `web`, and any of `discussions`, `faq`, `infobox`,
    /// `locations`, `news`, `rich`, `summarizer` and `videos`, which then are in the metadata.
    #[must_use]
    pub fn with_result_filter<S: Into<String>>(
        mut self,
        kinds: impl IntoIterator<Item = S>,
    ) -> Self {
        self.result_filter = kinds.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a Goggle (`goggles`): its address, or rules such as `$discard,site=example.com`.
    #[must_use]
    pub fn with_goggle(mut self, goggle: impl Into<String>) -> Self {
        self.goggles.push(goggle.into());
        self
    }

    /// Sets whether Brave reads operators in a query, such as `site:` (`operators`); true by default. With `false` every
    /// query is plain text. Filters work either way.
    #[must_use]
    pub fn with_operators(mut self, enabled: bool) -> Self {
        self.operators = enabled;
        self
    }

    /// Sets whether the service does the skipping: reading then begins at the page of `skip`; false by default. `true`
    /// saves the requests for what is skipped. Where pages overlap or are short, a result may come twice or be missing.
    #[must_use]
    pub fn with_skip_unread(mut self, enabled: bool) -> Self {
        self.skip_unread = enabled;
        self
    }

    /// Sets whether records keep character references and the marks around the words of the query (`text_decorations`);
    /// false by default. Texts and results stay plain.
    #[must_use]
    pub fn with_markup_kept(mut self, enabled: bool) -> Self {
        self.markup_kept = enabled;
        self
    }

    /// Where the user is.
    #[must_use]
    pub fn with_location(mut self, location: BraveLocation) -> Self {
        self.location = location;
        self
    }

    /// The version of the service (`Api-Version`), such as `2025-03-31`.
    #[must_use]
    pub fn with_api_version(mut self, version: impl Into<String>) -> Self {
        self.api_version = Some(version.into());
        self
    }

    fn with_parameter(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.parameters.insert(name, value.into());
        self
    }

    /// The parameters as Brave spells their values.
    pub(crate) fn sent_parameters(&self) -> Result<BTreeMap<&'static str, String>> {
        let parameters = self.parameters.iter();
        parameters.map(|(name, value)| Ok((*name, check::parameter(name, value)?))).collect()
    }

    /// Refuses what the service would not understand.
    pub(crate) fn check(&self) -> Result<()> {
        if self.api_key.is_empty() {
            return Err(Error::invalid_options(
                CONNECTOR,
                "api_key",
                "empty",
                "a subscription token",
            ));
        }
        self.sent_parameters()?;
        self.result_filter
            .iter()
            .try_for_each(|kind| check::section("result_filter", kind).map(drop))?;
        if !self.result_filter.is_empty() && !self.result_filter.iter().any(|kind| kind == "web") {
            let found = format!("`{}`", self.result_filter.join(","));
            return Err(Error::invalid_options(
                CONNECTOR,
                "result_filter",
                found,
                "web among others",
            ));
        }
        if let Some(version) = &self.api_version {
            exact_day(CONNECTOR, "api_version", version)?;
        }
        self.location.check()?;
        self.url().map(drop)
    }

    /// The address of the web search.
    pub(crate) fn url(&self) -> Result<Url> {
        let mut url = self.endpoint.url(CONNECTOR, PUBLIC_ENDPOINT)?;
        if url.path() == "/" {
            url.set_path(PATH);
        }
        Ok(url)
    }
}

impl BraveLocation {
    fn check(&self) -> Result<()> {
        let degrees = [("latitude", self.latitude, 90.0), ("longitude", self.longitude, 180.0)];
        for (name, value, most) in degrees {
            if let Some(value) = value.filter(|value| !(-most..=most).contains(value)) {
                let allowed = format!("from -{most} to {most}");
                return Err(Error::invalid_options(CONNECTOR, name, value, allowed));
            }
        }
        let is_visible = |text: &str| text.chars().all(|one| one == ' ' || one.is_ascii_graphic());
        match self.headers().find(|(_, value)| !is_visible(value)) {
            Some((name, value)) => {
                let allowed = "visible ASCII characters and spaces";
                Err(Error::invalid_options(CONNECTOR, name, format!("`{value}`"), allowed))
            }
            None => Ok(()),
        }
    }

    /// The headers that say it.
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
