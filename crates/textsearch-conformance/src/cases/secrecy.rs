//! The key appears in the request, and nowhere else, although a provider echoes it.

use serde_json::{Value, json};
use textsearch_core::{Result, SearchOptions, SearchResults};

use super::failure;
use crate::{
    Document, Endpoint, Response, Subject, endpoint,
    json::each_text,
    log_capture::LogCapture,
    secret::{assert_debug, assert_secret, printed},
    server::Action,
    subject::RunningSearch,
};

/// The provider echoes the key in an error.
pub(crate) async fn a_key_that_is_echoed_stays_out_of_the_error(subject: Subject) {
    let key = subject.capabilities.echoed_key();
    for status in [400, 401, 403, 404, 429, 500] {
        let (error, _) = failure(&subject, move |_| Action::Answer(echo(status, key))).await;
        assert_secret(&printed(&error), &format!("the error after {status}"));
    }
    let bodies = [json!(key), json!([key]), json!({ "results": key, "items": key, "web": key })];
    for body in bodies {
        let answer = move |_, _| Action::Answer(Response::json(&body));
        let running = subject.scripted(endpoint::patient(), Vec::new(), answer).await;
        if let Err(error) = running.try_results("what there is", &SearchOptions::top(3)).await {
            assert_secret(&printed(&error), "the error after a success");
        }
    }
}

/// A query may be private, so no log contains it, at any level, even if the search fails.
pub(crate) async fn a_query_stays_out_of_logs(subject: Subject) {
    let logs = LogCapture::start();
    let query = "a secret of zanzibar";
    let top = SearchOptions::top(2);
    let running = subject.holding(Document::several(3)).await;
    running.try_results(query, &top).await.expect("the search succeeds");
    let script = |_, _| Action::Answer(Response::new(400, "text/plain", "because"));
    let running = subject.scripted(endpoint::patient(), Vec::new(), script).await;
    running.try_results(query, &top).await.expect_err("the search fails");
    let text = logs.text();
    assert!(text.contains("retrieval"), "nothing was captured: {text}");
    assert!(!text.contains("zanzibar"), "the query is in the log: {text}");
}

fn echo(status: u16, key: &str) -> Response {
    Response::echoing(status, key, &json!({ "error": format!("the key {key} is wrong") }))
}

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
pub(crate) async fn a_key_that_is_echoed_in_results_stays_in_them(subject: Subject) {
    // The runner searches the logs afterwards.
    let running = subject.holding(echoing_documents()).await;
    let results = checked_results(&running)
        .await
        .expect("an answer with the key in its texts is one of success");
    let values = results.into_vec().await.expect("the search succeeds");
    assert!(values.iter().any(|value| value.contains(Endpoint::KEY)), "texts are not as they came");
    // Now in every text: a connector may fail to decode some.
    let script = |_, answer| Action::Answer(echoing_everywhere(answer));
    let running = subject.scripted(endpoint::patient(), Document::several(3), script).await;
    let read = async { checked_results(&running).await?.into_vec().await };
    if let Err(error) = read.await {
        assert_secret(&printed(&error), "the error after a success");
    }
}

/// Headers aren't data.
pub(crate) async fn a_key_that_is_echoed_in_headers_stays_out_of_metadata(subject: Subject) {
    let echo = |answer, name: &&str| Response::with_header(answer, *name, Endpoint::KEY);
    let script = move |_, answer| Action::Answer(HEADERS.iter().fold(answer, echo));
    let running = subject.scripted(endpoint::patient(), Document::several(3), script).await;
    let results = checked_results(&running)
        .await
        .expect("an answer with the key in its headers is one of success");
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

/// Appends the key to each text that isn't a URL.
fn echoing_everywhere(answer: Response) -> Response {
    answer.map_json(|body| {
        each_text(body, &mut |text| {
            if !text.contains("://") {
                *text = format!("{text} {}", Endpoint::KEY);
            }
        });
    })
}

/// Their `Debug` output must lack the key.
async fn checked_results(running: &RunningSearch) -> Result<SearchResults<String>> {
    let results = running.search.search("what there is", &SearchOptions::top(3)).await?;
    assert_debug(&results);
    Ok(results)
}
