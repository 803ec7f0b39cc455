//! Writes whose records cannot be linked.

use std::num::NonZero;

use textsearch_core::vector::Distance;

use super::*;
use crate::hnsw::tests::{definition, records, topic};

const RECORDS: usize = 1100;

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn linked(collections: &Collections) -> usize {
    let state = collections.get("docs").unwrap().unwrap().snapshot();
    state.indexes().get(0).unwrap().len()
}

#[test]
fn writes_survive_failed_linking_and_the_next_one_links() {
    let collections = Collections::default();
    let definition = definition(Distance::Euclidean);
    let records = records((0..).zip(topic(0, RECORDS)), &definition);
    let query = SearchInput::from(topic(0, RECORDS).nth(9).unwrap());
    let threads = Arc::new(Threads::refused(NonZero::new(2).unwrap()));
    let refused = InMemoryCollection::new(collections.clone(), threads, "docs", definition);
    wait(refused.ensure_exists()).unwrap();
    wait(refused.upsert(records)).unwrap();
    wait(refused.delete(&[RecordKey::from("7")])).unwrap();
    let results = wait(refused.search(&query, &VectorSearchOptions::top(1))).unwrap();
    let results = wait(results.into_vec()).unwrap();
    assert_eq!((results[0].record.key.to_string(), linked(&collections)), ("9".to_owned(), 0));
    refused.threads.grant();
    wait(refused.delete(&[RecordKey::from("8")])).unwrap();
    assert_eq!(linked(&collections), RECORDS - 2);
}
