//! Translates a filter into SearXNG's parameters and checks results against it.

use textsearch_core::{
    Error, Filter, FilterableField, Result,
    filter::FilterOperator,
    serde_json::json,
    web::{Condition, Conditions, Sites, contradicts, one_of},
};

use crate::{
    NAME, SearxngResult,
    config::{SearxngConfig, TIME_RANGES, check_language, check_name, check_safe_search},
};

/// Fields checked against a result's link.
const SITE_FIELDS: &[&str] = &["site"];

const ONE: [FilterOperator; 1] = [FilterOperator::Eq];
const SEVERAL: [FilterOperator; 2] = [FilterOperator::Eq, FilterOperator::In];

pub(crate) fn fields(known_categories: &[String]) -> Vec<FilterableField> {
    let engine = "The search engine that finds the page, such as wikipedia or duckduckgo";
    let category = json!({ "type": "string", "enum": known_categories });
    let range = json!({ "type": "string", "enum": TIME_RANGES });
    let level = json!({ "type": "integer", "enum": [0, 1, 2] });
    vec![
        FilterableField::string("site", "The domain of the page, such as docs.rs")
            .with_operators(ONE),
        FilterableField::string("language", "The language of the page: en, de-CH, …")
            .with_operators(ONE),
        FilterableField::new("time_range", "How old the page may be", range).with_operators(ONE),
        FilterableField::new("category", "The kind of page to search for", category)
            .with_operators(SEVERAL),
        FilterableField::string("engine", engine).with_operators(SEVERAL).offered_to_model(false),
        FilterableField::new("safesearch", "0: off, 1: moderate, 2: strict", level)
            .with_operators(ONE)
            .offered_to_model(false),
    ]
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Translation {
    pub(crate) engines: Option<Vec<String>>,
    pub(crate) categories: Option<Vec<String>>,
    pub(crate) language: Option<String>,
    pub(crate) time_range: Option<String>,
    pub(crate) safe_search: Option<i64>,
    pub(crate) sites: Sites,
    pub(crate) is_impossible: bool,
    filter: Option<Filter>,
}

impl Translation {
    pub(crate) fn new(
        filter: &Filter,
        config: &SearxngConfig,
        fields: &[FilterableField],
    ) -> Result<Self> {
        let conditions = Conditions::of(NAME, filter, fields)?;
        let is_impossible = conditions.are_never_met;
        let mut all = Self { is_impossible, filter: Some(filter.clone()), ..Self::default() };
        conditions.all.iter().try_for_each(|condition| all.add(condition, config))?;
        all.is_impossible |= all.sites.are_none();
        if all.engines.is_some() && all.categories.is_some() {
            return Err(joined());
        }
        Ok(all)
    }

    fn add(&mut self, condition: &Condition, config: &SearxngConfig) -> Result<()> {
        match condition.field.as_str() {
            "site" => {
                condition.single()?;
                self.sites.narrow_by(NAME, condition)
            }
            "language" => self.add_language(condition.single()?),
            "time_range" => self.add_time_range(condition.single()?),
            "safesearch" => self.add_safe_search(condition.single()?),
            "category" => {
                let names = condition.listed()?;
                names.iter().try_for_each(|name| check_category(name, config))?;
                self.is_impossible |= narrow(&mut self.categories, "category", names)?;
                Ok(())
            }
            "engine" => {
                self.is_impossible |= narrow(&mut self.engines, "engine", condition.listed()?)?;
                Ok(())
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

    fn add_safe_search(&mut self, level: &str) -> Result<()> {
        // Digits that overflow are out of range too.
        let level = level.parse().unwrap_or(i64::MAX);
        check_safe_search(level)?;
        self.safe_search = self.safe_search.max(Some(level));
        Ok(())
    }

    /// If true, the instance's count doesn't apply.
    pub(crate) fn narrows_results(&self) -> bool {
        self.engines.is_some() || self.sites.included.is_some()
    }

    /// Not every engine supports `site:`, and an instance falls back to other engines when it lacks
    /// the requested ones.
    pub(crate) fn allows(&self, result: &SearxngResult) -> bool {
        let link = result.url.as_deref().unwrap_or_default();
        let is_elsewhere = |filter| contradicts(filter, SITE_FIELDS, link);
        let is_from =
            |name: &String| result.engines.contains(name) || result.engine.as_ref() == Some(name);
        !self.filter.as_ref().is_some_and(is_elsewhere)
            && self.engines.as_ref().is_none_or(|names| names.iter().any(is_from))
    }
}

/// Keeps the names that all conditions allow. Returns true if none is left.
fn narrow(wanted: &mut Option<Vec<String>>, field: &str, names: &[String]) -> Result<bool> {
    names.iter().try_for_each(|name| check_name(field, name))?;
    let both = match wanted.take() {
        Some(others) => others.into_iter().filter(|name| names.contains(name)).collect(),
        None => names.to_vec(),
    };
    let are_none = both.is_empty();
    *wanted = Some(both);
    Ok(are_none)
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
