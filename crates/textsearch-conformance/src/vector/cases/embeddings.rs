//! Embeddings of records and queries.

use std::sync::Arc;

use serde_json::json;
use textsearch_core::vector::{
    EmbeddingPurpose, EmbeddingStore, RecordDefinition, SearchInput, StoredRecord,
    VectorSearchOptions, VectorStore, VectorStoreExt as _,
};

use crate::vector::{
    VectorSubject, WordEmbeddings,
    fixture::{TestCollection, is_near, is_same_score, keys, record, scored_records},
    subject::unused_name,
};

const DIMENSIONS: usize = 64;

/// It embeds titles and bodies.
async fn embedding(subject: &VectorSubject) -> (TestCollection, Arc<WordEmbeddings>) {
    let field = subject.vector("embedding", DIMENSIONS).with_distance(subject.distance());
    let definition = RecordDefinition::new("id")
        .with_data(subject.words("title"))
        .with_data(subject.words("body"))
        .with_vector(field.embedded_from(["title", "body"]));
    let generator = Arc::new(WordEmbeddings::new(DIMENSIONS));
    let store: EmbeddingStore<Arc<dyn VectorStore>> =
        subject.store().await.with_embedding_generator(generator.clone());
    let store: Arc<dyn VectorStore> = Arc::new(store);
    let docs = subject.opened(&store, &unused_name(), definition);
    docs.collection.ensure_exists().await.expect("the collection is created");
    (docs, generator)
}

fn titled(key: &str, title: &str, body: &str) -> StoredRecord {
    record(key, json!({ "title": title, "body": body }))
}

/// Blank texts give no vector. Records with a vector keep it.
pub(crate) async fn embeddings_are_made_of_records_that_lack_them(subject: &VectorSubject) {
    let (docs, generator) = embedding(subject).await;
    let own_vector: Arc<[f32]> = generator.embed("something else");
    let own = titled("own", "red", "apple").with_vector("embedding", Arc::clone(&own_vector));
    let empty = record("empty", json!({}));
    let blank = titled("blank", "", " \n");
    let short = titled("short", "", "pear");
    docs.upsert(vec![titled("made", "red", "apple"), own, empty, blank, short]).await;
    assert_eq!(generator.texts_for(EmbeddingPurpose::Document), ["pear", "red\napple"]);
    let vector = async |key: &str| {
        let stored = docs.get(key).await.expect("the record is there");
        stored.vectors.get("embedding").cloned()
    };
    for (key, expected) in [("made", generator.embed("red apple")), ("own", own_vector)] {
        // Both have length 1, so every store returns them unchanged.
        let actual = vector(key).await.expect("the vector is there");
        assert!(is_near(&actual, &expected, 1e-6), "{actual:?} for {expected:?}");
    }
    assert_eq!(vector("empty").await, None);
    assert_eq!(vector("blank").await, None);
}

/// The search embeds the query.
pub(crate) async fn a_text_is_searched_by_its_embedding(subject: &VectorSubject) {
    let (docs, generator) = embedding(subject).await;
    docs.upsert(vec![
        titled("a", "red apple", "from the north"),
        titled("b", "blue plum", "from the south"),
        titled("c", "green pear", "from the west"),
    ])
    .await;
    let query = SearchInput::from("plum blue south from the");
    let options = VectorSearchOptions::top(1);
    let by_text = scored_records(docs.collection.search(&query, &options).await).await;
    assert_eq!(keys(&by_text), ["b"]);
    assert_eq!(generator.texts_for(EmbeddingPurpose::Query), ["plum blue south from the"]);
    let by_vector = docs.nearest(&generator.embed("plum blue south from the"), &options).await;
    assert_eq!(keys(&by_vector), ["b"]);
    let same =
        by_text.first().zip(by_vector.first()).map(|(left, right)| (left.score, right.score));
    assert!(same.is_some_and(|(left, right)| is_same_score(left, right)));
}

/// Holds for texts and vectors.
pub(crate) async fn a_batch_finds_what_its_searches_find(subject: &VectorSubject) {
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
        let results = scored_records(Ok(results)).await;
        let alone = scored_records(Ok(alone)).await;
        assert_eq!(keys(&results), keys(&alone), "{input:?}");
        for (left, right) in results.iter().zip(&alone) {
            assert!(is_same_score(left.score, right.score));
            assert_eq!(left.record, right.record);
        }
    }
    let none = docs.collection.search_batch(&[], &options).await.expect("nothing is asked");
    assert!(none.is_empty());
}
