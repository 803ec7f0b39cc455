//! No call may block its thread.

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{GetOptions, ScanOptions, SearchInput, VectorSearchOptions},
};

use crate::{
    report::skipped,
    stalls::assert_free,
    vector::{
        VectorSubject,
        fixture::{all, definition, direction, record},
    },
};

/// The calls wait for I/O, locks and other threads asynchronously.
pub async fn no_call_blocks_its_thread(subject: &VectorSubject) {
    let docs = subject.collection(definition(subject)).await;
    let records = || {
        let one = |number: u16| {
            let data = json!({ "title": "apple", "year": number });
            record(&number.to_string(), data).with_vector("embedding", direction(number))
        };
        (0..3).map(one).collect::<Vec<_>>()
    };
    let collection = &docs.collection;
    let (year, scan) = (Filter::eq("year", 1), ScanOptions::default());
    let query = SearchInput::from(&direction(1)[..]);
    assert_free("exists", async || drop(collection.exists().await)).await;
    assert_free("ensure_exists", async || drop(collection.ensure_exists().await)).await;
    assert_free("collection_names", async || drop(docs.store.collection_names().await)).await;
    assert_free("upsert", async || docs.upsert(records()).await).await;
    assert_free("get", async || {
        drop(collection.get(&["1".into()], &GetOptions::default()).await);
    })
    .await;
    assert_free("scan", async || drop(docs.try_scan(&scan).await)).await;
    assert_free("search", async || drop(docs.nearest(&direction(1), &all()).await)).await;
    assert_free("search_batch", async || {
        let inputs = [query.clone(), query.clone()];
        drop(collection.search_batch(&inputs, &VectorSearchOptions::top(2)).await);
    })
    .await;
    if subject.capabilities.full_text {
        assert_free("full_text_search", async || drop(docs.worded("apple", &all()).await)).await;
    } else {
        skipped("full_text");
    }
    if subject.capabilities.hybrid {
        assert_free("hybrid_search", async || {
            drop(docs.hybrid("apple", &direction(1), &all()).await);
        })
        .await;
    } else {
        skipped("hybrid");
    }
    assert_free("delete", async || drop(collection.delete(&["2".into()]).await)).await;
    assert_free("delete_matching", async || drop(collection.delete_matching(&year).await)).await;
    assert_free("delete_collection", async || drop(collection.delete_collection().await)).await;
}
