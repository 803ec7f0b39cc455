//! Validates parameter values.

use serde_json::Value;
use textsearch_core::{Error, Result, web};

use crate::CONNECTOR;

pub(crate) const TOPICS: &[&str] = &["general", "news", "finance"];
pub(crate) const TIME_RANGES: &[&str] = &["day", "week", "month", "year", "d", "w", "m", "y"];
/// Depths that can't filter adult content.
pub(crate) const DEPTHS_WITHOUT_SAFE_SEARCH: &[&str] = &["fast", "ultra-fast"];

/// In characters.
const LONGEST_QUERY: usize = 400;

pub(crate) fn one_of(option: &str, value: &str, allowed: &[&str]) -> Result<()> {
    web::one_of(CONNECTOR, option, value, allowed)
}

/// Rejects an age combined with dates, and a period that ends before it begins.
pub(crate) fn period<'a>(parameter: impl Fn(&str) -> Option<&'a Value>) -> Result<()> {
    let first_of =
        |names: [&'static str; 2]| names.into_iter().find(|name| parameter(name).is_some());
    if let (Some(age), Some(day)) =
        (first_of(["time_range", "days"]), first_of(["start_date", "end_date"]))
    {
        let found = format!("set together with `{day}`");
        let allowed =
            "either an age (`time_range`, `days`) or days (`published`, `start_date`, `end_date`)";
        return Err(refused(age, &found, allowed));
    }
    let day = |name| parameter(name).and_then(Value::as_str);
    match (day("start_date"), day("end_date")) {
        (Some(start), Some(end)) if start > end => Err(refused(
            "start_date",
            &format!("`{start}`"),
            &format!("no later than the end, `{end}`"),
        )),
        _ => Ok(()),
    }
}

pub(crate) fn query(query: &str) -> Result<()> {
    let characters = query.chars().count();
    if query.trim().is_empty() {
        let allowed = "text to search for; a filter alone is not enough";
        return Err(refused("query", "empty", allowed));
    }
    if characters > LONGEST_QUERY {
        let found = format!("{characters} characters long");
        return Err(refused("query", &found, &format!("at most {LONGEST_QUERY} characters")));
    }
    Ok(())
}

pub(crate) fn refused(option: &str, found: &str, allowed: &str) -> Error {
    Error::invalid_options(CONNECTOR, option, found, allowed)
}
