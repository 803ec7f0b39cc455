//! Validates parameter values.

use textsearch_core::{Error, Result, web};

use crate::CONNECTOR;

pub(crate) const PERIODS: &[&str] = &["pd", "pw", "pm", "py"];
pub(crate) const SAFE_SEARCH: &[&str] = &["off", "moderate", "strict"];
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

pub(crate) const COUNTRIES: &[&str] = &[
    "ALL", "AR", "AT", "AU", "BE", "BR", "CA", "CH", "CL", "CN", "DE", "DK", "ES", "FI", "FR",
    "GB", "GR", "HK", "ID", "IN", "IT", "JP", "KR", "MX", "MY", "NL", "NO", "NZ", "PH", "PL", "PT",
    "RU", "SA", "SE", "TR", "TW", "US", "ZA",
];

pub(crate) const SEARCH_LANGUAGES: &[&str] = &[
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "en-gb", "es", "et", "eu", "fi", "fr",
    "gl", "gu", "he", "hi", "hr", "hu", "is", "it", "jp", "kn", "ko", "lt", "lv", "ml", "mr", "ms",
    "nb", "nl", "pa", "pl", "pt-br", "pt-pt", "ro", "ru", "sk", "sl", "sr", "sv", "ta", "te", "th",
    "tr", "uk", "vi", "zh-hans", "zh-hant",
];

const INTERFACE_LANGUAGES: &[&str] = &[
    "da-DK", "de-AT", "de-CH", "de-DE", "el-GR", "en-AU", "en-CA", "en-GB", "en-ID", "en-IN",
    "en-MY", "en-NZ", "en-PH", "en-US", "en-ZA", "es-AR", "es-CL", "es-ES", "es-MX", "es-US",
    "fi-FI", "fr-BE", "fr-CA", "fr-CH", "fr-FR", "it-IT", "ja-JP", "ko-KR", "nl-BE", "nl-NL",
    "no-NO", "pl-PL", "pt-BR", "ru-RU", "sv-SE", "tr-TR", "zh-CN", "zh-HK", "zh-TW",
];

/// In characters.
const LONGEST_QUERY: usize = 400;
const MOST_WORDS: usize = 50;

pub(crate) fn country(option: &str, value: &str) -> Result<String> {
    code(option, value, COUNTRIES)
}

pub(crate) fn page_country(option: &str, value: &str) -> Result<String> {
    let allowed = "a two-letter country code, such as de";
    checked(option, value, allowed, is_letters(value, 2..=2)).map(|()| value.to_ascii_lowercase())
}

pub(crate) fn page_language(option: &str, value: &str) -> Result<String> {
    let allowed = "a two-letter language code, such as en";
    checked(option, value, allowed, is_letters(value, 2..=2)).map(|()| value.to_ascii_lowercase())
}

pub(crate) fn search_language(option: &str, value: &str) -> Result<String> {
    code(option, value, SEARCH_LANGUAGES)
}

pub(crate) fn interface_language(option: &str, value: &str) -> Result<String> {
    code(option, value, INTERFACE_LANGUAGES)
}

fn code(option: &str, value: &str, known: &[&str]) -> Result<String> {
    let found = known.iter().find(|code| code.eq_ignore_ascii_case(value));
    one_of(option, found.unwrap_or(&value), known)
}

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

pub(crate) fn query(query: String) -> Result<String> {
    let (characters, words) = (query.chars().count(), query.split_whitespace().count());
    let refuse = |found: String| {
        let allowed = "1 to 400 characters and at most 50 words, including the filter's";
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

/// Returns a setting in Brave's spelling.
pub(crate) fn parameter(name: &str, value: &str) -> Result<String> {
    match name {
        "country" => country(name, value),
        "search_lang" => search_language(name, value),
        "ui_lang" => interface_language(name, value),
        "safesearch" => safe_search(name, value),
        "freshness" => freshness(name, value),
        // The rest comes from booleans and enums.
        _ => Ok(value.to_owned()),
    }
}
