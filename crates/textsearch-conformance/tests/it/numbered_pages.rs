//! A connector with selectable mistakes.

use textsearch_conformance::{
    Capabilities, Document, Endpoint, RecordedRequest, Response,
    core::{
        CheckedOptions, Error, ErrorKind, Filter, FilterableField, Result, SearchOptions,
        SearchResults, TextSearchConnector, TextSearchResult,
        filter::FilterOperator,
        http::{HttpClient, HttpRequest, Secret, Url},
        results::Page,
        web::{Conditions, FixedSites, ResultList},
    },
};

const PAGE: usize = 10;
pub(crate) const MAXIMUM: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mistake {
    None,
    CountsFromOne,
    ReadsEverythingAtOnce,
    KeepsRepeats,
    IgnoresFilters,
    LeavesTheQueryUnencoded,
    PrintsItsKey,
    LogsItsKey,
    IsNotIdempotent,
    CutsAtItsMaximum,
    LetsOtherSitesIn,
    LogsWhatItFinds,
    LosesAPageToAResult,
    AsksForARepeatedPage,
    KeepsEmptyLinks,
}

#[derive(Clone)]
pub(crate) struct NumberedPages {
    client: HttpClient,
    endpoint: Url,
    key: Secret,
    fields: Vec<FilterableField>,
    mistake: Mistake,
}

#[derive(Clone)]
struct Asked {
    query: String,
    sites: Vec<String>,
    fixed: FixedSites,
}

impl std::fmt::Debug for NumberedPages {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.mistake {
            Mistake::PrintsItsKey => formatter.write_str(self.key.expose()),
            _ => formatter.write_str("NumberedPages"),
        }
    }
}

impl NumberedPages {
    pub(crate) fn new(endpoint: &Endpoint, mistake: Mistake) -> Self {
        let client = endpoint.http_client("numbered");
        let (key, endpoint) = (endpoint.key().into(), endpoint.url().join("search").unwrap());
        let site = FilterableField::string("site", "The domain of the page");
        let fields = vec![site.with_operators([FilterOperator::Eq])];
        Self { client, endpoint, key, fields, mistake }
    }

    async fn page(self, asked: Asked, number: usize) -> Result<Page<TextSearchResult, usize>> {
        if self.mistake == Mistake::LogsItsKey {
            tracing::trace!(key = self.key.expose(), "asking");
        }
        let answer =
            self.client.send_json::<ResultList<[String; 3]>>(self.request(&asked, number)).await?;
        let sent = answer.body.sent();
        let is_full = sent == PAGE && (number + 1) * PAGE < MAXIMUM;
        let keeps_empty = self.mistake == Mistake::KeepsEmptyLinks;
        let found = |[name, text, link]: [String; 3]| {
            let mut result = TextSearchResult::new(text).with_name(name).with_link(link.as_str());
            result.link = result.link.or(keeps_empty.then_some(link));
            result
        };
        let mut found: Vec<_> =
            answer.body.into_readable("numbered").into_iter().map(found).collect();
        if self.mistake == Mistake::LosesAPageToAResult && found.len() < sent {
            return Err(Error::new(ErrorKind::Undecodable, self.name(), "a result cannot be read"));
        }
        if self.mistake == Mistake::LogsWhatItFinds {
            tracing::debug!(first = ?found.first().map(|result| &result.value), "found");
        }
        if self.mistake != Mistake::LetsOtherSitesIn {
            asked.fixed.retain(&mut found, |result| result.link.as_deref().unwrap_or_default());
        }
        Ok(Page::new(found, is_full.then_some(number + 1)))
    }

    fn request(&self, asked: &Asked, number: usize) -> HttpRequest {
        let query = &asked.query;
        let mut endpoint = self.endpoint.clone();
        if self.mistake == Mistake::LeavesTheQueryUnencoded {
            endpoint.set_query(Some(&format!("q={query}")));
            return HttpRequest::get(endpoint).with_query("page", &number.to_string());
        }
        let sites = asked.sites.iter();
        sites
            .fold(HttpRequest::get(endpoint), |request, site| request.with_query("site", site))
            .with_query("q", query)
            .with_query("page", &number.to_string())
            .with_bearer(&self.key)
            .with_idempotent(self.mistake != Mistake::IsNotIdempotent)
    }

    /// A link must be on all of them.
    fn sites(&self, options: &SearchOptions) -> Result<Vec<String>> {
        let wanted = options.skip.saturating_add(options.top);
        if wanted > MAXIMUM && self.mistake != Mistake::CutsAtItsMaximum {
            return Err(Error::invalid_options(self.name(), "skip + top", wanted, "at most 100"));
        }
        let ignores = self.mistake == Mistake::IgnoresFilters;
        let filter = options.filter().filter(|_| !ignores);
        let all = filter.map_or_else(|| Filter::all([]), |filter| filter.into_owned());
        let conditions = Conditions::of(self.name(), &all, self.fields())?;
        conditions.all.iter().map(|site| site.single().map(str::to_owned)).collect()
    }
}

impl TextSearchConnector for NumberedPages {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        "numbered"
    }

    async fn search_records(
        &self,
        query: &str,
        options: &CheckedOptions<'_, Self>,
    ) -> Result<SearchResults<TextSearchResult>> {
        let fixed = FixedSites::new(self.name(), options, &["site"]);
        let asked = Asked { query: query.to_owned(), sites: self.sites(options)?, fixed };
        let first = self.clone().page(asked.clone(), 0).await?;
        let this = self.clone();
        let fetch = move |page| this.clone().page(asked.clone(), page);
        let mut results = match self.mistake {
            Mistake::AsksForARepeatedPage | Mistake::KeepsRepeats => {
                SearchResults::paged(first, fetch)
            }
            _ => SearchResults::paged_distinct(first, fetch, |result: &TextSearchResult| {
                result.link.as_deref().unwrap_or_default()
            }),
        };
        if self.mistake == Mistake::ReadsEverythingAtOnce {
            results = SearchResults::from_vec(results.into_vec().await?);
        }
        if self.mistake != Mistake::KeepsRepeats {
            results = results.distinct_by(|result| result.link.clone());
        }
        let is_off = self.mistake == Mistake::CountsFromOne;
        let skip = if is_off { options.skip.saturating_sub(1) } else { options.skip };
        Ok(results.window(skip, options.top))
    }

    fn fields(&self) -> &[FilterableField] {
        &self.fields
    }

    fn supports_fixed_filter(&self) -> bool {
        true
    }
}

pub(crate) fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let page = documents.iter().skip(request.number("page", 0) * PAGE).take(PAGE);
    Response::json(&page.map(|one| [&one.name, &one.text, &one.link]).collect::<Vec<_>>())
}

pub(crate) fn capabilities() -> Capabilities {
    Capabilities::default()
        .with_max_results(MAXIMUM)
        .with_filter(Filter::eq("site", "example.com"))
        .with_site_field("site")
}

textsearch_conformance::suite!(
    |endpoint| Ok(NumberedPages::new(&endpoint, Mistake::None)),
    answer,
    capabilities()
);
