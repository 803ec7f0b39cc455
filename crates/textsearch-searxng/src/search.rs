//! Describes SearXNG to the core: pages by `GET` or `POST`, of a size that the instance sets.

use textsearch_core::{
    FilterableField, Result,
    http::{HttpResponse, Url},
    web::{
        Connection, ErrorFormat, KeyPlace, PageAddress, PageScheme, Paging, ResultPage, WebEngine,
        WebQuery, WebRequest, WebSearch, valid,
    },
};

use crate::{
    NAME, SEARXNG_AUTHORIZATION, SEARXNG_ENDPOINT, SearxngConfig, SearxngResult,
    config::{check_language, check_name},
    filter::{self, Translation},
    response::Answer,
};

/// Searches the web through a [SearXNG](https://docs.searxng.org/dev/search_api.html) instance. See
/// the [crate](crate) for an example.
///
/// # Behavior
/// - The instance sets the page size. `skip` is exact because all pages before it are read.
/// - Results end at a page that is empty or repeats earlier results, or after
///   [`max_pages`](SearxngConfig::max_pages) pages.
/// - With a filter, the query is plain text: SearXNG's own syntax (`!engine`, `:language`,
///   `<timeout`) is removed. With a fixed filter, operators of the engines behind SearXNG are
///   removed too.
pub type SearxngTextSearch = WebSearch<SearxngConfig>;

const FORBIDDEN: &str = "the instance refused the search; add `json` to `search.formats` in its \
                         settings.yml. If JSON is already enabled, check its limiter and the \
                         authorization";

const LIMITED: &str = "too many requests; on your own instance, turn the limiter off \
                       (`server.limiter` in settings.yml) or allow this client";

impl WebEngine for SearxngConfig {
    const NAME: &'static str = NAME;
    const ENDPOINT: &'static str = "http://127.0.0.1:8080";
    const ENDPOINT_VARIABLE: &'static str = SEARXNG_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(SEARXNG_AUTHORIZATION);
    const NEEDS_KEY: bool = false;
    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/error"],
        messages: &[""],
        advice: &[(403, "", FORBIDDEN), (429, "", LIMITED)],
        ..ErrorFormat::NONE
    };
    const HAS_TOTAL_COUNT: bool = true;

    type Record = SearxngResult;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn key_place(&self) -> KeyPlace {
        KeyPlace::header("authorization")
    }

    fn paging(&self) -> Paging {
        Paging {
            scheme: PageScheme::Number("pageno", 1),
            max_pages: Some(self.max_pages),
            ..Paging::SINGLE_PAGE
        }
    }

    fn fields(&self) -> Vec<FilterableField> {
        filter::fields(&self.known_categories)
    }

    fn check(&self) -> Result<()> {
        self.engines.iter().try_for_each(|name| check_name("engines", name))?;
        self.categories.iter().try_for_each(|name| check_name("categories", name))?;
        self.language.as_deref().map_or(Ok(()), check_language)?;
        valid(NAME, "max_pages", self.max_pages, self.max_pages > 0, "at least 1")
    }

    fn url(&self) -> Result<Url> {
        let mut url = self.connection.endpoint.url(NAME, Self::ENDPOINT)?;
        let base = url.path().trim_end_matches('/');
        let path = format!("{}/search", base.strip_suffix("/search").unwrap_or(base));
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        Ok(url)
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<SearxngResult>>> {
        // Of two time ranges or levels, one lies within the other.
        let Some(conditions) = query.separate_conditions()? else { return Ok(None) };
        let Some(translation) = Translation::new(&conditions, self)? else { return Ok(None) };
        let text = match query.filter() {
            // SearXNG's own syntax would override the filter.
            Some(_) => plain_text(query.text()),
            None => query.text().to_owned(),
        };
        self.check_query(&text)?;
        let sites = translation.sites.included.iter().flatten();
        let text = sites.fold(text, |text, site| format!("{text} site:{site}"));
        let translated = translation.parameters(self);
        let translated = translated.iter().map(|(name, value)| (*name, value.as_str()));
        let parameters = [("q", text.as_str()), ("format", "json")].into_iter().chain(translated);
        let request = if self.post {
            query.post().with_form(parameters)
        } else {
            query.get().with_query_pairs(parameters)
        };
        let mut request = WebRequest::from(request);
        // The instance also counts results that are left out.
        if translation.engines.is_some() || translation.sites.included.is_some() {
            request = request.without_total_count();
        }
        if let Some(filter) = query.filter() {
            let keeps = translation.record_filter(filter.clone(), query.is_fixed());
            request = request.with_record_filter(keeps);
        }
        Ok(Some(request))
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<SearxngResult> {
        answer.body.into_page(self.markup_kept)
    }

    fn link(result: &SearxngResult) -> &str {
        result.url.as_deref().unwrap_or_default()
    }
}

/// Removes SearXNG's own syntax: `!` selects engines, `:` a language and `<` a timeout.
fn plain_text(query: &str) -> String {
    // Python's white space has four separators more than Unicode's.
    let is_space = |c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}');
    let words = query.split(is_space).map(|word| word.trim_start_matches(['!', ':', '<']));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
