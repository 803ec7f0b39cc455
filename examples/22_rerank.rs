//! Scores the results of a full-text search again, with a model that reads question and text
//! together.
//!
//! A server on loopback stands in for the model, so the output is always the same. With
//! `RERANK_ENDPOINT`, and `RERANK_MODEL`, `RERANK_API_KEY` and `RERANK_FORMAT` if needed, a real one
//! answers: Cohere, Jina, vLLM, infinity or Text Embeddings Inference. A cross-encoder in a folder
//! needs no server:
//! `cargo run --release -p examples --features local-embeddings --example 22_rerank -- FOLDER`.
//!
//! Needs: nothing; it runs offline.

use std::sync::Arc;

use examples::articles;
use serde_json::{Value, json};
use textsearch_conformance::{Action, RecordedRequest, Response, Server};
use textsearch_core::{rerank::Reranker, vector::VectorStoreTextSearch};
use textsearch_rerank::{RERANK_ENDPOINT, RerankClient, RerankConfig};
use textsearch_vector_inmemory::InMemoryVectorStore;

/// The answer shares one word with the question; others share more.
const ARTICLES: [(&str, &str); 4] = [
    ("Backups", "How do I get my files back? Open the backup, and get back to any day."),
    ("Payment", "How do I send my money? By card, and the money is there in a day."),
    ("Refunds", "A return within two weeks is free, and you get the whole price refunded."),
    ("Contact", "We call you back on the same day."),
];
const QUESTION: &str = "How do I get my money back?";

/// Knows one thing: what gives money back is a refund.
fn stand_in(request: &RecordedRequest) -> Action {
    let body = request.json();
    let wants_refund = body["query"].as_str().is_some_and(|query| query.contains("money back"));
    let score = |text: &Value| match text.as_str() {
        Some(text) if wants_refund && text.contains("refund") => 0.98,
        Some(text) if text.contains("money") => 0.21,
        _ => 0.03,
    };
    let documents = body["documents"].as_array().into_iter().flatten();
    let results: Vec<Value> = documents
        .enumerate()
        .map(|(index, text)| json!({ "index": index, "relevance_score": score(text) }))
        .collect();
    Action::Answer(Response::json(&json!({ "results": results })))
}

#[cfg(feature = "local-embeddings")]
fn local_model() -> anyhow::Result<Option<Arc<dyn Reranker>>> {
    use textsearch_embeddings_local::{LocalReranker, LocalRerankerConfig};

    let Some(folder) = std::env::args().nth(1) else { return Ok(None) };
    Ok(Some(Arc::new(LocalReranker::new(LocalRerankerConfig::new(folder))?)))
}

#[cfg(not(feature = "local-embeddings"))]
fn local_model() -> anyhow::Result<Option<Arc<dyn Reranker>>> {
    Ok(None)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let server = Server::start(|request, _| stand_in(request)).await;
    let reranker = match local_model()? {
        Some(model) => model,
        None => {
            let config = match std::env::var_os(RERANK_ENDPOINT) {
                Some(_) => RerankConfig::from_env()?,
                None => RerankConfig::new(server.url().as_str()),
            };
            Arc::new(RerankClient::new(config)?)
        }
    };
    println!("{QUESTION}");
    let store = InMemoryVectorStore::new();
    let articles = articles::store(store, articles::definition(), &ARTICLES).await?;
    let search = VectorStoreTextSearch::new(articles);
    articles::print("By words (BM25)", &search, QUESTION).await?;
    let reranked = search.with_reranker(Arc::clone(&reranker));
    articles::print(&format!("Scored again by `{}`", reranker.name()), &reranked, QUESTION).await?;
    Ok(())
}
