//! Retrieval with 8-bit weights, compared to that in 32-bit floats.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use textsearch_embeddings_local::{
    EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings, LocalEmbeddings, Precision,
};
use textsearch_eval::{Judgements, Measures, Query};

use crate::reference::minilm;

/// Folders of collections in BEIR's format. Set by `cargo xtask integration model`.
const COLLECTIONS: &str = "TEXTSEARCH_COLLECTIONS";

/// Words of a passage: most are within the model's 256 tokens.
const PASSAGE_WORDS: usize = 150;
const TOP: usize = 10;
const LIMIT: f64 = 0.003;

struct Collection {
    /// Documents and their passages.
    passages: Vec<(String, String)>,
    queries: Vec<Query>,
    judgements: Judgements,
}

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

impl Collection {
    fn read(folder: &Path) -> Self {
        let file = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        let passages = file("corpus.jsonl").lines().flat_map(passages).collect();
        let queries = Query::parse_all(&file("queries.jsonl")).unwrap();
        Self { passages, queries, judgements: Judgements::parse(&file("qrels.tsv")).unwrap() }
    }

    async fn ndcg(&self, model: &LocalEmbeddings) -> f64 {
        let texts = self.passages.iter().map(|(_, text)| text);
        let passages = embed(model, texts, EmbeddingPurpose::Document).await;
        let texts = self.queries.iter().map(|query| &query.text);
        let queries = embed(model, texts, EmbeddingPurpose::Query).await;
        let figures = self.queries.iter().zip(&queries).filter_map(|(query, vector)| {
            let judged = self.judgements.of(&query.id)?;
            Some(Measures::of_documents(self.ranking(vector, &passages), judged, TOP).ndcg)
        });
        let figures: Vec<f64> = figures.collect();
        figures.iter().sum::<f64>() / figures.len() as f64
    }

    /// Returns the documents by their best passage.
    fn ranking(&self, query: &[f32], passages: &[Arc<[f32]>]) -> Vec<&str> {
        let mut best: HashMap<&str, f32> = HashMap::new();
        for ((document, _), passage) in self.passages.iter().zip(passages) {
            let similarity = query.iter().zip(passage.iter()).map(|(a, b)| a * b).sum();
            let best = best.entry(document).or_insert(similarity);
            *best = best.max(similarity);
        }
        let mut ranking: Vec<(&str, f32)> = best.into_iter().collect();
        ranking.sort_by(|(id, score), (other, other_score)| {
            other_score.total_cmp(score).then_with(|| id.cmp(other))
        });
        ranking.into_iter().map(|(id, _)| id).collect()
    }
}

fn passages(line: &str) -> Vec<(String, String)> {
    let Document { id, title, text } = serde_json::from_str(line).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    let passages = words.chunks(PASSAGE_WORDS);
    passages.map(|words| (id.clone(), format!("{title}\n{}", words.join(" ")))).collect()
}

async fn embed(
    model: &LocalEmbeddings,
    texts: impl Iterator<Item = &String>,
    purpose: EmbeddingPurpose,
) -> Vec<Arc<[f32]>> {
    let texts: Vec<String> = texts.cloned().collect();
    model.generate(&texts, &EmbeddingSettings::new(purpose)).await.unwrap().vectors
}

#[tokio::test]
#[ignore = "needs the model and collections: cargo xtask integration model"]
async fn int8_finds_as_well_as_floats() {
    let folders = std::env::var_os(COLLECTIONS)
        .unwrap_or_else(|| panic!("set {COLLECTIONS}, or run `cargo xtask integration model`"));
    let [exact, close] = [Precision::F32, Precision::Int8].map(minilm);
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
    assert!(!folders.is_empty(), "{COLLECTIONS} names no folder");
    for folder in folders {
        let collection = Collection::read(&folder);
        let exact = collection.ndcg(&exact).await;
        let close = collection.ndcg(&close).await;
        let name = folder.file_name().unwrap().display();
        let difference = close - exact;
        println!("{name}: nDCG@10 {exact:.4} in floats, {close:.4} with 8 bits ({difference:+.4})");
        assert!(difference > -LIMIT, "{name}: {difference}");
    }
}
