//! What values the parameters take, with errors that name what is allowed.

use textsearch_core::{Error, Result, web};

use crate::CONNECTOR;

pub(crate) const PERIODS: &[&str] = &["pd", "pw", "pm", "py"];
pub(crate) const SAFE_SEARCH: &[&str] = &["off", "moderate", "strict"];
const UNITS: &[&str] = &["metric", "imperial"];
const SECTIONS: &[&str] = &[
    "discussions",
    "faq",
    "infobox",
    "locations",
    "news",
    "query",
    "rich",
    "summarizer",
    "videos",
    "web",
];

/// The most characters that a query may have, and the most words.
const LONGEST_QUERY: usize = 400;
const MOST_WORDS: usize = 50;

/// A two-letter country code or `ALL`, in capitals.
pub(crate) fn country(option: &str, value: &str) -> Result<String> {
    let allowed = "a two-letter country code, such as DE, or ALL";
    let upper = value.to_ascii_uppercase();
    checked(option, value, allowed, upper == "ALL" || is_letters(value, 2..=2)).map(|()| upper)
}

/// The country of a page, in small letters.
pub(crate) fn page_country(option: &str, value: &str) -> Result<String> {
    let allowed = "a two-letter country code, such as de";
    checked(option, value, allowed, is_letters(value, 2..=2)).map(|()| value.to_ascii_lowercase())
}

/// The language of a page, in small letters.
pub(crate) fn page_language(option: &str, value: &str) -> Result<String> {
    let allowed = "a two-letter language code, such as en";
    checked(option, value, allowed, is_letters(value, 2..=2)).map(|()| value.to_ascii_lowercase())
}

/// A language to prefer, such as `en`, `pt-br` or `zh-hans`.
pub(crate) fn search_language(option: &str, value: &str) -> Result<String> {
    let (language, variant) = value.split_once('-').map_or((value, None), |(a, b)| (a, Some(b)));
    let fits =
        is_letters(language, 2..=3) && variant.is_none_or(|variant| is_letters(variant, 2..=4));
    let allowed = "a language code, such as en, pt-br or zh-hans";
    checked(option, value, allowed, fits).map(|()| value.to_ascii_lowercase())
}

/// A language and a country, such as `en-US`.
pub(crate) fn interface_language(option: &str, value: &str) -> Result<String> {
    let fits = value.split_once('-').is_some_and(|(language, country)| {
        is_letters(language, 2..=2) && is_letters(country, 2..=2)
    });
    checked(option, value, "a language and a country, such as en-US", fits).map(|()| value.into())
}

/// The ending of files of a type.
pub(crate) fn file_type(option: &str, value: &str) -> Result<String> {
    let value = value.trim_start_matches('.');
    let fits = (1..=10).contains(&value.len())
        && value.chars().all(|character| character.is_ascii_alphanumeric());
    checked(option, value, "a file type, such as pdf", fits).map(|()| value.to_ascii_lowercase())
}

pub(crate) fn safe_search(option: &str, value: &str) -> Result<String> {
    one_of(option, value, SAFE_SEARCH)
}

pub(crate) fn section(option: &str, value: &str) -> Result<String> {
    one_of(option, value, SECTIONS)
}

pub(crate) fn period(option: &str, value: &str) -> Result<String> {
    one_of(option, value, PERIODS)
}

/// A period, or a range such as `2025-01-01to2025-03-31`.
pub(crate) fn freshness(option: &str, value: &str) -> Result<String> {
    let is_day = |text: &str| web::exact_day(CONNECTOR, option, text).is_ok();
    let is_range =
        value.split_once("to").is_some_and(|(from, to)| is_day(from) && is_day(to) && from <= to);
    let allowed = "pd, pw, pm, py or a range such as 2025-01-01to2025-03-31";
    checked(option, value, allowed, is_range || PERIODS.contains(&value)).map(|()| value.into())
}

/// A query within the limits that Brave documents.
pub(crate) fn query(query: String) -> Result<String> {
    let (characters, words) = (query.chars().count(), query.split_whitespace().count());
    let refuse = |found: String| {
        let allowed = "1 to 400 characters and at most 50 words, the filter's included";
        Err(Error::invalid_options(CONNECTOR, "query", found, allowed))
    };
    if words == 0 {
        return refuse("empty".to_owned());
    }
    if characters > LONGEST_QUERY || words > MOST_WORDS {
        return refuse(format!("{characters} characters and {words} words long"));
    }
    Ok(query)
}

fn one_of(option: &str, value: &str, allowed: &[&str]) -> Result<String> {
    web::one_of(CONNECTOR, option, value, allowed).map(|()| value.to_owned())
}

fn is_letters(text: &str, length: std::ops::RangeInclusive<usize>) -> bool {
    length.contains(&text.len()) && text.chars().all(|character| character.is_ascii_alphabetic())
}

fn checked(option: &str, value: &str, allowed: &str, fits: bool) -> Result<()> {
    if fits {
        return Ok(());
    }
    Err(Error::invalid_options(CONNECTOR, option, format!("`{value}`"), allowed))
}

/// The value of a parameter of the configuration.
pub(crate) fn parameter(name: &str, value: &str) -> Result<()> {
    let checked = match name {
        "country" => country(name, value),
        "search_lang" => search_language(name, value),
        "ui_lang" => interface_language(name, value),
        "safesearch" => safe_search(name, value),
        "freshness" => freshness(name, value),
        "units" => one_of(name, value, UNITS),
        // What is left is true or false, and has been a boolean before.
        _ => return Ok(()),
    };
    checked.map(drop)
}
