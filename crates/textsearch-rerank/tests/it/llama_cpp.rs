//! llama.cpp's own server, with a model that wasn't trained to rerank: only the protocol is checked.
//!
//! `cargo xtask integration llm` starts the server, and collects the lines that begin with `llm`.
#![expect(clippy::print_stdout, reason = "`cargo xtask integration llm` reads the lines")]

use std::time::Instant;

use textsearch_rerank::{ErrorKind, RerankClient, RerankConfig, Reranker as _};

use crate::support::{http, texts};

fn config() -> RerankConfig {
    let url = std::env::var("TEXTSEARCH_LLM_RERANK").unwrap();
    RerankConfig::new(format!("{url}/v1/rerank")).with_http_settings(http())
}

#[tokio::test]
#[ignore = "needs llama.cpp's server: cargo xtask integration llm"]
async fn llama_cpp_scores_texts_in_both_formats() {
    let start = Instant::now();
    let texts = texts(20);
    let scores = RerankClient::new(config()).unwrap().rerank("tides", &texts).await.unwrap();
    println!("llm\trerank\t20 scores\t{}\t0", start.elapsed().as_secs_f64());
    assert_eq!(scores.len(), 20);
    assert_ne!(scores[0], scores[11]);
    let tei = RerankConfig::tei(config().endpoint).with_http_settings(http());
    let same = RerankClient::new(tei).unwrap().rerank("tides", &texts).await.unwrap();
    for (score, other) in scores.iter().zip(&same) {
        assert!((score - other).abs() < 0.1, "{score} {other}");
    }
}

#[tokio::test]
#[ignore = "needs llama.cpp's server: cargo xtask integration llm"]
async fn llama_cpp_refuses_to_score_an_overlong_text() {
    let start = Instant::now();
    let texts = ["tide ".repeat(2_048)];
    let error = RerankClient::new(config()).unwrap().rerank("tides", &texts).await.unwrap_err();
    println!(
        "llm\trerank, overlong text\t{}\t{}\t0",
        error.kind().name(),
        start.elapsed().as_secs_f64()
    );
    let ErrorKind::UnexpectedStatus { status, code, .. } = error.kind() else {
        panic!("{error:?}")
    };
    assert_eq!((*status, code.as_deref()), (400, Some("exceed_context_size_error")));
}
