//! Providers that echo the key in a successful response.

use serde_json::Value;
use textsearch_core::{Result, SearchOptions, SearchResults};

use crate::{
    Document, Endpoint, Response, Subject, endpoint,
    secret::{assert_secret, printed},
    server::Action,
    subject::RunningSearch,
};

/// Connectors may keep these as metadata of a search.
const HEADERS: &[&str] = &[
    "x-request-id",
    "request-id",
    "x-trace-id",
    "bingapis-traceid",
    "bingapis-market",
    "x-msedge-clientid",
    "x-ratelimit-limit",
    "x-ratelimit-policy",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
];

/// Result texts are data. Logs, `Debug` output and errors must not contain the key.
pub async fn a_key_that_is_echoed_in_results_stays_in_them(subject: Subject) {
    // The runner searches the logs afterwards.
    let running = subject.holding(echoing_documents()).await;
    let results =
        found(&running).await.expect("an answer with the key in its texts is one of success");
    let values = results.into_vec().await.expect("the search succeeds");
    assert!(values.iter().any(|value| value.contains(Endpoint::KEY)), "texts are not as they came");
    // Now in every text: a connector may fail to decode some.
    let script = |_, answer| Action::Answer(echoing_everywhere(&answer));
    let running = subject.scripted(endpoint::patient(), Document::several(3), script).await;
    let read = async { found(&running).await?.into_vec().await };
    if let Err(error) = read.await {
        assert_secret(&printed(&error), "the error after a success");
    }
}

/// Headers aren't data.
pub async fn a_key_that_is_echoed_in_headers_stays_out_of_metadata(subject: Subject) {
    let echo = |answer, name: &&str| Response::with_header(answer, *name, Endpoint::KEY);
    let script = move |_, answer| Action::Answer(HEADERS.iter().fold(answer, echo));
    let running = subject.scripted(endpoint::patient(), Document::several(3), script).await;
    let results =
        found(&running).await.expect("an answer with the key in its headers is one of success");
    assert_secret(&Value::from(results.metadata().clone()).to_string(), "the metadata");
}

fn echoing_documents() -> Vec<Document> {
    let mut documents = Document::several(3);
    for document in &mut documents {
        document.name = format!("{} for {}", document.name, Endpoint::KEY);
        document.text = format!("{} The key is {}.", document.text, Endpoint::KEY);
    }
    documents
}

/// Appends the key to each text that isn't a URL, if the body is JSON.
fn echoing_everywhere(answer: &Response) -> Response {
    match serde_json::from_slice(&answer.body) {
        Ok(mut body) => {
            echo_in(&mut body);
            Response { body: body.to_string().into_bytes(), ..answer.clone() }
        }
        Err(_) => answer.clone(),
    }
}

fn echo_in(value: &mut Value) {
    match value {
        Value::String(text) if !text.contains("://") => {
            *text = format!("{text} {}", Endpoint::KEY);
        }
        Value::Array(items) => items.iter_mut().for_each(echo_in),
        Value::Object(fields) => fields.values_mut().for_each(echo_in),
        _ => {}
    }
}

/// Their `Debug` output must lack the key.
async fn found(running: &RunningSearch) -> Result<SearchResults<String>> {
    let results = running.search.search("what there is", &SearchOptions::top(3)).await?;
    assert_secret(&format!("{results:?}\n{results:#?}"), "what `Debug` prints of results");
    Ok(results)
}
