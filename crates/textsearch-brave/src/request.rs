//! Builds the request for one page of results.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, Result, SearchOptions,
    http::{HeaderName, HttpRequest},
};

use crate::{BraveConfig, CONNECTOR, check, filter::Translation, query};

static KEY_HEADER: HeaderName = HeaderName::from_static("x-subscription-token");

const PAGE: usize = 20;
/// `offset` counts pages and ends at 9.
const PAGES: usize = 10;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Pages {
    /// Results per page, as few as the search needs.
    pub(crate) size: usize,
    /// First page, counted from 0.
    pub(crate) first: usize,
    /// Results to skip, from the first page on.
    pub(crate) skip: usize,
}

impl Pages {
    /// Starts at the first page, or with [`skip_unread`](BraveConfig::skip_unread) at the page of
    /// `skip`. Brave's pages may overlap or be short, so an exact `skip` has to count all results
    /// before it.
    pub(crate) fn new(config: &BraveConfig, options: &SearchOptions) -> Result<Self> {
        let (skip, top) = (options.skip, options.top);
        let wanted = skip.saturating_add(top);
        if wanted > PAGE * PAGES {
            let found = format!("{skip} + {top}");
            let allowed = format!("at most {}", PAGE * PAGES);
            return Err(Error::invalid_options(CONNECTOR, "skip + top", found, allowed));
        }
        let size = wanted.clamp(1, PAGE);
        let first = if config.skip_unread { (skip / size).min(PAGES - 1) } else { 0 };
        Ok(Self { size, first, skip: skip - first * size })
    }
}

pub(crate) fn page_after(page: usize) -> Option<usize> {
    Some(page + 1).filter(|next| *next < PAGES)
}

/// The requests of one search, which differ only in the page number.
#[derive(Debug, Clone)]
pub(crate) struct PageRequest {
    query: String,
    count: usize,
    parameters: BTreeMap<&'static str, String>,
}

impl PageRequest {
    pub(crate) fn new(
        config: &BraveConfig,
        query: &str,
        translation: Translation,
        is_fixed: bool,
        count: usize,
    ) -> Result<Self> {
        let Translation { words, parameters: of_filter } = translation;
        let is_plain = is_fixed || !config.operators;
        let query = if is_plain {
            query::as_plain_text(&words, query)
        } else {
            query::with_operators(&words, query)
        };
        let mut parameters = config.sent_parameters()?;
        parameters.extend(of_filter);
        if is_plain && words.is_empty() {
            parameters.insert("operators", "false".to_owned());
        }
        Ok(Self { query: check::query(query)?, count, parameters })
    }

    pub(crate) fn page(&self, config: &BraveConfig, number: usize) -> Result<HttpRequest> {
        let (count, offset, kinds) = (self.count.to_string(), number.to_string(), kinds(config));
        let decorations = if config.markup_kept { "true" } else { "false" };
        let first =
            [("q", self.query.as_str()), ("count", &count), ("text_decorations", decorations)];
        let kinds = Some(("result_filter", kinds.as_str())).filter(|(_, kinds)| !kinds.is_empty());
        let pairs = first
            .into_iter()
            .chain(self.parameters.iter().map(|(name, value)| (*name, value.as_str())))
            .chain(kinds)
            .chain(config.goggles.iter().map(|goggle| ("goggles", goggle.as_str())))
            .chain([("offset", offset.as_str())]);
        let request = HttpRequest::get(config.url()?)
            .with_secret_header(&KEY_HEADER, &config.api_key)
            .with_query_pairs(pairs);
        Ok(with_headers(request, config))
    }
}

fn with_headers(mut request: HttpRequest, config: &BraveConfig) -> HttpRequest {
    if let Some(version) = &config.api_version {
        request = request.with_header("Api-Version", version);
    }
    config
        .location
        .headers()
        .fold(request, |request, (name, value)| request.with_header(name, &value))
}

/// Adds the kinds that other settings need: Brave would drop them. An empty list means all kinds.
fn kinds(config: &BraveConfig) -> String {
    let mut kinds = config.result_filter.join(",");
    if kinds.is_empty() {
        return kinds;
    }
    for (parameter, kind) in [("summary", "summarizer"), ("enable_rich_callback", "rich")] {
        let is_wanted = config.parameters.get(parameter).is_some_and(|value| value == "true");
        if is_wanted && !config.result_filter.iter().any(|known| known == kind) {
            kinds.extend([",", kind]);
        }
    }
    kinds
}
