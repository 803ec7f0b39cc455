//! The whole suite, on a connector whose mistakes can be chosen.

use textsearch_conformance::{
    Capabilities, Document, Endpoint, RecordedRequest, Response,
    core::{
        Error, Page, Result, SearchOptions, SearchResults, TextSearchConnector, TextSearchResult,
        async_trait,
        http::{HttpClient, HttpRequest, Secret, Url},
    },
};

const PAGE: usize = 10;
pub(crate) const MAXIMUM: usize = 100;

/// What the connector does wrong.
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
}

#[derive(Clone)]
pub(crate) struct NumberedPages {
    client: HttpClient,
    endpoint: Url,
    key: Secret,
    mistake: Mistake,
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
        Self { client, endpoint, key, mistake }
    }

    async fn page(self, query: String, number: usize) -> Result<Page<TextSearchResult, usize>> {
        if self.mistake == Mistake::LogsItsKey {
            tracing::trace!(key = self.key.expose(), "asking");
        }
        let answer =
            self.client.send_json::<Vec<[String; 3]>>(self.request(&query, number)).await?;
        let is_full = answer.body.len() == PAGE && (number + 1) * PAGE < MAXIMUM;
        let found = |[name, text, link]: [String; 3]| {
            TextSearchResult::new(text).with_name(name).with_link(link)
        };
        let found = answer.body.into_iter().map(found).collect();
        Ok(Page::new(found, is_full.then_some(number + 1)))
    }

    fn request(&self, query: &str, number: usize) -> HttpRequest {
        let mut endpoint = self.endpoint.clone();
        if self.mistake == Mistake::LeavesTheQueryUnencoded {
            endpoint.set_query(Some(&format!("q={query}")));
            return HttpRequest::get(endpoint).with_query("page", &number.to_string());
        }
        HttpRequest::get(endpoint)
            .with_query("q", query)
            .with_query("page", &number.to_string())
            .with_bearer(&self.key)
            .with_idempotent(self.mistake != Mistake::IsNotIdempotent)
    }

    fn check(&self, options: &SearchOptions) -> Result<()> {
        let wanted = options.skip.saturating_add(options.top);
        if wanted > MAXIMUM && self.mistake != Mistake::CutsAtItsMaximum {
            return Err(Error::invalid_options(self.name(), "skip + top", wanted, "at most 100"));
        }
        match options.filter() {
            Some(filter) if self.mistake != Mistake::IgnoresFilters => {
                filter.check(self.name(), self.fields())
            }
            _ => Ok(()),
        }
    }
}

#[async_trait]
impl TextSearchConnector for NumberedPages {
    type Record = TextSearchResult;

    fn name(&self) -> &str {
        "numbered"
    }

    async fn search_records(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<TextSearchResult>> {
        self.check(options)?;
        let first = self.clone().page(query.to_owned(), 0).await?;
        let (this, query) = (self.clone(), query.to_owned());
        let mut results =
            SearchResults::paged(first, move |page| this.clone().page(query.clone(), page));
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
}

pub(crate) fn answer(request: &RecordedRequest, documents: &[Document]) -> Response {
    let page = documents.iter().skip(request.number("page", 0) * PAGE).take(PAGE);
    Response::json(&page.map(|one| [&one.name, &one.text, &one.link]).collect::<Vec<_>>())
}

pub(crate) fn capabilities() -> Capabilities {
    Capabilities::default().with_max_results(MAXIMUM)
}

textsearch_conformance::suite!(
    |endpoint| Ok(NumberedPages::new(&endpoint, Mistake::None)),
    answer,
    capabilities()
);
