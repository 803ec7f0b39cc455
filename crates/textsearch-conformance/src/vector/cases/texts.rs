//! Full-text search, as far as all tokenizers agree: which words match, and their scores.

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{DataField, RecordDefinition, SearchInput, VectorSearchOptions},
};

use crate::{
    case::skipped,
    vector::{
        VectorFeature, VectorSubject,
        fixture::{
            TestCollection, all, direction, is_same_score, keys, record, refused_option,
            scored_records, sorted_keys,
        },
        subject::unused_name,
    },
};

/// `None` if the store declares that it lacks full-text search. Then it must reject one.
async fn worded(subject: &VectorSubject, definition: RecordDefinition) -> Option<TestCollection> {
    if subject.capabilities.has(VectorFeature::FullText) {
        return Some(subject.collection(definition).await);
    }
    let definition = if subject.capabilities.has_hybrid() {
        subject.definition()
    } else {
        RecordDefinition::new("id").with_data(DataField::string("title").full_text())
    };
    // The store may reject either the definition or the search.
    if let Ok(docs) = subject.handle(&subject.store().await, &unused_name(), definition) {
        docs.collection.ensure_exists().await.expect("the collection is created");
        refused_option(docs.collection.full_text_search("a", &all()).await, "full-text search");
    }
    skipped("full_text");
    None
}

async fn fruits(subject: &VectorSubject) -> Option<TestCollection> {
    let docs = worded(subject, subject.definition()).await?;
    let data = [
        ("a", "apple", "a fruit of the north", 2020),
        ("b", "banana", "a fruit of the south", 2021),
        ("c", "cherry", "small and red beside an apple", 2022),
        ("d", "damson", "blue plum", 2023),
    ];
    let records = data.map(|(key, title, body, year)| {
        record(key, json!({ "title": title, "body": body, "year": year }))
            .with_vector("embedding", direction(0))
    });
    docs.upsert(records.into()).await;
    docs.upsert(vec![record("none", json!({ "year": 2020 }))]).await;
    Some(docs)
}

/// The word may be in any field, in any case.
pub(crate) async fn a_word_finds_the_records_that_have_it(subject: &VectorSubject) {
    let Some(docs) = fruits(subject).await else { return };
    for (text, expected) in [
        ("apple", &["a", "c"][..]),
        ("APPLE", &["a", "c"]),
        ("fruit", &["a", "b"]),
        ("plum", &["d"]),
        ("nothing", &[]),
        ("", &[]),
        ("  ?! ", &[]),
    ] {
        assert_eq!(sorted_keys(&docs.worded(text, &all()).await), expected, "{text:?}");
    }
}

/// One of them is enough.
pub(crate) async fn several_words_rank_records_that_have_more_of_them_first(
    subject: &VectorSubject,
) {
    let Some(docs) = worded(subject, subject.definition()).await else { return };
    let titles = [("a", "river"), ("b", "river bank"), ("c", "money bank"), ("d", "green field")];
    docs.upsert(titles.map(|(key, title)| record(key, json!({ "title": title }))).into()).await;
    let ranked = docs.worded("river bank", &all()).await;
    assert_eq!(ranked.first().map(|scored| scored.record.key.to_string()).as_deref(), Some("b"));
    assert_eq!(sorted_keys(&ranked), ["a", "b", "c"]);
    assert!(
        ranked.is_sorted_by(|previous, next| previous.score >= next.score),
        "not the best first"
    );
}

/// The field's weight counts.
pub(crate) async fn a_word_counts_for_more_in_a_heavier_field(subject: &VectorSubject) {
    let field = |name, weight| {
        let field = DataField::string(name).full_text().with_weight(weight);
        if subject.capabilities.has(VectorFeature::MeanLengths) {
            field.with_mean_length(1.0)
        } else {
            field
        }
    };
    for (title_weight, body_weight, expected) in [(5.0, 1.0, ["a", "b"]), (1.0, 5.0, ["b", "a"])] {
        let definition = RecordDefinition::new("id")
            .with_data(field("title", title_weight))
            .with_data(field("body", body_weight));
        let Some(docs) = worded(subject, definition).await else { return };
        docs.upsert(vec![
            record("a", json!({ "title": "apple", "body": "plum" })),
            record("b", json!({ "title": "plum", "body": "apple" })),
        ])
        .await;
        assert_eq!(keys(&docs.worded("apple", &all()).await), expected);
    }
}

/// Naming a field that isn't full-text is rejected.
pub(crate) async fn words_are_searched_in_the_fields_that_are_named(subject: &VectorSubject) {
    let Some(docs) = fruits(subject).await else { return };
    let within = |field: &str| all().with_full_text_fields([field]);
    assert_eq!(keys(&docs.worded("apple", &within("title")).await), ["a"]);
    assert_eq!(keys(&docs.worded("apple", &within("body")).await), ["c"]);
    let both = all().with_full_text_fields(["title", "body"]);
    assert_eq!(sorted_keys(&docs.worded("apple", &both).await), ["a", "c"]);
    for field in ["year", "nowhere"] {
        let refused = docs.collection.full_text_search("apple", &within(field)).await;
        let error = refused_option(refused, field);
        assert!(error.message().contains("title"), "the fields are not named: {error}");
    }
}

/// The filter excludes records.
pub(crate) async fn words_are_searched_behind_the_filter(subject: &VectorSubject) {
    let Some(docs) = fruits(subject).await else { return };
    let options = VectorSearchOptions::top(1).with_filter(Filter::ge("year", 2021));
    assert_eq!(keys(&docs.worded("fruit", &options).await), ["b"]);
    let options = all().with_filter(Filter::eq("title", "damson"));
    assert!(docs.worded("apple", &options).await.is_empty());
}

/// Operators elsewhere are plain text here.
pub(crate) async fn no_text_is_an_operator(subject: &VectorSubject) {
    let Some(docs) = fruits(subject).await else { return };
    for text in ["apple*", "\"apple", "(apple", "+apple", "title:apple", "apple\\", "-apple"] {
        let keys = keys(&docs.worded(text, &all()).await);
        assert!(keys.contains(&"a".to_owned()), "{text:?} finds {keys:?}");
    }
    for text in ["a AND b", "NOT", "'; --", "[[[", "\u{0}", "🦀", "日本語"] {
        docs.worded(text, &all()).await;
    }
    let long = "apple ".repeat(2_000);
    assert_eq!(sorted_keys(&docs.worded(&long, &all()).await), ["a", "c"]);
}

/// The collection has no full-text fields.
pub(crate) async fn words_where_there_are_none_to_search_are_refused(subject: &VectorSubject) {
    let definition = RecordDefinition::new("id").with_data(DataField::string("title"));
    let docs = subject.collection(definition).await;
    docs.upsert(vec![record("a", json!({ "title": "apple" }))]).await;
    refused_option(docs.collection.full_text_search("apple", &all()).await, "full-text search");
}

/// The collection has no embedding generator.
pub(crate) async fn a_text_is_searched_by_words_where_nothing_embeds_it(subject: &VectorSubject) {
    let query = SearchInput::from("apple");
    let Some(docs) = fruits(subject).await else {
        let docs = subject.collection(subject.definition()).await;
        refused_option(docs.collection.search(&query, &all()).await, "a text");
        return;
    };
    let results = scored_records(docs.collection.search(&query, &all()).await).await;
    assert_eq!(keys(&results), keys(&docs.worded("apple", &all()).await));
    assert_eq!(results.len(), 2);
}

/// Stems and stop words apply to their field alone.
pub(crate) async fn each_field_is_read_in_its_language(subject: &VectorSubject) {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("english").full_text_in("en"))
        .with_data(DataField::string("german").full_text_in("de"))
        .with_data(DataField::string("plain").full_text());
    let Some(docs) = worded(subject, definition).await else { return };
    docs.upsert(vec![
        record("en", json!({ "english": "The horses are running" })),
        record("de", json!({ "german": "Die Häuser sind alt" })),
        record("none", json!({ "plain": "the horses Häuser running" })),
    ])
    .await;
    for (field, text, expected) in [
        ("english", "horse", &["en"][..]),
        ("english", "runs", &["en"]),
        ("english", "the cat", &[]),
        ("german", "Haus", &["de"]),
        ("german", "die Katze", &[]),
        ("plain", "horse runs Haus", &[]),
        ("plain", "the cat", &["none"]),
        ("plain", "horses", &["none"]),
    ] {
        let options = all().with_full_text_fields([field]);
        assert_eq!(keys(&docs.worded(text, &options).await), expected, "{text:?} in `{field}`");
    }
    assert_eq!(keys(&docs.worded("Haus", &all()).await), ["de"], "each field in its own language");
}

/// The shorter the mean, the more a long text loses. Other records don't change the mean.
pub(crate) async fn a_defined_mean_length_weighs_long_texts(subject: &VectorSubject) {
    if !subject.capabilities.has(VectorFeature::MeanLengths) {
        return skipped("mean_lengths");
    }
    let long = format!("apple apple apple {}", "filler ".repeat(27));
    for (mean_length, expected) in [(1.0, ["short", "long"]), (1_000.0, ["long", "short"])] {
        let title = DataField::string("title").with_mean_length(mean_length);
        let definition = RecordDefinition::new("id").with_data(title);
        let Some(docs) = worded(subject, definition).await else { return };
        docs.upsert(vec![
            record("long", json!({ "title": long })),
            record("short", json!({ "title": "apple" })),
        ])
        .await;
        // The rarity of the word cancels out.
        let ratio = async || {
            let results = docs.worded("apple", &all()).await;
            assert_eq!(keys(&results), expected, "a mean length of {mean_length}");
            let [first, second] = results.as_slice() else { panic!("{} found", results.len()) };
            second.score / first.score
        };
        let before = ratio().await;
        let others = (0..8).map(|number| {
            record(&format!("other {number}"), json!({ "title": "pear ".repeat(400) }))
        });
        docs.upsert(others.collect()).await;
        let after = ratio().await;
        let is_same = is_same_score(after, before);
        assert!(is_same, "other records change the mean length: {before}, then {after}");
    }
}

/// All records decide how rare a word is and how long a mean text.
pub(crate) async fn a_filter_leaves_the_scores_of_words(subject: &VectorSubject) {
    let Some(docs) = worded(subject, subject.definition()).await else { return };
    let records = (0..12_usize).map(|number| {
        // Two of the twelve records contain `apple`, and two of the three that pass the filter.
        let word = if number < 2 { "apple" } else { "pear" };
        let title = format!("{word} {}", "filler ".repeat(number));
        record(&format!("{number:02}"), json!({ "title": title, "year": number }))
    });
    docs.upsert(records.collect()).await;
    let whole = docs.worded("apple pear", &all()).await;
    assert_eq!(whole.len(), 12);
    let options = all().with_filter(Filter::lt("year", 3));
    let filtered = docs.worded("apple pear", &options).await;
    assert_eq!(filtered.len(), 3);
    for scored in filtered {
        let same = whole.iter().find(|other| other.record.key == scored.record.key);
        let expected = same.expect("the record is found without the filter").score;
        let is_same = is_same_score(scored.score, expected);
        let key = scored.record.key;
        assert!(is_same, "`{key}` scores {}, and {expected} without the filter", scored.score);
    }
}
