//! Different terms, numbered.

use std::{hash::BuildHasher as _, sync::Arc};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// Terms in the order in which they came first.
#[derive(Default)]
pub(super) struct TermTable {
    hasher: RandomState,
    /// The places of all terms, by the terms.
    places: HashTable<u32>,
    terms: Vec<Arc<str>>,
}

impl TermTable {
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The term at a place.
    pub(super) fn get(&self, place: u32) -> Option<&Arc<str>> {
        self.terms.get(place as usize)
    }

    /// The place of `term`, which is added where it is new.
    pub(super) fn place_of(&mut self, term: &str) -> u32 {
        let is_it = |place: &u32| self.get(*place).is_some_and(|known| **known == *term);
        let hash = self.hasher.hash_one(term);
        match self.places.find(hash, is_it) {
            Some(place) => *place,
            None => self.insert(term.into(), hash),
        }
    }

    /// Adds a term that is not there, and says where.
    pub(super) fn push(&mut self, term: Arc<str>) -> u32 {
        let hash = self.hasher.hash_one(&*term);
        self.insert(term, hash)
    }

    fn insert(&mut self, term: Arc<str>, hash: u64) -> u32 {
        // So many different terms would not fit into any memory.
        let place = self.terms.len() as u32;
        self.terms.push(term);
        let Self { hasher, places, terms } = self;
        let rehash =
            |place: &u32| terms.get(*place as usize).map_or(0, |term| hasher.hash_one(&**term));
        places.insert_unique(hash, place, rehash);
        place
    }
}
