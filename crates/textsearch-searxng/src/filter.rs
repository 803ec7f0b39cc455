//! From a filter to what SearXNG can be asked for, and what has to be checked in its answer.

use textsearch_core::{
    Error, Filter, FilterOperator, FilterValue, FilterableField, Result, filter::Comparison,
    http::Url, serde_json::json,
};

use crate::{
    NAME, SearxngResult,
    config::{
        SearxngConfig, TIME_RANGES, check_language, check_name, check_safe_search, check_time_range,
    },
};

const ONE: [FilterOperator; 1] = [FilterOperator::Eq];
const SEVERAL: [FilterOperator; 2] = [FilterOperator::Eq, FilterOperator::In];

/// What a filter may name.
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

/// What a filter asks for, every part of which has to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    pub(crate) engines: Option<Vec<String>>,
    pub(crate) categories: Option<Vec<String>>,
    pub(crate) language: Option<String>,
    pub(crate) time_range: Option<String>,
    pub(crate) safe_search: Option<i64>,
    /// Domains, in the form in which URLs have them.
    pub(crate) sites: Vec<String>,
    /// No page can fulfil all of it.
    pub(crate) is_impossible: bool,
}

impl Conditions {
    /// # Errors
    /// [`UnsupportedFilter`](textsearch_core::ErrorKind::UnsupportedFilter) and, for a value that SearXNG would refuse or take no notice of,
    /// [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions).
    pub(crate) fn new(filter: &Filter, config: &SearxngConfig) -> Result<Self> {
        filter.check(NAME, &fields(&config.known_categories))?;
        let mut conditions = Self::default();
        conditions.add(filter, config)?;
        if conditions.engines.is_some() && conditions.categories.is_some() {
            return Err(joined());
        }
        Ok(conditions)
    }

    fn add(&mut self, filter: &Filter, config: &SearxngConfig) -> Result<()> {
        match filter {
            Filter::And(filters) => filters.iter().try_for_each(|filter| self.add(filter, config)),
            Filter::Or(filters) if filters.is_empty() => {
                self.is_impossible = true;
                Ok(())
            }
            Filter::Or(_) => {
                let (field, names) = alternatives(filter).ok_or_else(|| unsupported(filter))?;
                self.add_names(field, names, config)
            }
            Filter::In { field, values } => self.add_names(field, texts(field, values)?, config),
            Filter::Compare { field, operator: Comparison::Eq, value } => {
                self.add_value(field, value, config)
            }
            _ => Err(unsupported(filter)),
        }
    }

    fn add_value(
        &mut self,
        field: &str,
        value: &FilterValue,
        config: &SearxngConfig,
    ) -> Result<()> {
        if field == "safesearch" {
            let FilterValue::Integer(level) = value else { return Err(wrong_type(field)) };
            check_safe_search(*level)?;
            self.safe_search = self.safe_search.max(Some(*level));
            return Ok(());
        }
        let value = text(field, value)?;
        match field {
            "language" => self.add_language(value),
            "time_range" => self.add_time_range(value),
            "site" => {
                self.sites.push(domain(&value)?);
                Ok(())
            }
            _ => self.add_names(field, vec![value], config),
        }
    }

    fn add_language(&mut self, language: String) -> Result<()> {
        check_language(&language)?;
        let other = self.language.replace(language);
        self.is_impossible |= other.is_some() && other != self.language;
        Ok(())
    }

    /// Of two ranges, the narrower one lies within the other.
    fn add_time_range(&mut self, range: String) -> Result<()> {
        check_time_range(&range)?;
        let width = |range: &String| TIME_RANGES.iter().position(|known| known == range);
        let narrower = self.time_range.take().filter(|other| width(other) < width(&range));
        self.time_range = Some(narrower.unwrap_or(range));
        Ok(())
    }

    fn add_names(&mut self, field: &str, names: Vec<String>, config: &SearxngConfig) -> Result<()> {
        names.iter().try_for_each(|name| check_name(field, name))?;
        let wanted = if field == "category" {
            names.iter().try_for_each(|name| check_category(name, config))?;
            &mut self.categories
        } else {
            &mut self.engines
        };
        let both = match wanted.take() {
            Some(others) => others.into_iter().filter(|name| names.contains(name)).collect(),
            None => names,
        };
        self.is_impossible |= both.is_empty();
        *wanted = Some(both);
        Ok(())
    }

    /// Whether results have to be looked at, so that the instance's count is not theirs.
    pub(crate) fn narrows_results(&self) -> bool {
        self.engines.is_some() || !self.sites.is_empty()
    }

    /// Whether a result is one that was asked for. Not every engine knows `site:`, and an instance falls back to
    /// other engines where it does not have those it was asked for.
    pub(crate) fn allow(&self, result: &SearxngResult) -> bool {
        let host = result.url.as_deref().and_then(|url| Url::parse(url).ok());
        let host = host.as_ref().and_then(Url::host_str).unwrap_or_default();
        let is_from =
            |name: &String| result.engines.contains(name) || result.engine.as_ref() == Some(name);
        self.sites.iter().all(|site| is_within(host, site))
            && self.engines.as_ref().is_none_or(|names| names.iter().any(is_from))
    }
}

fn is_within(host: &str, site: &str) -> bool {
    let host = host.trim_end_matches('.');
    host == site || host.strip_suffix(site).is_some_and(|rest| rest.ends_with('.'))
}

/// A domain as URLs write it. It goes into the query, so there must be nothing else in it.
fn domain(site: &str) -> Result<String> {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '.');
    let url = Url::parse(&format!("http://{site}/")).ok().filter(|_| site.chars().all(is_plain));
    let host = url.as_ref().and_then(Url::host_str).map(|host| host.trim_matches('.'));
    match host.filter(|host| !host.is_empty() && !host.starts_with('-')) {
        Some(host) => Ok(host.to_owned()),
        None => {
            let value = format!("{site:?}");
            Err(Error::invalid_options(NAME, "site", value, "a domain such as docs.rs"))
        }
    }
}

fn check_category(name: &String, config: &SearxngConfig) -> Result<()> {
    if config.known_categories.contains(name) {
        return Ok(());
    }
    let allowed = format!("one of {} (`known_categories`)", config.known_categories.join(", "));
    Err(Error::invalid_options(NAME, "category", format!("{name:?}"), allowed))
}

/// The names in an `or` of comparisons of one field, which SearXNG takes as a list.
fn alternatives(filter: &Filter) -> Option<(&str, Vec<String>)> {
    match filter {
        Filter::Compare { field, operator: Comparison::Eq, value } if is_listed(field) => {
            Some((field, vec![text(field, value).ok()?]))
        }
        Filter::In { field, values } if is_listed(field) => {
            Some((field, texts(field, values).ok()?))
        }
        Filter::Or(filters) => {
            let mut parts = filters.iter().map(alternatives);
            let (field, mut names) = parts.next()??;
            for part in parts {
                let (_, more) = part.filter(|(other, _)| *other == field)?;
                names.extend(more);
            }
            Some((field, names))
        }
        _ => None,
    }
}

fn is_listed(field: &str) -> bool {
    matches!(field, "engine" | "category")
}

fn text(field: &str, value: &FilterValue) -> Result<String> {
    match value {
        FilterValue::String(text) => Ok(text.clone()),
        _ => Err(wrong_type(field)),
    }
}

fn texts(field: &str, values: &[FilterValue]) -> Result<Vec<String>> {
    values.iter().map(|value| text(field, value)).collect()
}

fn wrong_type(field: &str) -> Error {
    let allowed = if field == "safesearch" { "0, 1 or 2" } else { "text" };
    Error::invalid_options(NAME, field, "of another type", allowed)
}

/// For `or` and `not`, named by the first field in them.
fn unsupported(filter: &Filter) -> Error {
    let operator = match filter {
        Filter::Or(_) => FilterOperator::Or,
        _ => FilterOperator::Not,
    };
    let field = first_field(filter).unwrap_or_default();
    let supported = if is_listed(field) { &SEVERAL[..] } else { &ONE[..] };
    Error::unsupported_filter(NAME, field, operator, supported)
}

fn first_field(filter: &Filter) -> Option<&str> {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => filters.iter().find_map(first_field),
        Filter::Not(filter) => first_field(filter),
        Filter::Compare { field, .. } | Filter::In { field, .. } | Filter::Exists { field } => {
            Some(field)
        }
        _ => None,
    }
}

/// SearXNG asks the engines that are listed *and* those of the categories: what is meant to narrow would widen.
fn joined() -> Error {
    Error::unsupported_filter(NAME, "category and engine", FilterOperator::And, &SEVERAL)
}
