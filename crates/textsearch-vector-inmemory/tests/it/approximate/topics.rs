//! Topics far from all else, which walks alone would not find their way out of.

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{Distance, SearchInput, StoredRecord},
};

use super::{Clusters, DIMENSIONS, gaussian, indexed, quick, top};
use crate::support::{collection, record, scores};

/// Records around a place that is far from everything else.
fn far_topic(
    numbers: std::ops::Range<usize>,
    bucket: impl Fn(usize) -> usize,
) -> Vec<StoredRecord> {
    let mut random = fastrand::Rng::with_seed(11);
    let record = |number: usize| {
        let vector: Vec<f32> =
            (0..DIMENSIONS).map(|_| 40.0 + 0.4 * gaussian(&mut random)).collect();
        record(&format!("{number:06}"), json!({ "bucket": bucket(number) }))
            .with_vector("embedding", vector)
    };
    numbers.map(record).collect()
}

#[tokio::test]
async fn where_no_way_leads_to_the_rest_a_search_is_exact() {
    // What is linked in one go, all of it, is linked with itself alone.
    let (others, island) = (1536, 256);
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
    let exact = scores(collection.search(&query, &options.clone().exact()).await).await;
    assert_eq!(exact.len(), 10);
    assert_eq!(scores(collection.search(&query, &options).await).await, exact);
}
