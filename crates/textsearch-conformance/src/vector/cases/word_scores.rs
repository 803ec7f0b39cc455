//! What decides which words match, and their scores: languages, mean lengths, and all records.

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{DataField, RecordDefinition},
};

use super::texts::has_full_text;
use crate::{
    report::skipped,
    vector::{
        VectorSubject,
        fixture::{all, definition, keys, record, refused_option},
        subject::unused_name,
    },
};

/// Stems and stop words apply to their field alone.
pub async fn each_field_is_read_in_its_language(subject: &VectorSubject) {
    if !has_full_text(subject).await {
        return;
    }
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("english").full_text_in("en"))
        .with_data(DataField::string("german").full_text_in("de"))
        .with_data(DataField::string("plain").full_text());
    let docs = subject.collection(definition).await;
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
pub async fn a_given_mean_length_weighs_long_texts(subject: &VectorSubject) {
    if !has_full_text(subject).await {
        return;
    }
    if !subject.capabilities.mean_lengths {
        let title = DataField::string("title").with_mean_length(10.0);
        let (store, name) = (subject.store().await, unused_name());
        let definition = RecordDefinition::new("id").with_data(title);
        refused_option(subject.handle(&store, &name, definition), "a mean length");
        return skipped("mean_lengths");
    }
    let long = format!("apple apple apple {}", "filler ".repeat(27));
    for (mean_length, expected) in [(1.0, ["short", "long"]), (1_000.0, ["long", "short"])] {
        let title = DataField::string("title").with_mean_length(mean_length);
        let docs = subject.collection(RecordDefinition::new("id").with_data(title)).await;
        docs.upsert(vec![
            record("long", json!({ "title": long })),
            record("short", json!({ "title": "apple" })),
        ])
        .await;
        // The rarity of the word cancels out.
        let ratio = async || {
            let found = docs.worded("apple", &all()).await;
            assert_eq!(keys(&found), expected, "a mean length of {mean_length}");
            let [first, second] = found.as_slice() else { panic!("{} found", found.len()) };
            second.score / first.score
        };
        let before = ratio().await;
        let others = (0..8).map(|number| {
            record(&format!("other {number}"), json!({ "title": "pear ".repeat(400) }))
        });
        docs.upsert(others.collect()).await;
        let after = ratio().await;
        let is_same = subject.capabilities.is_same_score(after, before);
        assert!(is_same, "other records change the mean length: {before}, then {after}");
    }
}

/// All records decide how rare a word is and how long a mean text.
pub async fn a_filter_leaves_the_scores_of_words(subject: &VectorSubject) {
    if !has_full_text(subject).await {
        return;
    }
    let docs = subject.collection(definition(subject)).await;
    let records = (0..12_usize).map(|number| {
        // `apple` is rare among all records, and in each one that passes the filter.
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
        let is_same = subject.capabilities.is_same_score(scored.score, expected);
        let key = scored.record.key;
        assert!(is_same, "`{key}` scores {}, and {expected} without the filter", scored.score);
    }
}
