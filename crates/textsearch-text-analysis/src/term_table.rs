//! A table of numbered terms.

use std::{hash::BuildHasher as _, sync::Arc};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// In the order of their first occurrence.
#[derive(Default)]
pub(crate) struct TermTable {
    hasher: RandomState,
    /// Hashed by term.
    places: HashTable<u32>,
    terms: Vec<Arc<str>>,
}

impl TermTable {
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn get(&self, place: u32) -> Option<&Arc<str>> {
        self.terms.get(place as usize)
    }

    /// Adds the term if it is new.
    pub(crate) fn place_of(&mut self, term: &str) -> u32 {
        let is_it = |place: &u32| self.get(*place).is_some_and(|known| **known == *term);
        let hash = self.hasher.hash_one(term);
        match self.places.find(hash, is_it) {
            Some(place) => *place,
            None => self.insert(term.into(), hash),
        }
    }

    /// The term must be new.
    pub(crate) fn push(&mut self, term: Arc<str>) -> u32 {
        let hash = self.hasher.hash_one(&*term);
        self.insert(term, hash)
    }

    fn insert(&mut self, term: Arc<str>, hash: u64) -> u32 {
        // 2³² terms would not fit into memory.
        let place = self.terms.len() as u32;
        self.terms.push(term);
        let Self { hasher, places, terms } = self;
        let rehash =
            |place: &u32| terms.get(*place as usize).map_or(0, |term| hasher.hash_one(&**term));
        places.insert_unique(hash, place, rehash);
        place
    }
}
