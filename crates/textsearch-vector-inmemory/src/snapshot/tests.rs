//! Files of stores whose graphs fail.

use std::{collections::BTreeMap, num::NonZero, path::Path, sync::Arc};

use serde_json::{Map, json};
use textsearch_core::vector::{
    HnswParameters, IndexKind, RecordDefinition, StoredRecord, VectorField,
};

use super::*;
use crate::{
    hnsw::catch_up_here,
    rows::Row,
    schema::Schema,
    state::{Outdated, SharedState, State, prepare},
};

const RECORDS: usize = 1100;

const TWO: NonZero<usize> = NonZero::new(2).unwrap();

fn records() -> SharedState {
    let parameters =
        HnswParameters { connections: 4, ef_construction: 8, ..HnswParameters::default() };
    let field = VectorField::new("embedding", 2).with_index(IndexKind::Hnsw(parameters));
    let definition = RecordDefinition::new("id").with_vector(field);
    let schema = Arc::new(Schema::new(Arc::new(definition)));
    let record = |number: usize| {
        let data = Map::from_iter([("id".to_owned(), json!(number.to_string()))]);
        let record = StoredRecord::new(data, schema.definition()).unwrap();
        record.with_vector("embedding", vec![number as f32, 1.0])
    };
    let records = (0..RECORDS).map(record).collect();
    let mut state = State::new(Arc::clone(&schema));
    state.store(&prepare(records, &schema).unwrap(), &Outdated::default());
    SharedState::new(state)
}

fn save(cell: SharedState, path: &Path) {
    let cells = BTreeMap::from([("docs".to_owned(), Arc::new(cell))]);
    InMemoryVectorStore::from_collections(cells, Threads::refused(TWO)).save_to_file(path).unwrap();
}

/// Returns the number of records in the file, and how many of them are linked.
fn opened(path: &Path, threads: Threads) -> (usize, usize) {
    let store = read::store(path, threads).map_err(|fault| fault.into_error(path)).unwrap();
    let (_, cell) = store.all().remove(0);
    let state = cell.snapshot();
    (state.len(), state.indexes().get(0).unwrap().len())
}

#[test]
fn file_opens_even_if_its_graph_cannot_be_built() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    save(records(), &path);
    assert_eq!(opened(&path, Threads::refused(TWO)), (RECORDS, 0));
    assert_eq!(opened(&path, Threads::new(TWO)), (RECORDS, RECORDS));
}

#[test]
fn records_are_saved_even_if_their_graph_cannot_be_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let cell = records();
    catch_up_here(&cell, &Threads::new(TWO)).unwrap();
    let outdated = cell.snapshot().outdated([Row(7)]).unwrap();
    cell.change(|_| Ok(Some(|state: &mut State| state.remove(&outdated)))).unwrap();
    save(cell, &path);
    assert_eq!(opened(&path, Threads::refused(TWO)), (RECORDS - 1, 0));
    assert_eq!(opened(&path, Threads::new(TWO)), (RECORDS - 1, RECORDS - 1));
}
