//! Translates a filter into SearXNG's parameters and checks results against it.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, Filter, FilterableField, Result,
    filter::FilterOperator,
    serde_json::json,
    web::{Condition, Sites, contradicts, one_of, valid, warn_left_out},
};

use crate::{
    NAME, SearxngConfig, SearxngResult,
    config::{check_language, check_name},
};

const SEVERAL: [FilterOperator; 2] = [FilterOperator::Eq, FilterOperator::In];

// Narrowest first.
const TIME_RANGES: [&str; 4] = ["day", "week", "month", "year"];
const LEVELS: [&str; 3] = ["2", "1", "0"];

pub(crate) fn fields(known_categories: &[String]) -> Vec<FilterableField> {
    let category = json!({ "type": "string", "enum": known_categories });
    let level = json!({ "type": "integer", "enum": [0, 1, 2] });
    let engine = "The search engine that finds the page, such as wikipedia or duckduckgo";
    vec![
        FilterableField::string("site", "The domain of the page, such as docs.rs"),
        FilterableField::string("language", "The language of the page: en, de-CH, …"),
        FilterableField::one_of("time_range", "How old the page may be", &TIME_RANGES),
        FilterableField::new("category", "The kind of page to search for", category)
            .with_operators(SEVERAL),
        FilterableField::string("engine", engine).with_operators(SEVERAL).offered_to_model(false),
        FilterableField::new("safesearch", "0: off, 1: moderate, 2: strict", level)
            .offered_to_model(false),
    ]
}

/// What a filter changes in a request. It overrides the configuration.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    pub(crate) sites: Sites,
    pub(crate) engines: Option<Vec<String>>,
    categories: Option<Vec<String>>,
    parameters: BTreeMap<&'static str, String>,
    impossible: bool,
}

impl Translation {
    /// Returns `None` if no page can match.
    pub(crate) fn new(conditions: &[Condition], config: &SearxngConfig) -> Result<Option<Self>> {
        let mut translation = Self::default();
        conditions.iter().try_for_each(|condition| translation.add(condition, config))?;
        let Self { sites, engines, categories, parameters, impossible } = &mut translation;
        if engines.is_some() && categories.is_some() {
            let field = "category and engine";
            let and = FilterOperator::And;
            let reason = "SearXNG searches the engines and also those of the categories; filter on \
                          only one of the two";
            return Err(Error::unsupported_filter_because(NAME, field, and, &SEVERAL, reason));
        }
        *impossible |= sites.are_none();
        // A filter on engines disables the configured categories and vice versa.
        let lists = [(engines, "engines", "categories"), (categories, "categories", "engines")];
        for (names, name, other) in lists {
            let Some(names) = names else { continue };
            parameters.extend([(name, names.join(",")), (other, String::new())]);
            *impossible |= names.is_empty();
        }
        Ok((!translation.impossible).then_some(translation))
    }

    fn add(&mut self, condition: &Condition, config: &SearxngConfig) -> Result<()> {
        match condition.field.as_str() {
            "site" => {
                condition.single()?;
                self.sites.narrow_by(NAME, condition)
            }
            "category" => {
                condition.narrow(&mut self.categories)?;
                condition.values.iter().try_for_each(|name| check_category(name, config))
            }
            "engine" => {
                condition.narrow(&mut self.engines)?;
                condition.values.iter().try_for_each(|name| check_name("engine", name))
            }
            "language" => {
                let language = condition.single()?;
                check_language(language)?;
                let other = self.parameters.insert("language", language.to_owned());
                self.impossible |= other.is_some_and(|other| other != language);
                Ok(())
            }
            "time_range" => self.add_narrower("time_range", condition.single()?, &TIME_RANGES),
            "safesearch" => self.add_narrower("safesearch", condition.single()?, &LEVELS),
            _ => Err(condition.unsupported(condition.operator)),
        }
    }

    /// Keeps the narrower of two ranges or levels, which lies within the other.
    fn add_narrower(&mut self, name: &'static str, value: &str, known: &[&str]) -> Result<()> {
        one_of(NAME, name, value, known)?;
        let width = |value: &str| known.iter().position(|level| *level == value);
        let other = self.parameters.get(name).filter(|other| width(other) < width(value));
        if other.is_none() {
            self.parameters.insert(name, value.to_owned());
        }
        Ok(())
    }

    /// Returns the request's parameters.
    pub(crate) fn parameters(&self, config: &SearxngConfig) -> Vec<(&'static str, String)> {
        let level = config.safe_search.map(|level| level.spelled(&["0", "1", "2"]));
        let settings = [
            ("engines", Some(config.engines.join(","))),
            ("categories", Some(config.categories.join(","))),
            ("language", config.language.clone()),
            ("time_range", config.time_range.map(|range| range.to_string())),
            ("safesearch", level.map(str::to_owned)),
        ];
        let sent = settings.into_iter().filter_map(|(name, setting)| {
            let value = self.parameters.get(name).cloned().or(setting)?;
            (!value.is_empty()).then_some((name, value))
        });
        sent.collect()
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
            let fits = !contradicts(&filter, &["site"], link)
                && self.engines.as_ref().is_none_or(|names| names.iter().any(is_from));
            if !fits && is_fixed {
                warn_left_out(NAME);
            }
            fits
        }
    }
}

fn check_category(name: &String, config: &SearxngConfig) -> Result<()> {
    let known = &config.known_categories;
    let allowed = format!("one of `known_categories` ({})", known.join(", "));
    valid(NAME, "category", name, known.contains(name), &allowed)
}
