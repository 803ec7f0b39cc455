//! Configuration.

use std::collections::BTreeMap;

use serde_json::Value;
use textsearch_core::{
    Error, Result,
    filter::DateTime,
    http::{Secret, closed_set, parsed_variable},
    web::{Connection, SafeSearch, Site, Sites, TimeRange, exact_day, settings, written_day},
};

use crate::CONNECTOR;

/// Environment variable for the API key. [`TavilyConfig::from_env`] requires it.
pub const TAVILY_API_KEY: &str = "TAVILY_API_KEY";
/// Environment variable for the endpoint URL; see [`TavilyConfig::with_endpoint`].
pub const TAVILY_ENDPOINT: &str = "TAVILY_ENDPOINT";
/// Environment variable for the search depth; see [`TavilyConfig::with_search_depth`].
pub const TAVILY_SEARCH_DEPTH: &str = "TAVILY_SEARCH_DEPTH";
/// Environment variable for the topic; see [`TavilyConfig::with_topic`].
pub const TAVILY_TOPIC: &str = "TAVILY_TOPIC";

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
    /// API key, endpoint and HTTP settings.
    pub connection: Connection,
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

settings!(impl TavilyConfig {
    /// Sets the category (`topic`). News results include the day of publication.
    "topic" => with_topic(topic: TavilyTopic) = topic.as_str();
    /// Sets the trade-off between speed and relevance (`search_depth`).
    "search_depth" => with_search_depth(depth: TavilySearchDepth) = depth.as_str();
    /// Sets the number of excerpts per page (`chunks_per_source`), 1 to 3. Requires the depth
    /// `advanced` or `fast`.
    "chunks_per_source" => with_chunks_per_source(chunks: u32) = chunks;
    /// Sets the maximum age of results (`time_range`). Can't be combined with start and end dates.
    "time_range" => with_time_range(range: TimeRange) = range.as_str();
    /// Sets the first day of publication (`start_date`): `"2025-03-31".parse()?`. Can't be combined
    /// with `time_range` and `days`.
    "start_date" => with_start_date(day: DateTime) = written_day(day);
    /// Sets the last day of publication (`end_date`), as [`with_start_date`](Self::with_start_date)
    /// sets the first. Can't be combined with `time_range` and `days`.
    "end_date" => with_end_date(day: DateTime) = written_day(day);
    /// Sets the maximum age of news in days (`days`), at least 1. Requires the topic `news`. Can't
    /// be combined with start and end dates.
    "days" => with_days(days: u32) = days;
    /// Requests a generated answer (`include_answer`), which is in the metadata.
    "include_answer" => with_answer(kind: TavilyAnswer) = kind.as_str();
    /// Requests whole pages (`include_raw_content`), which are in the records.
    "include_raw_content" => with_raw_content(form: TavilyRawContent) = form.as_str();
    /// Sets whether images are requested (`include_images`), for the metadata. Default: false.
    "include_images" => with_images(enabled: bool) = enabled;
    /// Sets whether these images have descriptions (`include_image_descriptions`). Default: false.
    "include_image_descriptions" => with_image_descriptions(enabled: bool) = enabled;
    /// Sets whether site icons are requested (`include_favicon`). Default: false.
    "include_favicon" => with_favicons(enabled: bool) = enabled;
    /// Sets whether the cost is requested (`include_usage`), for the metadata. Default: false.
    "include_usage" => with_usage(enabled: bool) = enabled;
    /// Sets the country whose pages rank first (`country`): its English name in lower case, such as
    /// `south korea`. Requires the topic `general`.
    "country" => with_country(country: impl Into<String>) = Into::<String>::into(country);
    /// Sets whether Tavily chooses unset parameters (`auto_parameters`). Its choices are in the
    /// metadata. It may choose the depth `advanced`, which costs twice as much. Default: false.
    "auto_parameters" => with_auto_parameters(enabled: bool) = enabled;
    /// Sets whether quoted phrases must match exactly (`exact_match`). Default: false.
    "exact_match" => with_exact_match(enabled: bool) = enabled;
    /// Sets whether adult content is filtered (`safe_search`), for plans that support it. Requires
    /// the depth `basic` or `advanced`. Tavily has two levels: `Moderate` is on.
    "safe_search" => with_safe_search(level: SafeSearch) = level != SafeSearch::Off;
});

impl TavilyConfig {
    /// Creates a configuration with this API key and default settings.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self::with(Connection::new::<Self>(api_key))
    }

    fn with(connection: Connection) -> Self {
        let include_domains = Vec::new();
        let exclude_domains = Vec::new();
        Self { connection, include_domains, exclude_domains, parameters: BTreeMap::new() }
    }

    /// Reads the configuration from environment variables: [`TAVILY_API_KEY`] and, if set,
    /// [`TAVILY_ENDPOINT`], [`TAVILY_SEARCH_DEPTH`] and [`TAVILY_TOPIC`].
    ///
    /// # Errors
    /// As [`Connection::from_env`], and
    /// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) for an unknown depth or topic.
    pub fn from_env() -> Result<Self> {
        let mut config = Self::with(Connection::from_env::<Self>()?);
        if let Some(depth) = parsed_variable(CONNECTOR, TAVILY_SEARCH_DEPTH)? {
            config = config.with_search_depth(depth);
        }
        if let Some(topic) = parsed_variable(CONNECTOR, TAVILY_TOPIC)? {
            config = config.with_topic(topic);
        }
        Ok(config)
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

    /// Also rejects settings that the service would silently ignore.
    pub(crate) fn check_parameters(&self) -> Result<()> {
        self.parameters.iter().try_for_each(|(name, value)| check_value(name, value))?;
        let needs = [
            ("chunks_per_source", "search_depth", "basic", &["advanced", "fast"][..]),
            ("country", "topic", "general", &["general"]),
            ("days", "topic", "general", &["news"]),
            ("safe_search", "search_depth", "basic", &["basic", "advanced"]),
        ];
        let is = |name, value: bool| self.parameters.get(name) == Some(&Value::Bool(value));
        for (name, other, default, allowed) in needs {
            let current = self.parameters.get(other).and_then(Value::as_str).unwrap_or(default);
            let is_set = self.parameters.contains_key(name) && !is(name, false);
            if is_set && !allowed.contains(&current) {
                let value = format!("set with the {other} `{current}`");
                let allowed = format!("the {other} {}", allowed.join(" or "));
                return Err(refused(name, &value, &allowed));
            }
        }
        if is("include_image_descriptions", true) && !is("include_images", true) {
            let allowed = "a search with `include_images`";
            return Err(refused("include_image_descriptions", "set alone", allowed));
        }
        check_period(|name| self.parameters.get(name))
    }

    pub(crate) fn sites(&self) -> Result<Sites> {
        let named = |option, domains: &[String]| {
            let sites = domains.iter().map(|domain| Site::domain(CONNECTOR, option, domain));
            sites.collect::<Result<Vec<_>>>()
        };
        let included = named("include_domains", &self.include_domains)?;
        Ok(Sites::new(included, named("exclude_domains", &self.exclude_domains)?))
    }
}

/// Rejects an age combined with dates, and a period that ends before it begins.
pub(crate) fn check_period<'a>(parameter: impl Fn(&str) -> Option<&'a Value>) -> Result<()> {
    let find = |names: [&'static str; 2]| names.into_iter().find(|name| parameter(name).is_some());
    let age = find(["time_range", "days"]);
    let day = find(["start_date", "end_date"]);
    if let (Some(age), Some(day)) = (age, day) {
        let value = format!("set together with `{day}`");
        let allowed =
            "either an age (`time_range`, `days`) or days (`published`, `start_date`, `end_date`)";
        return Err(refused(age, &value, allowed));
    }
    let day = |name| parameter(name).and_then(Value::as_str);
    match (day("start_date"), day("end_date")) {
        (Some(start), Some(end)) if start > end => {
            let allowed = format!("no later than the end, `{end}`");
            Err(refused("start_date", &format!("`{start}`"), &allowed))
        }
        _ => Ok(()),
    }
}

pub(crate) fn refused(option: &str, value: &str, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, value, allowed)
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
