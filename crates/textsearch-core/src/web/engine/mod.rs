//! Web connectors from a description.

mod connection;
mod errors;
mod page;
mod paging;
mod query;
mod search;
mod settings;

#[cfg(test)]
mod tests;

use std::fmt;

use serde::de::DeserializeOwned;
use url::Url;

use crate::{
    Error, FilterableField, Result, TextSearchRecord,
    http::{ErrorAnswer, ErrorDetails, HttpRequest, HttpResponse},
};

pub use self::{
    connection::{Connection, KeyPlace},
    errors::ErrorFormat,
    page::{ResultPage, WebRequest},
    paging::{PageAddress, PageScheme, Paging},
    query::{QueryOperators, WebQuery},
    search::WebSearch,
    settings::settings,
};

/// A web search engine: [`WebSearch`] turns it into a connector.
///
/// Implement it for the connector's configuration. Two functions do the work:
/// [`request`](Self::request) turns a query into a request, and [`results`](Self::results) turns a
/// response into records. The rest describes the engine.
///
/// ```no_run
/// use serde::Deserialize;
/// use textsearch_core::{
///     FilterableField, Result, TextSearchResult,
///     http::HttpResponse,
///     web::{self, Connection, KeyPlace, PageAddress, PageScheme, Paging, ResultPage, WebEngine, WebQuery, WebRequest, WebSearch},
/// };
///
/// #[derive(Debug, Clone)]
/// pub struct AcmeConfig {
///     pub connection: Connection,
/// }
///
/// web::settings!(impl AcmeConfig {}); // `with_endpoint` and `with_http_settings`
///
/// #[derive(Deserialize)]
/// pub struct Answer {
///     hits: Vec<Hit>,
/// }
///
/// #[derive(Deserialize)]
/// struct Hit {
///     title: String,
///     text: String,
///     url: String,
/// }
///
/// impl WebEngine for AcmeConfig {
///     const NAME: &'static str = "acme";
///     const ENDPOINT: &'static str = "https://api.acme.example/search";
///     const ENDPOINT_VARIABLE: &'static str = "ACME_ENDPOINT";
///     const KEY_VARIABLE: Option<&'static str> = Some("ACME_API_KEY");
///
///     type Record = TextSearchResult;
///     type Answer = Answer;
///
///     fn connection(&self) -> &Connection {
///         &self.connection
///     }
///
///     fn key_place(&self) -> KeyPlace {
///         KeyPlace::header("x-acme-key")
///     }
///
///     fn paging(&self) -> Paging {
///         Paging {
///             scheme: PageScheme::Offset("offset", 0),
///             size: Some(("count", 20)),
///             max_results: Some(200),
///             ..Paging::SINGLE_PAGE
///         }
///     }
///
///     fn fields(&self) -> Vec<FilterableField> {
///         vec![FilterableField::string("language", "Only pages in this language, such as de")]
///     }
///
///     fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<TextSearchResult>>> {
///         let mut request = query.get().with_query("q", query.text());
///         let Some(conditions) = query.conditions()? else { return Ok(None) };
///         for condition in conditions {
///             request = request.with_query("lang", condition.single()?); // the only field, once at most
///         }
///         Ok(Some(request.into()))
///     }
///
///     fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<TextSearchResult> {
///         let hits = answer.body.hits.into_iter();
///         ResultPage::new(hits.map(|hit| TextSearchResult::new(hit.text).with_name(hit.title).with_link(hit.url)).collect())
///     }
///
///     fn link(record: &TextSearchResult) -> &str {
///         record.link.as_deref().unwrap_or_default()
///     }
/// }
///
/// /// Searches the web with Acme.
/// pub type AcmeTextSearch = WebSearch<AcmeConfig>;
///
/// # fn main() -> Result<()> {
/// let search = AcmeTextSearch::new(AcmeConfig { connection: Connection::from_env::<AcmeConfig>()? })?;
/// # Ok(())
/// # }
/// ```
pub trait WebEngine: fmt::Debug + Send + Sync + 'static {
    /// The short name, such as `brave`, for errors, spans and results.
    const NAME: &'static str;

    /// The public URL of searches: the default endpoint, and the example in errors. An endpoint
    /// without a path gets the path of this one.
    const ENDPOINT: &'static str;

    /// The environment variable for the endpoint.
    const ENDPOINT_VARIABLE: &'static str;

    /// The environment variable for the API key. Default: none.
    const KEY_VARIABLE: Option<&'static str> = None;

    /// Whether the engine refuses requests without a key. Default: true with a
    /// [variable](Self::KEY_VARIABLE) for it.
    const NEEDS_KEY: bool = Self::KEY_VARIABLE.is_some();

    /// The operators that a query may hold. Default: removable ones, which is always safe.
    const OPERATORS: QueryOperators = QueryOperators::Removable;

    /// Whether an operator in a query can override a filter, as `:de` overrides a language. Queries
    /// then lose their operators under every filter, not only a fixed one. Default: false.
    const OPERATORS_OVERRIDE_FILTERS: bool = false;

    /// The fields that hold the site of a record's link. Records that contradict a fixed filter on
    /// them are left out, which makes the total count an estimate. Default: none.
    const SITE_FIELDS: &'static [&'static str] = &[];

    /// Whether records that contradict the caller's filter on [`SITE_FIELDS`](Self::SITE_FIELDS) are
    /// left out, too, because the engine takes only some sites or may ignore them. Default: false.
    const CHECKS_SITES: bool = false;

    /// The maximum number of characters in a query, without filters. Default: unlimited.
    const MAX_QUERY_CHARS: Option<usize> = None;

    /// Where responses hold errors. Default: nowhere, so that the status decides.
    const ERRORS: ErrorFormat = ErrorFormat::NONE;

    /// Whether responses have a total count. If so, a search for no results sends a request when
    /// the caller wants the count. Default: false.
    const HAS_TOTAL_COUNT: bool = false;

    /// The record of the connector.
    type Record: TextSearchRecord;

    /// The JSON of a response.
    type Answer: DeserializeOwned + Send;

    /// Returns the endpoint, the key and the HTTP settings.
    fn connection(&self) -> &Connection;

    /// Returns how requests name a page, and the limits.
    fn paging(&self) -> Paging;

    /// Turns a query into a request that every page shares. `None` means that nothing can match.
    ///
    /// Start with [`WebQuery::get`] or [`WebQuery::post`], which have the URL and the key. If the
    /// engine has [`fields`](Self::fields), read the filter with [`WebQuery::conditions`] or
    /// [`WebQuery::filter`]. Otherwise the core refuses a search with a filter.
    ///
    /// # Errors
    /// Options and filters that the engine can't serve.
    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<Self::Record>>>;

    /// Turns a response into records.
    fn results(
        &self,
        answer: HttpResponse<Self::Answer>,
        page: &PageAddress,
    ) -> ResultPage<Self::Record>;

    /// Returns the link of a record, empty if it has none. Repeated links are left out. A search ends
    /// after a page of records without links: the next page could be the same. For records that never have a link, return another unique text, such as an id.
    fn link(record: &Self::Record) -> &str;

    /// Returns where requests carry the key. Default: `Authorization: Bearer …`.
    fn key_place(&self) -> KeyPlace {
        KeyPlace::Bearer
    }

    /// Returns the fields that a filter may name. Default: none, which refuses all filters.
    fn fields(&self) -> Vec<FilterableField> {
        Vec::new()
    }

    /// Checks settings before the first search. Default: no check.
    ///
    /// # Errors
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions), naming the setting.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Checks a query without operators that the core removed. Default: refuses an empty query and
    /// one longer than [`MAX_QUERY_CHARS`](Self::MAX_QUERY_CHARS).
    ///
    /// # Errors
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions), naming the limit.
    fn check_query(&self, text: &str) -> Result<()> {
        if text.trim().is_empty() {
            let allowed = "text to search for; a filter alone is not enough";
            return Err(Error::invalid_options(Self::NAME, "query", "empty", allowed));
        }
        let Some(max) = Self::MAX_QUERY_CHARS else { return Ok(()) };
        let characters = text.chars().count();
        if characters <= max {
            return Ok(());
        }
        let value = format!("{characters} characters long");
        let allowed = format!("at most {max} characters");
        Err(Error::invalid_options(Self::NAME, "query", value, allowed))
    }

    /// Returns the URL of searches. Default: the endpoint, with the path of
    /// [`ENDPOINT`](Self::ENDPOINT) if it has none.
    ///
    /// # Errors
    /// [`InvalidOptions`](crate::ErrorKind::InvalidOptions) if the endpoint is not a web address.
    fn url(&self) -> Result<Url> {
        let mut url = self.connection().endpoint.url(Self::NAME, Self::ENDPOINT)?;
        if let ("/", Ok(public)) = (url.path(), Url::parse(Self::ENDPOINT)) {
            url.set_path(public.path());
        }
        Ok(url)
    }

    /// Adds the address of a page to the request. Default: the parameters of [`Paging`], in the body
    /// if it is a form, else in the query. Override it for an engine that takes the address in JSON.
    fn page_request(&self, request: &HttpRequest, page: &PageAddress) -> HttpRequest {
        let paging = self.paging();
        if request.is_form() {
            request.clone().with_form(paging.parameters(*page))
        } else {
            request.clone().with_query_pairs(paging.parameters(*page))
        }
    }

    /// Returns the link that a fixed filter on a site is about. Default: [`link`](Self::link).
    fn site_link<'a>(&self, record: &'a Self::Record) -> &'a str {
        Self::link(record)
    }

    /// Reads a response with an error status. Default: as [`ERRORS`](Self::ERRORS) says.
    fn read_error(&self, answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
        Some(Self::ERRORS.read(answer))
    }

    /// Finds an error in a response with a success status, such as 200. Default: one in a place of
    /// [`ERRORS`](Self::ERRORS), by [`read_error`](Self::read_error). Bodies over 64 KiB are never
    /// errors: see [`with_success_error_reader`](crate::http::HttpClient::with_success_error_reader).
    fn read_success_error(&self, answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
        if Self::ERRORS.is_in(answer) { self.read_error(answer) } else { None }
    }
}
