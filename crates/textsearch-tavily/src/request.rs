//! Builds the request of a search.

use serde_json::{Map, Value};
use textsearch_core::{Result, SearchOptions, http::HttpRequest, web::plain_query};

use crate::{
    TavilyConfig,
    check::{self, refused},
};

/// Tavily has no pages.
const MOST: usize = 20;

/// Includes the results to skip.
pub(crate) fn max_results(options: &SearchOptions) -> Result<usize> {
    let wanted = options.skip.saturating_add(options.top);
    if wanted > MOST {
        let found = format!("{} + {}", options.skip, options.top);
        return Err(refused("skip + top", &found, &format!("at most {MOST}")));
    }
    Ok(wanted)
}

pub(crate) fn request(
    config: &TavilyConfig,
    query: &str,
    filter: Map<String, Value>,
    is_fixed: bool,
    max_results: usize,
) -> Result<HttpRequest> {
    // Tavily documents no operators, yet reads `site:`. A fixed filter therefore removes them all.
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

/// Removes settings that Tavily rejects for the topic, which a filter may have changed.
fn leave_out_what_does_not_fit(body: &mut Map<String, Value>) {
    let topic = body.get("topic").and_then(Value::as_str).unwrap_or("general").to_owned();
    if topic != "general" {
        body.remove("country");
    }
    if topic != "news" {
        body.remove("days");
    }
}
