//! Collections with graphs for tests.

use std::{num::NonZero, sync::Arc};

use serde_json::{Map, json};
use textsearch_core::vector::{
    Distance, HnswParameters, IndexKind, RecordDefinition, StoredRecord, VectorField,
};

use super::{Index, catch_up_here};
use crate::{
    rows::Row,
    schema::Schema,
    state::{Outdated, SharedState, State, prepare},
    threads::Threads,
};

/// As many as the loops compare at once.
pub(crate) const DIMENSIONS: usize = 16;

pub(crate) struct Collection {
    pub(crate) cell: SharedState,
    pub(crate) threads: Threads,
}

impl Collection {
    pub(crate) fn new(distance: Distance) -> Self {
        let state = State::new(Arc::new(Schema::new(Arc::new(definition(distance)))));
        let threads = Threads::new(NonZero::new(2).unwrap());
        Self { cell: SharedState::new(state), threads }
    }

    pub(crate) fn store(&self, vectors: impl Iterator<Item = Vec<f32>>) {
        self.put(vectors);
        self.link();
    }

    pub(crate) fn delete(&self, rows: impl Iterator<Item = usize>) {
        self.take(rows);
        self.link();
    }

    fn link(&self) {
        catch_up_here(&self.cell, &self.threads).unwrap();
    }

    pub(crate) fn put(&self, vectors: impl Iterator<Item = Vec<f32>>) {
        let state = self.cell.snapshot();
        let schema = state.schema();
        let records = records((state.len()..).zip(vectors), schema.definition());
        let batch = prepare(records, schema).unwrap();
        let store = |state: &mut State| state.store(&batch, &Outdated::default());
        self.cell.change(|_| Ok(Some(store))).unwrap();
    }

    /// The graph isn't updated.
    pub(crate) fn take(&self, rows: impl Iterator<Item = usize>) {
        let rows = rows.map(|row| Row(row as u32));
        let outdated = self.cell.snapshot().outdated(rows).unwrap();
        self.cell.change(|_| Ok(Some(|state: &mut State| state.remove(&outdated)))).unwrap();
    }

    pub(crate) fn index(&self) -> Arc<Index> {
        Arc::clone(self.cell.snapshot().indexes().get(0).unwrap())
    }
}

pub(crate) fn definition(distance: Distance) -> RecordDefinition {
    let parameters =
        HnswParameters { connections: 8, ef_construction: 32, ..HnswParameters::default() };
    let field = VectorField::new("embedding", DIMENSIONS).with_distance(distance);
    RecordDefinition::new("id").with_vector(field.with_index(IndexKind::Hnsw(parameters)))
}

/// The numbers are the keys.
pub(crate) fn records(
    vectors: impl Iterator<Item = (usize, Vec<f32>)>,
    definition: &RecordDefinition,
) -> Vec<StoredRecord> {
    let records = vectors.map(|(number, vector)| {
        let data = Map::from_iter([("id".to_owned(), json!(number.to_string()))]);
        let record = StoredRecord::new(data, definition).unwrap();
        record.with_vector("embedding", vector)
    });
    records.collect()
}

/// Each topic is far from the others.
pub(crate) fn topic(number: u64, count: usize) -> impl Iterator<Item = Vec<f32>> {
    let mut positions = fastrand::Rng::with_seed(number);
    let place: Vec<f32> = (0..DIMENSIONS).map(|_| 100.0 * (positions.f32() - 0.5)).collect();
    let mut random = fastrand::Rng::with_seed(1000 + number);
    (0..count).map(move |_| place.iter().map(|element| element + random.f32()).collect())
}
