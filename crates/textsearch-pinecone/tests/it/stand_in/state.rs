//! Indexes, namespaces and vectors.

use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

use serde_json::{Map, Value, json};

/// How the stand-in behaves where Pinecone is asynchronous or has changed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Behavior {
    /// How long a new index is initializing.
    pub(crate) ready_after: Duration,
    /// How long a deleted index is terminating.
    pub(crate) gone_after: Duration,
    /// How long no reader sees a write.
    pub(crate) visible_after: Duration,
    /// Whether `$ne` and `$nin` match a record without the field.
    pub(crate) unequal_if_missing: bool,
}

pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) host: String,
    pub(crate) dimension: usize,
    pub(crate) metric: String,
    pub(crate) tags: Value,
    pub(crate) deployment: Value,
    pub(crate) ready_at: Instant,
    pub(crate) gone_at: Option<Instant>,
    pub(crate) namespaces: BTreeMap<String, Namespace>,
}

impl Index {
    pub(crate) fn is_ready(&self) -> bool {
        self.gone_at.is_none() && Instant::now() >= self.ready_at
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.gone_at.is_some_and(|gone_at| Instant::now() >= gone_at)
    }

    pub(crate) fn model(&self) -> Value {
        let state = match (self.gone_at, self.is_ready()) {
            (Some(_), _) => "Terminating",
            (None, true) => "Ready",
            (None, false) => "Initializing",
        };
        let dense = json!({ "type": "dense_vector", "description": null, "dimension": self.dimension, "metric": self.metric });
        json!({
            "name": self.name,
            "host": self.host,
            "status": { "ready": self.is_ready(), "state": state },
            "deployment": self.deployment,
            "read_capacity": { "mode": "OnDemand", "status": { "state": "Ready", "current_replicas": null, "current_shards": null } },
            "schema": { "fields": { "_values": dense, "_sparse_values": { "type": "sparse_vector", "description": null } } },
            "tags": self.tags,
            "deletion_protection": "disabled"
        })
    }
}

/// Numbers with their values.
pub(crate) type Sparse = BTreeMap<u32, f32>;

#[derive(Debug, Clone)]
pub(crate) struct Vector {
    pub(crate) id: String,
    pub(crate) values: Vec<f32>,
    pub(crate) sparse: Sparse,
    pub(crate) metadata: Map<String, Value>,
}

impl Vector {
    pub(crate) fn json(&self, with_values: bool, with_metadata: bool) -> Value {
        let values: &[f32] = if with_values { &self.values } else { &[] };
        let mut json = json!({ "id": self.id, "values": values });
        if with_values && !self.sparse.is_empty() {
            let (indices, values): (Vec<u32>, Vec<f32>) = self.sparse.iter().unzip();
            json["sparseValues"] = json!({ "indices": indices, "values": values });
        }
        if with_metadata {
            json["metadata"] = self.metadata.clone().into();
        }
        json
    }

    /// Single precision, as Pinecone computes.
    pub(crate) fn score(&self, metric: &str, query: &[f32], sparse: &Sparse) -> f32 {
        let pairs = || {
            self.values
                .iter()
                .zip(query)
                .map(|(value, other)| (f64::from(*value), f64::from(*other)))
        };
        let dot: f64 = pairs().map(|(value, other)| value * other).sum();
        let norm = |values: &[f32]| {
            values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt()
        };
        let score = match metric {
            "cosine" => dot / (norm(&self.values) * norm(query)),
            "euclidean" => pairs().map(|(value, other)| (value - other).powi(2)).sum(),
            _ => dot + self.sparse_dot(sparse),
        };
        score as f32
    }

    fn sparse_dot(&self, query: &Sparse) -> f64 {
        let values =
            query.iter().filter_map(|(index, value)| Some((value, self.sparse.get(index)?)));
        values.map(|(value, other)| f64::from(*value) * f64::from(*other)).sum()
    }
}

pub(crate) enum Change {
    Put(Vector),
    Delete(String),
    Clear,
}

#[derive(Default)]
pub(crate) struct Namespace {
    vectors: BTreeMap<String, Vector>,
    pending: VecDeque<(Instant, Change)>,
}

impl Namespace {
    pub(crate) fn write(&mut self, change: Change, visible_after: Duration) {
        self.pending.push_back((Instant::now() + visible_after, change));
    }

    /// Makes all writes visible.
    pub(crate) fn show(&mut self) {
        let now = Instant::now();
        self.pending.iter_mut().for_each(|(visible_at, _)| *visible_at = now);
    }

    /// What a reader sees by now, in the order of identifiers.
    pub(crate) fn vectors(&mut self) -> &BTreeMap<String, Vector> {
        let now = Instant::now();
        while self.pending.front().is_some_and(|(visible_at, _)| *visible_at <= now) {
            match self.pending.pop_front() {
                Some((_, Change::Put(vector))) => {
                    self.vectors.insert(vector.id.clone(), vector);
                }
                Some((_, Change::Delete(id))) => {
                    self.vectors.remove(&id);
                }
                Some((_, Change::Clear)) => self.vectors.clear(),
                None => {}
            }
        }
        &self.vectors
    }
}
