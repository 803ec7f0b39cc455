//! Full-text search.

use serde_json::json;
use textsearch_core::vector::{DataField, RecordDefinition, VectorSearchOptions};
use textsearch_core::{Filter, results::TotalCount};

use crate::support::{Stored, all, collection, definition, keys, option_of, record, scores};

async fn titled(language: &str, titles: &[(&str, &str)]) -> Stored {
    let field = DataField::string("title");
    let field = if language == "none" { field.full_text() } else { field.full_text_in(language) };
    let collection = collection(RecordDefinition::new("id").with_data(field)).await;
    let records = titles.iter().map(|(id, title)| record(id, json!({ "title": title })));
    collection.upsert(records.collect()).await.unwrap();
    collection
}

async fn search_keys(collection: &Stored, text: &str) -> Vec<String> {
    keys(collection.full_text_search(text, &all()).await).await
}

#[tokio::test]
async fn score_follows_bm25() {
    let collection = titled("none", &[("a", "red red blue"), ("b", "red"), ("c", "green")]).await;
    let ranking = scores(collection.full_text_search("red", &all()).await).await;
    // Three texts of 5/3 words on average, two of which contain the word.
    let idf = (1.0 + (3.0 - 2.0 + 0.5) / (2.0 + 0.5_f64)).ln();
    let score = |frequency: f64, length: f64| {
        idf * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / (5.0 / 3.0)))
    };
    assert_eq!(ranking.iter().map(|entry| entry.0.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    assert!((ranking[0].1 - score(1.0, 1.0)).abs() < 1e-12);
    assert!((ranking[1].1 - score(2.0, 3.0)).abs() < 1e-12);
}

#[tokio::test]
async fn defined_mean_length_overrides_the_measured_one() {
    let field = DataField::string("title").full_text().with_mean_length(10.0);
    let collection = collection(RecordDefinition::new("id").with_data(field)).await;
    let records = [record("a", json!({ "title": "red red blue" })), record("b", json!({}))];
    collection.upsert(records.into()).await.unwrap();
    let ranking = scores(collection.full_text_search("red", &all()).await).await;
    let idf = (1.0 + 0.5 / 1.5_f64).ln();
    let expected = idf * 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * 3.0 / 10.0));
    assert!((ranking[0].1 - expected).abs() < 1e-12, "{ranking:?}");
}

#[tokio::test]
async fn rarity_counts_all_records_with_words() {
    let collection = collection(definition()).await;
    let records = [
        record("a", json!({ "title": "rust" })),
        record("b", json!({ "body": "other" })),
        record("c", json!({ "year": 2024 })),
    ];
    collection.upsert(records.into()).await.unwrap();
    let score = |ranking: Vec<(String, f64)>| ranking.first().map(|entry| entry.1).unwrap();
    let ranking = scores(collection.full_text_search("rust", &all()).await).await;
    assert!((score(ranking) - (1.0 + 1.5 / 1.5_f64).ln()).abs() < 1e-12);
    collection.delete(&["b".into()]).await.unwrap();
    let ranking = scores(collection.full_text_search("rust", &all()).await).await;
    assert!((score(ranking) - (1.0 + 0.5 / 1.5_f64).ln()).abs() < 1e-12);
}

#[tokio::test]
async fn word_in_several_fields_saturates_once() {
    let mut definition = definition();
    for field in definition.data.iter_mut().filter(|field| field.full_text.is_some()) {
        let weight = if field.name == "title" { 2.0 } else { 1.0 };
        *field = field.clone().with_mean_length(1.0).with_weight(weight);
    }
    let collection = collection(definition).await;
    let rows = [("body", "other", "rust"), ("both", "rust", "rust"), ("title", "rust", "other")];
    let records = rows.map(|(id, title, body)| record(id, json!({ "title": title, "body": body })));
    collection.upsert(records.into()).await.unwrap();
    let by = |field: &str| all().with_full_text_fields([field]);
    let both = scores(collection.full_text_search("rust", &all()).await).await;
    let title = scores(collection.full_text_search("rust", &by("title")).await).await;
    let body = scores(collection.full_text_search("rust", &by("body")).await).await;
    assert_eq!(both[0].0, "both");
    assert_eq!(title.iter().map(|entry| entry.0.as_str()).collect::<Vec<_>>(), ["both", "title"]);
    assert_eq!(body.iter().map(|entry| entry.0.as_str()).collect::<Vec<_>>(), ["body", "both"]);
    // Texts of one word, the mean length: frequencies 1 + 2, 2 and 1 in 3 records that all have the
    // word.
    let rarity = (1.0 + 0.5 / 3.5_f64).ln();
    let expected = [("both", 3.0), ("title", 2.0), ("body", 1.0)]
        .map(|(id, frequency)| (id, rarity * frequency * 2.2 / (frequency + 1.2)));
    for ((id, score), (expected_id, expected)) in both.iter().zip(expected) {
        assert_eq!(id, expected_id);
        assert!((score - expected).abs() < 1e-12, "{id}: {score} for {expected}");
    }
    let error = collection.full_text_search("rust", &by("year")).await.unwrap_err();
    assert_eq!(option_of(&error), "full_text_fields");
    assert!(error.message().contains("title, body"), "{error}");
}

#[test]
fn unknown_language_error_lists_known_ones() {
    let definition = |language: &str| {
        RecordDefinition::new("id").with_data(DataField::string("title").full_text_in(language))
    };
    let error = definition("klingon").validate("inmemory").unwrap_err();
    assert_eq!(option_of(&error), "title.language");
    assert!(error.message().contains("`klingon`"), "{error}");
    assert!(error.message().contains("one of ar, az, da, de"), "{error}");
    for language in ["en", "en-GB", "English"] {
        definition(language).validate("inmemory").unwrap();
    }
}

#[tokio::test]
async fn lists_and_numbers_are_indexed() {
    let field = DataField::new("tags", textsearch_core::vector::DataKind::Json).full_text();
    let collection = collection(RecordDefinition::new("id").with_data(field)).await;
    let tags = json!(["alpha", { "deep": "beta" }, 42, true, null]);
    collection.upsert(vec![record("a", json!({ "tags": tags }))]).await.unwrap();
    for word in ["alpha", "beta", "42"] {
        assert_eq!(search_keys(&collection, word).await, ["a"], "{word}");
    }
    for word in ["deep", "true", "null"] {
        assert!(search_keys(&collection, word).await.is_empty(), "{word}");
    }
}

#[tokio::test]
async fn filter_skip_top_threshold_and_count_apply() {
    let collection = collection(definition()).await;
    let records = (0..20)
        .map(|number| record(&format!("{number:02}"), json!({ "title": "same", "year": number })));
    collection.upsert(records.collect()).await.unwrap();
    let options = VectorSearchOptions::top(2)
        .with_skip(1)
        .with_filter(Filter::ge("year", 10))
        .with_total_count(true);
    let results = collection.full_text_search("same", &options).await.unwrap();
    assert_eq!(results.total_count(), Some(TotalCount::Exact(10)));
    assert_eq!(keys(Ok(results)).await, ["11", "12"]);
    let high = all().with_score_threshold(1e9);
    assert!(keys(collection.full_text_search("same", &high).await).await.is_empty());
    assert!(
        keys(collection.full_text_search("same", &VectorSearchOptions::top(0)).await)
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn missing_full_text_field_error_says_how_to_add_one() {
    let collection = collection(RecordDefinition::new("id")).await;
    let error = collection.full_text_search("word", &all()).await.unwrap_err();
    assert_eq!(option_of(&error), "full_text_fields");
    assert!(error.message().contains("`DataField::full_text`"), "{error}");
}

#[tokio::test]
async fn words_and_queries_may_have_any_size() {
    let long = "x".repeat(100_000);
    let collection = titled("en", &[("a", &long)]).await;
    assert_eq!(search_keys(&collection, &long).await, ["a"]);
    let many = "word ".repeat(20_000);
    assert!(search_keys(&collection, &many).await.is_empty());
}
