//! Top, skip, counts and thresholds, and the order of scans.

use serde_json::{Value, json};
use textsearch_core::{
    Filter,
    results::TotalCount,
    vector::{
        DataField, DataKind, Distance, OrderBy, RecordDefinition, ScanOptions, Scored, SearchInput,
        StoredRecord, VectorSearchOptions,
    },
};

use crate::{
    case::skipped,
    vector::{
        VectorFeature, VectorSubject,
        fixture::{TestCollection, all, direction, keys, point, record, refused_option},
    },
};

const RECORDS: u16 = 30;

/// Ranked by vector from `00` upwards. Every third has the same title.
async fn numbered(subject: &VectorSubject) -> TestCollection {
    let docs = subject.collection(subject.definition()).await;
    let records = (0..RECORDS).rev().map(|number| {
        let title = format!("record kind{}", number % 3);
        // Increasing lengths, so that no two match equally well.
        let body = "filler ".repeat(usize::from(number));
        let data = json!({ "title": title, "body": body, "year": number % 3 });
        record(&format!("{number:02}"), data).with_vector("embedding", direction(number * 3))
    });
    docs.upsert(records.collect()).await;
    docs
}

/// At the edges and in the middle, including ties and the end.
const WINDOWS: [(usize, usize); 11] = [
    (0, 0),
    (1, 0),
    (5, 0),
    (5, 5),
    (7, 3),
    (10, 25),
    (30, 0),
    (31, 0),
    (1, 29),
    (3, 30),
    (2, 1_000),
];

fn window(whole: &[String], top: usize, skip: usize) -> Vec<String> {
    whole.iter().skip(skip).take(top).cloned().collect()
}

/// Every window matches it. Returns it.
async fn check_windows(search: impl AsyncFn(VectorSearchOptions) -> Ranking) -> Vec<String> {
    let whole = keys(&search(all()).await);
    assert_eq!(whole.len(), usize::from(RECORDS));
    for (top, skip) in WINDOWS {
        let keys = keys(&search(VectorSearchOptions::top(top).with_skip(skip)).await);
        assert_eq!(keys, window(&whole, top, skip), "top = {top}, skip = {skip}");
    }
    whole
}

type Ranking = Vec<Scored<StoredRecord>>;

/// By vector, by words and by both. The nearest comes first; words may be in any order of relevance.
pub(crate) async fn searches_are_windows_of_one_ranking(subject: &VectorSubject) {
    let docs = numbered(subject).await;
    let whole = check_windows(async |options| docs.nearest(&direction(0), &options).await).await;
    assert!(whole.is_sorted(), "{whole:?}");
    if subject.capabilities.has(VectorFeature::FullText) {
        check_windows(async |options| docs.worded("record", &options).await).await;
    } else {
        skipped("full_text");
    }
    if subject.capabilities.has_hybrid() {
        check_windows(async |options| docs.hybrid("kind1", &direction(0), &options).await).await;
    } else {
        skipped("hybrid");
    }
}

/// Scans order by key.
pub(crate) async fn scans_are_windows_of_one_order(subject: &VectorSubject) {
    let docs = numbered(subject).await;
    let whole = docs.keys().await;
    for (top, skip) in WINDOWS {
        let options = ScanOptions::default().with_top(top).with_skip(skip);
        let results = docs.collection.scan(&options).await.expect("the scan succeeds");
        assert_eq!(results.total_count(), Some(TotalCount::Exact(u64::from(RECORDS))));
        let records = results.into_vec().await.expect("the records can be read");
        let keys: Vec<String> = records.iter().map(|record| record.key.to_string()).collect();
        assert_eq!(keys, window(&whole, top, skip), "top = {top}, skip = {skip}");
    }
}

/// No number is too large.
pub(crate) async fn any_top_and_skip_are_served(subject: &VectorSubject) {
    let docs = numbered(subject).await;
    let search = async |top, skip| {
        let options = VectorSearchOptions::top(top).with_skip(skip);
        docs.nearest(&direction(0), &options).await.len()
    };
    assert_eq!(search(usize::MAX, 0).await, 30);
    assert_eq!(search(usize::MAX, 10).await, 20);
    assert_eq!(search(usize::MAX, usize::MAX).await, 0);
    assert_eq!(search(1, usize::MAX).await, 0);
    let scan = async |options: ScanOptions| docs.scanned(&options).await.len();
    assert_eq!(scan(ScanOptions::default().with_top(usize::MAX).with_skip(10)).await, 20);
    assert_eq!(scan(ScanOptions::default().with_skip(usize::MAX)).await, 0);
}

/// The count obeys the filter and ignores the window.
pub(crate) async fn the_total_count_is_of_all_that_fit(subject: &VectorSubject) {
    let docs = numbered(subject).await;
    let query = SearchInput::from(&direction(0)[..]);
    for (filter, expected) in [(None, 30), (Some(Filter::eq("year", 1)), 10)] {
        for (top, skip) in [(0, 0), (3, 0), (3, 5), (100, 0), (5, 100)] {
            let mut options = VectorSearchOptions::top(top).with_skip(skip);
            options.filter.clone_from(&filter);
            let silent = docs.collection.search(&query, &options).await.expect("it succeeds");
            assert_eq!(silent.total_count(), None, "nobody asked for a count");
            let options = options.with_total_count(true);
            let results = docs.collection.search(&query, &options).await.expect("it succeeds");
            assert_count(subject, results.total_count(), expected);
            if subject.capabilities.has(VectorFeature::FullText) {
                let results = docs.collection.full_text_search("record", &options).await;
                assert_count(subject, results.expect("it succeeds").total_count(), expected);
            }
        }
    }
    if !subject.capabilities.has(VectorFeature::FullText) {
        skipped("full_text");
    }
}

fn assert_count(subject: &VectorSubject, actual: Option<TotalCount>, expected: u64) {
    match actual {
        Some(TotalCount::Exact(count)) => assert_eq!(count, expected),
        Some(TotalCount::Estimated(_)) if !subject.capabilities.has(VectorFeature::ExactCounts) => {
        }
        other => panic!("{other:?} for {expected} records"),
    }
}

/// Their scores against [`START`] are round numbers; the second is the threshold.
async fn on_a_line(subject: &VectorSubject, distance: Distance) -> TestCollection {
    let field = subject.vector("embedding", 2).with_distance(distance);
    let docs = subject.collection(RecordDefinition::new("id").with_vector(field)).await;
    let points = [("one", 1.0), ("two", 2.0), ("three", 3.0), ("four", 4.0)];
    docs.upsert(points.map(|(key, place)| point(key, &[place, 0.0])).into()).await;
    docs
}

/// Some stores have no vectors of one element.
const START: [f32; 2] = [1.0, 0.0];

/// At least as much where higher is better, at most as much where lower is better.
pub(crate) async fn a_threshold_keeps_and_counts_what_reaches_it(subject: &VectorSubject) {
    for (distance, threshold, expected) in [
        (Distance::DotProduct, 3.0, ["four", "three"]),
        (Distance::Euclidean, 1.0, ["one", "two"]),
        (Distance::Manhattan, 1.0, ["one", "two"]),
        (Distance::EuclideanSquared, 1.0, ["one", "two"]),
        (Distance::NegativeDotProduct, -3.0, ["four", "three"]),
    ] {
        if !subject.capabilities.distances.contains(&distance) {
            skipped("distances");
            continue;
        }
        let docs = on_a_line(subject, distance).await;
        let options = all().with_score_threshold(threshold);
        assert_eq!(keys(&docs.nearest(&START, &options).await), expected, "{distance:?}");
        let single = VectorSearchOptions::top(1).with_score_threshold(threshold);
        let counted = single.clone().with_total_count(true);
        let results = docs.collection.search(&SearchInput::from(&START[..]), &counted).await;
        assert_count(subject, results.expect("the search succeeds").total_count(), 2);
        let second = keys(&docs.nearest(&START, &single.with_skip(1)).await);
        assert_eq!(second, expected[1..], "{distance:?}");
        let beyond = if distance.is_higher_better() { 1e9 } else { -1e9 };
        let none = all().with_score_threshold(beyond);
        assert!(docs.nearest(&START, &none).await.is_empty(), "{distance:?}");
    }
}

/// With 32 bits, 0.7 is slightly less than with 64. NaN is refused.
pub(crate) async fn a_record_at_the_threshold_is_kept(subject: &VectorSubject) {
    let distance = Distance::DotProduct;
    if !subject.capabilities.distances.contains(&distance) {
        return skipped("distances");
    }
    let field = subject.vector("embedding", 2).with_distance(distance);
    let docs = subject.collection(RecordDefinition::new("id").with_vector(field)).await;
    docs.upsert(vec![point("at", &[0.7, 0.0]), point("below", &[0.699_999, 0.0])]).await;
    let options = all().with_score_threshold(0.7);
    assert_eq!(keys(&docs.nearest(&START, &options).await), ["at"]);
    let options = all().with_score_threshold(f64::NAN);
    let results = docs.collection.search(&SearchInput::from(&START[..]), &options).await;
    refused_option(results, "a threshold of NaN");
}

/// The keys of the values are letters.
async fn check(subject: &VectorSubject, kind: DataKind, values: &Value, expected: [&str; 2]) {
    let definition =
        RecordDefinition::new("id").with_data(DataField::new("value", kind).filterable());
    let docs = subject.collection(definition).await;
    let values = ('a'..).zip(values.as_array().into_iter().flatten());
    let records = values.map(|(key, value)| match value {
        Value::Null => record(&key.to_string(), json!({})),
        value => record(&key.to_string(), json!({ "value": value })),
    });
    docs.upsert(records.collect()).await;
    docs.upsert(vec![record("null", json!({ "value": null }))]).await;
    let orders = [OrderBy::ascending("value"), OrderBy::descending("value")];
    for (order, expected) in orders.into_iter().zip(expected) {
        let expected: Vec<&str> = expected.split_whitespace().collect();
        let options = ScanOptions::default().with_order_by(order);
        assert_eq!(docs.scanned(&options).await, expected, "{kind:?}");
        for (top, skip) in [(2, 0), (2, 1), (3, 2), (100, 3), (0, 0)] {
            let window: Vec<&str> = expected.iter().skip(skip).take(top).copied().collect();
            let options = options.clone().with_top(top).with_skip(skip);
            assert_eq!(docs.scanned(&options).await, window, "top = {top}, skip = {skip}");
        }
    }
}

/// Texts order by code point, dates by instant. False comes first. Ties order by key. Missing and null
/// values come last in both directions.
pub(crate) async fn scans_order_by_values_of_each_kind(subject: &VectorSubject) {
    for (kind, values, expected) in [
        (
            DataKind::Integer,
            json!([2, 10, null, -3, 2, 0]),
            ["d f a e b c null", "b a e f d c null"],
        ),
        (DataKind::Number, json!([1.5, 1, -0.25, 1e9]), ["c b a d null", "d a b c null"]),
        (
            DataKind::String,
            json!(["b", "B", "é", "", "ba", "10", "9"]),
            ["d f g b a e c null", "c e a b g f d null"],
        ),
        (
            DataKind::DateTime,
            json!([
                "2024-05-01T10:00:00Z",
                "2024-05-01T11:00:00+02:00",
                "2023-12-31",
                "2024-05-01T10:00:00.001Z",
            ]),
            ["c b a d null", "d a b c null"],
        ),
        (DataKind::Boolean, json!([true, false, true]), ["b a c null", "a c b null"]),
    ] {
        check(subject, kind, &values, expected).await;
    }
}

/// Later fields break ties of earlier ones. The error about an unknown field names the known ones.
pub(crate) async fn scans_order_by_several_fields(subject: &VectorSubject) {
    let docs = subject.collection(subject.definition()).await;
    let data = [("a", 1, "x"), ("b", 2, "x"), ("c", 1, "y"), ("d", 2, "y"), ("e", 2, "y")];
    let records =
        data.map(|(key, year, title)| record(key, json!({ "year": year, "title": title })));
    docs.upsert(records.into()).await;
    let options = ScanOptions::default()
        .with_order_by(OrderBy::ascending("title"))
        .with_order_by(OrderBy::descending("year"));
    assert_eq!(docs.scanned(&options).await, ["b", "a", "d", "e", "c"]);
    assert_eq!(docs.scanned(&options.with_top(2).with_skip(2)).await, ["d", "e"]);
    let by_key = ScanOptions::default().with_order_by(OrderBy::descending("id"));
    assert_eq!(docs.scanned(&by_key).await, ["e", "d", "c", "b", "a"]);
    let unknown = ScanOptions::default().with_order_by(OrderBy::ascending("yaer"));
    let error = refused_option(docs.try_scan(&unknown).await, "an order by an unknown field");
    assert!(error.message().contains("year"), "the fields are not named: {error}");
}

/// A dotted name leads into objects, unless the record has a field of that exact name.
pub(crate) async fn scans_order_by_nested_fields(subject: &VectorSubject) {
    let fields = [
        (DataKind::Integer, "place.rank", [json!(1), json!(2), json!(3)]),
        (DataKind::Number, "place.height", [json!(0.5), json!(1), json!(1.5)]),
        (DataKind::String, "place.city", [json!("Bonn"), json!("Oslo"), json!("Rome")]),
    ];
    for (kind, name, [min, middle, max]) in fields {
        let definition =
            RecordDefinition::new("id").with_data(DataField::new(name, kind).filterable());
        let docs = subject.collection(definition).await;
        let inner = name.trim_start_matches("place.");
        let records = vec![
            record("a", json!({ "place": {} })),
            record("b", json!({ "place": { inner: middle } })),
            record("c", json!({ "place": { inner: min.clone() } })),
            record("d", json!({ "place": { inner: min }, name: max })),
        ];
        docs.upsert(records).await;
        let orders = [OrderBy::ascending(name), OrderBy::descending(name)];
        for (order, expected) in
            orders.into_iter().zip([["c", "b", "d", "a"], ["d", "b", "c", "a"]])
        {
            let options = ScanOptions::default().with_order_by(order);
            assert_eq!(docs.scanned(&options).await, expected, "{kind:?}");
            let window = options.with_top(2).with_skip(1);
            assert_eq!(docs.scanned(&window).await, expected[1..3], "{kind:?}");
        }
    }
}
