//! From keys to rows.

use std::{
    hash::BuildHasher as _,
    sync::{Arc, LazyLock},
};

use foldhash::fast::RandomState;
use hashbrown::{HashTable, hash_table};
use textsearch_core::vector::RecordKey;

use crate::{payload::Payload, rows::Row};

/// The number of parts: a write copies only those that it touches while a reader still holds them.
const SHARDS: usize = 256;

/// Where the record of each key is.
#[derive(Clone)]
pub(crate) struct Keys {
    shards: Vec<Arc<HashTable<Entry>>>,
}

/// A payload stands for its key, so that no key is held twice, and its hash for itself, so that a table that grows need
/// not look at any key.
#[derive(Clone)]
struct Entry {
    payload: Arc<Payload>,
    row: Row,
    hash: KeyHash,
}

/// The hash of a key, the same in all collections of the process: so it is made once, before any lock is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyHash(u32);

static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);

impl Keys {
    /// The row of `key`, whose hash is `hash`.
    pub(crate) fn get(&self, key: &RecordKey, hash: KeyHash) -> Option<Row> {
        let entry = self.shards.get(hash.shard())?.find(hash.whole(), |one| one.is_of(hash, key));
        entry.map(|entry| entry.row)
    }

    /// Sets the row of the key of `payload`, whose hash is `hash`, to the one that it has, or else to `new_row`, and
    /// returns it.
    pub(crate) fn claim(
        &mut self,
        payload: &Arc<Payload>,
        hash: KeyHash,
        new_row: impl FnOnce() -> Row,
    ) -> Row {
        let key = payload.key();
        let Some(shard) = self.shards.get_mut(hash.shard()) else { return new_row() };
        let shard = Arc::make_mut(shard);
        let found =
            shard.entry(hash.whole(), |one| one.is_of(hash, key), |entry| entry.hash.whole());
        match found {
            hash_table::Entry::Occupied(mut entry) => {
                // The old payload would be kept alive for its key.
                entry.get_mut().payload = Arc::clone(payload);
                entry.get().row
            }
            hash_table::Entry::Vacant(place) => {
                let row = new_row();
                place.insert(Entry { payload: Arc::clone(payload), row, hash });
                row
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &RecordKey) {
        let hash = KeyHash::of(key);
        if let Some(shard) = self.shards.get_mut(hash.shard()) {
            let found = Arc::make_mut(shard).find_entry(hash.whole(), |one| one.is_of(hash, key));
            if let Ok(entry) = found {
                entry.remove();
            }
        }
    }
}

impl Default for Keys {
    fn default() -> Self {
        Self { shards: vec![Arc::default(); SHARDS] }
    }
}

impl Entry {
    fn is_of(&self, hash: KeyHash, key: &RecordKey) -> bool {
        self.hash == hash && self.payload.key() == key
    }
}

impl KeyHash {
    pub(crate) fn of(key: &RecordKey) -> Self {
        Self(HASHER.hash_one(key) as u32)
    }

    fn shard(self) -> usize {
        self.0 as usize % SHARDS
    }

    /// As many bits as tables want; the lowest, which are alike within a shard, are mixed with all others.
    pub(crate) fn whole(self) -> u64 {
        u64::from(self.0).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32)
    }
}
