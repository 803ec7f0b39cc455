//! Top, skip, counts and thresholds.

use serde_json::json;
use textsearch_core::{
    Filter,
    results::TotalCount,
    vector::{
        Distance, RecordDefinition, ScanOptions, Scored, SearchInput, StoredRecord,
        VectorSearchOptions,
    },
};

use crate::{
    report::skipped,
    vector::{
        VectorSubject,
        fixture::{
            TestCollection, all, definition, direction, keys, point, record, refused_option,
        },
    },
};

const RECORDS: u16 = 30;

/// Ranked by vector from `00` upwards. Every third has the same title.
async fn numbered(subject: &VectorSubject) -> TestCollection {
    let docs = subject.collection(definition(subject)).await;
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
async fn check_windows(search: impl AsyncFn(VectorSearchOptions) -> Hits) -> Vec<String> {
    let whole = keys(&search(all()).await);
    assert_eq!(whole.len(), usize::from(RECORDS));
    for (top, skip) in WINDOWS {
        let found = keys(&search(VectorSearchOptions::top(top).with_skip(skip)).await);
        assert_eq!(found, window(&whole, top, skip), "top = {top}, skip = {skip}");
    }
    whole
}

type Hits = Vec<Scored<StoredRecord>>;

/// The nearest comes first.
pub(crate) async fn searches_by_vector_are_windows_of_one_ranking(subject: &VectorSubject) {
    let docs = numbered(subject).await;
    let whole = check_windows(async |options| docs.nearest(&direction(0), &options).await).await;
    assert!(whole.is_sorted(), "{whole:?}");
}

/// Words may be in any order of relevance.
pub(crate) async fn searches_by_words_are_windows_of_one_ranking(subject: &VectorSubject) {
    if !subject.capabilities.full_text {
        return skipped("full_text");
    }
    let docs = numbered(subject).await;
    check_windows(async |options| docs.worded("record", &options).await).await;
}

/// The fused ranking.
pub(crate) async fn hybrid_searches_are_windows_of_one_ranking(subject: &VectorSubject) {
    if !subject.capabilities.hybrid {
        return skipped("hybrid");
    }
    let docs = numbered(subject).await;
    check_windows(async |options| docs.hybrid("kind1", &direction(0), &options).await).await;
}

/// Scans order by key.
pub(crate) async fn scans_are_windows_of_one_order(subject: &VectorSubject) {
    let docs = numbered(subject).await;
    let whole = docs.keys().await;
    for (top, skip) in WINDOWS {
        let options = ScanOptions::default().with_top(top).with_skip(skip);
        let results = docs.collection.scan(&options).await.expect("the scan succeeds");
        assert_eq!(results.total_count(), Some(TotalCount::Exact(u64::from(RECORDS))));
        let found = results.into_vec().await.expect("the records can be read");
        let found: Vec<String> = found.iter().map(|record| record.key.to_string()).collect();
        assert_eq!(found, window(&whole, top, skip), "top = {top}, skip = {skip}");
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
            let found = docs.collection.search(&query, &options).await.expect("it succeeds");
            assert_count(subject, found.total_count(), expected);
            if subject.capabilities.full_text {
                let found = docs.collection.full_text_search("record", &options).await;
                assert_count(subject, found.expect("it succeeds").total_count(), expected);
            }
        }
    }
    if !subject.capabilities.full_text {
        skipped("full_text");
    }
}

fn assert_count(subject: &VectorSubject, found: Option<TotalCount>, expected: u64) {
    match found {
        Some(TotalCount::Exact(count)) => assert_eq!(count, expected),
        Some(TotalCount::Estimated(_)) if !subject.capabilities.exact_counts => {}
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
        let one = VectorSearchOptions::top(1).with_score_threshold(threshold);
        let counted = one.clone().with_total_count(true);
        let found = docs.collection.search(&SearchInput::from(&START[..]), &counted).await;
        assert_count(subject, found.expect("the search succeeds").total_count(), 2);
        let second = keys(&docs.nearest(&START, &one.with_skip(1)).await);
        assert_eq!(second, expected[1..], "{distance:?}");
        let beyond = if distance.is_higher_better() { 1e9 } else { -1e9 };
        let none = all().with_score_threshold(beyond);
        assert!(docs.nearest(&START, &none).await.is_empty(), "{distance:?}");
    }
}

/// With 32 bits, 0.7 is slightly less than with 64.
pub(crate) async fn a_record_at_the_threshold_is_kept(subject: &VectorSubject) {
    let distance = Distance::DotProduct;
    if !subject.capabilities.distances.contains(&distance) {
        return skipped("distances: dot product");
    }
    let field = subject.vector("embedding", 2).with_distance(distance);
    let docs = subject.collection(RecordDefinition::new("id").with_vector(field)).await;
    docs.upsert(vec![point("at", &[0.7, 0.0]), point("below", &[0.699_999, 0.0])]).await;
    let options = all().with_score_threshold(0.7);
    assert_eq!(keys(&docs.nearest(&START, &options).await), ["at"]);
}

/// NaN, for example.
pub(crate) async fn a_threshold_that_is_no_number_is_refused(subject: &VectorSubject) {
    let docs = numbered(subject).await;
    let options = all().with_score_threshold(f64::NAN);
    let query = SearchInput::from(&direction(0)[..]);
    refused_option(docs.collection.search(&query, &options).await, "a threshold of NaN");
}
