//! Searches by full text, by vector and by both; then with a threshold, with diversity and with a
//! reranker.
//!
//! The embeddings are handmade, so the output is always the same. `14_local_embeddings` uses a real
//! model.
//!
//! Needs: nothing; it runs offline.

use std::collections::HashSet;

use examples::{Meanings, articles};
use textsearch_core::{
    Result, async_trait,
    rerank::Reranker,
    vector::{Fusion, SearchMode, VectorField, VectorStoreExt as _, VectorStoreTextSearch},
};
use textsearch_vector_inmemory::InMemoryVectorStore;

/// Three paraphrase "login", two of them almost identically. One contains the error code.
const ARTICLES: [(&str, &str); 6] = [
    ("Forgotten password", "Choose a new password, then sign in."),
    ("Changing a password", "Sign in, and choose another password."),
    ("Sign in by phone", "Scan the code, and you are in."),
    ("The app", "Install the app, and let it use the camera."),
    ("Error E1042", "E1042 means that the server refused the connection."),
    ("Invoices", "An invoice is paid by card."),
];

const QUESTION: &str = "phone login fails with E1042";

/// Counts common trigrams. A real reranker is a model that reads question and text together.
struct SharedLetters;

impl SharedLetters {
    fn groups(text: &str) -> HashSet<Vec<char>> {
        let letters: Vec<char> =
            text.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
        letters.windows(3).map(<[char]>::to_vec).collect()
    }
}

#[async_trait]
impl Reranker for SharedLetters {
    fn name(&self) -> &str {
        "shared-letters"
    }

    async fn rerank(&self, query: &str, texts: &[String]) -> Result<Vec<f64>> {
        let wanted = Self::groups(query);
        let shared = |text: &String| Self::groups(text).intersection(&wanted).count() as f64;
        Ok(texts.iter().map(shared).collect())
    }
}

async fn print(what: &str, search: &VectorStoreTextSearch) -> Result<()> {
    articles::print(what, search, QUESTION).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let embedding =
        VectorField::new("embedding", Meanings::DIMENSIONS).embedded_from(["title", "body"]);
    let definition = articles::definition().with_vector(embedding);
    let store = InMemoryVectorStore::new().with_embedding_generator(Meanings);
    let articles = articles::store(store, definition, &ARTICLES).await?;
    let by = |mode| VectorStoreTextSearch::new(articles.clone()).with_mode(mode);
    println!("{QUESTION}");

    print("By words (BM25): the code, and what has the word phone", &by(SearchMode::FullText))
        .await?;
    print(
        "By meaning (cosine similarity): what is about phones and logging in, and not the code",
        &by(SearchMode::Vector),
    )
    .await?;

    let hybrid = by(SearchMode::Hybrid);
    print("By both, fused by their scores, half of them by meaning", &hybrid).await?;
    let by_ranks = hybrid.clone().with_fusion(Fusion::reciprocal_rank(60));
    print("By both, fused by the places in the two rankings", &by_ranks).await?;

    let near = by(SearchMode::Vector).with_score_threshold(0.8);
    print("By meaning, from a similarity of 0.8 on", &near).await?;
    let diverse = by(SearchMode::Vector).with_diversity(0.7);
    print("By meaning, with what repeats others behind what is new", &diverse).await?;
    let judged = hybrid.with_reranker(SharedLetters);
    print("By both, with the candidates judged again: the scores are the reranker's", &judged)
        .await?;
    Ok(())
}
