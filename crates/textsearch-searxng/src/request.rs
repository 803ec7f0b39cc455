//! Builds the request for one page of results.

use textsearch_core::{
    Error, Result,
    http::HttpRequest,
    web::{SafeSearch, Sites, plain_query},
};

use crate::{NAME, config::SearxngConfig, filter::Translation};

#[derive(Debug, Clone)]
pub(crate) struct Parameters {
    pairs: Vec<(&'static str, String)>,
}

impl Parameters {
    /// With a filter, SearXNG's own syntax is removed from the query because it would override the
    /// filter. With a fixed filter, operators of the engines behind SearXNG are removed too.
    pub(crate) fn new(
        query: &str,
        filter: Option<&Translation>,
        is_fixed: bool,
        config: &SearxngConfig,
    ) -> Result<Self> {
        let query = match filter {
            Some(filter) if is_fixed => with_sites(plain_text(&plain_query(query)), &filter.sites),
            Some(filter) => with_sites(plain_text(query), &filter.sites),
            None => query.to_owned(),
        };
        if query.trim().is_empty() {
            return Err(Error::invalid_options(NAME, "query", "empty", "at least one word"));
        }
        let mut pairs = vec![("q", query), ("format", "json".to_owned())];
        let unfiltered = Translation::default();
        pairs.extend(settings(filter.unwrap_or(&unfiltered), config));
        Ok(Self { pairs })
    }

    /// `number` counts from 1.
    pub(crate) fn page(&self, number: usize, config: &SearxngConfig) -> Result<HttpRequest> {
        let address = config.url()?;
        let number = number.to_string();
        let pairs = self.pairs.iter().map(|(name, value)| (*name, value.as_str()));
        let pairs = pairs.chain([("pageno", number.as_str())]);
        let request = if config.post {
            let form = pairs.fold(HttpRequest::get(address.clone()), |form, (name, value)| {
                form.with_query(name, value)
            });
            let body = form.url().query().unwrap_or_default().to_owned();
            HttpRequest::post(address)
                .with_body("application/x-www-form-urlencoded", body)
                .with_idempotent(true)
        } else {
            pairs.fold(HttpRequest::get(address), |request, (name, value)| {
                request.with_query(name, value)
            })
        };
        Ok(match &config.authorization {
            Some(secret) => request.with_secret_header("Authorization", secret),
            None => request,
        })
    }
}

/// A filter on engines disables the configured categories and vice versa, because SearXNG searches
/// both.
fn settings(filter: &Translation, config: &SearxngConfig) -> Vec<(&'static str, String)> {
    let is_filtered = filter.engines.is_some() || filter.categories.is_some();
    let names = |filtered: &Option<Vec<String>>, configured: &Vec<String>| match filtered {
        Some(names) => names.join(","),
        None if is_filtered => String::new(),
        None => configured.join(","),
    };
    let chosen = |filtered: &Option<String>, configured: &Option<String>| {
        filtered.clone().or_else(|| configured.clone()).unwrap_or_default()
    };
    let range = config.time_range.map(|range| range.as_str().to_owned());
    let level = filter.safe_search.or(config.safe_search.map(|level| match level {
        SafeSearch::Off => 0,
        SafeSearch::Moderate => 1,
        _ => 2,
    }));
    let pairs = [
        ("engines", names(&filter.engines, &config.engines)),
        ("categories", names(&filter.categories, &config.categories)),
        ("language", chosen(&filter.language, &config.language)),
        ("time_range", chosen(&filter.time_range, &range)),
        ("safesearch", level.map(|level| level.to_string()).unwrap_or_default()),
    ];
    pairs.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// In SearXNG, `!` selects engines, `:` a language and `<` a timeout.
pub(crate) fn plain_text(query: &str) -> String {
    let words = query.split(is_space).map(|word| word.trim_start_matches(['!', ':', '<']));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Python's white space has four separators more than Unicode's.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{1c}'..='\u{1f}')
}

/// Not every engine supports `site:`; results are checked regardless.
fn with_sites(query: String, sites: &Sites) -> String {
    if query.is_empty() {
        return query;
    }
    sites.included.iter().flatten().fold(query, |query, site| format!("{query} site:{site}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_text_removes_searxng_syntax() {
        let cases = [
            ("!images cats", "images cats"),
            ("!!g cats :fr <3 cats", "g cats fr 3 cats"),
            ("! :: <!:!", ""),
            ("cats\u{1c}!wp\u{2003}:de", "cats wp de"),
            ("c++ a:b x!y 1<2", "c++ a:b x!y 1<2"),
        ];
        for (query, expected) in cases {
            assert_eq!(plain_text(query), expected, "{query:?}");
        }
    }

    proptest! {
        #[test]
        fn plain_text_has_no_operators(query in "[!:<a-z \\x1c-\\x1f\\t\u{85}\u{a0}\u{2028}]{0,40}") {
            let plain = plain_text(&query);
            for word in plain.split(|letter: char| letter.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&letter)) {
                prop_assert!(!word.starts_with(['!', ':', '<']), "{plain:?}");
            }
        }
    }
}
