//! Builds the request for one page of results.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, FilterableField, Result, SearchOptions,
    filter::FilterOperator,
    http::{HttpRequest, Url},
    web::{FixedSites, exact_day, quoted_query},
};

use crate::{BingConfig, BingKeyHeader, CONNECTOR, filter};

/// Bing's own operators.
const MORE_OPERATORS: &[&str] = &["NEAR"];

/// The reference has no maximum number of results, but `offset` is an unsigned short.
pub(crate) const LARGEST_OFFSET: usize = u16::MAX as usize;

struct Parameter {
    name: &'static str,
    is_valid: fn(&str, bool) -> bool,
    allowed: &'static str,
    place: Place,
    /// Description as a filter field and whether models see it. `None`: a setting only.
    field: Option<(&'static str, bool)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Web,
    News,
    Both,
}

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "mkt",
        is_valid: |value, _| is_locale(value, true),
        allowed: "a language and a country such as en-US",
        place: Place::Both,
        field: Some(("The market that results come from, such as en-US", false)),
    },
    Parameter {
        name: "cc",
        is_valid: |value, _| is_letters(value, 2..=2),
        allowed: "a country of two letters such as US",
        place: Place::Both,
        field: None,
    },
    Parameter {
        name: "setLang",
        is_valid: |value, _| is_locale(value, false),
        allowed: "a language such as en or en-GB",
        place: Place::Both,
        field: None,
    },
    Parameter {
        name: "safeSearch",
        is_valid: |value, _| is_one_of(value, &["Off", "Moderate", "Strict"]),
        allowed: "Off, Moderate or Strict",
        place: Place::Both,
        field: Some(("How adult content is treated: Off, Moderate or Strict", false)),
    },
    Parameter {
        name: "freshness",
        is_valid: is_freshness,
        allowed: "Day, Week, Month or, for pages of the web, 2025-07-01 or 2025-07-01..2025-07-31",
        place: Place::Both,
        field: Some(("The age of results: Day, Week or Month", true)),
    },
    Parameter {
        name: "responseFilter",
        is_valid: |value, _| has_web_pages(value),
        allowed: "kinds of answers including Webpages, separated by commas, or kinds prefixed with \
                  `-`",
        place: Place::Web,
        field: None,
    },
    Parameter {
        name: "answerCount",
        is_valid: |value, _| value.parse::<u32>().is_ok_and(|count| count > 0),
        allowed: "at least 1",
        place: Place::Web,
        field: None,
    },
    Parameter {
        name: "promote",
        is_valid: |value, _| value.split(',').all(|one| ANSWERS.contains(&one.trim())),
        allowed: "kinds of answers such as Webpages or News, separated by commas",
        place: Place::Web,
        field: None,
    },
    Parameter {
        name: "textDecorations",
        is_valid: |value, _| is_one_of(value, &["true", "false"]),
        allowed: "true or false",
        place: Place::Both,
        field: None,
    },
    Parameter {
        name: "textFormat",
        is_valid: |value, _| is_one_of(value, &["Raw", "HTML"]),
        allowed: "Raw or HTML",
        place: Place::Both,
        field: None,
    },
    Parameter {
        name: "sortBy",
        is_valid: |value, _| is_one_of(value, &["Date", "Relevance"]),
        allowed: "Date or Relevance",
        place: Place::News,
        field: Some(("The order of news: Date or Relevance", true)),
    },
    Parameter {
        name: "since",
        is_valid: |value, _| value.parse::<u64>().is_ok(),
        allowed: "seconds since 1970",
        place: Place::News,
        field: Some(("Only news discovered after so many seconds since 1970", false)),
    },
    Parameter {
        name: "originalImg",
        is_valid: |value, _| is_one_of(value, &["true", "false"]),
        allowed: "true or false",
        place: Place::News,
        field: None,
    },
];

const ANSWERS: &[&str] = &[
    "Computation",
    "Entities",
    "Images",
    "News",
    "Places",
    "RelatedSearches",
    "SpellSuggestions",
    "TimeZone",
    "Translations",
    "Videos",
    "Webpages",
];

impl Parameter {
    fn belongs(&self, is_news: bool) -> bool {
        self.place == Place::Both || (self.place == Place::News) == is_news
    }
}

fn is_one_of(value: &str, allowed: &[&str]) -> bool {
    allowed.contains(&value)
}

fn is_letters(text: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&text.len()) && text.chars().all(|one| one.is_ascii_alphabetic())
}

/// Accepts `en-US`, `zh-Hant-TW`, or `en` if no country is needed.
fn is_locale(value: &str, needs_country: bool) -> bool {
    let mut parts = value.split('-');
    let has_language = parts.next().is_some_and(|language| is_letters(language, 2..=3));
    let rest: Vec<&str> = parts.collect();
    has_language
        && (!needs_country || !rest.is_empty())
        && rest.iter().all(|part| is_letters(part, 2..=4))
}

fn is_freshness(value: &str, is_news: bool) -> bool {
    let is_date = |text: &str| exact_day(CONNECTOR, "freshness", text).is_ok();
    let is_range = || match value.split_once("..") {
        Some((from, to)) => is_date(from) && is_date(to) && from <= to,
        None => is_date(value),
    };
    is_one_of(value, &["Day", "Week", "Month"]) || (!is_news && is_range())
}

/// Without web pages there would be no results.
fn has_web_pages(value: &str) -> bool {
    let kinds: Vec<&str> = value.split(',').map(str::trim).collect();
    let excluded = |kind: &&str| kind.strip_prefix('-').is_some_and(|kind| ANSWERS.contains(&kind));
    if kinds.iter().all(excluded) {
        return !kinds.contains(&"-Webpages");
    }
    kinds.iter().all(|kind| ANSWERS.contains(kind)) && kinds.contains(&"Webpages")
}

pub(crate) fn filterable_parameters(is_news: bool) -> impl Iterator<Item = FilterableField> {
    let here = PARAMETERS.iter().filter(move |one| one.belongs(is_news));
    here.filter_map(|parameter| {
        let (description, is_offered) = parameter.field?;
        let field = FilterableField::string(parameter.name, description);
        Some(field.with_operators([FilterOperator::Eq]).offered_to_model(is_offered))
    })
}

pub(crate) fn checked(name: &str, value: &str, is_news: bool) -> Result<&'static str> {
    match PARAMETERS.iter().find(|parameter| parameter.name == name) {
        Some(parameter) if (parameter.is_valid)(value, is_news) => Ok(parameter.name),
        Some(parameter) => {
            let found = format!("{value:?}");
            Err(Error::invalid_options(CONNECTOR, name, found, parameter.allowed))
        }
        None => Err(Error::unsupported_filter(CONNECTOR, name, FilterOperator::Eq, &[])),
    }
}

pub(crate) fn check(config: &BingConfig, is_news: bool) -> Result<()> {
    if config.api_key.is_empty() {
        return Err(Error::invalid_options(CONNECTOR, "api_key", "empty", "an API key"));
    }
    for (name, value) in settings(config, is_news) {
        checked(name, value, is_news)?;
    }
    let has = |name| config.parameters.contains_key(name);
    if has("cc") && has("mkt") {
        let allowed = "either a country or a market";
        return Err(Error::invalid_options(CONNECTOR, "cc", "set together with `mkt`", allowed));
    }
    if has("cc") && has("setLang") {
        let allowed = "a language either with the country or on its own";
        return Err(Error::invalid_options(
            CONNECTOR,
            "setLang",
            "set together with `cc`",
            allowed,
        ));
    }
    config.url("").map(drop)
}

fn settings(config: &BingConfig, is_news: bool) -> impl Iterator<Item = (&'static str, &str)> {
    let belongs =
        move |name: &str| PARAMETERS.iter().any(|one| one.name == name && one.belongs(is_news));
    let all = config.parameters.iter().map(|(name, value)| (*name, value.as_str()));
    all.filter(move |(name, _)| belongs(name))
}

#[derive(Debug)]
pub(crate) struct Plan {
    query: String,
    parameters: BTreeMap<&'static str, String>,
    count: usize,
    /// First result of the first page, counted from 0.
    pub(crate) offset: usize,
    /// Results to skip, from the first page on.
    pub(crate) skip: usize,
    pub(crate) sites: FixedSites,
}

impl Plan {
    pub(crate) fn new(
        config: &BingConfig,
        query: &str,
        options: &SearchOptions,
        largest_page: usize,
        is_news: bool,
    ) -> Result<Option<Self>> {
        let conditions = match options.filter() {
            Some(filter) => filter::translate(&filter, is_news)?,
            None => filter::Conditions::default(),
        };
        let is_idle = options.top == 0 && !options.include_total_count;
        if is_idle || conditions.is_never {
            return Ok(None);
        }
        let query = words(query, &conditions.words, options.fixed_filter().is_some());
        if query.is_empty() {
            return Err(Error::invalid_options(CONNECTOR, "query", "empty", "at least one word"));
        }
        if config.skip_unread && options.skip > LARGEST_OFFSET {
            let allowed = format!("at most {LARGEST_OFFSET} with `skip_unread`");
            return Err(Error::invalid_options(CONNECTOR, "skip", options.skip, allowed));
        }
        let settings = settings(config, is_news).map(|(name, value)| (name, value.to_owned()));
        let mut parameters: BTreeMap<_, _> = settings.collect();
        if conditions.parameters.contains_key("mkt") {
            parameters.remove("cc");
        }
        parameters.extend(conditions.parameters);
        // An exact `skip` has to read all pages before it.
        let offset = if config.skip_unread { options.skip } else { 0 };
        let skip = options.skip - offset;
        let count = skip.saturating_add(options.top).clamp(1, largest_page);
        let sites = FixedSites::new(CONNECTOR, options, filter::SITE_FIELDS);
        Ok(Some(Self { query, parameters, count, offset, skip, sites }))
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn request(&self, config: &BingConfig, url: Url, offset: usize) -> HttpRequest {
        let mut request = HttpRequest::get(url)
            .with_query("q", &self.query)
            .with_query("count", &self.count.to_string())
            .with_query("offset", &offset.to_string());
        for (name, value) in &self.parameters {
            request = request.with_query(name, value);
        }
        if let (Some(languages), true) =
            (&config.accept_language, self.parameters.contains_key("cc"))
        {
            request = request.with_header("Accept-Language", languages);
        }
        match config.key_header {
            BingKeyHeader::Subscription => {
                request.with_secret_header("Ocp-Apim-Subscription-Key", &config.api_key)
            }
            BingKeyHeader::Bearer => request.with_bearer(&config.api_key),
        }
    }
}

/// Puts conditions before the query because Bing reads only the first ten terms.
fn words(query: &str, conditions: &str, is_fixed: bool) -> String {
    let query = match query.trim() {
        query if is_fixed => quoted_query(query, MORE_OPERATORS),
        query if conditions.is_empty() => query.to_owned(),
        query => grouped(query),
    };
    format!("{conditions} {query}").trim().to_owned()
}

/// Turns the query into one term. Otherwise an `OR` would apply the conditions to one side only.
fn grouped(query: &str) -> String {
    let is_or = |word: &str| word == "OR" || word.contains(['|', '(', ')']);
    match query.split_whitespace().any(is_or) {
        false if query.matches('"').count().is_multiple_of(2) => query.to_owned(),
        true if is_balanced(query) => format!("({query})"),
        _ => quoted_query(query, MORE_OPERATORS),
    }
}

/// Whether quotes and parentheses match, so the query can't escape its group.
fn is_balanced(query: &str) -> bool {
    let (mut depth, mut is_quoted) = (0_usize, false);
    for one in query.chars() {
        match one {
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0 && !is_quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_apply_to_both_sides_of_an_or() {
        assert_eq!(words("rust OR go", "site:docs.rs", false), "site:docs.rs (rust OR go)");
        assert_eq!(words("rust -java", "site:docs.rs", false), "site:docs.rs rust -java");
        assert_eq!(words("a) OR (b", "site:docs.rs", false), "site:docs.rs \"a)\" \"OR\" \"(b\"");
        assert_eq!(words(" rust OR go ", "", false), "rust OR go");
    }

    #[test]
    fn responses_always_include_web_pages() {
        for good in ["Webpages", "News, Webpages", "-Images,-Videos"] {
            assert!(has_web_pages(good), "{good}");
        }
        for bad in ["", "News", "-Webpages", "Webpages,Nonsense", "Webpages,-Images"] {
            assert!(!has_web_pages(bad), "{bad}");
        }
    }
}
