//! Checks values, and writes them in Brave's spelling.

use textsearch_core::{
    Error, Result,
    web::{exact_day, one_of},
};

use crate::CONNECTOR;

pub(crate) const PERIODS: &[&str] = &["pd", "pw", "pm", "py"];
pub(crate) const SAFE_SEARCH: &[&str] = &["off", "moderate", "strict"];

pub(crate) const KINDS: &[&str] = &[
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

/// Returns a value of a parameter, which a filter may set.
pub(crate) fn parameter(name: &str, value: &str) -> Result<String> {
    let known = match name {
        "country" => COUNTRIES,
        "search_lang" => SEARCH_LANGUAGES,
        "ui_lang" => INTERFACE_LANGUAGES,
        "safesearch" => SAFE_SEARCH,
        "freshness" => PERIODS,
        // Comes from a boolean or an enum.
        _ => return Ok(value.to_owned()),
    };
    let same = known.iter().find(|one| one.eq_ignore_ascii_case(value)).unwrap_or(&value);
    one_of(CONNECTOR, name, same, known)?;
    Ok((*same).to_owned())
}

/// As [`parameter`], for settings: `freshness` may also be a range of days.
pub(crate) fn setting(name: &str, value: &str) -> Result<String> {
    if name != "freshness" || PERIODS.contains(&value) {
        return parameter(name, value);
    }
    let is_day = |text: &str| exact_day(CONNECTOR, name, text).is_ok();
    let is_range = |(first, last): (&str, &str)| is_day(first) && is_day(last) && first <= last;
    let allowed = "pd, pw, pm, py or a range such as 2025-01-01to2025-03-31";
    checked(name, value, allowed, value.split_once("to").is_some_and(is_range))?;
    Ok(value.to_owned())
}

/// Returns a code of two letters, of a language or a country.
pub(crate) fn letters(field: &str, value: &str) -> Result<String> {
    let fits = value.len() == 2 && value.chars().all(|letter| letter.is_ascii_alphabetic());
    checked(field, value, "a code of two letters, such as de", fits)?;
    Ok(value.to_ascii_lowercase())
}

pub(crate) fn file_type(field: &str, value: &str) -> Result<String> {
    let value = value.trim_start_matches('.');
    let fits =
        (1..=10).contains(&value.len()) && value.chars().all(|one| one.is_ascii_alphanumeric());
    checked(field, value, "a file type, such as pdf", fits)?;
    Ok(value.to_ascii_lowercase())
}

/// Checks a query that includes the words of a filter.
pub(crate) fn check_query(query: &str) -> Result<()> {
    let (characters, words) = (query.chars().count(), query.split_whitespace().count());
    let found = match words {
        0 => "empty".to_owned(),
        1..=50 if characters <= 400 => return Ok(()),
        _ => format!("{characters} characters and {words} words long"),
    };
    let allowed = "1 to 400 characters and at most 50 words, including the filter's";
    Err(Error::invalid_options(CONNECTOR, "query", found, allowed))
}

fn checked(option: &str, value: &str, allowed: &str, fits: bool) -> Result<()> {
    match fits {
        true => Ok(()),
        false => Err(Error::invalid_options(CONNECTOR, option, format!("`{value}`"), allowed)),
    }
}
