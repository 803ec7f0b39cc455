//! Embeddings of records and queries.

use std::sync::{Arc, Mutex};

use serde_json::json;
use textsearch_core::{
    ErrorKind, Filter, Result, async_trait,
    vector::{
        Distance, EmbeddingCollection, EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings,
        Embeddings, SearchInput, StoredRecord, VectorCollection as _, VectorSearchOptions,
    },
};

use crate::shelf::Shelf;

/// Makes vectors of one length, and reports another or none.
struct Model {
    says: Option<usize>,
    makes: usize,
    asked: Mutex<Vec<EmbeddingSettings>>,
}

#[async_trait]
impl EmbeddingGenerator for Model {
    fn model_id(&self) -> &str {
        "m"
    }

    fn dimensions(&self) -> Option<usize> {
        self.says
    }

    fn max_document_tokens(&self) -> Option<usize> {
        Some(self.makes * 10)
    }

    fn count_tokens(&self, text: &str) -> Option<usize> {
        Some(text.len())
    }

    async fn generate(&self, texts: &[String], settings: &EmbeddingSettings) -> Result<Embeddings> {
        self.asked.lock().unwrap().push(settings.clone());
        Ok(Embeddings::new(texts.iter().map(|_| vec![1.0; self.makes].into()).collect()))
    }
}

#[test]
fn shared_model_counts_tokens() {
    let model = Arc::new(Arc::new(Model { says: None, makes: 2, asked: Mutex::default() }));
    assert_eq!((model.max_document_tokens(), model.count_tokens("abc")), (Some(20), Some(3)));
}

#[tokio::test]
async fn an_invalid_batch_is_refused_before_embedding() {
    let model = Arc::new(Model { says: None, makes: 2, asked: Mutex::default() });
    let shelf = Shelf::new(Distance::CosineSimilarity, &[]);
    let collection = EmbeddingCollection::new(shelf, Arc::clone(&model));
    let data =
        |id: u32| json!({ "id": id.to_string(), "text": "3 4" }).as_object().cloned().unwrap();
    let record = |id| StoredRecord::new(data(id), collection.definition()).unwrap();
    let strange = record(2).with_vector("other", [1.0]);
    let error = collection.upsert(vec![record(1), strange]).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::invalid_record("2"));
    assert!(model.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_blank_query_finds_nothing_and_asks_no_model() {
    let model = Arc::new(Model { says: None, makes: 2, asked: Mutex::default() });
    let shelf = Shelf::new(Distance::CosineSimilarity, &[("1", "one", Some([1.0, 0.0]))]);
    let collection = EmbeddingCollection::new(shelf, Arc::clone(&model));
    let options = VectorSearchOptions::default();
    let blank = || SearchInput::from(" \n");
    let results = collection.search(&blank(), &options).await.unwrap();
    assert_eq!(results.into_vec().await.unwrap().len(), 0);
    assert!(model.asked.lock().unwrap().is_empty());
    let both = [blank(), SearchInput::from("one")];
    let mut batch = collection.search_batch(&both, &options).await.unwrap().into_iter();
    assert_eq!(batch.next().unwrap().into_vec().await.unwrap().len(), 0);
    assert_eq!(batch.next().unwrap().into_vec().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_blank_query_has_its_options_checked() {
    let model = Arc::new(Model { says: None, makes: 2, asked: Mutex::default() });
    let shelf = Shelf::new(Distance::CosineSimilarity, &[]);
    let collection = EmbeddingCollection::new(Arc::clone(&shelf), model);
    let options = VectorSearchOptions::default();
    for wrong in
        [options.clone().with_vector_field("absent"), options.with_filter(Filter::eq("absent", 1))]
    {
        assert!(collection.search(&SearchInput::from(" "), &wrong).await.is_err());
        assert!(collection.hybrid_search("", None, &wrong).await.is_err());
        assert!(collection.search_batch(&[SearchInput::from("")], &wrong).await.is_err());
    }
    assert_eq!(shelf.asked().len(), 0);
}

#[tokio::test]
async fn batch_sends_no_blank_query_to_the_store() {
    let model = Arc::new(Model { says: None, makes: 2, asked: Mutex::default() });
    let shelf = Shelf::new(Distance::CosineSimilarity, &[("1", "one", Some([1.0, 0.0]))]);
    let collection = EmbeddingCollection::new(Arc::clone(&shelf), model);
    let inputs = ["", "one", " ", "two"].map(SearchInput::from);
    let batch = collection.search_batch(&inputs, &VectorSearchOptions::default()).await.unwrap();
    assert_eq!((batch.len(), shelf.asked().len()), (4, 2));
}

async fn search(model: &Arc<Model>) -> Result<()> {
    let shelf = Shelf::new(Distance::CosineSimilarity, &[("1", "one", Some([1.0, 0.0]))]);
    let collection = EmbeddingCollection::new(shelf, Arc::clone(model));
    let options = VectorSearchOptions::default();
    collection.search(&SearchInput::from("one"), &options).await.map(|_| ())
}

#[tokio::test]
async fn dimensions_are_requested_if_the_models_default_differs() {
    for (says, asked) in [(None, None), (Some(2), None), (Some(768), Some(2))] {
        let model = Arc::new(Model { says, makes: 2, asked: Mutex::default() });
        search(&model).await.unwrap();
        let settings = model.asked.lock().unwrap().remove(0);
        assert_eq!((settings.dimensions, settings.purpose), (asked, EmbeddingPurpose::Query));
    }
}

#[tokio::test]
async fn vectors_of_wrong_length_name_model_and_field() {
    let model = Arc::new(Model { says: None, makes: 3, asked: Mutex::default() });
    let error = search(&model).await.unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Embedding);
    let expected = "the model `m` makes vectors of 3 elements, and the field `v` has 2";
    assert_eq!(error.message(), expected);
}
