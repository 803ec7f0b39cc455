//! From keys to rows.

use std::{
    borrow::Borrow,
    hash::{BuildHasher as _, Hash, Hasher},
    sync::Arc,
};

use foldhash::{HashMap, fast::RandomState};
use textsearch_core::vector::RecordKey;

use crate::{payload::Payload, state::Row};

/// The number of parts: a write copies only those that it touches while a reader still holds them.
const SHARDS: usize = 256;

/// Where the record of each key is.
#[derive(Clone)]
pub(crate) struct Keys {
    hasher: RandomState,
    shards: Vec<Arc<HashMap<ByKey, Row>>>,
}

impl Keys {
    pub(crate) fn get(&self, key: &RecordKey) -> Option<Row> {
        self.shards.get(self.shard(key))?.get(key).copied()
    }

    /// Sets the row of the key of `payload`.
    pub(crate) fn insert(&mut self, payload: &Arc<Payload>, row: Row) {
        let shard = self.shard(payload.key());
        if let Some(shard) = self.shards.get_mut(shard) {
            let shard = Arc::make_mut(shard);
            // A map keeps the key that it has, which would keep the old payload alive.
            shard.remove(payload.key());
            shard.insert(ByKey(Arc::clone(payload)), row);
        }
    }

    pub(crate) fn remove(&mut self, key: &RecordKey) {
        let shard = self.shard(key);
        if let Some(shard) = self.shards.get_mut(shard) {
            Arc::make_mut(shard).remove(key);
        }
    }

    fn shard(&self, key: &RecordKey) -> usize {
        (self.hasher.hash_one(key) % SHARDS as u64) as usize
    }
}

impl Default for Keys {
    fn default() -> Self {
        Self { hasher: RandomState::default(), shards: vec![Arc::default(); SHARDS] }
    }
}

/// A payload that counts as its key, so that no key is held twice.
#[derive(Clone)]
struct ByKey(Arc<Payload>);

impl Borrow<RecordKey> for ByKey {
    fn borrow(&self) -> &RecordKey {
        self.0.key()
    }
}

impl Hash for ByKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.key().hash(state);
    }
}

impl PartialEq for ByKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.key() == other.0.key()
    }
}

impl Eq for ByKey {}
