use std::sync::{Arc, Mutex};

use serde_json::json;
use textsearch_core::{
    Error, Result, SearchOptions, TextSearch,
    vector::{
        DataField, EmbeddingGenerator, RecordDefinition, StoredRecord, VectorField, VectorStoreExt,
    },
};
use textsearch_mlindex::{IndexContext, MlIndex, MlIndexRegistry};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::support::Directions;

const FILE: &str = "
embeddings: { kind: directions, dimension: 2 }
index:
  kind: memory
  collection: docs
  field_mapping: { content: body, title: heading, url: address, embedding: vector }
";

fn known() -> RecordDefinition {
    RecordDefinition::new("key").with_vector(VectorField::new("vector", 2))
}

async fn store() -> InMemoryVectorStore {
    let store = InMemoryVectorStore::new();
    // In memory, the definition that created a collection says which fields results have.
    let definition = known()
        .with_data(DataField::string("body").full_text())
        .with_data(DataField::string("heading").filterable())
        .with_data(DataField::string("address").filterable())
        .with_name_field("heading")
        .with_value_field("body")
        .with_link_field("address");
    let docs = store.dynamic_collection("docs", definition).unwrap();
    docs.ensure_exists().await.unwrap();
    let record = |key: &str, body: &str, vector: [f32; 2]| {
        let data = json!({ "key": key, "body": body, "heading": key, "address": format!("https://{key}") });
        let record = StoredRecord::new(data.as_object().cloned().unwrap(), docs.definition());
        record.unwrap().with_vector("vector", vector)
    };
    let records = vec![record("a", "up there", [0.0, 1.0]), record("b", "right here", [1.0, 0.0])];
    docs.upsert(records).await.unwrap();
    store
}

async fn open(file: &str, known: RecordDefinition) -> Result<Arc<dyn TextSearch>> {
    let store = store().await;
    let known = Mutex::new(Some(known));
    let mut registry = MlIndexRegistry::new();
    let open_model = |_| async { Ok(Arc::new(Directions) as Arc<dyn EmbeddingGenerator>) };
    registry.register_embeddings("directions", open_model)?;
    registry.register_index("memory", move |context: IndexContext| {
        let known = known.lock().unwrap().take().unwrap();
        let search = context.text_search(&store, known);
        async move { search }
    })?;
    registry.open(&MlIndex::from_yaml(file)?).await
}

async fn refusal(file: &str, known: RecordDefinition) -> Error {
    open(file, known).await.err().unwrap()
}

async fn links(search: &Arc<dyn TextSearch>, query: &str) -> Vec<Option<String>> {
    let results = search.text_search_results(query, &SearchOptions::top(5)).await.unwrap();
    results.into_vec().await.unwrap().into_iter().map(|result| result.link).collect()
}

#[tokio::test]
async fn queries_are_embedded_and_fields_mapped() {
    let search = open(FILE, known()).await.unwrap();
    let results = search.text_search_results("right", &SearchOptions::top(1)).await.unwrap();
    let result = results.into_vec().await.unwrap().remove(0);
    assert_eq!((result.value.as_str(), result.name.as_deref()), ("right here", Some("b")));
    assert_eq!(result.link.as_deref(), Some("https://b"));
    let names = search.fields().iter().map(|field| field.name.clone());
    assert_eq!(names.collect::<Vec<_>>(), ["key", "heading", "address"]);
}

#[tokio::test]
async fn full_text_alone_needs_no_model() {
    let file = FILE.replace("kind: directions, dimension: 2", "kind: none");
    let full_text = known().with_data(DataField::string("body").full_text());
    let search = open(&file, full_text).await.unwrap();
    assert_eq!(links(&search, "there").await, [Some("https://a".to_owned())]);
    assert_eq!(
        refusal(&file, known()).await.message(),
        "`index.collection` is an index without full text (line 5); \
         expected one with full text, or a model in the section `embeddings`"
    );
}

#[tokio::test]
async fn full_text_and_a_model_search_by_both() {
    let full_text = known().with_data(DataField::string("body").full_text());
    let search = open(FILE, full_text).await.unwrap();
    let results = search.text_search_results("right", &SearchOptions::top(1)).await.unwrap();
    let result = results.into_vec().await.unwrap().remove(0);
    // The best by both: the vectors alone have a cosine of 0.995.
    assert_eq!((result.name.as_deref(), result.score), (Some("b"), Some(1.0)));
}

#[tokio::test]
async fn vectors_of_another_length_are_refused() {
    let known = RecordDefinition::new("key").with_vector(VectorField::new("vector", 3));
    assert_eq!(
        refusal(FILE, known).await.message(),
        "`index.field_mapping.embedding` is a vector of 3 elements (line 6); \
         expected 2, the length of the model's"
    );
}

#[tokio::test]
async fn one_of_several_vectors_is_chosen_by_the_file() {
    let file = FILE.replace(", embedding: vector", "");
    let several = known().with_vector(VectorField::new("other", 2));
    assert_eq!(
        refusal(&file, several).await.message(),
        "`index.field_mapping.embedding` is missing (line 6); expected `vector` or `other`"
    );
    let error = refusal(&file, RecordDefinition::new("key")).await;
    assert!(
        error.message().starts_with("`index.collection` is an index without vectors"),
        "{error}"
    );
    open(&file, known()).await.unwrap();
}

#[tokio::test]
async fn a_missing_content_is_named() {
    let file = FILE.replace("content: body, ", "");
    assert_eq!(
        refusal(&file, known()).await.message(),
        "`index.field_mapping.content` is missing (line 6); expected the field that holds the text"
    );
}
