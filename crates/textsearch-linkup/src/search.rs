//! Describes Linkup to the core: one `POST` request, without pages.

use serde_json::{Map, Value, json};
use textsearch_core::{
    FilterableField, Result,
    filter::FilterOperator::{Eq, Ge, In, Le, Ne},
    http::HttpResponse,
    web::{
        Bounds, Connection, ErrorFormat, PageAddress, Paging, ResultPage, Site, Sites, WebEngine,
        WebQuery, WebRequest, WebSearch, is_empty, valid,
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
        let site = "Only pages of this domain and its subdomains, such as docs.rs";
        let published = "Only pages published on or between these days, such as 2025-03-31";
        vec![
            FilterableField::string("site", site).with_operators([Eq, Ne, In]),
            FilterableField::day("published", published).with_operators([Ge, Le]),
        ]
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
        let included = names(sites.included.as_deref().unwrap_or_default())?;
        let all = [
            ("q", json!(query.text())),
            ("depth", json!(self.depth.as_str())),
            ("outputType", json!("searchResults")),
            ("maxResults", json!(query.wanted())),
            ("includeDomains", json!(included)),
            ("excludeDomains", json!(names(&sites.excluded)?)),
            ("fromDate", json!(days.lowest)),
            ("toDate", json!(days.highest)),
        ];
        let body = all.into_iter().filter(|(_, value)| !is_empty(value));
        let body: Map<String, Value> = body.map(|(name, value)| (name.to_owned(), value)).collect();
        let keeps = move |page: &LinkupPage| sites.allow(&page.url);
        let request = WebRequest::from(query.post().with_json(&body));
        Ok(Some(request.with_record_filter(keeps)))
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<LinkupPage> {
        answer.body.into_page()
    }

    fn link(page: &LinkupPage) -> &str {
        &page.url
    }
}

fn names(sites: &[Site]) -> Result<Vec<String>> {
    let count = sites.len();
    valid(CONNECTOR, "site", format!("{count} sites"), count <= MAX_DOMAINS, "at most 100")?;
    Ok(sites.iter().map(Site::to_string).collect())
}
