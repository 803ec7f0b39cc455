//! Embeddings of records and queries.

use std::sync::Arc;

use serde_json::json;
use textsearch_core::vector::{
    EmbeddingPurpose, EmbeddingStore, GetOptions, RecordDefinition, SearchInput, StoredRecord,
    VectorSearchOptions, VectorStore, VectorStoreExt as _,
};

use crate::vector::{
    VectorSubject, WordEmbeddings,
    fixture::{TestCollection, all, found, keys, record, words},
    subject::unused_name,
};

const DIMENSIONS: usize = 64;

/// It embeds titles and bodies.
async fn embedding(subject: &VectorSubject) -> (TestCollection, Arc<WordEmbeddings>) {
    let field = subject.vector("embedding", DIMENSIONS).with_distance(subject.distance());
    let definition = RecordDefinition::new("id")
        .with_data(words(subject, "title"))
        .with_data(words(subject, "body"))
        .with_vector(field.embedded_from(["title", "body"]));
    let generator = Arc::new(WordEmbeddings::new(DIMENSIONS));
    let store: EmbeddingStore<Arc<dyn VectorStore>> =
        subject.store().await.with_embedding_generator(generator.clone());
    let store: Arc<dyn VectorStore> = Arc::new(store);
    let docs = subject.handle(&store, &unused_name(), definition).expect("a handle is made");
    docs.collection.ensure_exists().await.expect("the collection is created");
    (docs, generator)
}

fn titled(key: &str, title: &str, body: &str) -> StoredRecord {
    record(key, json!({ "title": title, "body": body }))
}

/// Blank texts give no vector. Records with a vector keep it.
pub async fn embeddings_are_made_of_records_that_lack_them(subject: &VectorSubject) {
    let (docs, generator) = embedding(subject).await;
    let given: Arc<[f32]> = generator.embed("something else");
    let own = titled("own", "red", "apple").with_vector("embedding", Arc::clone(&given));
    let (empty, blank) = (record("empty", json!({})), titled("blank", "", " \n"));
    let short = titled("short", "", "pear");
    docs.upsert(vec![titled("made", "red", "apple"), own, empty, blank, short]).await;
    assert_eq!(generator.texts_for(EmbeddingPurpose::Document), ["pear", "red\napple"]);
    let vector = async |key: &str| {
        let found = docs.get(key).await.expect("the record is there");
        found.vectors.get("embedding").cloned()
    };
    // Both have length 1, so every store returns them unchanged.
    assert_near(vector("made").await, &generator.embed("red apple"));
    assert_near(vector("own").await, &given);
    assert_eq!(vector("empty").await, None);
    assert_eq!(vector("blank").await, None);
}

fn assert_near(found: Option<Arc<[f32]>>, expected: &[f32]) {
    let found = found.expect("the vector is there");
    let is_near = found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-6);
    assert!(is_near && found.len() == expected.len(), "{found:?} for {expected:?}");
}

/// The search embeds the query.
pub async fn a_text_is_searched_by_its_embedding(subject: &VectorSubject) {
    let (docs, generator) = embedding(subject).await;
    docs.upsert(vec![
        titled("a", "red apple", "from the north"),
        titled("b", "blue plum", "from the south"),
        titled("c", "green pear", "from the west"),
    ])
    .await;
    let query = SearchInput::from("plum blue south from the");
    let options = VectorSearchOptions::top(1);
    let by_text = found(docs.collection.search(&query, &options).await).await;
    assert_eq!(keys(&by_text), ["b"]);
    assert_eq!(generator.texts_for(EmbeddingPurpose::Query), ["plum blue south from the"]);
    let by_vector = docs.nearest(&generator.embed("plum blue south from the"), &options).await;
    assert_eq!(keys(&by_vector), ["b"]);
    let same = by_text.first().zip(by_vector.first()).map(|(one, other)| (one.score, other.score));
    assert!(same.is_some_and(|(one, other)| subject.capabilities.is_same_score(one, other)));
}

/// The search has no vector of its own.
pub async fn a_hybrid_search_embeds_its_text(subject: &VectorSubject) {
    if !subject.capabilities.hybrid {
        return crate::report::skipped("hybrid");
    }
    let (docs, generator) = embedding(subject).await;
    docs.upsert(vec![titled("a", "red apple", "north"), titled("b", "blue plum", "south")]).await;
    let options = docs.fusible(&VectorSearchOptions::top(1));
    let embedded = docs.collection.hybrid_search("blue plum", None, &options).await;
    assert_eq!(keys(&found(embedded).await), ["b"]);
    assert_eq!(generator.texts_for(EmbeddingPurpose::Query), ["blue plum"]);
}

/// Holds for texts and vectors.
pub async fn a_batch_finds_what_its_searches_find(subject: &VectorSubject) {
    let (docs, generator) = embedding(subject).await;
    let titles = ["red apple", "blue plum", "green pear", "red plum", "blue sky", "green apple"];
    let records = titles.iter().zip('a'..);
    docs.upsert(records.map(|(title, key)| titled(&key.to_string(), title, "")).collect()).await;
    let inputs = [
        SearchInput::from("red"),
        SearchInput::Vector(generator.embed("plum")),
        SearchInput::from("blue sky"),
        SearchInput::Vector(generator.embed("green")),
        SearchInput::from("red"),
    ];
    let options =
        VectorSearchOptions::top(3).with_skip(1).with_vectors(true).with_total_count(true);
    let together = docs.collection.search_batch(&inputs, &options).await;
    let together = together.expect("the searches succeed");
    assert_eq!(together.len(), inputs.len());
    for (results, input) in together.into_iter().zip(&inputs) {
        let alone = docs.collection.search(input, &options).await;
        let alone = alone.expect("the search succeeds");
        assert_eq!(results.total_count(), alone.total_count());
        let (results, alone) = (found(Ok(results)).await, found(Ok(alone)).await);
        assert_eq!(keys(&results), keys(&alone), "{input:?}");
        for (one, other) in results.iter().zip(&alone) {
            assert!(subject.capabilities.is_same_score(one.score, other.score));
            assert_eq!(one.record, other.record);
        }
    }
    let none = docs.collection.search_batch(&[], &options).await.expect("nothing is asked");
    assert!(none.is_empty());
}

/// The store rejects the whole batch.
pub async fn a_batch_with_a_search_that_is_refused_is_refused(subject: &VectorSubject) {
    let (docs, generator) = embedding(subject).await;
    docs.upsert(vec![titled("a", "red apple", "")]).await;
    let inputs = [SearchInput::Vector(generator.embed("red")), SearchInput::from(vec![1.0])];
    let refused = docs.collection.search_batch(&inputs, &all()).await;
    crate::vector::fixture::refused_option(refused, "a batch with a vector that does not fit");
}

/// A record reads the same without the embeddings.
pub async fn embedded_records_are_those_of_the_store(subject: &VectorSubject) {
    let (docs, _) = embedding(subject).await;
    docs.upsert(vec![titled("a", "red apple", "")]).await;
    let plain = subject.store().await;
    let same_store = plain.collection_names().await.expect("the names are told");
    if !same_store.contains(&docs.collection.name().to_owned()) {
        // Each call makes its own store.
        return;
    }
    let definition = (**docs.collection.definition()).clone();
    let plain = subject.handle(&plain, docs.collection.name(), definition).expect("a handle");
    let found =
        plain.collection.get(&["a".into()], &GetOptions::default().with_vectors(true)).await;
    assert_eq!(found.expect("the record is read").first().map(|one| one.vectors.len()), Some(1));
}
