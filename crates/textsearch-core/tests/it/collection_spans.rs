//! The spans of a collection.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::json;
use textsearch_core::{
    Error, ErrorKind, Filter, Result, SearchOptions, TextSearch, async_trait,
    connector::AnyTextSearch,
    vector::{
        Collection, Distance, EmbeddingCollection, EmbeddingGenerator, EmbeddingSettings,
        Embeddings, RecordKey, SearchInput, SearchMode, StoredRecord, VectorSearchOptions,
        VectorStoreTextSearch,
    },
};

use crate::{
    shelf::Shelf,
    spans::{Spans, watched},
    support::now,
};

/// Embeds only numbers as text.
struct Priced;

#[async_trait]
impl EmbeddingGenerator for Priced {
    fn model_id(&self) -> &str {
        "priced-1"
    }

    fn provider(&self) -> Option<&str> {
        Some("priced")
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        if texts.iter().any(|text| text.parse::<f32>().is_err()) {
            return Err(Error::new(ErrorKind::Embedding, "priced", "not a number"));
        }
        let mut made = Embeddings::new(texts.iter().map(|_| [1.0, 0.5].into()).collect());
        made.tokens = Some(7);
        Ok(made)
    }
}

fn shelf() -> Arc<Shelf> {
    let vector = Some([1.0, 0.0]);
    Shelf::new(
        Distance::CosineSimilarity,
        &[("secret-1", "secret", vector), ("secret-2", "7", vector)],
    )
}

fn plain() -> Collection {
    Collection::new(shelf())
}

fn priced() -> Collection {
    Collection::new(EmbeddingCollection::new(shelf(), Priced))
}

fn vector() -> SearchInput {
    SearchInput::Vector([1.0, 0.0].into())
}

fn names(spans: &Spans) -> Vec<&str> {
    spans.iter().map(|(name, ..)| name.as_str()).collect()
}

fn only(spans: &Spans) -> &BTreeMap<String, String> {
    assert!(spans.len() == 1 && spans[0].2, "{spans:?}");
    &spans[0].1
}

#[test]
fn a_search_emits_one_span_with_its_collection() {
    let spans = watched(|| {
        let options = VectorSearchOptions::top(3).with_skip(1);
        let results = now(plain().search(vector(), &options)).unwrap();
        assert_eq!(now(results.into_vec()).unwrap().len(), 1);
    });
    let fields = only(&spans);
    assert_eq!(fields["gen_ai.operation.name"], "retrieval");
    assert_eq!(fields["gen_ai.provider.name"], "shelf");
    assert_eq!(fields["gen_ai.data_source.id"], "texts");
    assert_eq!(fields["gen_ai.retrieval.top_k"], "3");
    assert_eq!(fields["textsearch.skip"], "1");
    assert_eq!(fields["textsearch.result_count"], "1");
}

#[test]
fn each_kind_of_search_emits_one_span() {
    let options = VectorSearchOptions::top(3);
    let spans = watched(|| {
        let collection = plain();
        now(collection.full_text_search("secret", &options)).unwrap();
        now(collection.hybrid_search("secret", Some([1.0, 0.0].into()), &options)).unwrap();
    });
    assert_eq!(names(&spans), ["retrieval", "retrieval"]);
    assert!(!format!("{spans:?}").contains("secret"), "{spans:?}");
}

#[test]
fn a_batch_emits_one_span_with_all_its_results() {
    let spans = watched(|| {
        let options = VectorSearchOptions::top(3);
        let batch = now(plain().search_batch(&[vector(), vector()], &options)).unwrap();
        for results in batch {
            assert_eq!(now(results.into_vec()).unwrap().len(), 2);
        }
    });
    let fields = only(&spans);
    assert_eq!(fields["textsearch.query_count"], "2");
    assert_eq!(fields["textsearch.result_count"], "4");
}

#[test]
fn a_text_search_over_a_collection_emits_one_span() {
    for mode in [SearchMode::FullText, SearchMode::Vector] {
        let spans = watched(|| {
            let search = VectorStoreTextSearch::new(plain()).with_mode(mode.clone());
            let wrapped = AnyTextSearch::new(search.with_diversity(0.5));
            let results = now(wrapped.search("secret", &SearchOptions::top(2))).unwrap();
            now(results.into_vec()).unwrap();
        });
        let fields = only(&spans);
        assert_eq!(fields["gen_ai.provider.name"], "shelf");
        assert_eq!(fields["gen_ai.data_source.id"], "texts");
        assert_eq!(fields["textsearch.result_count"], "1");
    }
}

#[test]
fn an_error_in_the_stream_is_in_the_span() {
    let shelf = Shelf::new(Distance::DotProduct, &[("1", "unreadable", Some([1.0, 0.0]))]);
    let spans = watched(|| {
        let options = VectorSearchOptions::top(3);
        let results =
            now(Collection::<StoredRecord>::new(shelf).search(vector(), &options)).unwrap();
        now(results.into_vec()).unwrap_err();
    });
    assert_eq!(only(&spans)["error.type"], "undecodable");
}

#[test]
fn a_text_query_has_the_span_of_its_embedding_inside() {
    let spans = watched(|| {
        let results = now(priced().search("7", &VectorSearchOptions::top(3))).unwrap();
        now(results.into_vec()).unwrap();
    });
    assert_eq!(names(&spans), ["retrieval", "embeddings"]);
    let fields = &spans[1].1;
    assert_eq!(fields["otel.name"], "embeddings priced-1");
    assert_eq!(fields["gen_ai.operation.name"], "embeddings");
    assert_eq!(fields["gen_ai.provider.name"], "priced");
    assert_eq!(fields["gen_ai.request.model"], "priced-1");
    assert_eq!(fields["gen_ai.embeddings.dimension.count"], "2");
    assert_eq!(fields["gen_ai.usage.input_tokens"], "7");
    assert_eq!(fields["textsearch.text_count"], "1");
}

#[test]
fn failed_embeddings_fail_both_spans() {
    let spans = watched(|| {
        now(priced().search("secret", &VectorSearchOptions::top(3))).unwrap_err();
    });
    assert_eq!(names(&spans), ["retrieval", "embeddings"]);
    assert_eq!(spans[0].1["error.type"], "embedding");
    assert_eq!(spans[1].1["error.type"], "embedding");
    assert!(!format!("{spans:?}").contains("secret"), "{spans:?}");
}

#[test]
fn an_upsert_emits_its_own_span_without_keys() {
    let spans = watched(|| {
        let collection = priced();
        let data = json!({ "id": "secret-9", "text": "9" }).as_object().cloned().unwrap();
        let record = StoredRecord::new(data, collection.definition()).unwrap();
        now(collection.upsert(vec![record])).unwrap();
    });
    assert_eq!(names(&spans), ["upsert", "embeddings"]);
    let fields = &spans[0].1;
    assert_eq!(fields["otel.name"], "upsert texts");
    assert_eq!(fields["gen_ai.operation.name"], "upsert");
    assert_eq!(fields["gen_ai.provider.name"], "shelf");
    assert_eq!(fields["gen_ai.data_source.id"], "texts");
    assert_eq!(fields["textsearch.record_count"], "1");
    assert!(!format!("{spans:?}").contains("secret"), "{spans:?}");
}

#[test]
fn a_deletion_emits_its_own_span_without_keys() {
    let spans = watched(|| {
        now(plain().delete(&[RecordKey::from("secret-1")])).unwrap();
        now(plain().delete_matching(&Filter::eq("text", "secret"))).unwrap();
    });
    assert_eq!(names(&spans), ["delete", "delete"]);
    assert_eq!(spans[0].1["otel.name"], "delete texts");
    assert_eq!(spans[0].1["textsearch.record_count"], "1");
    assert!(!spans[1].1.contains_key("textsearch.record_count"));
    assert!(!format!("{spans:?}").contains("secret"), "{spans:?}");
}
