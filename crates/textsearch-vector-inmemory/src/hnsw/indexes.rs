//! The approximate indexes of a collection.

use std::sync::Arc;

use textsearch_core::vector::{IndexKind, RecordDefinition, VectorField};

use super::{Index, Searchable};
use crate::{cached::Cached, rows::Row, state::Chunk};

/// By the index of their field.
#[derive(Clone, Default)]
pub(crate) struct Indexes(Vec<Option<Indexed>>);

#[derive(Clone)]
struct Indexed {
    index: Arc<Index>,
    /// All rows that have a vector, for searches without a filter.
    all: Cached<Arc<Searchable>>,
}

impl Indexed {
    fn new(index: Index) -> Self {
        Self { index: Arc::new(index), all: Cached::default() }
    }
}

impl Indexes {
    pub(crate) fn new(definition: &RecordDefinition) -> Self {
        let index = |field: &VectorField| match &field.index {
            IndexKind::Hnsw(parameters) => Some(Indexed::new(Index::new(parameters.clone()))),
            _ => None,
        };
        Self(definition.vectors.iter().map(index).collect())
    }

    pub(crate) fn under(&self, definition: &RecordDefinition) -> Self {
        let mut indexes = Self::new(definition);
        for (new, old) in indexes.0.iter_mut().zip(&self.0) {
            if let (Some(new), Some(old)) = (new, old)
                && new.index.is_built_like(&old.index)
            {
                *new = Indexed::new(old.index.under(new.index.parameters.clone()));
            }
        }
        indexes
    }

    pub(crate) fn get(&self, place: usize) -> Option<&Arc<Index>> {
        Some(&self.indexed(place)?.index)
    }

    pub(crate) fn all(&self, place: usize, chunks: &[Arc<Chunk>]) -> Option<Arc<Searchable>> {
        let Indexed { index, all } = self.indexed(place)?;
        let present = |chunk: &Arc<Chunk>| {
            chunk.memory_block(place).map(|block| block.present()).unwrap_or_default()
        };
        let make = || Arc::new(Searchable::new(index, chunks.iter().map(present)));
        Some(Arc::clone(all.get_or_compute(make)))
    }

    fn indexed(&self, place: usize) -> Option<&Indexed> {
        self.0.get(place)?.as_ref()
    }

    pub(crate) fn set(&mut self, place: usize, index: Index) {
        if let Some(old) = self.0.get_mut(place) {
            *old = Some(Indexed::new(index));
        }
    }

    pub(crate) fn forget(&mut self, rows: impl Iterator<Item = Row> + Clone) {
        for Indexed { index, all } in self.0.iter_mut().flatten() {
            all.clear();
            if rows.clone().any(|row| index.knows(row)) {
                let index = Arc::make_mut(index);
                rows.clone().for_each(|row| index.forget(row));
            }
        }
    }
}
