//! Assembles the parts of a file in order.

#[cfg(feature = "hnsw")]
use std::collections::BTreeSet;
use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use textsearch_core::Error;

use super::{
    budget::Budget,
    fault::{Fault, Result},
};
use crate::{
    InMemoryVectorStore,
    schema::Schema,
    state::{Loaded, SharedState, State},
    threads::Threads,
};

pub(super) enum Part {
    Collection(String, Arc<Schema>),
    Records(Vec<Loaded>),
    /// All records of the collection come before.
    #[cfg(feature = "hnsw")]
    Graph(Vec<u8>),
    End,
}

pub(super) struct Assembly<'a> {
    #[cfg_attr(not(feature = "hnsw"), expect(dead_code, reason = "only graphs use it"))]
    budget: &'a Budget,
    collections: BTreeMap<String, State>,
    current: Option<(String, State)>,
    /// The fields of the current collection whose graphs were read.
    #[cfg(feature = "hnsw")]
    graphs: BTreeSet<usize>,
    added: usize,
    /// Parts that were read before their predecessors.
    early: BTreeMap<usize, Result<Part>>,
    fault: Option<Fault>,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(budget: &'a Budget) -> Self {
        Self {
            budget,
            collections: BTreeMap::new(),
            current: None,
            #[cfg(feature = "hnsw")]
            graphs: BTreeSet::new(),
            added: 0,
            early: BTreeMap::new(),
            fault: None,
        }
    }

    /// Adds part `number` once all earlier parts are added. Returns `false` after an error.
    pub(super) fn add(&mut self, number: usize, part: Result<Part>) -> bool {
        self.early.insert(number, part);
        while self.fault.is_none()
            && let Some(part) = self.early.remove(&self.added)
        {
            self.added += 1;
            self.fault = part.and_then(|part| self.append(part)).err();
        }
        self.fault.is_none()
    }

    /// Returns the store, or the first error in file order.
    pub(super) fn finish(mut self, threads: Threads) -> Result<InMemoryVectorStore> {
        self.fault.take().map_or(Ok(()), Err)?;
        let collections = self.collections.into_iter();
        let cells = collections.map(|(name, state)| (name, Arc::new(SharedState::new(state))));
        let cells: BTreeMap<_, _> = cells.collect();
        #[cfg(feature = "hnsw")]
        for cell in cells.values() {
            // Without its graph the store still finds every record, so log the error only.
            if let Err(error) = crate::hnsw::catch_up_here(cell, &threads) {
                crate::hnsw::warn_of_unlinked(&error);
            }
        }
        Ok(InMemoryVectorStore::from_collections(cells, threads))
    }

    fn append(&mut self, part: Part) -> Result<()> {
        match part {
            Part::Collection(name, schema) => {
                self.end_collection()?;
                self.current = Some((name, State::new(schema)));
                Ok(())
            }
            Part::Records(chunks) => {
                let Some((_, state)) = &mut self.current else { return Ok(()) };
                chunks.into_iter().try_for_each(|chunk| append(state, chunk))
            }
            #[cfg(feature = "hnsw")]
            Part::Graph(body) => {
                let Some((_, state)) = &mut self.current else { return Ok(()) };
                super::graphs::read(&body, state, &mut self.graphs, self.budget)
            }
            Part::End => self.end_collection(),
        }
    }

    fn end_collection(&mut self) -> Result<()> {
        let Some((name, state)) = self.current.take() else { return Ok(()) };
        #[cfg(feature = "hnsw")]
        self.graphs.clear();
        match self.collections.entry(name) {
            Entry::Vacant(place) => drop(place.insert(state)),
            Entry::Occupied(_) => return Err(Fault::Damaged("it contains a collection twice")),
        }
        Ok(())
    }
}

fn append(state: &mut State, chunk: Loaded) -> Result<()> {
    let invalid = |error: Error| Fault::Invalid("a record", error.into());
    state.check_room(chunk.len()).map_err(invalid)?;
    if state.append(chunk) { Ok(()) } else { Err(Fault::Damaged("it contains a key twice")) }
}
