//! Describes Linkup to the core: one `POST` request, without pages.

use serde_json::json;
use textsearch_core::{
    FilterableField, Result,
    http::HttpResponse,
    web::{
        Bounds, Connection, ErrorFormat, PageAddress, Paging, ResultPage, Site, Sites, WebEngine,
        WebQuery, WebRequest, WebSearch, published_field, site_field,
    },
};

use crate::{
    CONNECTOR, LINKUP_API_KEY, LINKUP_ENDPOINT, LinkupConfig, LinkupPage, response::Answer,
};

/// Searches the web with [Linkup](https://docs.linkup.so/api-reference/search/search). See the
/// [crate](crate) for an example.
pub type LinkupTextSearch = WebSearch<LinkupConfig>;

const MAX_DOMAINS: usize = 100;

// Linkup documents no operators. The core removes them all under a fixed filter.
impl WebEngine for LinkupConfig {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://api.linkup.so/v1/search";
    const ENDPOINT_VARIABLE: &'static str = LINKUP_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(LINKUP_API_KEY);
    const SITE_FIELDS: &'static [&'static str] = &["site"];
    const CHECKS_SITES: bool = true;
    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/error"],
        codes: &["/code"],
        messages: &["/message", ""],
        details: &[("/details/*/message", ": ", "")],
        quotas: &["INSUFFICIENT_FUNDS_CREDITS", "EXCEED_BUDGET_LIMIT"],
        quota_statuses: &[402],
        ..ErrorFormat::NONE
    };

    type Record = LinkupPage;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn paging(&self) -> Paging {
        Paging::SINGLE_PAGE
    }

    fn fields(&self) -> Vec<FilterableField> {
        vec![site_field(), published_field()]
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<LinkupPage>>> {
        let Some(conditions) = query.conditions()? else { return Ok(None) };
        let mut sites = Sites::default();
        let mut days = Bounds::default();
        for condition in &conditions {
            match condition.field.as_str() {
                "site" => sites.narrow_by(CONNECTOR, condition)?,
                "published" => days.narrow(condition)?,
                _ => return Err(condition.unsupported(condition.operator)),
            }
        }
        if sites.are_none() || days.are_never_met() {
            return Ok(None);
        }
        let names = |sites: &[Site]| Site::names(CONNECTOR, sites, MAX_DOMAINS);
        let body = [
            ("q", json!(query.text())),
            ("depth", json!(self.depth.as_str())),
            ("outputType", json!("searchResults")),
            ("maxResults", json!(query.wanted())),
            ("includeDomains", json!(names(sites.included.as_deref().unwrap_or_default())?)),
            ("excludeDomains", json!(names(&sites.excluded)?)),
            ("fromDate", json!(days.lowest)),
            ("toDate", json!(days.highest)),
        ];
        Ok(Some(query.post_json(body).into()))
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<LinkupPage> {
        answer.body.into_page()
    }

    fn link(page: &LinkupPage) -> &str {
        &page.url
    }
}
