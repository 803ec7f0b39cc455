//! `--rerank URL`, against a server on loopback.

use serde_json::{Value, json};
use textsearch_conformance::{Action, RecordedRequest, Response, Server};

use crate::support::{Run, Workplace};

const KEY: &str = "open-sesame";

/// Prefers texts about pears.
fn pears_first(request: &RecordedRequest) -> Response {
    let documents = request.json()["documents"].as_array().unwrap().clone();
    let rank = |(index, text): (usize, &Value)| {
        let is_pear = text.as_str().unwrap().contains("pear");
        json!({ "index": index, "relevance_score": if is_pear { 0.75 } else { 0.25 } })
    };
    let results: Vec<Value> = documents.iter().enumerate().map(rank).collect();
    Response::json(&json!({ "results": results }))
}

fn place() -> Workplace {
    Workplace::with(&[
        ("docs/apple.md", "An apple a day, and a fruit a day: fruit.\n"),
        ("docs/pear.md", "A pear is a fruit as well, if a soft one of a tree.\n"),
    ])
}

fn run(place: &Workplace, arguments: &[&str]) -> Run {
    let mut command = place.command(arguments);
    command.env("RERANK_API_KEY", KEY).env("RERANK_MODEL", "pears");
    let run = Run::from(command.output().unwrap());
    assert!(!run.stdout.contains(KEY) && !run.stderr.contains(KEY), "{}", run.stderr);
    run
}

const SEARCH: [&str; 6] = ["search", "fruit", "--from", "docs", "--output", "json"];

fn links(run: &Run) -> Vec<String> {
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| result["Link"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remote_model_orders_the_results() {
    let server = Server::start(|request, _| Action::Answer(pears_first(request))).await;
    let place = place();
    assert_eq!(links(&run(&place, &SEARCH)), ["docs/apple.md", "docs/pear.md"]);
    let output = run(&place, &[&SEARCH[..], &["--rerank", server.url().as_str()]].concat());
    assert_eq!(links(&output), ["docs/pear.md", "docs/apple.md"]);
    assert!(output.stdout.contains("0.75"), "{}", output.stdout);
    let request = &server.requests()[0];
    assert_eq!((request.path.as_str(), &request.json()["model"]), ("/rerank", &json!("pears")));
    assert_eq!(request.header("authorization"), Some("Bearer open-sesame"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_model_is_named() {
    let server = Server::of([(401, json!({ "message": format!("bad key {KEY}") }).to_string())]);
    let server = server.await;
    let failed = run(&place(), &[&SEARCH[..], &["--rerank", server.url().as_str()]].concat());
    assert_eq!((failed.code, failed.stdout.as_str()), (1, ""));
    let expected = "the reranker `pears` failed: ";
    assert!(failed.stderr.contains(expected), "{}", failed.stderr);
    assert!(failed.stderr.contains("answered 401 Unauthorized: bad key ***"), "{}", failed.stderr);
}

#[test]
fn wrong_models_are_refused() {
    let place = place();
    let refused = |model: &str| {
        let run = run(&place, &[&SEARCH[..], &["--rerank", model]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        run.stderr
    };
    let error = refused("pears");
    assert!(
        error.contains("expected the URL of a rerank API, local:FOLDER or local-int8:FOLDER"),
        "{error}"
    );
    if cfg!(not(feature = "local-embeddings")) {
        let error = refused("local:models/x");
        assert!(error.contains("a build with the feature `local-embeddings`"), "{error}");
    }
    let web = ["search", "x", "--source", "searxng", "--rerank", "http://localhost:8000"];
    assert_eq!(run(&place, &web).code, 2);
}
