//! Tests of abandoned walks.

use std::num::NonZero;

use serde_json::{Map, json};
use textsearch_core::vector::{
    Distance, HnswParameters, IndexKind, RecordDefinition, StoredRecord, VectorField,
};

use super::*;
use crate::{
    hnsw::catch_up_here,
    schema::Schema,
    search::top::Ranking,
    state::{Outdated, SharedState, State, prepare},
};

const RECORDS: usize = 1100;

fn linked(threads: &Threads) -> Arc<State> {
    let parameters =
        HnswParameters { connections: 4, ef_construction: 8, ..HnswParameters::default() };
    let field = VectorField::new("embedding", 2).with_distance(Distance::Euclidean);
    let definition =
        RecordDefinition::new("id").with_vector(field.with_index(IndexKind::Hnsw(parameters)));
    let schema = Arc::new(Schema::new(Arc::new(definition)));
    let mut state = State::new(Arc::clone(&schema));
    let records = (0..RECORDS).map(|number| record(number, &schema)).collect();
    state.store(&prepare(records, &schema).unwrap(), &Outdated::default());
    let cell = SharedState::new(state);
    catch_up_here(&cell, threads).unwrap();
    cell.snapshot()
}

fn record(number: usize, schema: &Schema) -> StoredRecord {
    let data = Map::from_iter([("id".to_owned(), json!(number.to_string()))]);
    let record = StoredRecord::new(data, schema.definition()).unwrap();
    record.with_vector("embedding", vec![number as f32, 1.0])
}

fn rows(ranked: Vec<Ranked>) -> Result<Vec<Vec<u32>>> {
    let rows = |ranked: Ranked| ranked.rows.iter().map(|scored| scored.row.0).collect();
    Ok(ranked.into_iter().map(rows).collect())
}

#[test]
fn abandoned_walks_fall_back_to_a_scan() {
    let threads = Threads::new(NonZero::new(2).unwrap());
    let state = linked(&threads);
    let options = VectorSearchOptions::top(3).with_ef_search(10);
    let queries = [[500.1, 1.0], [7.1, 1.0]].map(Arc::from);
    let ranking =
        |higher_better| Ok(Ranking { limit: 3, higher_better, threshold: None, counted: true });
    let scan = Arc::new(Scan::new(&state, queries.into(), &options, ranking).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut walks =
        runtime.block_on(Approximate::plan(&scan, &options, &threads)).unwrap().unwrap();
    assert!(walks.part(&mut (0..2)).unwrap().iter().all(|(_, ranked)| ranked.is_some()));
    walks.max_compared = 0;
    assert!(walks.part(&mut (0..2)).unwrap().iter().all(|(_, ranked)| ranked.is_none()));
    let rankings = runtime.block_on(walks.run(&threads, rows)).unwrap();
    assert_eq!(rankings, [[500, 501, 499], [7, 8, 6]]);
}

#[test]
fn searches_see_later_writes_and_deletions() {
    let mut state = linked(&Threads::new(NonZero::new(2).unwrap()));
    let state = Arc::get_mut(&mut state).unwrap();
    let counts = |state: &State| {
        let all = state.indexes().all(0, state.chunks()).unwrap();
        let unknown: usize = all.unknown().iter().map(|(_, rows)| rows.len()).sum();
        (all.count(), all.known_count(), unknown)
    };
    assert_eq!(counts(state), (RECORDS, RECORDS, 0));
    let schema = Arc::clone(state.schema());
    state.store(&prepare(vec![record(RECORDS, &schema)], &schema).unwrap(), &Outdated::default());
    assert_eq!(counts(state), (RECORDS + 1, RECORDS, 1));
    let first = state.outdated([Row::new(0, 0)]).unwrap();
    state.remove(&first);
    assert_eq!(counts(state), (RECORDS, RECORDS - 1, 1));
}

#[test]
fn scan_rankings_fill_the_gaps_left_by_walks() {
    let ranked = |count| Ranked { count: TotalCount::Exact(count), ..Ranked::default() };
    let walked = vec![(2, Some(ranked(2))), (0, Some(ranked(0)))];
    let walked = join(vec![Ok(walked), Ok(vec![(3, None), (1, None)])]).unwrap();
    let all = filled(walked, vec![ranked(1), ranked(3)]);
    assert!((0..4).eq(all.iter().map(|ranked| ranked.count.value())));
}
