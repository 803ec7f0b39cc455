//! From options to requests: how large a page is, and what to ask for each.

use std::collections::BTreeMap;

use textsearch_core::{
    Error, Result, SearchOptions,
    http::{HeaderName, HttpRequest},
};

use crate::{BraveConfig, CONNECTOR, check, filter::Translation, query};

/// The header with the key.
static KEY_HEADER: HeaderName = HeaderName::from_static("x-subscription-token");

/// The most results on a page, and the most pages: `offset` counts pages and ends at 9.
const PAGE: usize = 20;
const PAGES: usize = 10;

/// Which pages of a search to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pages {
    /// The number of results on each page: fewer than there could be where few are wanted.
    pub(crate) size: usize,
    /// The first page, counted from 0.
    pub(crate) first: usize,
    /// How many results are left out from there on.
    pub(crate) skip: usize,
}

impl Pages {
    /// From the first page on, unless the service is to skip whole pages: they may overlap and may hold fewer results
    /// than they could, says Brave, so that nobody knows where a result is without having counted those before it.
    ///
    /// # Errors
    /// `InvalidOptions` beyond the last page that Brave serves.
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

/// The page after this one, if Brave serves it.
pub(crate) fn page_after(page: usize) -> Option<usize> {
    Some(page + 1).filter(|next| *next < PAGES)
}

/// The requests of one search, which differ in the number of the page.
#[derive(Debug, Clone)]
pub(crate) struct PageRequest {
    query: String,
    count: usize,
    parameters: BTreeMap<&'static str, String>,
}

impl PageRequest {
    /// Puts the query, the filter and the settings together.
    ///
    /// # Errors
    /// `InvalidOptions` for a query that is empty or too long.
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

    /// The request for one page.
    ///
    /// # Errors
    /// `InvalidOptions` where the endpoint is no address.
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

/// The kinds of results, and those that other settings ask for: Brave would leave them out again. None are all.
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
