//! Collections that are namespaces of one index.

use serde_json::json;
use textsearch_pinecone::{
    PineconeStore,
    vector::{VectorSearchOptions, VectorStore as _},
};

use crate::{
    stand_in::{Behavior, StandIn},
    support::{notes, record, search},
};

#[tokio::test]
async fn namespaces_of_one_index_are_apart() {
    let stand_in = StandIn::start(Behavior::default());
    let store = |name: &str| PineconeStore::new(stand_in.config().with_namespace(name)).unwrap();
    let one = notes(&store("one")).await;
    let other = notes(&store("../other")).await;
    one.upsert(vec![record(json!({ "id": "a" }))]).await.unwrap();
    other.upsert(vec![record(json!({ "id": "b" }))]).await.unwrap();
    let all = VectorSearchOptions::top(5);
    assert_eq!(search(&one, &all).await.unwrap(), ["a"]);
    one.delete_collection().await.unwrap();
    assert!(!one.exists().await.unwrap());
    assert_eq!(search(&other, &all).await.unwrap(), ["b"]);
    assert_eq!(stand_in.store().collection_names().await.unwrap(), ["notes"]);
    assert!(store("one").collection_names().await.unwrap().is_empty());
}
