//! What values the parameters take, with errors that name what is allowed.

use textsearch_core::{Error, Result, web};

use crate::CONNECTOR;

pub(crate) const TOPICS: &[&str] = &["general", "news", "finance"];
pub(crate) const TIME_RANGES: &[&str] = &["day", "week", "month", "year", "d", "w", "m", "y"];
pub(crate) const SEARCH_DEPTHS: &[&str] = &["basic", "advanced", "fast", "ultra-fast"];
pub(crate) const ANSWERS: &[&str] = &["basic", "advanced"];
pub(crate) const RAW_CONTENTS: &[&str] = &["markdown", "text"];

/// The most characters that a query may have.
const LONGEST_QUERY: usize = 400;

/// One of the values that are allowed.
pub(crate) fn one_of(option: &str, value: &str, allowed: &[&str]) -> Result<()> {
    web::one_of(CONNECTOR, option, value, allowed)
}

/// A query within the limits of Tavily, which refuses a search for a site alone.
pub(crate) fn query(query: &str) -> Result<()> {
    let characters = query.chars().count();
    if query.trim().is_empty() {
        let allowed = "text to search for: a filter alone is not a search";
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
