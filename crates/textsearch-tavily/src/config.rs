//! Configuration.

use std::collections::BTreeMap;

use serde_json::Value;
use textsearch_core::{
    Result,
    filter::DateTime,
    http::{HttpSettings, Secret, Url, parsed_variable, variable},
    web::{Endpoint, SafeSearch, Site, Sites, TimeRange, closed_set, exact_day, written_day},
};

use crate::{
    CONNECTOR,
    check::{self, refused},
};

/// Environment variable for the API key. [`TavilyConfig::from_env`] requires it.
pub const TAVILY_API_KEY: &str = "TAVILY_API_KEY";

/// Environment variable for the endpoint URL; see [`TavilyConfig::with_endpoint`].
pub const TAVILY_ENDPOINT: &str = "TAVILY_ENDPOINT";

/// Environment variable for the search depth; see [`TavilyConfig::with_search_depth`].
pub const TAVILY_SEARCH_DEPTH: &str = "TAVILY_SEARCH_DEPTH";

/// Environment variable for the topic; see [`TavilyConfig::with_topic`].
pub const TAVILY_TOPIC: &str = "TAVILY_TOPIC";

const PUBLIC_ENDPOINT: &str = "https://api.tavily.com/search";
const PATH: &str = "/search";

/// Configuration of [`TavilyTextSearch`](crate::TavilyTextSearch).
///
/// Each setting is a parameter of the
/// [reference](https://docs.tavily.com/documentation/api-reference/endpoint/search). The service
/// decides anything left unset. A filter on the same field overrides a setting for one search. A
/// filter on `site` narrows the configured domains. `TavilyTextSearch::new` validates all values.
///
/// ```
/// use textsearch_tavily::{TavilyAnswer, TavilyConfig, TavilyTopic};
///
/// let config = TavilyConfig::new("sesame")
///     .with_topic(TavilyTopic::News)
///     .with_answer(TavilyAnswer::Basic);
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TavilyConfig {
    /// API key.
    pub api_key: Secret,
    /// URL of the endpoint.
    pub endpoint: Endpoint,
    /// Timeouts, retries and limits.
    pub http: HttpSettings,
    /// Domains to search, each with its subdomains. An empty list means the whole web.
    pub include_domains: Vec<String>,
    /// Domains to exclude, each with its subdomains.
    pub exclude_domains: Vec<String>,
    pub(crate) parameters: BTreeMap<&'static str, Value>,
}

closed_set! {
    /// Category of pages.
    pub enum TavilyTopic {
        /// Anything.
        General = "general",
        /// Current news, with the day of publication.
        News = "news",
        /// Companies and markets.
        Finance = "finance",
    }
}

closed_set! {
    /// Thoroughness of a search.
    pub enum TavilySearchDepth {
        /// The default: one excerpt per page.
        Basic = "basic",
        /// Slower, with the most relevant excerpts.
        Advanced = "advanced",
        /// Faster than basic, with several excerpts per page.
        Fast = "fast",
        /// The fastest.
        UltraFast = "ultra-fast",
    }
}

closed_set! {
    /// Length of a generated answer.
    pub enum TavilyAnswer {
        /// A short answer.
        Basic = "basic",
        /// A detailed answer.
        Advanced = "advanced",
    }
}

closed_set! {
    /// Format of whole pages.
    pub enum TavilyRawContent {
        /// Markdown.
        Markdown = "markdown",
        /// Plain text, which can take longer.
        Text = "text",
    }
}

impl TavilyConfig {
    /// Creates a configuration with this API key and default settings.
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

    /// Reads the configuration from environment variables: [`TAVILY_API_KEY`] and, if set,
    /// [`TAVILY_ENDPOINT`], [`TAVILY_SEARCH_DEPTH`] and [`TAVILY_TOPIC`].
    ///
    /// # Errors
    /// - [`ErrorKind::Authentication`](crate::ErrorKind::Authentication), naming the variable, if
    ///   there is no key.
    /// - [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if a value isn't Unicode,
    ///   or if the depth or topic is unknown.
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

    /// Sets the endpoint URL, for example of a compatible service. Pass the full URL of the search
    /// or only the host.
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

    /// Sets the category (`topic`). News results include the day of publication.
    #[must_use]
    pub fn with_topic(self, topic: TavilyTopic) -> Self {
        self.with_parameter("topic", topic.as_str())
    }

    /// Sets the trade-off between speed and relevance (`search_depth`).
    #[must_use]
    pub fn with_search_depth(self, depth: TavilySearchDepth) -> Self {
        self.with_parameter("search_depth", depth.as_str())
    }

    /// Sets the number of excerpts per page (`chunks_per_source`), 1 to 3. Requires the depth
    /// `advanced` or `fast`.
    #[must_use]
    pub fn with_chunks_per_source(self, chunks: u32) -> Self {
        self.with_parameter("chunks_per_source", chunks)
    }

    /// Sets the maximum age of results (`time_range`). Can't be combined with start and end dates.
    #[must_use]
    pub fn with_time_range(self, range: TimeRange) -> Self {
        self.with_parameter("time_range", range.as_str())
    }

    /// Sets the first day of publication (`start_date`), as the start of the day in UTC:
    /// `"2025-03-31".parse()?`. Can't be combined with `time_range` and `days`.
    #[must_use]
    pub fn with_start_date(self, day: DateTime) -> Self {
        self.with_parameter("start_date", written_day(day))
    }

    /// Sets the last day of publication (`end_date`), as [`with_start_date`](Self::with_start_date)
    /// sets the first. Can't be combined with `time_range` and `days`.
    #[must_use]
    pub fn with_end_date(self, day: DateTime) -> Self {
        self.with_parameter("end_date", written_day(day))
    }

    /// Sets the maximum age of news in days (`days`), at least 1. Requires the topic `news`.
    /// Can't be combined with start and end dates.
    #[must_use]
    pub fn with_days(self, days: u32) -> Self {
        self.with_parameter("days", days)
    }

    /// Requests a generated answer (`include_answer`), which is in the metadata.
    #[must_use]
    pub fn with_answer(self, kind: TavilyAnswer) -> Self {
        self.with_parameter("include_answer", kind.as_str())
    }

    /// Requests whole pages (`include_raw_content`), which are in the records.
    #[must_use]
    pub fn with_raw_content(self, form: TavilyRawContent) -> Self {
        self.with_parameter("include_raw_content", form.as_str())
    }

    /// Sets whether images are requested (`include_images`), which are in the metadata. Default:
    /// false.
    #[must_use]
    pub fn with_images(self, enabled: bool) -> Self {
        self.with_parameter("include_images", enabled)
    }

    /// Sets whether images have descriptions (`include_image_descriptions`). Requires images.
    /// Default: false.
    #[must_use]
    pub fn with_image_descriptions(self, enabled: bool) -> Self {
        self.with_parameter("include_image_descriptions", enabled)
    }

    /// Sets whether site icons are requested (`include_favicon`). Default: false.
    #[must_use]
    pub fn with_favicons(self, enabled: bool) -> Self {
        self.with_parameter("include_favicon", enabled)
    }

    /// Sets whether the cost of the search is requested (`include_usage`), which is in the
    /// metadata. Default: false.
    #[must_use]
    pub fn with_usage(self, enabled: bool) -> Self {
        self.with_parameter("include_usage", enabled)
    }

    /// Sets the domains to search (`include_domains`), at most 300, each with its subdomains.
    #[must_use]
    pub fn with_include_domains<S: Into<String>>(
        mut self,
        domains: impl IntoIterator<Item = S>,
    ) -> Self {
        self.include_domains = domains.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the domains to exclude (`exclude_domains`), at most 150, each with its subdomains.
    #[must_use]
    pub fn with_exclude_domains<S: Into<String>>(
        mut self,
        domains: impl IntoIterator<Item = S>,
    ) -> Self {
        self.exclude_domains = domains.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the country whose pages rank first (`country`): its English name in lower case, such as
    /// `south korea`. Requires the topic `general`.
    #[must_use]
    pub fn with_country(self, country: impl Into<String>) -> Self {
        self.with_parameter("country", country.into())
    }

    /// Sets whether Tavily chooses unset parameters (`auto_parameters`). Its choices are in the
    /// metadata. It may choose the depth `advanced`, which costs twice as much. Default: false.
    #[must_use]
    pub fn with_auto_parameters(self, enabled: bool) -> Self {
        self.with_parameter("auto_parameters", enabled)
    }

    /// Sets whether quoted phrases must match exactly (`exact_match`). Default: false.
    #[must_use]
    pub fn with_exact_match(self, enabled: bool) -> Self {
        self.with_parameter("exact_match", enabled)
    }

    /// Sets how strictly adult content is filtered (`safe_search`), for plans that support it.
    /// Requires the depth `basic` or `advanced`. The service only knows on and off: `Moderate` is
    /// on.
    #[must_use]
    pub fn with_safe_search(self, level: SafeSearch) -> Self {
        self.with_parameter("safe_search", level != SafeSearch::Off)
    }

    fn with_parameter(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.parameters.insert(name, value.into());
        self
    }

    /// Also rejects settings that the service would silently ignore.
    pub(crate) fn check(&self) -> Result<()> {
        if self.api_key.is_empty() {
            return Err(refused("api_key", "empty", "an API key"));
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
                let allowed = format!("the {other} {}", allowed.join(" or "));
                return Err(refused(name, &found, &allowed));
            }
        }
        let is_on = |name| self.parameters.get(name) == Some(&Value::Bool(true));
        if is_on("include_image_descriptions") && !is_on("include_images") {
            let allowed = "a search with `include_images`";
            return Err(refused("include_image_descriptions", "set alone", allowed));
        }
        let depth = self.text("search_depth").unwrap_or("basic");
        if is_on("safe_search") && check::DEPTHS_WITHOUT_SAFE_SEARCH.contains(&depth) {
            let found = format!("set with the search_depth `{depth}`");
            let allowed = "the search_depth basic or advanced";
            return Err(refused("safe_search", &found, allowed));
        }
        check::period(|name| self.parameters.get(name))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.parameters.get(name)?.as_str()
    }

    pub(crate) fn sites(&self) -> Result<Sites> {
        let named = |option, domains: &[String]| {
            let sites = domains.iter().map(|domain| Site::domain(CONNECTOR, option, domain));
            sites.collect::<Result<Vec<_>>>()
        };
        let included = named("include_domains", &self.include_domains)?;
        Ok(Sites::new(included, named("exclude_domains", &self.exclude_domains)?))
    }

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
            let allowed = "the English name of a country in lower case, such as france";
            Err(refused(name, &format!("`{text}`"), allowed))
        }
        _ => Ok(()),
    }
}
