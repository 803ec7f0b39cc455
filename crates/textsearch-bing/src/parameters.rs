//! Checks request parameters.

use textsearch_core::{
    Error, Result,
    web::{exact_day, is_letters, is_locale, is_period},
};

use crate::CONNECTOR;

const ANSWERS: &str = "Computation Entities Images News Places RelatedSearches SpellSuggestions \
                       TimeZone Translations Videos Webpages";

/// Returns whether a kind of search has the parameter.
pub(crate) fn belongs(name: &str, is_news: bool) -> bool {
    let others: &[&str] = if is_news {
        &["answerCount", "promote", "responseFilter"]
    } else {
        &["originalImg", "since", "sortBy"]
    };
    !others.contains(&name)
}

pub(crate) fn check(name: &str, value: &str, is_news: bool) -> Result<()> {
    let is_one_of = |allowed: &[&str]| allowed.contains(&value);
    let (is_valid, allowed) = match name {
        "mkt" => {
            (value.contains('-') && is_locale(value), "a language and a country such as en-US")
        }
        "cc" => (is_letters(value, 2..=2), "a country of two letters such as US"),
        "setLang" => (is_locale(value), "a language such as en or en-GB"),
        "safeSearch" => (is_one_of(&["Off", "Moderate", "Strict"]), "Off, Moderate or Strict"),
        "freshness" => (
            is_one_of(&["Day", "Week", "Month"]) || (!is_news && is_day_or_period(value)),
            "Day, Week, Month or, for pages of the web, 2025-07-01 or 2025-07-01..2025-07-31",
        ),
        "responseFilter" => (
            has_web_pages(value),
            "kinds of answers including Webpages, separated by commas, or kinds prefixed with `-`",
        ),
        "promote" => (
            value.split(',').all(|kind| is_answer(kind.trim())),
            "kinds of answers such as Webpages or News, separated by commas",
        ),
        "answerCount" => (value != "0", "at least 1"),
        "sortBy" => (is_one_of(&["Date", "Relevance"]), "Date or Relevance"),
        "since" => (value.parse::<u64>().is_ok(), "seconds since 1970"),
        // Their types allow valid values only.
        _ => (true, ""),
    };
    if is_valid {
        Ok(())
    } else {
        Err(Error::invalid_options(CONNECTOR, name, format!("{value:?}"), allowed))
    }
}

fn is_day_or_period(value: &str) -> bool {
    is_period(value, "..") || exact_day(CONNECTOR, "freshness", value).is_ok()
}

fn is_answer(kind: &str) -> bool {
    ANSWERS.split(' ').any(|answer| answer == kind)
}

/// Without web pages there would be no results.
fn has_web_pages(value: &str) -> bool {
    let mut kinds = value.split(',').map(str::trim);
    if kinds.clone().all(|kind| kind.strip_prefix('-').is_some_and(is_answer)) {
        kinds.all(|kind| kind != "-Webpages")
    } else {
        kinds.clone().all(is_answer) && kinds.any(|kind| kind == "Webpages")
    }
}
