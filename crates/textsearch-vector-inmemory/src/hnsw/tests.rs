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
pub(super) const DIMENSIONS: usize = 16;

pub(super) struct Collection {
    pub(super) cell: SharedState,
    pub(super) threads: Threads,
}

impl Collection {
    pub(super) fn new(distance: Distance) -> Self {
        let parameters =
            HnswParameters { connections: 8, ef_construction: 32, ..HnswParameters::default() };
        let field = VectorField::new("embedding", DIMENSIONS).with_distance(distance);
        let field = field.with_index(IndexKind::Hnsw(parameters));
        let definition = RecordDefinition::new("id").with_vector(field);
        let state = State::new(Arc::new(Schema::new(Arc::new(definition))));
        let threads = Threads::new(NonZero::new(2).unwrap());
        Self { cell: SharedState::new(state), threads }
    }

    pub(super) fn store(&self, vectors: impl Iterator<Item = Vec<f32>>) {
        self.put(vectors);
        self.link();
    }

    pub(super) fn delete(&self, rows: impl Iterator<Item = usize>) {
        self.take(rows);
        self.link();
    }

    fn link(&self) {
        catch_up_here(&self.cell, &self.threads).unwrap();
    }

    pub(super) fn put(&self, vectors: impl Iterator<Item = Vec<f32>>) {
        let state = self.cell.snapshot();
        let schema = state.schema();
        let record = |(number, vector): (usize, Vec<f32>)| {
            let data = Map::from_iter([("id".to_owned(), json!(number.to_string()))]);
            let record = StoredRecord::new(data, schema.definition()).unwrap();
            record.with_vector("embedding", vector)
        };
        let records = (state.len()..).zip(vectors).map(record).collect();
        let batch = prepare(records, schema).unwrap();
        let store = |state: &mut State| state.store(&batch, &Outdated::default());
        self.cell.change(|_| Ok(Some(store))).unwrap();
    }

    /// The graph isn't updated.
    pub(super) fn take(&self, rows: impl Iterator<Item = usize>) {
        let rows = rows.map(|row| Row(row as u32));
        let outdated = self.cell.snapshot().outdated(rows).unwrap();
        self.cell.change(|_| Ok(Some(|state: &mut State| state.remove(&outdated)))).unwrap();
    }

    pub(super) fn index(&self) -> Arc<Index> {
        Arc::clone(self.cell.snapshot().indexes().get(0).unwrap())
    }
}

/// Each topic is far from the others.
pub(super) fn topic(number: u64, count: usize) -> impl Iterator<Item = Vec<f32>> {
    let mut positions = fastrand::Rng::with_seed(number);
    let place: Vec<f32> = (0..DIMENSIONS).map(|_| 100.0 * (positions.f32() - 0.5)).collect();
    let mut random = fastrand::Rng::with_seed(1000 + number);
    (0..count).map(move |_| place.iter().map(|element| element + random.f32()).collect())
}
