//! Distinct values of fields.

use serde_json::json;
use textsearch_core::{
    Filter, Result,
    vector::{DataField, DataKind, DistinctValue, RecordDefinition},
};

use crate::{
    case::skipped,
    vector::{
        VectorFeature, VectorSubject,
        fixture::{TestCollection, record, refused_filter, refused_option},
    },
};

/// Values and their numbers of records.
fn expected<const N: usize>(values: [(&str, u64); N]) -> Vec<DistinctValue> {
    values.map(|(value, records)| DistinctValue::new(value, records)).into()
}

impl TestCollection {
    async fn values(
        &self,
        field: &str,
        filter: Option<Filter>,
        limit: usize,
    ) -> Result<Vec<DistinctValue>> {
        self.collection.distinct_values(field, filter.as_ref(), limit).await
    }
}

/// `None` if the store counts no values, and says so.
async fn authors(subject: &VectorSubject) -> Option<TestCollection> {
    let field = |name, kind| DataField::new(name, kind).filterable();
    let definition = RecordDefinition::new("id")
        .with_data(field("author", DataKind::String))
        .with_data(field("tags", DataKind::Strings))
        .with_data(field("year", DataKind::Integer))
        .with_data(field("draft", DataKind::Boolean))
        .with_data(field("size", DataKind::Number))
        .with_data(DataField::string("body"))
        .with_vector(subject.vector("embedding", 2).with_distance(subject.distance()));
    let docs = subject.collection(definition).await;
    let records = [
        json!({ "author": "b", "tags": ["x", "y"], "year": 2024, "draft": true, "body": "a" }),
        json!({ "author": "c", "tags": ["y", "y"], "year": 2024, "draft": false, "body": "b" }),
        json!({ "author": "b", "tags": [], "year": -3, "draft": true, "size": 1.5 }),
        json!({ "author": "A", "tags": ["z"], "year": 2024 }),
        json!({ "author": "a \"quoted\" 'name'", "year": -3 }),
        json!({ "author": null }),
        json!({ "year": 10 }),
    ];
    let records = (0..).zip(records).map(|(number, data)| record(&format!("{number}"), data));
    docs.upsert(records.collect()).await;
    if subject.capabilities.has(VectorFeature::DistinctValues) {
        return Some(docs);
    }
    skipped("distinct_values");
    refused_option(docs.values("author", None, 9).await, "counting values");
    None
}

/// Ties are ordered by value. The limit keeps the most frequent values.
pub(crate) async fn distinct_values_come_by_frequency(subject: &VectorSubject) {
    let Some(docs) = authors(subject).await else { return };
    let authors = [("b", 2), ("A", 1), ("a \"quoted\" 'name'", 1), ("c", 1)];
    for limit in [0, 1, 2, 4, 100] {
        let values = docs.values("author", None, limit).await.expect("the values are counted");
        assert_eq!(values, expected(authors).into_iter().take(limit).collect::<Vec<_>>());
    }
    let tags = docs.values("tags", None, 9).await.expect("members are counted");
    assert_eq!(tags, expected([("y", 2), ("x", 1), ("z", 1)]));
    let years = docs.values("year", None, 9).await.expect("integers are counted");
    let expected = [(2024, 3), (-3, 2), (10, 1)];
    assert_eq!(years, expected.map(|(year, records)| DistinctValue::new(year, records)));
    let drafts = docs.values("draft", None, 9).await.expect("booleans are counted");
    assert_eq!(drafts, [DistinctValue::new(true, 2), DistinctValue::new(false, 1)]);
}

/// A value that only hidden records have would tell about them.
pub(crate) async fn distinct_values_obey_the_filter(subject: &VectorSubject) {
    let Some(docs) = authors(subject).await else { return };
    let count = async |field, filter| {
        docs.values(field, Some(filter), 9).await.expect("the values are counted")
    };
    assert_eq!(
        count("author", Filter::eq("year", 2024)).await,
        expected([("A", 1), ("b", 1), ("c", 1)])
    );
    assert_eq!(count("tags", Filter::eq("author", "b")).await, expected([("x", 1), ("y", 1)]));
    assert_eq!(count("author", Filter::eq("author", "nobody")).await, []);
    let unknown = Filter::eq("body", "a");
    let refused = docs.values("author", Some(unknown.clone()), 9).await;
    assert_eq!(refused_filter(refused, &unknown), "body");
}

/// The key, fields that no filter may name, and kinds with too many values.
pub(crate) async fn values_of_other_fields_are_not_counted(subject: &VectorSubject) {
    let Some(docs) = authors(subject).await else { return };
    for field in ["id", "body", "size", "unknown"] {
        refused_option(docs.values(field, None, 9).await, field);
    }
}
