//! Checks values, and writes them in Brave's spelling.

use textsearch_core::{
    Result,
    web::{is_letters, is_period, one_of, valid},
};

use crate::CONNECTOR;

pub(crate) const PERIODS: &[&str] = &["pd", "pw", "pm", "py"];
pub(crate) const SAFE_SEARCH: &[&str] = &["off", "moderate", "strict"];

pub(crate) const KINDS: &str =
    "discussions, faq, infobox, locations, news, query, rich, summarizer, videos, web";

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
    let same = known.iter().find(|other| other.eq_ignore_ascii_case(value)).unwrap_or(&value);
    one_of(CONNECTOR, name, same, known)?;
    Ok((*same).to_owned())
}

/// As [`parameter`], for settings: `freshness` may also be a range of days.
pub(crate) fn setting(name: &str, value: &str) -> Result<String> {
    if name != "freshness" || PERIODS.contains(&value) {
        return parameter(name, value);
    }
    let allowed = "pd, pw, pm, py or a range such as 2025-01-01to2025-03-31";
    valid(CONNECTOR, name, value, is_period(value, "to"), allowed)?;
    Ok(value.to_owned())
}

/// Returns a code of two letters, of a language or a country.
pub(crate) fn letters(field: &str, value: &str) -> Result<String> {
    let allowed = "a code of two letters, such as de";
    valid(CONNECTOR, field, value, is_letters(value, 2..=2), allowed)?;
    Ok(value.to_ascii_lowercase())
}

pub(crate) fn file_type(field: &str, value: &str) -> Result<String> {
    let value = value.trim_start_matches('.').to_ascii_lowercase();
    let is_plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let fits = is_plain && (1..=10).contains(&value.len());
    valid(CONNECTOR, field, &value, fits, "a file type, such as pdf")?;
    Ok(value)
}

/// Checks a query that includes the words of a filter.
pub(crate) fn check_query(query: &str) -> Result<()> {
    let characters = query.chars().count();
    let words = query.split_whitespace().count();
    let allowed = "1 to 400 characters and at most 50 words, including the filter's";
    valid(CONNECTOR, "query", query, characters <= 400 && (1..=50).contains(&words), allowed)
}
