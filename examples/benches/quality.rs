//! Our side of `docs/retrieval-quality.md`: rankings of a test collection by words, by meaning and
//! by both. `cargo xtask integration quality` scores them. To run it alone:
//!
//! `cargo bench -p examples --features local-embeddings --bench quality -- COLLECTION MODEL INTO`
//!
//! COLLECTION is a folder with `corpus.jsonl` and `queries.jsonl` in BEIR format. The program
//! creates two folders below INTO. In `documents`, each document is one record, searched by words
//! alone, because the model only reads the beginning of a long one. In `chunks`, documents are
//! split as `textsearch index` splits them. Each folder has its records in `records.jsonl`, for
//! peers, and a file for each ranking: query, record and score per line, separated by tabs, the
//! best first.

use std::{
    fs,
    io::{BufWriter, Write as _},
    path::Path,
    sync::Arc,
};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;
use textsearch_core::{
    SearchResults,
    vector::{
        Collection, DataField, EmbeddingGenerator as _, EmbeddingPurpose, EmbeddingSettings,
        Fusion, RecordDefinition, Scored, StoredRecord, VectorField, VectorSearchOptions,
        VectorStoreExt as _,
    },
};
use textsearch_documents::{Chunker, ChunkerConfig, Document, DocumentFormat};
use textsearch_embeddings_local::{LocalEmbeddings, LocalEmbeddingsConfig};
use textsearch_vector_inmemory::InMemoryVectorStore;

/// As deep as the store looks for a hybrid search.
const DEPTH: usize = 1000;

const FUSED_DEPTH: usize = 100;

const EMBEDDING: &str = "embedding";

const FIELDS: &[&str] = &["name", "text"];

/// As in the stores that `textsearch index` creates.
const NAME_WEIGHT: f64 = 2.0;

const VECTOR_TENTHS: std::ops::RangeInclusive<u8> = 3..=8;

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

#[derive(Serialize)]
struct Record {
    id: String,
    document: String,
    /// The title and, for a part, the headings.
    name: String,
    text: String,
    /// Name and text, which peers search, and which is embedded.
    whole: String,
}

struct Question {
    id: String,
    text: String,
    vector: Arc<[f32]>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    // Cargo adds `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [collection, model, into] = words.as_slice() else {
        // `cargo bench` of the whole package names no collection.
        println!("quality: give a collection, a model and a folder to write into");
        return Ok(());
    };
    let collection = Path::new(collection);
    let into = Path::new(into);
    let model = LocalEmbeddings::new(LocalEmbeddingsConfig::new(model))?;
    let documents: Vec<Entry> = read(&collection.join("corpus.jsonl"))?;
    let questions = questions(&model, read(&collection.join("queries.jsonl"))?).await?;
    let whole: Vec<Record> = documents.iter().map(Record::of).collect();
    let stored = store(&whole, None).await?;
    write(&into.join("documents"), &whole, &stored, &questions, by_words()).await?;
    let chunks = chunks(&documents)?;
    let stored = store(&chunks, Some(&model)).await?;
    let kinds = by_words().into_iter().chain(by_vector()).collect();
    write(&into.join("chunks"), &chunks, &stored, &questions, kinds).await
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let entries = lines.map(|(line, number)| {
        serde_json::from_str(line).with_context(|| format!("{}, line {number}", path.display()))
    });
    entries.collect()
}

impl Record {
    fn new(id: String, document: &str, name: &str, text: &str) -> Self {
        let whole = format!("{name}\n{text}").trim().to_owned();
        let document = document.to_owned();
        let name = name.to_owned();
        let text = text.to_owned();
        Self { id, document, name, text, whole }
    }

    fn of(document: &Entry) -> Self {
        Self::new(document.id.clone(), &document.id, &document.title, &document.text)
    }
}

fn chunks(documents: &[Entry]) -> Result<Vec<Record>> {
    let chunker = Chunker::new(ChunkerConfig::default())?;
    let mut records = Vec::new();
    for Entry { id, title, text } in documents {
        let extension = Path::new(id).extension().and_then(|extension| extension.to_str());
        let format = extension.and_then(DocumentFormat::from_extension);
        let mut document =
            Document::new(id, format.unwrap_or(DocumentFormat::PlainText), text.as_str());
        if !title.is_empty() {
            document = document.with_name(title);
        }
        let chunked = chunker.chunk(&document)?;
        let title = chunked.name.unwrap_or_default();
        for chunk in chunked.chunks {
            let repeated = chunk.heading_path.first() == Some(&title);
            let headings = chunk.heading_path.into_iter().skip(usize::from(repeated));
            let name = std::iter::once(title.clone()).chain(headings).collect::<Vec<_>>();
            let key = format!("{id}#{}", chunk.index);
            records.push(Record::new(key, id, &name.join(" > "), &chunk.text));
        }
    }
    Ok(records)
}

async fn embed(
    model: &LocalEmbeddings,
    texts: &[String],
    purpose: EmbeddingPurpose,
) -> Result<Vec<Arc<[f32]>>> {
    let embeddings = model.generate(texts, &EmbeddingSettings::new(purpose)).await?;
    Ok(embeddings.vectors)
}

async fn questions(model: &LocalEmbeddings, queries: Vec<Entry>) -> Result<Vec<Question>> {
    let texts: Vec<String> = queries.iter().map(|query| query.text.clone()).collect();
    let vectors = embed(model, &texts, EmbeddingPurpose::Query).await?;
    let pairs = queries.into_iter().zip(vectors);
    Ok(pairs.map(|(Entry { id, text, .. }, vector)| Question { id, text, vector }).collect())
}

/// With vectors if there is a model.
async fn store(records: &[Record], model: Option<&LocalEmbeddings>) -> Result<Collection> {
    let full_text = |name: &str| DataField::string(name).full_text_in("en");
    let mut definition = RecordDefinition::new("id")
        .with_data(full_text("name").with_weight(NAME_WEIGHT))
        .with_data(full_text("text"))
        .with_data(full_text("whole"));
    if let Some(dimensions) = model.and_then(LocalEmbeddings::dimensions) {
        definition = definition.with_vector(VectorField::new(EMBEDDING, dimensions));
    }
    let stored = InMemoryVectorStore::new().dynamic_collection("quality", definition)?;
    stored.ensure_exists().await?;
    let made = records.iter().map(|record| {
        let Record { id, name, text, whole, .. } = record;
        let fields = json!({ "id": id, "name": name, "text": text, "whole": whole });
        StoredRecord::from_serialize(&fields, stored.definition())
    });
    let mut made: Vec<StoredRecord> = made.collect::<Result<_, _>>()?;
    if let Some(model) = model {
        let texts: Vec<String> = records.iter().map(|record| record.whole.clone()).collect();
        let vectors = embed(model, &texts, EmbeddingPurpose::Document).await?;
        let pairs = made.into_iter().zip(vectors);
        made = pairs.map(|(record, vector)| record.with_vector(EMBEDDING, vector)).collect();
    }
    stored.upsert(made).await?;
    Ok(stored)
}

/// [`Kinds`] adds the name of the output file.
enum Kind {
    Words(&'static [&'static str]),
    Vector,
    Hybrid(Fusion),
}

type Kinds = Vec<(String, Kind)>;

fn by_words() -> Kinds {
    vec![
        ("words".to_owned(), Kind::Words(FIELDS)),
        ("words-in-one-field".to_owned(), Kind::Words(&["whole"])),
    ]
}

fn by_vector() -> Kinds {
    let mut kinds = vec![
        ("vector".to_owned(), Kind::Vector),
        ("reciprocal-rank".to_owned(), Kind::Hybrid(Fusion::reciprocal_rank(60))),
    ];
    kinds.extend(VECTOR_TENTHS.map(|tenths| {
        let fusion = Fusion::weighted_scores(f64::from(tenths) / 10.0);
        (format!("weighted-0.{tenths}"), Kind::Hybrid(fusion))
    }));
    kinds
}

async fn write(
    folder: &Path,
    records: &[Record],
    stored: &Collection,
    questions: &[Question],
    kinds: Kinds,
) -> Result<()> {
    println!("{}: {} records, {} queries", folder.display(), records.len(), questions.len());
    fs::create_dir_all(folder)?;
    let mut file = BufWriter::new(fs::File::create(folder.join("records.jsonl"))?);
    for record in records {
        writeln!(file, "{}", serde_json::to_string(record)?)?;
    }
    file.flush()?;
    for (name, kind) in kinds {
        let mut file = BufWriter::new(fs::File::create(folder.join(format!("{name}.tsv")))?);
        for question in questions {
            for result in search(stored, question, &kind).await?.into_vec().await? {
                writeln!(file, "{}\t{}\t{}", question.id, result.record.key, result.score)?;
            }
        }
        file.flush()?;
    }
    Ok(())
}

async fn search(
    stored: &Collection,
    question: &Question,
    kind: &Kind,
) -> Result<SearchResults<Scored<StoredRecord>>> {
    let Question { text, vector, .. } = question;
    let options = VectorSearchOptions::top(DEPTH);
    Ok(match kind {
        Kind::Words(fields) => {
            let options = options.with_full_text_fields(fields.iter().copied());
            stored.full_text_search(text, &options).await?
        }
        Kind::Vector => stored.search(Arc::clone(vector), &options).await?,
        Kind::Hybrid(fusion) => {
            let options = VectorSearchOptions::top(FUSED_DEPTH)
                .with_full_text_fields(FIELDS.iter().copied())
                .with_fusion(*fusion);
            stored.hybrid_search(text, Some(Arc::clone(vector)), &options).await?
        }
    })
}
