//! The map from keys to rows.

use std::{
    hash::BuildHasher as _,
    sync::{Arc, LazyLock},
};

use foldhash::fast::RandomState;
use hashbrown::{HashTable, hash_table};
use textsearch_core::vector::RecordKey;

use super::{Row, payload::Payload};

/// While a reader holds the map, a write copies only the shards it changes.
const SHARDS: usize = 256;

#[derive(Clone)]
pub(crate) struct Keys {
    shards: Vec<Arc<HashTable<Entry>>>,
}

/// The payload holds the key. The stored hash lets the table grow without reading any key.
#[derive(Clone)]
struct Entry {
    payload: Arc<Payload>,
    row: Row,
    hash: KeyHash,
}

/// The same in all collections of the process, so it is computed once, before any lock is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyHash(u32);

static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);

impl Keys {
    pub(crate) fn get(&self, key: &RecordKey, hash: KeyHash) -> Option<Row> {
        let entry =
            self.shards.get(hash.shard())?.find(hash.whole(), |entry| entry.is_of(hash, key));
        entry.map(|entry| entry.row)
    }

    /// A new key gets `new_row`.
    pub(crate) fn claim(
        &mut self,
        payload: &Arc<Payload>,
        hash: KeyHash,
        new_row: impl FnOnce() -> Row,
    ) -> Row {
        let key = payload.key();
        let Some(shard) = self.shards.get_mut(hash.shard()) else { return new_row() };
        let shard = Arc::make_mut(shard);
        let entry =
            shard.entry(hash.whole(), |entry| entry.is_of(hash, key), |entry| entry.hash.whole());
        match entry {
            hash_table::Entry::Occupied(mut entry) => {
                // Replace the payload too, or the old one would be kept alive for its key.
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
        let hash = KeyHash::new(key);
        if let Some(shard) = self.shards.get_mut(hash.shard()) {
            let entry =
                Arc::make_mut(shard).find_entry(hash.whole(), |entry| entry.is_of(hash, key));
            if let Ok(entry) = entry {
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
    pub(crate) fn new(key: &RecordKey) -> Self {
        Self(HASHER.hash_one(key) as u32)
    }

    fn shard(self) -> usize {
        self.0 as usize % SHARDS
    }

    /// Mixes the lowest bits, which are the same within a shard, with the others.
    pub(crate) fn whole(self) -> u64 {
        u64::from(self.0).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32)
    }
}
