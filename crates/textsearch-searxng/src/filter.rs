//! Translates a filter into SearXNG's parameters and checks results against it.

use textsearch_core::{
    Error, Filter, FilterableField, Result,
    filter::FilterOperator,
    serde_json::json,
    web::{Condition, SafeSearch, Sites, TimeRange, contradicts, one_of, warn_left_out},
};

use crate::{
    NAME, SearxngConfig, SearxngResult,
    config::{check_language, check_name},
};

const SEVERAL: [FilterOperator; 2] = [FilterOperator::Eq, FilterOperator::In];

/// The field of results' links.
const SITE: &str = "site";

/// Narrowest first.
const TIME_RANGES: [&str; 4] = ["day", "week", "month", "year"];

pub(crate) fn fields(known_categories: &[String]) -> Vec<FilterableField> {
    let category = json!({ "type": "string", "enum": known_categories });
    let level = json!({ "type": "integer", "enum": [0, 1, 2] });
    let engine = "The search engine that finds the page, such as wikipedia or duckduckgo";
    vec![
        FilterableField::string(SITE, "The domain of the page, such as docs.rs"),
        FilterableField::string("language", "The language of the page: en, de-CH, …"),
        FilterableField::one_of("time_range", "How old the page may be", &TIME_RANGES),
        FilterableField::new("category", "The kind of page to search for", category)
            .with_operators(SEVERAL),
        FilterableField::string("engine", engine).with_operators(SEVERAL).offered_to_model(false),
        FilterableField::new("safesearch", "0: off, 1: moderate, 2: strict", level)
            .offered_to_model(false),
    ]
}

/// The parameters that a filter sets. They override the configuration.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    pub(crate) sites: Sites,
    engines: Option<Vec<String>>,
    categories: Option<Vec<String>>,
    language: Option<String>,
    time_range: Option<String>,
    safe_search: Option<u8>,
    is_impossible: bool,
}

impl Translation {
    /// Returns `None` if no page can match.
    pub(crate) fn new(conditions: &[Condition], config: &SearxngConfig) -> Result<Option<Self>> {
        let mut translation = Self::default();
        conditions.iter().try_for_each(|condition| translation.add(condition, config))?;
        let Self { sites, engines, categories, is_impossible, .. } = &translation;
        if engines.is_some() && categories.is_some() {
            return Err(joined());
        }
        let is_empty = |names: &Option<Vec<String>>| names.as_ref().is_some_and(Vec::is_empty);
        let is_impossible =
            *is_impossible || sites.are_none() || is_empty(engines) || is_empty(categories);
        Ok((!is_impossible).then_some(translation))
    }

    fn add(&mut self, condition: &Condition, config: &SearxngConfig) -> Result<()> {
        match condition.field.as_str() {
            SITE => {
                condition.single()?;
                self.sites.narrow_by(NAME, condition)
            }
            "language" => self.add_language(condition.single()?),
            "time_range" => self.add_time_range(condition.single()?),
            "safesearch" => self.add_safe_search(condition.single()?),
            "category" => {
                condition.narrow(&mut self.categories)?;
                condition.values.iter().try_for_each(|name| check_category(name, config))
            }
            "engine" => {
                condition.narrow(&mut self.engines)?;
                condition.values.iter().try_for_each(|name| check_name("engine", name))
            }
            _ => Err(condition.unsupported(condition.operator)),
        }
    }

    fn add_language(&mut self, language: &str) -> Result<()> {
        check_language(language)?;
        let other = self.language.replace(language.to_owned());
        self.is_impossible |= other.is_some_and(|other| other != language);
        Ok(())
    }

    /// Keeps the narrower of two ranges, which lies within the other.
    fn add_time_range(&mut self, range: &str) -> Result<()> {
        one_of(NAME, "time_range", range, &TIME_RANGES)?;
        let width = |range: &str| TIME_RANGES.iter().position(|known| *known == range);
        let narrower = self.time_range.take().filter(|other| width(other) < width(range));
        self.time_range = Some(narrower.unwrap_or_else(|| range.to_owned()));
        Ok(())
    }

    /// Keeps the stricter of two levels.
    fn add_safe_search(&mut self, level: &str) -> Result<()> {
        let found = level.parse().ok().filter(|level| *level <= 2);
        let refused = || Error::invalid_options(NAME, "safesearch", level, "0, 1 or 2");
        self.safe_search = self.safe_search.max(Some(found.ok_or_else(refused)?));
        Ok(())
    }

    /// Returns the request's parameters. A filter on engines disables the configured categories and
    /// vice versa, because SearXNG searches both.
    pub(crate) fn parameters(&self, config: &SearxngConfig) -> Vec<(&'static str, String)> {
        let is_filtered = self.engines.is_some() || self.categories.is_some();
        let names = |filtered: &Option<Vec<String>>, configured: &[String]| match filtered {
            Some(names) => names.join(","),
            None if is_filtered => String::new(),
            None => configured.join(","),
        };
        let language = self.language.as_deref().or(config.language.as_deref());
        let range = self.time_range.as_deref().or(config.time_range.map(TimeRange::as_str));
        let level = self.safe_search.or(config.safe_search.map(|level| match level {
            SafeSearch::Off => 0,
            SafeSearch::Moderate => 1,
            _ => 2,
        }));
        let mut parameters = vec![
            ("engines", names(&self.engines, &config.engines)),
            ("categories", names(&self.categories, &config.categories)),
            ("language", language.unwrap_or_default().to_owned()),
            ("time_range", range.unwrap_or_default().to_owned()),
            ("safesearch", level.map(|level| level.to_string()).unwrap_or_default()),
        ];
        parameters.retain(|(_, value)| !value.is_empty());
        parameters
    }

    /// Returns whether results are left out, so that the instance's count doesn't apply.
    pub(crate) fn leaves_out_results(&self) -> bool {
        self.engines.is_some() || self.sites.included.is_some()
    }

    /// Returns a check of results: not every engine supports `site:`, and an instance falls back to
    /// other engines when it lacks the requested ones.
    pub(crate) fn record_filter(
        self,
        filter: Filter,
        is_fixed: bool,
    ) -> impl Fn(&SearxngResult) -> bool + Send + Sync + 'static {
        move |result| {
            let is_from = |name: &String| {
                result.engines.contains(name) || result.engine.as_ref() == Some(name)
            };
            let link = result.url.as_deref().unwrap_or_default();
            let fits = !contradicts(&filter, &[SITE], link)
                && self.engines.as_ref().is_none_or(|names| names.iter().any(is_from));
            if !fits && is_fixed {
                warn_left_out(NAME);
            } else if !fits {
                tracing::debug!("dropped a result that contradicts the filter");
            }
            fits
        }
    }
}

fn check_category(name: &String, config: &SearxngConfig) -> Result<()> {
    if config.known_categories.contains(name) {
        return Ok(());
    }
    let found = format!("{name:?}");
    let allowed = match config.known_categories.as_slice() {
        [] => "none, as `known_categories` is empty".to_owned(),
        known => format!("one of {} (`known_categories`)", known.join(", ")),
    };
    Err(Error::invalid_options(NAME, "category", found, allowed))
}

/// SearXNG asks the listed engines *and* those of the categories, so combining them widens the
/// search.
fn joined() -> Error {
    let reason = "SearXNG searches the engines and also those of the categories; filter on only one of the two";
    let field = "category and engine";
    Error::unsupported_filter_because(NAME, field, FilterOperator::And, &SEVERAL, reason)
}
