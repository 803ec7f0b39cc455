//! The settings of a search as plain data; what they may be is checked by `TavilyTextSearch::new`.

use std::collections::BTreeMap;

use serde_json::Value;
use textsearch_core::{
    Result,
    http::{HttpSettings, Secret, Url, parsed_variable, variable},
    web::{Endpoint, SafeSearch, Site, Sites, TimeRange, closed_set, exact_day},
};

use crate::{
    CONNECTOR,
    check::{self, refused},
};

/// The environment variable with the key, required by [`TavilyConfig::from_env`].
pub const TAVILY_API_KEY: &str = "TAVILY_API_KEY";

/// The environment variable with the address of the service; see [`TavilyConfig::with_endpoint`].
pub const TAVILY_ENDPOINT: &str = "TAVILY_ENDPOINT";

/// The environment variable with the depth of the search; see [`TavilyConfig::with_search_depth`].
pub const TAVILY_SEARCH_DEPTH: &str = "TAVILY_SEARCH_DEPTH";

/// The environment variable with the topic; see [`TavilyConfig::with_topic`].
pub const TAVILY_TOPIC: &str = "TAVILY_TOPIC";

const PUBLIC_ENDPOINT: &str = "https://api.tavily.com/search";
const PATH: &str = "/search";

/// Key, address and settings of a Tavily search.
///
/// Each setting is a parameter of the [reference](https://docs.tavily.com/documentation/api-reference/endpoint/search);
/// what is not set is left to the service. A filter on the field of the same name overrides a setting for one search,
/// and a filter on `site` narrows the domains that are set here.
///
/// ```
/// use textsearch_tavily::{TavilyAnswer, TavilyConfig, TavilyTopic};
///
/// let config = TavilyConfig::new("sesame").with_topic(TavilyTopic::News).with_answer(TavilyAnswer::Basic);
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TavilyConfig {
    /// The key.
    pub api_key: Secret,
    /// The address of the service.
    pub endpoint: Endpoint,
    /// Timeouts, attempts and limits.
    pub http: HttpSettings,
    /// The domains to search, each with its subdomains; none is the whole web.
    pub include_domains: Vec<String>,
    /// The domains to leave out, each with its subdomains.
    pub exclude_domains: Vec<String>,
    pub(crate) parameters: BTreeMap<&'static str, Value>,
}

closed_set! {
    /// What pages are about.
    pub enum TavilyTopic {
        /// Anything.
        General = "general",
        /// What happened lately, with the day of publication.
        News = "news",
        /// Companies and markets.
        Finance = "finance",
    }
}

closed_set! {
    /// How thoroughly is searched.
    pub enum TavilySearchDepth {
        /// The default: one excerpt a page.
        Basic = "basic",
        /// Slower, with the excerpts that fit best.
        Advanced = "advanced",
        /// Faster than basic, with several excerpts a page.
        Fast = "fast",
        /// The fastest.
        UltraFast = "ultra-fast",
    }
}

closed_set! {
    /// How long an answer that a model writes is.
    pub enum TavilyAnswer {
        /// A short one.
        Basic = "basic",
        /// One in detail.
        Advanced = "advanced",
    }
}

closed_set! {
    /// The form of whole pages.
    pub enum TavilyRawContent {
        /// Markdown.
        Markdown = "markdown",
        /// Plain text, which can take longer.
        Text = "text",
    }
}

impl TavilyConfig {
    /// The settings with this key, the rest by default.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self {
            api_key: api_key.into(),
            endpoint: PUBLIC_ENDPOINT.into(),
            http: HttpSettings::default(),
            include_domains: Vec::new(),
            exclude_domains: Vec::new(),
            parameters: BTreeMap::new(),
        }
    }

    /// The key from [`TAVILY_API_KEY`] and, where they are set, [`TAVILY_ENDPOINT`], [`TAVILY_SEARCH_DEPTH`] and
    /// [`TAVILY_TOPIC`].
    ///
    /// # Errors
    /// [`ErrorKind::Authentication`](crate::ErrorKind::Authentication) that names the variable where there is no key;
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) where one of them is not Unicode,
    /// or no depth or topic.
    pub fn from_env() -> Result<Self> {
        let mut config = Self::new(Secret::from_env(CONNECTOR, TAVILY_API_KEY)?);
        if let Some(endpoint) = variable(CONNECTOR, TAVILY_ENDPOINT)? {
            config = config.with_endpoint(endpoint);
        }
        if let Some(depth) = parsed_variable(CONNECTOR, TAVILY_SEARCH_DEPTH)? {
            config = config.with_search_depth(depth);
        }
        if let Some(topic) = parsed_variable(CONNECTOR, TAVILY_TOPIC)? {
            config = config.with_topic(topic);
        }
        Ok(config)
    }

    /// Another service that speaks the format: the whole address of its search, or its host alone.
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

    /// The category (`topic`). News come with the day of their publication.
    #[must_use]
    pub fn with_topic(self, topic: TavilyTopic) -> Self {
        self.with_parameter("topic", topic.as_str())
    }

    /// Speed against relevance (`search_depth`).
    #[must_use]
    pub fn with_search_depth(self, depth: TavilySearchDepth) -> Self {
        self.with_parameter("search_depth", depth.as_str())
    }

    /// The number of excerpts of each page (`chunks_per_source`), 1 to 3; with the depth `advanced` or `fast`.
    #[must_use]
    pub fn with_chunks_per_source(self, chunks: u32) -> Self {
        self.with_parameter("chunks_per_source", chunks)
    }

    /// The age of results (`time_range`). Tavily takes it without dates only.
    #[must_use]
    pub fn with_time_range(self, range: TimeRange) -> Self {
        self.with_parameter("time_range", range.as_str())
    }

    /// The first day of publication (`start_date`), such as `2025-03-31`, instead of `time_range` and `days`.
    #[must_use]
    pub fn with_start_date(self, day: impl Into<String>) -> Self {
        self.with_parameter("start_date", day.into())
    }

    /// The last day of publication (`end_date`), such as `2025-03-31`, instead of `time_range` and `days`.
    #[must_use]
    pub fn with_end_date(self, day: impl Into<String>) -> Self {
        self.with_parameter("end_date", day.into())
    }

    /// The age of news in days (`days`), at least 1; with the topic `news` and without dates.
    #[must_use]
    pub fn with_days(self, days: u32) -> Self {
        self.with_parameter("days", days)
    }

    /// Asks for an answer that a model writes (`include_answer`): it is in the metadata.
    #[must_use]
    pub fn with_answer(self, kind: TavilyAnswer) -> Self {
        self.with_parameter("include_answer", kind.as_str())
    }

    /// Asks for whole pages (`include_raw_content`): they are in the records.
    #[must_use]
    pub fn with_raw_content(self, form: TavilyRawContent) -> Self {
        self.with_parameter("include_raw_content", form.as_str())
    }

    /// Sets whether images are requested (`include_images`), which are then in the metadata; false by default.
    #[must_use]
    pub fn with_images(self, enabled: bool) -> Self {
        self.with_parameter("include_images", enabled)
    }

    /// Sets whether images come with a description (`include_image_descriptions`); false by default.
    #[must_use]
    pub fn with_image_descriptions(self, enabled: bool) -> Self {
        self.with_parameter("include_image_descriptions", enabled)
    }

    /// Sets whether results have the icon of their site (`include_favicon`); false by default.
    #[must_use]
    pub fn with_favicons(self, enabled: bool) -> Self {
        self.with_parameter("include_favicon", enabled)
    }

    /// Sets whether the metadata say what the search cost (`include_usage`); false by default.
    #[must_use]
    pub fn with_usage(self, enabled: bool) -> Self {
        self.with_parameter("include_usage", enabled)
    }

    /// The domains to search (`include_domains`), at most 300, each with its subdomains.
    #[must_use]
    pub fn with_include_domains<S: Into<String>>(
        mut self,
        domains: impl IntoIterator<Item = S>,
    ) -> Self {
        self.include_domains = domains.into_iter().map(Into::into).collect();
        self
    }

    /// The domains to leave out (`exclude_domains`), at most 150, each with its subdomains.
    #[must_use]
    pub fn with_exclude_domains<S: Into<String>>(
        mut self,
        domains: impl IntoIterator<Item = S>,
    ) -> Self {
        self.exclude_domains = domains.into_iter().map(Into::into).collect();
        self
    }

    /// The country whose pages come first (`country`), by its English name in small letters, such as `south korea`;
    /// with the topic `general`.
    #[must_use]
    pub fn with_country(self, country: impl Into<String>) -> Self {
        self.with_parameter("country", country.into())
    }

    /// Sets whether Tavily chooses what is not set (`auto_parameters`); false by default. The metadata say what it chose.
    /// It may choose the depth `advanced`, which costs twice as much.
    #[must_use]
    pub fn with_auto_parameters(self, enabled: bool) -> Self {
        self.with_parameter("auto_parameters", enabled)
    }

    /// Sets whether phrases in quotes must be found as they are (`exact_match`); false by default.
    #[must_use]
    pub fn with_exact_match(self, enabled: bool) -> Self {
        self.with_parameter("exact_match", enabled)
    }

    /// Whether adult content is left out (`safe_search`), for plans that can; with the depth `basic` or `advanced`.
    /// The service knows on and off: `Moderate` is on.
    #[must_use]
    pub fn with_safe_search(self, level: SafeSearch) -> Self {
        self.with_parameter("safe_search", level != SafeSearch::Off)
    }

    fn with_parameter(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.parameters.insert(name, value.into());
        self
    }

    /// Refuses what the service would not understand, and what it would silently ignore.
    pub(crate) fn check(&self) -> Result<()> {
        if self.api_key.is_empty() {
            return Err(refused("api_key", "empty", "a key of Tavily"));
        }
        self.parameters.iter().try_for_each(|(name, value)| check_value(name, value))?;
        self.check_together()?;
        self.sites()?;
        self.url().map(drop)
    }

    fn check_together(&self) -> Result<()> {
        let needs = [
            ("chunks_per_source", "search_depth", "basic", &["advanced", "fast"][..]),
            ("country", "topic", "general", &["general"]),
            ("days", "topic", "general", &["news"]),
        ];
        for (name, other, default, allowed) in needs {
            let found = self.text(other).unwrap_or(default);
            if self.parameters.contains_key(name) && !allowed.contains(&found) {
                let found = format!("set with the {other} `{found}`");
                let allowed = format!("it with the {other} {}", allowed.join(" or "));
                return Err(refused(name, &found, &allowed));
            }
        }
        let is_on = |name| self.parameters.get(name) == Some(&Value::Bool(true));
        if is_on("include_image_descriptions") && !is_on("include_images") {
            let allowed = "it together with `include_images`";
            return Err(refused("include_image_descriptions", "set alone", allowed));
        }
        let depth = self.text("search_depth").unwrap_or("basic");
        if is_on("safe_search") && check::DEPTHS_WITHOUT_SAFE_SEARCH.contains(&depth) {
            let found = format!("set with the search_depth `{depth}`");
            let allowed = "it with the search_depth basic or advanced";
            return Err(refused("safe_search", &found, allowed));
        }
        check::period(|name| self.parameters.get(name))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.parameters.get(name)?.as_str()
    }

    /// The domains of the settings.
    pub(crate) fn sites(&self) -> Result<Sites> {
        let named = |option, domains: &[String]| {
            let sites = domains.iter().map(|domain| Site::domain(CONNECTOR, option, domain));
            sites.collect::<Result<Vec<_>>>()
        };
        let included = named("include_domains", &self.include_domains)?;
        Ok(Sites::new(included, named("exclude_domains", &self.exclude_domains)?))
    }

    /// The address of the search.
    pub(crate) fn url(&self) -> Result<Url> {
        let mut url = self.endpoint.url(CONNECTOR, PUBLIC_ENDPOINT)?;
        if url.path() == "/" {
            url.set_path(PATH);
        }
        Ok(url)
    }
}

fn check_value(name: &str, value: &Value) -> Result<()> {
    let text = value.as_str().unwrap_or_default();
    let number = value.as_u64();
    match name {
        "start_date" | "end_date" => exact_day(CONNECTOR, name, text),
        "chunks_per_source" if !number.is_some_and(|chunks| (1..=3).contains(&chunks)) => {
            Err(refused(name, &value.to_string(), "1 to 3"))
        }
        "days" if number == Some(0) => Err(refused(name, "0", "at least 1")),
        "country" if text.len() < 3 || text.chars().any(|letter| letter.is_ascii_uppercase()) => {
            let allowed = "the English name of a country in small letters, such as france";
            Err(refused(name, &format!("`{text}`"), allowed))
        }
        _ => Ok(()),
    }
}
