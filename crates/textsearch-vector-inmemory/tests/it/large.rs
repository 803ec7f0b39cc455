//! Searches that are large enough for the threads of the store.

use std::num::NonZero;

use serde_json::json;
use textsearch_core::{
    Filter,
    vector::{
        DataField, Distance, RecordDefinition, SearchInput, StoredRecord, VectorField,
        VectorSearchOptions,
    },
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use crate::support::{Stored, block_on, create, option_of, record, scores};

const DIMENSIONS: usize = 4096;
const RECORDS: usize = 1100;

fn vector(random: &mut fastrand::Rng) -> Vec<f32> {
    (0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()
}

fn filled(threads: usize, distance: Distance) -> (Stored, Vec<SearchInput>) {
    let mut random = fastrand::Rng::with_seed(5);
    let store = InMemoryVectorStore::new().with_threads(NonZero::new(threads).unwrap());
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("title").full_text())
        .with_data(DataField::integer("year").filterable())
        .with_vector(VectorField::new("embedding", DIMENSIONS).with_distance(distance));
    let records: Vec<StoredRecord> = (0..RECORDS)
        .map(|number| {
            let title = if number % 3 == 0 { "apple" } else { "pear" };
            let data = json!({ "title": title, "year": number });
            record(&format!("{number:04}"), data).with_vector("embedding", vector(&mut random))
        })
        .collect();
    let collection = block_on(async {
        let collection = create(&store, "docs", definition).await;
        collection.upsert(records).await.unwrap();
        collection
    });
    (collection, (0..5).map(|_| SearchInput::from(vector(&mut random))).collect())
}

fn options() -> [VectorSearchOptions; 3] {
    let some = VectorSearchOptions::top(7).with_skip(2);
    [
        VectorSearchOptions::top(10),
        some.with_filter(Filter::lt("year", 300)),
        VectorSearchOptions::top(0),
    ]
}

#[test]
fn thread_count_does_not_change_results() {
    for distance in [Distance::CosineSimilarity, Distance::EuclideanSquared, Distance::Manhattan] {
        let (single, queries) = filled(1, distance);
        let (three, _) = filled(3, distance);
        for options in options() {
            let find = |collection: &Stored| {
                block_on(async { scores(collection.search(&queries[0], &options).await).await })
            };
            assert_eq!(find(&three), find(&single), "{distance:?}");
        }
        let SearchInput::Vector(vector) = &queries[1] else { panic!("queries are vectors") };
        let fuse = |collection: &Stored| {
            block_on(async {
                let options = VectorSearchOptions::top(10);
                let results = collection.hybrid_search("apple", Some(vector.clone()), &options);
                scores(results.await).await
            })
        };
        assert_eq!(fuse(&three), fuse(&single), "{distance:?}");
    }
}

#[test]
fn batch_finds_the_same_as_single_searches() {
    let (collection, mut inputs) = filled(2, Distance::CosineSimilarity);
    inputs.insert(2, SearchInput::from("apple"));
    for options in options() {
        block_on(async {
            let batch = collection.search_batch(&inputs, &options).await.unwrap();
            assert_eq!(batch.len(), inputs.len());
            for (input, results) in inputs.iter().zip(batch) {
                let alone = scores(collection.search(input, &options).await).await;
                assert_eq!(scores(Ok(results)).await, alone, "{input:?}");
            }
        });
    }
}

#[test]
fn empty_batch_finds_nothing_and_bad_query_fails() {
    let (collection, mut queries) = filled(1, Distance::CosineSimilarity);
    let options = VectorSearchOptions::top(1);
    block_on(async {
        assert!(collection.search_batch(&[], &options).await.unwrap().is_empty());
        queries.push(SearchInput::from(vec![1.0]));
        let error = collection.search_batch(&queries, &options).await.unwrap_err();
        assert_eq!(option_of(&error), "vector");
    });
}
