//! A minimal in-memory collection that records its searches.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchResults, async_trait,
    results::TotalCount,
    vector::{
        Collection, CollectionRecord, DataField, Distance, EmbeddingCollection, EmbeddingGenerator,
        EmbeddingSettings, Embeddings, GetOptions, RecordDefinition, RecordKey, ScanOptions,
        ScoreOrder, Scored, SearchInput, StoredRecord, VectorCollection, VectorField,
        VectorSearchOptions,
    },
};

pub(crate) type Asked = (&'static str, VectorSearchOptions);

pub(crate) struct Shelf {
    definition: Arc<RecordDefinition>,
    records: Mutex<BTreeMap<RecordKey, StoredRecord>>,
    asked: Mutex<Vec<Asked>>,
}

/// The vector of a text is the numbers in it.
pub(crate) struct Numbers;

#[async_trait]
impl EmbeddingGenerator for Numbers {
    fn model_id(&self) -> &str {
        "numbers"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        let vector = |text: &String| {
            text.split_whitespace().filter_map(|word| word.parse::<f32>().ok()).collect()
        };
        Ok(Embeddings::new(texts.iter().map(vector).collect()))
    }
}

impl Shelf {
    /// A vector is in the field `v`.
    pub(crate) fn new(distance: Distance, texts: &[(&str, &str, Option<[f32; 2]>)]) -> Arc<Self> {
        let definition = RecordDefinition::new("id")
            .with_data(DataField::string("text").full_text())
            .with_vector(VectorField::new("v", 2).with_distance(distance).embedded_from(["text"]))
            .with_vector(VectorField::new("other", 2).with_distance(Distance::Euclidean))
            .with_value_field("text");
        let record = |(id, text, vector): &(&str, &str, Option<[f32; 2]>)| {
            let Value::Object(data) = json!({ "id": id, "text": text }) else { unreachable!() };
            let record = StoredRecord::new(data, &definition).unwrap();
            let record = match vector {
                Some(vector) => record.with_vector("v", *vector).with_vector("other", [0.0, 0.0]),
                None => record,
            };
            (record.key.clone(), record)
        };
        Arc::new(Self {
            records: Mutex::new(texts.iter().map(record).collect()),
            definition: Arc::new(definition),
            asked: Mutex::default(),
        })
    }

    pub(crate) fn embedded(self: &Arc<Self>) -> Collection {
        Collection::new(EmbeddingCollection::new(Arc::clone(self), Numbers))
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    fn rank(
        &self,
        how: &'static str,
        options: &VectorSearchOptions,
        higher_better: bool,
        score: impl Fn(&StoredRecord) -> Option<f64>,
    ) -> SearchResults<Scored<StoredRecord>> {
        self.asked.lock().unwrap().push((how, options.clone()));
        let records = self.records.lock().unwrap();
        let scored = records.values().filter_map(|record| Some((score(record)?, record)));
        let mut scored: Vec<_> = scored.collect();
        ScoreOrder::new(higher_better, options.score_threshold)
            .rank(&mut scored, |(score, record)| (*score, &record.key));
        let count = scored.len() as u64;
        let results = options.window(scored).map(|(score, record)| {
            let mut record = record.clone();
            if !options.include_vectors {
                record.vectors.clear();
            }
            Scored::new(record, score, Arc::clone(&self.definition))
        });
        let results = SearchResults::from_vec(results.collect()).try_map(readable);
        if options.include_total_count {
            results.with_total_count(TotalCount::Exact(count))
        } else {
            results
        }
    }

    fn by_vector(
        &self,
        how: &'static str,
        vector: &[f32],
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        let field = self.definition.vector_field(options.vector_field.as_deref(), "shelf")?;
        let distance = field.distance;
        Ok(self.rank(how, options, distance.is_higher_better(), |record| {
            Some(distance.score(record.vectors.get(&field.name)?, vector))
        }))
    }
}

fn readable(result: Scored<StoredRecord>) -> Result<Scored<StoredRecord>> {
    match result.record.data.get("text").and_then(Value::as_str) {
        Some(text) if text.ends_with("unreadable") => {
            Err(Error::new(ErrorKind::Undecodable, "shelf", text))
        }
        _ => Ok(result),
    }
}

#[async_trait]
impl VectorCollection for Shelf {
    fn name(&self) -> &str {
        "texts"
    }

    fn store_name(&self) -> &str {
        "shelf"
    }

    fn definition(&self) -> &Arc<RecordDefinition> {
        &self.definition
    }

    async fn exists(&self) -> Result<bool> {
        Ok(true)
    }

    async fn ensure_exists(&self) -> Result<()> {
        Ok(())
    }

    async fn delete_collection(&self) -> Result<()> {
        Ok(())
    }

    async fn upsert(&self, records: Vec<StoredRecord>) -> Result<()> {
        let mut all = self.records.lock().unwrap();
        all.extend(records.into_iter().map(|record| (record.key.clone(), record)));
        Ok(())
    }

    async fn get(&self, keys: &[RecordKey], _: &GetOptions) -> Result<Vec<StoredRecord>> {
        let records = self.records.lock().unwrap();
        Ok(keys.iter().filter_map(|key| records.get(key).cloned()).collect())
    }

    async fn delete(&self, _: &[RecordKey]) -> Result<()> {
        Ok(())
    }

    async fn delete_matching(&self, _: &Filter) -> Result<()> {
        Ok(())
    }

    async fn scan(&self, _: &ScanOptions) -> Result<SearchResults<StoredRecord>> {
        Ok(SearchResults::from_vec(self.records.lock().unwrap().values().cloned().collect()))
    }

    async fn search(
        &self,
        input: &SearchInput,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        match input {
            SearchInput::Vector(vector) => self.by_vector("vector", vector, options),
            SearchInput::Text(text) => self.full_text_search(text, options).await,
        }
    }

    async fn full_text_search(
        &self,
        text: &str,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        Ok(self.rank("words", options, true, |record| {
            let body = record.text(&self.definition);
            let count = body.split_whitespace().filter(|word| *word == text).count();
            (count > 0).then_some(count as f64)
        }))
    }

    async fn hybrid_search(
        &self,
        _: &str,
        vector: Option<Arc<[f32]>>,
        options: &VectorSearchOptions,
    ) -> Result<SearchResults<Scored<StoredRecord>>> {
        self.by_vector("hybrid", &vector.unwrap(), options)
    }
}
