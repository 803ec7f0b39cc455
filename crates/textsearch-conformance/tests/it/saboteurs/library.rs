//! A correct connector, which can have faults.

use std::{
    collections::HashSet,
    future::ready,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::StreamExt as _;
use textsearch_conformance::{
    Endpoint,
    core::{
        CheckedOptions, Error, ErrorKind, FilterableField, Result, SearchOptions, SearchResults,
        TextSearchConnector, TextSearchResult,
        http::{HttpClient, HttpRequest, Secret, Url},
        results::{Page, TotalCount},
        schemars::{Schema, json_schema, schema_for},
        web::FixedSites,
    },
};

use super::{
    fault::Fault,
    filter::{NAME, Translation, Translator, fields},
    provider::{MAXIMUM, PAGE},
    response::{Answer, client, into_result},
};

#[derive(Clone)]
pub(crate) struct Library {
    client: HttpClient,
    pub(super) endpoint: Url,
    pub(super) key: Secret,
    fields: Vec<FilterableField>,
    faults: Arc<[Fault]>,
    shared: Arc<AtomicUsize>,
    last_filter: Arc<Mutex<Option<Translation>>>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = if self.has(Fault::PrintsItsKey) { self.key.expose() } else { "***" };
        formatter.debug_struct("Library").field("key", &key).finish_non_exhaustive()
    }
}

/// A search, for each of its pages.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) query: String,
    pub(super) raw_query: String,
    pub(super) filter: Translation,
    fixed: FixedSites,
    pub(super) is_fixed: bool,
}

/// A page, and the count of all results.
struct FetchedPage {
    page: Page<TextSearchResult, usize>,
    total: Option<u64>,
}

impl Library {
    pub(crate) fn new(endpoint: &Endpoint, faults: &[Fault]) -> Self {
        let has = |fault| faults.contains(&fault);
        Self {
            client: client(endpoint, &has),
            endpoint: endpoint.url().join("search").unwrap(),
            key: endpoint.key().into(),
            fields: fields(has),
            faults: faults.into(),
            shared: Arc::default(),
            last_filter: Arc::default(),
        }
    }

    pub(super) fn has(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    async fn page(self, asked: Asked, number: usize) -> Result<Page<TextSearchResult, usize>> {
        self.fetch(&asked, number).await.map(|fetched| fetched.page)
    }

    async fn fetch(&self, asked: &Asked, number: usize) -> Result<FetchedPage> {
        let request = self.request(asked, number);
        if self.has(Fault::LogsItsKey) {
            tracing::trace!(key = self.key.expose(), "sending");
        }
        if self.has(Fault::LogsItsQuery) {
            tracing::info!(query = asked.raw_query, "searching");
        }
        if self.has(Fault::BlocksItsThread) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let answer = match self.send(request.clone()).await {
            Err(error) if self.has(Fault::RepeatsBadRequests) && is_bad_request(&error) => {
                self.send(request.clone()).await?
            }
            Err(error) if self.is_taken_for_empty(error.kind(), number) => Default::default(),
            Err(error) => return Err(self.changed(error)),
            Ok(answer) => answer,
        };
        if let Some(error) = answer.error {
            let is_ignored = self.has(Fault::TakesInBodyErrorsForNoResults)
                || (self.has(Fault::EndsAtLaterInBodyErrors) && number > 0);
            if self.has(Fault::MissesInBodyErrors) {
                return Err(Error::new(ErrorKind::Undecodable, NAME, "missing field `hits`"));
            }
            if !is_ignored {
                return Err(if self.has(Fault::PrintsKeysOfInBodyErrors) {
                    Error::new(error.kind(), NAME, error.message)
                } else {
                    request.error(NAME, error.kind(), &error.message)
                });
            }
        }
        let sent = answer.hits.sent();
        let mut results: Vec<_> = answer.hits.into_readable(NAME);
        if self.has(Fault::LosesAPageToAResult) && results.len() < sent {
            return Err(Error::new(ErrorKind::Undecodable, NAME, "a result cannot be read"));
        }
        if self.has(Fault::DropsNamelessResults) {
            results.retain(|hit| !hit.name.is_empty());
        }
        if self.has(Fault::DropsTextlessResults) {
            results.retain(|hit| !hit.text.is_empty());
        }
        let has = |fault| self.has(fault);
        let mut results: Vec<_> = results.into_iter().map(|hit| into_result(hit, &has)).collect();
        if self.has(Fault::LogsItsResults) {
            tracing::debug!(first = ?results.first().map(|result| &result.value), "found");
        }
        if !self.has(Fault::LetsOtherSitesIn) {
            let link = |result: &TextSearchResult| result.link.clone().unwrap_or_default();
            let mut links: Vec<_> = results.iter().map(link).collect();
            asked.fixed.retain(&mut links, |link| link);
            results.retain(|result| links.contains(&link(result)));
        }
        if self.has(Fault::ReversesPages) {
            results.reverse();
        }
        let count = if self.has(Fault::CountsReadableResults) { results.len() } else { sent };
        let next = Some(number + 1).filter(|next| count == PAGE && next * PAGE < MAXIMUM);
        Ok(FetchedPage { page: Page::new(results, next), total: answer.total })
    }

    async fn send(&self, request: HttpRequest) -> Result<Answer> {
        let takes_empty = self.has(Fault::TakesEmptyBodiesForNoResults);
        if !takes_empty && !self.has(Fault::ReadsStrictJson) {
            return Ok(self.client.send_json(request).await?.body);
        }
        let answer = self.client.send(request).await?;
        if takes_empty && answer.body.is_empty() {
            return Ok(Answer::default());
        }
        let body = serde_json::from_slice(&answer.body);
        body.map_err(|error| Error::new(ErrorKind::Undecodable, NAME, error.to_string()))
    }

    fn is_taken_for_empty(&self, kind: &ErrorKind, page: usize) -> bool {
        let fault = match kind {
            _ if page > 0 && self.has(Fault::EndsAtLaterErrors) => return true,
            ErrorKind::Unavailable | ErrorKind::Timeout => Fault::TakesFailuresForNoResults,
            ErrorKind::Undecodable => Fault::TakesNonsenseForNoResults,
            ErrorKind::UnexpectedStatus { status: 300..400, .. } => {
                Fault::TakesRedirectsForNoResults
            }
            _ => Fault::TakesStatusesForNoResults,
        };
        self.has(fault)
    }

    fn changed(&self, error: Error) -> Error {
        let kind = match error.kind() {
            ErrorKind::Timeout if self.has(Fault::TakesTimeoutsForFailures) => {
                ErrorKind::Unavailable
            }
            _ if self.has(Fault::PutsItsKeyIntoErrors) => error.kind().clone(),
            ErrorKind::RateLimited if self.has(Fault::IgnoresWaits) => {
                return error.with_retry_after(None);
            }
            _ => return error,
        };
        let key = if self.has(Fault::PutsItsKeyIntoErrors) { self.key.expose() } else { "" };
        Error::new(kind, NAME, format!("{} {key}", error.message()))
    }

    fn asked(&self, query: &str, options: &CheckedOptions<'_, Self>) -> Result<Asked> {
        let end = options.skip.saturating_add(options.top);
        let is_refused = end > MAXIMUM && !self.has(Fault::CutsAtItsMaximum);
        if is_refused && !self.has(Fault::RefusesItsMaximumAfterRequest) {
            let allowed = if self.has(Fault::HidesItsLimit) { "less" } else { "at most 100" };
            return Err(Error::invalid_options(NAME, "skip + top", end, allowed));
        }
        assert!(query.len() < 1000 || !self.has(Fault::PanicsOnLongQueries), "a long query");
        let is_fixed = options.fixed_filter().is_some();
        if is_fixed && self.has(Fault::RefusesWhatItSupports) {
            return Err(Error::invalid_options(NAME, "fixed_filter", "set", "none"));
        }
        let has = |fault| self.has(fault);
        let translator = Translator { fields: &self.fields, has: &has };
        let is_ignored = self.has(Fault::IgnoresAllFilters)
            || (options.skip > 0 && self.has(Fault::DropsFiltersWithASkip))
            || (is_fixed && self.has(Fault::IgnoresFixedFilters));
        let plain = SearchOptions::default();
        let mut filter = translator.translate(if is_ignored { &plain } else { options })?;
        if self.has(Fault::KeepsTheLastFilter) {
            let mut last = self.last_filter.lock().unwrap();
            match options.filter() {
                Some(_) => *last = Some(filter.clone()),
                None => filter = last.clone().unwrap_or(filter),
            }
        }
        let fixed = FixedSites::new(NAME, options, &["site"]);
        let raw_query = query.to_owned();
        Ok(Asked { query: self.query(query, is_fixed), raw_query, filter, fixed, is_fixed })
    }

    async fn results(
        self,
        asked: Asked,
        options: SearchOptions,
    ) -> Result<SearchResults<TextSearchResult>> {
        if asked.filter.is_never {
            return Ok(SearchResults::from_vec(Vec::new()));
        }
        let mut asked = asked;
        if self.has(Fault::SharesTheFilter) {
            *self.last_filter.lock().unwrap() = Some(asked.filter.clone());
            tokio::task::yield_now().await;
            asked.filter = self.last_filter.lock().unwrap().clone().unwrap_or_default();
        }
        let first = self.fetch(&asked, 0).await?;
        let total = first.total;
        let count = first.page.items.len();
        if count == 0 && self.has(Fault::FailsOnNothing) {
            return Err(Error::new(ErrorKind::Undecodable, NAME, "there are no results"));
        }
        if options.skip > 0 && count < options.skip && self.has(Fault::FailsBeyondTheEnd) {
            return Err(Error::invalid_options(NAME, "skip", options.skip, "less"));
        }
        let results = self.clone().windowed(first.page, asked, &options).await?;
        let total = match total {
            _ if self.has(Fault::DropsTheTotal) => None,
            _ if self.has(Fault::DropsTheTotalOfNoResults) && options.top == 0 => None,
            Some(_) if self.has(Fault::CountsThePage) => Some(count as u64),
            Some(total) if self.has(Fault::CountsTheRest) => {
                Some(total.saturating_sub(options.skip as u64))
            }
            total => total,
        };
        let count = if self.has(Fault::CallsTheTotalAnEstimate) {
            TotalCount::Estimated
        } else {
            TotalCount::Exact
        };
        Ok(results.with_total_count(total.map(count)))
    }

    fn read_on(self, asked: Asked, next: Option<usize>) {
        tokio::spawn(async move {
            for page in next.into_iter().flat_map(|next| next..next + 4) {
                let _ = self.clone().page(asked.clone(), page).await;
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
        });
    }

    async fn windowed(
        self,
        first: Page<TextSearchResult, usize>,
        asked: Asked,
        options: &SearchOptions,
    ) -> Result<SearchResults<TextSearchResult>> {
        let this = self.clone();
        let takes_missing = self.has(Fault::TakesMissingLinksForOne);
        let key = move |result: &TextSearchResult| {
            result.link.clone().or(takes_missing.then(String::new))
        };
        let mut skip = options.skip;
        let mut top = options.top;
        let ahead = match first.next.filter(|_| self.has(Fault::FetchesAPageAhead)) {
            Some(next) => Some(self.clone().page(asked.clone(), next).await?),
            None => None,
        };
        if self.has(Fault::ReadsOnWhenDropped) {
            self.clone().read_on(asked.clone(), first.next);
        }
        let goes_on = self.has(Fault::GoesOnAfterErrors);
        let fetch = move |page| {
            let this = this.clone();
            let asked = asked.clone();
            let ahead = ahead.clone();
            async move {
                match ahead {
                    Some(ahead) if page == 1 => Ok(ahead),
                    _ => match this.page(asked, page).await {
                        Err(_) if goes_on => {
                            Ok(Page::new(Vec::new(), Some(page + 1).filter(|it| *it < 9)))
                        }
                        other => other,
                    },
                }
            }
        };
        let mut results =
            if self.has(Fault::AsksForARepeatedPage) || self.has(Fault::KeepsRepeats) || goes_on {
                SearchResults::paged(first, fetch)
            } else {
                SearchResults::paged_distinct(first, fetch, link)
            };
        if !self.has(Fault::KeepsRepeats) {
            results = distinct(results, key);
        }
        if self.has(Fault::ReadsEverythingAtOnce) {
            results = SearchResults::from_vec(results.into_vec().await?);
        }
        if self.has(Fault::CountsSkipFromOne) {
            skip = skip.saturating_sub(1);
        } else if self.has(Fault::IgnoresSkip) {
            skip = 0;
        } else if self.has(Fault::SkipsWholePages) {
            skip -= skip % PAGE;
        } else if self.has(Fault::SharesTheWindow) {
            self.shared.store(skip, Ordering::SeqCst);
            tokio::task::yield_now().await;
            skip = self.shared.load(Ordering::SeqCst);
        }
        if self.has(Fault::ReturnsOneMore) {
            top += 1;
        } else if self.has(Fault::ReturnsOneLess) {
            top = top.saturating_sub(1);
        } else if self.has(Fault::TakesZeroForDefault) && top == 0 {
            top = 5;
        }
        Ok(results.window(skip, top))
    }
}

fn link(result: &TextSearchResult) -> &str {
    result.link.as_deref().unwrap_or_default()
}

/// Leaves out each result whose key an earlier one had, and ends after 100 of them in a row.
fn distinct(
    results: SearchResults<TextSearchResult>,
    key: impl Fn(&TextSearchResult) -> Option<String> + Send + 'static,
) -> SearchResults<TextSearchResult> {
    let distinct = results.scan((HashSet::new(), 0), move |(seen, repeats), result| {
        let is_new = result.as_ref().ok().and_then(&key).is_none_or(|key| seen.insert(key));
        *repeats = if is_new { 0 } else { *repeats + 1 };
        ready((*repeats < 100).then(|| is_new.then_some(result)))
    });
    SearchResults::from_stream(distinct.filter_map(ready))
}

fn is_bad_request(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedStatus { status: 400, .. })
}

impl TextSearchConnector for Library {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        NAME
    }

    fn schema(&self) -> Schema {
        if self.has(Fault::MisdescribesItsRecords) {
            json_schema!({ "properties": { "title": { "type": "string" } } })
        } else {
            schema_for!(TextSearchResult)
        }
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>> {
        let asked = match self.asked(query, options) {
            Err(error) if self.has(Fault::RefusesAfterARequest) => {
                let request = HttpRequest::get(self.endpoint.clone()).with_bearer(&self.key);
                let _ = self.client.send(request).await;
                return Err(error);
            }
            asked => asked?,
        };
        let this = self.clone();
        let options = SearchOptions::clone(options);
        let is_too_much = options.skip.saturating_add(options.top) > MAXIMUM;
        if self.has(Fault::RefusesItsMaximumAfterRequest) && is_too_much {
            this.fetch(&asked, 0).await?;
            return Err(Error::invalid_options(NAME, "skip + top", "more", "at most 100"));
        }
        if self.has(Fault::FetchesNothingInTheCall) {
            let first = Page::new(Vec::new(), Some(0));
            let fetch = move |page| this.clone().page(asked.clone(), page);
            let results = SearchResults::paged_distinct(first, fetch, link);
            return Ok(results.window(options.skip, options.top));
        }
        if self.has(Fault::OutlivesItsCall) {
            return tokio::spawn(this.results(asked, options)).await.unwrap();
        }
        this.results(asked, options).await
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}
