//! From options to the one request of a search.

use serde_json::{Map, Value};
use textsearch_core::{Result, SearchOptions, http::HttpRequest, web::plain_query};

use crate::{
    TavilyConfig,
    check::{self, refused},
};

/// The most results of a search: there are no pages.
const MOST: usize = 20;

/// How many results to ask for: those to skip come too.
///
/// # Errors
/// `InvalidOptions` beyond what Tavily serves.
pub(crate) fn max_results(options: &SearchOptions) -> Result<usize> {
    let wanted = options.skip.saturating_add(options.top);
    if wanted > MOST {
        let found = format!("{} + {}", options.skip, options.top);
        return Err(refused("skip + top", &found, &format!("at most {MOST}")));
    }
    Ok(wanted)
}

/// The request for so many results.
///
/// # Errors
/// `InvalidOptions` for a query that is empty or too long, and for a filter whose period contradicts the settings.
pub(crate) fn request(
    config: &TavilyConfig,
    query: &str,
    filter: Map<String, Value>,
    is_fixed: bool,
    max_results: usize,
) -> Result<HttpRequest> {
    // Tavily names no operators, but reads `site:` all the same: under a fixed filter there is none of any kind.
    let query = if is_fixed { plain_query(query) } else { query.to_owned() };
    check::query(&query)?;
    let settings =
        config.parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let mut body: Map<String, Value> = settings.collect();
    body.extend(filter);
    leave_out_what_does_not_fit(&mut body);
    check::period(|name| body.get(name))?;
    body.insert("query".to_owned(), Value::from(query));
    body.insert("max_results".to_owned(), Value::from(max_results));
    let request = HttpRequest::post(config.url()?).with_bearer(&config.api_key);
    Ok(request.with_json(&body).with_idempotent(true))
}

/// A filter may have changed the topic, and two settings are for one topic only: Tavily refuses them with another.
fn leave_out_what_does_not_fit(body: &mut Map<String, Value>) {
    let topic = body.get("topic").and_then(Value::as_str).unwrap_or("general").to_owned();
    if topic != "general" {
        body.remove("country");
    }
    if topic != "news" {
        body.remove("days");
    }
}
