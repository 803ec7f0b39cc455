//! Describes Tavily to the core: one `POST` request, without pages.

use std::collections::BTreeMap;

use serde_json::Value;
use textsearch_core::{
    FilterableField, Result,
    http::HttpResponse,
    web::{
        Connection, ErrorFormat, PageAddress, Paging, ResultPage, WebEngine, WebQuery, WebRequest,
        WebSearch,
    },
};

use crate::{
    CONNECTOR, TAVILY_API_KEY, TAVILY_ENDPOINT, TavilyConfig, TavilyWebPage, config::check_period,
    filter, response::Answer,
};

/// Searches the web with [Tavily](https://docs.tavily.com/documentation/api-reference/endpoint/search).
/// See the [crate](crate) for an example.
pub type TavilyTextSearch = WebSearch<TavilyConfig>;

// Tavily documents no operators, yet reads `site:`. The core removes them all under a fixed filter.
impl WebEngine for TavilyConfig {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://api.tavily.com/search";
    const ENDPOINT_VARIABLE: &'static str = TAVILY_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(TAVILY_API_KEY);
    const SITE_FIELDS: &'static [&'static str] = &["site"];
    const MAX_QUERY_CHARS: Option<usize> = Some(400);
    // The message is an object, a text or a list of wrong parameters.
    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/detail", "/error"],
        messages: &["/error", "", "/message"],
        quota_statuses: &[432, 433], // An exhausted plan.
        ..ErrorFormat::NONE
    };

    type Record = TavilyWebPage;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn paging(&self) -> Paging {
        Paging { max_results: Some(20), ..Paging::SINGLE_PAGE }
    }

    fn fields(&self) -> Vec<FilterableField> {
        filter::fields()
    }

    fn check(&self) -> Result<()> {
        self.check_parameters()?;
        // Rejects invalid or too many domains now, not in the first search.
        filter::translate(&[], self.sites()?).map(drop)
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<TavilyWebPage>>> {
        let Some(conditions) = query.conditions()? else { return Ok(None) };
        let filter = filter::translate(&conditions, self.sites()?)?;
        let Some(filter) = filter else { return Ok(None) };
        let mut body = self.parameters.clone();
        body.extend(filter);
        remove_unfit_settings(&mut body);
        check_period(|name| body.get(name))?;
        body.insert("query", query.text().into());
        body.insert("max_results", query.wanted().into());
        Ok(Some(query.post_json(body).into()))
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<TavilyWebPage> {
        answer.body.into_page()
    }

    fn link(page: &TavilyWebPage) -> &str {
        &page.url
    }
}

/// Removes settings that Tavily rejects for the topic, which a filter may have changed.
fn remove_unfit_settings(body: &mut BTreeMap<&str, Value>) {
    let topic = body.get("topic").and_then(Value::as_str).unwrap_or("general").to_owned();
    if topic != "general" {
        body.remove("country");
    }
    if topic != "news" {
        body.remove("days");
    }
}
