//! Tests of abandoned walks.

use textsearch_core::vector::Distance;

use super::*;
use crate::{
    hnsw::tests::{Collection, DIMENSIONS},
    search::top::Ranking,
};

const RECORDS: usize = 1100;

fn point(place: f32) -> Vec<f32> {
    [&[place], [1.0; DIMENSIONS - 1].as_slice()].concat()
}

fn linked() -> Collection {
    let collection = Collection::new(Distance::Euclidean);
    collection.store((0..RECORDS).map(|number| point(number as f32)));
    collection
}

fn rows(ranked: Vec<Ranked>) -> Result<Vec<Vec<u32>>> {
    let rows = |ranked: Ranked| ranked.rows.iter().map(|scored| scored.row.0).collect();
    Ok(ranked.into_iter().map(rows).collect())
}

#[test]
fn abandoned_walks_fall_back_to_a_scan() {
    let collection = linked();
    let state = collection.cell.snapshot();
    let threads = &collection.threads;
    let options = VectorSearchOptions::top(3).with_ef_search(10);
    let queries = [500.1, 7.1].map(|place| point(place).into());
    let ranking =
        |higher_better| Ok(Ranking { limit: 3, higher_better, threshold: None, counted: true });
    let scan = Arc::new(Scan::new(&state, queries.into(), &options, ranking).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut walks = runtime.block_on(Approximate::plan(&scan, &options, threads)).unwrap().unwrap();
    assert!(walks.part(&mut (0..2)).unwrap().iter().all(|(_, ranked)| ranked.is_some()));
    walks.max_compared = 0;
    assert!(walks.part(&mut (0..2)).unwrap().iter().all(|(_, ranked)| ranked.is_none()));
    let rankings = runtime.block_on(walks.run(threads, rows)).unwrap();
    assert_eq!(rankings, [[500, 501, 499], [7, 8, 6]]);
}

#[test]
fn searches_see_later_writes_and_deletions() {
    let collection = linked();
    let counts = || {
        let state = collection.cell.snapshot();
        let all = state.indexes().all(0, state.chunks()).unwrap();
        let unknown: usize = all.unknown().iter().map(|(_, rows)| rows.len()).sum();
        (all.count(), all.known_count(), unknown)
    };
    assert_eq!(counts(), (RECORDS, RECORDS, 0));
    collection.put([point(-1.0)].into_iter());
    assert_eq!(counts(), (RECORDS + 1, RECORDS, 1));
    collection.take(0..1);
    assert_eq!(counts(), (RECORDS, RECORDS - 1, 1));
}

#[test]
fn scan_rankings_fill_the_gaps_left_by_walks() {
    let ranked = |count| Ranked { count: TotalCount::Exact(count), ..Ranked::default() };
    let walked = vec![(2, Some(ranked(2))), (0, Some(ranked(0)))];
    let walked = join(vec![Ok(walked), Ok(vec![(3, None), (1, None)])]).unwrap();
    let all = filled(walked, vec![ranked(1), ranked(3)]);
    assert!((0..4).eq(all.iter().map(|ranked| ranked.count.value())));
}
