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
    queries: Vec<(String, String)>,
    /// By query, then document.
    grades: HashMap<String, HashMap<String, f64>>,
}

#[derive(Deserialize)]
struct Text {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

impl Collection {
    fn read(folder: &Path) -> Self {
        let passages = texts(&folder.join("corpus.jsonl")).into_iter().flat_map(|document| {
            let words: Vec<&str> = document.text.split_whitespace().collect();
            let passage = |words: &[&str]| {
                (document.id.clone(), format!("{}\n{}", document.title, words.join(" ")))
            };
            words.chunks(PASSAGE_WORDS).map(passage).collect::<Vec<_>>()
        });
        let queries = texts(&folder.join("queries.jsonl")).into_iter();
        let mut grades: HashMap<String, HashMap<String, f64>> = HashMap::new();
        for line in fs::read_to_string(folder.join("qrels.tsv")).unwrap().lines().skip(1) {
            let [query, document, grade] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("not a judgement: {line:?}");
            };
            let of_query = grades.entry(query.to_owned()).or_default();
            of_query.insert(document.to_owned(), grade.parse().unwrap());
        }
        let passages = passages.collect();
        Self { passages, queries: queries.map(|query| (query.id, query.text)).collect(), grades }
    }

    async fn ndcg(&self, model: &LocalEmbeddings) -> f64 {
        let passages = embed(model, &self.passages, EmbeddingPurpose::Document).await;
        let queries = embed(model, &self.queries, EmbeddingPurpose::Query).await;
        let ndcg = |((id, _), query): (&(String, String), &Arc<[f32]>)| {
            let mut best: HashMap<&str, f32> = HashMap::new();
            for ((document, _), passage) in self.passages.iter().zip(&passages) {
                let similarity = query.iter().zip(passage.iter()).map(|(a, b)| a * b).sum();
                let best = best.entry(document).or_insert(similarity);
                *best = best.max(similarity);
            }
            let mut ranking: Vec<(&str, f32)> = best.into_iter().collect();
            ranking.sort_by(|(id, score), (other, other_score)| {
                other_score.total_cmp(score).then_with(|| id.cmp(other))
            });
            let grades = &self.grades[id];
            let gains = ranking.iter().map(|(document, _)| grades.get(*document).copied());
            let mut ideal: Vec<f64> = grades.values().copied().collect();
            ideal.sort_by(|grade, other| other.total_cmp(grade));
            discounted(gains.map(Option::unwrap_or_default)) / discounted(ideal.into_iter())
        };
        let figures: Vec<f64> = self.queries.iter().zip(&queries).map(ndcg).collect();
        figures.iter().sum::<f64>() / figures.len() as f64
    }
}

fn texts(file: &Path) -> Vec<Text> {
    let lines = fs::read_to_string(file).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn embed(
    model: &LocalEmbeddings,
    texts: &[(String, String)],
    purpose: EmbeddingPurpose,
) -> Vec<Arc<[f32]>> {
    let texts: Vec<String> = texts.iter().map(|(_, text)| text.clone()).collect();
    let settings = EmbeddingSettings::new(purpose);
    model.generate(&texts, &settings).await.unwrap().vectors
}

fn discounted(gains: impl Iterator<Item = f64>) -> f64 {
    gains.take(TOP).enumerate().map(|(place, gain)| gain / (place as f64 + 2.0).log2()).sum()
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
