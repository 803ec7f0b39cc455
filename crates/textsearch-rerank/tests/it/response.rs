use serde_json::{Value, json};
use textsearch_conformance::{Response, Server};
use textsearch_rerank::{Error, ErrorKind, RerankConfig};

use crate::support::{answered, config, http, scores};

const EXPECTED: [f64; 3] = [0.7867867, 0.03271335, 0.999071];

#[tokio::test]
async fn scores_of_every_provider_have_the_order_of_the_texts() {
    let answers = [
        include_str!("../fixtures/cohere.json"),
        include_str!("../fixtures/jina.json"),
        include_str!("../fixtures/vllm.json"),
        include_str!("../fixtures/infinity.json"),
    ];
    for answer in answers {
        assert_eq!(answered((200, answer)).await.unwrap(), EXPECTED, "{answer}");
    }
    let server = Server::of([(200, include_str!("../fixtures/tei.json"))]).await;
    let tei = RerankConfig::tei(server.url().as_str()).with_http_settings(http());
    assert_eq!(scores(tei, 3).await.unwrap(), EXPECTED);
}

async fn refused(answer: impl Into<Response>) -> Error {
    let error = answered(answer).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Undecodable, "{error}");
    error
}

fn ranked(ranks: &[(i64, Value)]) -> Response {
    let rank = |(index, score): &(i64, Value)| json!({ "index": index, "relevance_score": score });
    Response::json(&json!({ "results": ranks.iter().map(rank).collect::<Vec<_>>() }))
}

#[tokio::test]
async fn missing_repeated_and_unknown_indexes_are_undecodable() {
    let ranks = |indexes: &[i64]| {
        ranked(&indexes.iter().map(|index| (*index, json!(0.5))).collect::<Vec<_>>())
    };
    let cases: [(&[i64], &str); 5] = [
        (&[], "0 scores for 3 texts"),
        (&[0, 1], "2 scores for 3 texts"),
        (&[0, 1, 2, 3], "4 scores for 3 texts"),
        (&[0, 2, 2], "the index 2 is repeated or out of range"),
        (&[0, 1, 3], "the index 3 is repeated or out of range"),
    ];
    for (indexes, expected) in cases {
        let error = refused(ranks(indexes)).await;
        let expected = format!("the answer has no usable scores: {expected}");
        assert!(error.message().ends_with(&expected), "{error}");
    }
    refused(ranks(&[0, 1, -1])).await;
    refused(ranks(&[0, 1, i64::MAX])).await;
}

#[tokio::test]
async fn a_score_that_is_no_number_is_undecodable() {
    for score in [json!(null), json!("0.5"), json!([0.5])] {
        refused(ranked(&[(0, json!(1)), (1, json!(1)), (2, score)])).await;
    }
    let literal = |score: &str| {
        let rank = format!(r#"{{ "index": 0, "relevance_score": {score} }}"#);
        (200, format!(r#"{{ "results": [{rank}] }}"#))
    };
    for score in ["NaN", "Infinity", "-Infinity", "1e999"] {
        refused(literal(score)).await;
    }
}

#[tokio::test]
async fn an_answer_of_another_form_is_undecodable() {
    let answers = [
        json!({}),
        json!([]),
        json!(null),
        json!({ "results": null }),
        json!({ "results": [{ "relevance_score": 0.5 }] }),
        json!({ "results": [{ "index": 0 }] }),
    ];
    for answer in answers {
        refused(Response::json(&answer)).await;
    }
    refused(Response::new(200, "text/html", "<title>Sign in</title>")).await;
}

#[tokio::test]
async fn an_endless_answer_ends_at_the_limit() {
    let flood = Response::json(&json!({ "results": "x".repeat(10_000) }));
    let server =
        Server::start(move |_, _| textsearch_conformance::Action::Flood(flood.clone(), 1_000_000))
            .await;
    let settings = http().with_max_body_bytes(100_000);
    let error = scores(config(&server).with_http_settings(settings), 3).await.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Undecodable);
    assert!(error.message().ends_with("is longer than the limit of 100000 bytes"), "{error}");
}

#[tokio::test]
async fn no_texts_send_no_request() {
    let server = Server::of([(500, "")]).await;
    assert!(scores(config(&server), 0).await.unwrap().is_empty());
    assert_eq!(server.count(), 0);
}
