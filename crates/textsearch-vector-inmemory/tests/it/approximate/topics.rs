//! Topics far from everything else, which a plain graph would not lead into or out of.

use std::ops::Range;

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{Distance, HnswParameters, RecordKey, SearchInput, StoredRecord, VectorSearchOptions},
};

use super::{Clusters, DIMENSIONS, gaussian, indexed, quick, top};
use crate::support::{Stored, collection, keys, record, scores};

/// A quarter of the default candidates, so that walks are shorter than scans of these few records.
const EF_SEARCH: u32 = 32;

fn far_topic(numbers: Range<usize>, bucket: impl Fn(usize) -> usize) -> Vec<StoredRecord> {
    around(&[40.0; DIMENSIONS], numbers, bucket)
}

fn around(
    place: &[f32],
    numbers: Range<usize>,
    bucket: impl Fn(usize) -> usize,
) -> Vec<StoredRecord> {
    let mut random = fastrand::Rng::with_seed(11 + numbers.start as u64);
    let mut vector = || -> Vec<f32> {
        place.iter().map(|element| element + 0.4 * gaussian(&mut random)).collect()
    };
    let record = |number: usize| {
        let record = record(&format!("{number:06}"), json!({ "bucket": bucket(number) }));
        record.with_vector("embedding", vector())
    };
    numbers.map(record).collect()
}

fn topics(sizes: &[usize]) -> Vec<StoredRecord> {
    let mut random = fastrand::Rng::with_seed(17);
    let mut start = 0;
    let topic = |size: &usize| {
        let place: Vec<f32> = (0..DIMENSIONS).map(|_| 20.0 * gaussian(&mut random)).collect();
        start += size;
        around(&place, start - size..start, |number| number % 100)
    };
    sizes.iter().flat_map(topic).collect()
}

/// Returns how much of the ten nearest walks find, over some of the records.
async fn recall(collection: &Stored, records: &[StoredRecord], ef_search: u32) -> f64 {
    let mut reached = 0_u32;
    let mut all = 0_u32;
    for record in records.iter().step_by(97) {
        let query = SearchInput::Vector(record.vectors["embedding"].clone());
        let exact = scores(collection.search(&query, &top().with_exact(true)).await).await;
        // An explicit `ef_search` forces a walk, whatever the recall of the graph.
        let walked =
            scores(collection.search(&query, &top().with_ef_search(ef_search)).await).await;
        reached += walked.iter().filter(|key| exact.contains(key)).count() as u32;
        all += exact.len() as u32;
    }
    f64::from(reached) / f64::from(all)
}

#[tokio::test]
async fn topics_stored_in_sequence_are_found() {
    let records = topics(&[300, 2000, 500, 800, 300, 1200, 300]);
    let collection = collection(indexed(Distance::Euclidean, HnswParameters::default())).await;
    collection.upsert(records.clone()).await.unwrap();
    let share = recall(&collection, &records, 128).await;
    assert!(share >= 0.95, "{share}");
}

#[tokio::test]
async fn topics_stored_in_separate_batches_are_found() {
    let records = topics(&[1024, 1024]);
    let collection = collection(indexed(Distance::Euclidean, HnswParameters::default())).await;
    for topic in records.chunks(1024) {
        collection.upsert(topic.to_vec()).await.unwrap();
    }
    let share = recall(&collection, &records, EF_SEARCH).await;
    assert!(share >= 0.95, "{share}");
}

#[tokio::test]
async fn few_of_many_distant_topics_are_missed() {
    let records = topics(&[6; 500]);
    let parameters = HnswParameters { connections: 4, ef_construction: 16, ..quick() };
    let collection = collection(indexed(Distance::CosineSimilarity, parameters)).await;
    collection.upsert(records.clone()).await.unwrap();
    let nearest = VectorSearchOptions::top(1).with_ef_search(10);
    let mut missed = 0;
    for record in records.iter().step_by(6) {
        let query = SearchInput::Vector(record.vectors["embedding"].clone());
        let results = keys(collection.search(&query, &nearest).await).await;
        missed += usize::from(results != [record.key.to_string()]);
    }
    // Walks that keep one row on each higher level miss 50.
    assert!(missed <= 15, "{missed}");
}

#[tokio::test]
async fn last_records_of_a_topic_are_found() {
    let others = 1300;
    let topic = 1030;
    let collection = collection(indexed(Distance::Euclidean, HnswParameters::default())).await;
    let mut records = Clusters::new(1).records(0..others);
    records.extend(far_topic(others..others + topic, |number| number % 100));
    collection.upsert(records.clone()).await.unwrap();
    let kept = [1303, 1790, 2329];
    let removed = (others..others + topic).filter(|number| !kept.contains(number));
    let removed: Vec<_> = removed.map(|number| RecordKey::from(format!("{number:06}"))).collect();
    collection.delete(&removed).await.unwrap();
    let top = VectorSearchOptions::top(1).with_ef_search(EF_SEARCH);
    for options in [top.clone(), top.with_filter(Filter::ne("bucket", 7))] {
        for number in kept {
            let query = SearchInput::Vector(records[number].vectors["embedding"].clone());
            let nearest = keys(collection.search(&query, &options).await).await;
            assert_eq!(nearest, [format!("{number:06}")]);
        }
    }
}

#[tokio::test]
async fn neighbours_inside_and_outside_a_small_topic_are_found() {
    let others = 1536;
    let island = 256;
    let collection = collection(indexed(Distance::Euclidean, quick())).await;
    let mut records = Clusters::new(1).records(0..others);
    for record in &mut records {
        record.data.insert("bucket".to_owned(), json!(0));
    }
    let end = others + island;
    records.extend(far_topic(others..end, |number| usize::from(number % 64 != 0)));
    collection.upsert(records).await.unwrap();
    let query = SearchInput::from(vec![40.0; DIMENSIONS]);
    let options = top().with_filter(Filter::eq("bucket", 0));
    let exact = scores(collection.search(&query, &options.clone().with_exact(true)).await).await;
    assert_eq!(exact.len(), 10);
    assert_eq!(scores(collection.search(&query, &options).await).await, exact);
}

#[tokio::test]
async fn batch_mixes_abandoned_walks_and_finished_ones() {
    let others = 1200;
    let topic = 1000;
    let collection = collection(indexed(Distance::Euclidean, quick())).await;
    let mut records = Clusters::new(1).records(0..others);
    for record in &mut records {
        record.data.insert("bucket".to_owned(), json!(0));
    }
    records.extend(far_topic(others..others + topic, |_| 1));
    collection.upsert(records.clone()).await.unwrap();
    // The whole topic is nearer to the first query than what the filter matches.
    let near = records[3].vectors["embedding"].clone();
    let queries = [SearchInput::from(vec![40.0; DIMENSIONS]), SearchInput::Vector(near)];
    let options =
        top().with_filter(Filter::eq("bucket", 0)).with_ef_search(16).with_total_count(true);
    let results = collection.search_batch(&queries, &options).await.unwrap();
    for (query, results) in queries.iter().zip(results) {
        assert_eq!(results.total_count().map(|count| count.value()), Some(others as u64));
        let exact = scores(collection.search(query, &options.clone().with_exact(true)).await).await;
        assert_eq!(scores(Ok(results)).await, exact);
    }
}
