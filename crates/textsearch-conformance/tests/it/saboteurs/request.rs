//! Builds requests, rightly or with a fault.

use textsearch_conformance::core::{http::HttpRequest, web::quoted_query};

use super::{
    fault::Fault,
    library::{Asked, Library},
};

impl Library {
    pub(super) fn request(&self, asked: &Asked, page: usize) -> HttpRequest {
        let is_first = page == 0;
        let is_filtered = is_first
            || !(self.has(Fault::FiltersTheFirstPageOnly)
                || (asked.is_fixed && self.has(Fault::FixesTheFirstPageOnly)));
        let is_raw = !is_first && self.has(Fault::LeavesTheQueryRawOnLaterPages);
        let query = if is_raw { &asked.raw_query } else { &asked.query };
        let words = if is_filtered { asked.filter.words.as_slice() } else { &[] };
        let words: Vec<&str> = words.iter().map(String::as_str).chain([query.as_str()]).collect();
        let parameters = if is_filtered { asked.filter.parameters.as_slice() } else { &[] };
        let query = words.join(" ");
        let mut endpoint = self.endpoint.clone();
        if self.has(Fault::LeavesTheQueryUnencoded) {
            endpoint.set_query(Some(&format!("q={query}")));
        } else if self.has(Fault::AppendsValuesUnencoded) {
            let pairs = parameters.iter().map(|(name, value)| format!("{name}={value}"));
            endpoint.set_query(Some(&pairs.collect::<Vec<_>>().join("&")));
        }
        let mut request = HttpRequest::get(endpoint).with_bearer(&self.key);
        if !self.has(Fault::LeavesTheQueryUnencoded) {
            request = request.with_query("q", &query);
        }
        if !self.has(Fault::AppendsValuesUnencoded) {
            request =
                request.with_query_pairs(parameters.iter().map(|(name, value)| (*name, value)));
        }
        request
            .with_query("page", &page.to_string())
            .with_idempotent(!self.has(Fault::DoesNotRetry))
    }

    pub(super) fn query(&self, query: &str, is_fixed: bool) -> String {
        let shortened = |max| query.chars().take(max).collect::<String>();
        if self.has(Fault::LowersTheQuery) {
            query.to_lowercase()
        } else if self.has(Fault::CutsTheQuery) {
            shortened(20)
        } else if self.has(Fault::CutsLongQueries) {
            shortened(400)
        } else if self.has(Fault::SplitsTheQuery) {
            query.split_whitespace().collect::<Vec<_>>().join(" ")
        } else if !is_fixed || self.has(Fault::LeavesTheQueryRaw) {
            query.to_owned()
        } else if self.has(Fault::QuotesTheWholeQuery) {
            format!("\"{query}\"")
        } else if self.has(Fault::RemovesOperatorsOnce) {
            let operators =
                ["site:", "title:", " OR ", " AND ", " NOT ", "-", "+", "|", "(", ")", "\""];
            operators.iter().fold(query.to_owned(), |query, operator| query.replace(operator, " "))
        } else if self.has(Fault::RemovesUpperCaseOperatorsOnly) {
            query.replace("OR", "or").replace("AND", "and").replace("NOT", "not").replace('"', "")
        } else {
            quoted_query(query, &[])
        }
    }
}
