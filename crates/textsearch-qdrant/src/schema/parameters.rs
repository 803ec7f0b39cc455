//! Checks whether an existing collection stores its vectors, and distributes its data over nodes,
//! as a definition says.
//!
//! Settings that the definition leaves to the server aren't compared. A setting that a vector lacks
//! comes from its collection.

use std::collections::HashMap;

use qdrant_client::qdrant::{
    CollectionConfig, CollectionParams, HnswConfigDiff, Memory, QuantizationConfig, VectorParams,
    quantization_config::Quantization as Packed,
};
use textsearch_core::{
    Result,
    vector::{Distribution, IndexKind, RecordDefinition, VectorField},
};

use super::{quantization, refused};
use crate::path;

/// The server's defaults if neither a vector nor its collection sets a value.
const DEFAULT_CONNECTIONS: u64 = 16;
const DEFAULT_CANDIDATES: u64 = 100;

const DEFINE_IT_SO: &str = "update the collection, or define it so";
const LEAVE_IT_OUT: &str = "update the collection, or leave it out of the definition";
const SPREAD_ANEW: &str =
    "leave it out of the definition, or store the records again in a new collection";

/// # Errors
/// Returns `InvalidOptions` if a parameter differs; the error names it, its definition and the
/// existing value.
pub(super) fn check_parameters(
    config: &CollectionConfig,
    vectors: &HashMap<String, VectorParams>,
    definition: &RecordDefinition,
    ours: bool,
) -> Result<()> {
    for field in &definition.vectors {
        let Some(there) = vectors.get(path::vector(&field.name)) else { continue };
        check_index(field, &Graph::new(there, config), ours)?;
        check_quantization(field, there, config)?;
        if field.on_disk && !is_on_disk(there) {
            return Err(refused(&parameter(field, "on_disk"), true, false, LEAVE_IT_OUT));
        }
    }
    Ok(())
}

pub(super) fn check_distribution(
    params: &CollectionParams,
    distribution: Distribution,
) -> Result<()> {
    // A missing number means the API's default, which is one.
    let there = |number: Option<u32>| number.unwrap_or_default().max(1);
    let shards = there(Some(params.shard_number));
    let copies = there(params.replication_factor);
    let writes = there(params.write_consistency_factor);
    let numbers = [
        ("shards", distribution.shards, shards, SPREAD_ANEW),
        ("replication_factor", distribution.replication_factor, copies, LEAVE_IT_OUT),
        ("write_consistency_factor", distribution.write_consistency_factor, writes, LEAVE_IT_OUT),
    ];
    for (name, number, there, remedy) in numbers {
        if let Some(number) = number.filter(|number| *number != there) {
            return Err(refused(&format!("distribution.{name}"), number, there, remedy));
        }
    }
    Ok(())
}

#[derive(PartialEq)]
pub(super) struct Graph {
    pub(super) connections: u64,
    pub(super) candidates: u64,
    /// Whether the server builds graphs only for groups of records that share a value.
    is_of_groups: bool,
}

impl Graph {
    pub(super) fn new(vector: &VectorParams, config: &CollectionConfig) -> Self {
        let setting = |number: fn(&HnswConfigDiff) -> Option<u64>| {
            vector.hnsw_config.iter().chain(&config.hnsw_config).find_map(number)
        };
        let connections = setting(|graph| graph.m).unwrap_or(DEFAULT_CONNECTIONS);
        let payload_connections = setting(|graph| graph.payload_m).unwrap_or(connections);
        Self {
            connections,
            candidates: setting(|graph| graph.ef_construct).unwrap_or(DEFAULT_CANDIDATES),
            is_of_groups: connections == 0 && payload_connections > 0,
        }
    }

    fn is_built(&self) -> bool {
        self.connections > 0 || self.is_of_groups
    }

    fn described(&self) -> String {
        match self.connections {
            0 if self.is_of_groups => "graphs for groups of records only".to_owned(),
            0 => "without a graph".to_owned(),
            connections => {
                format!("a graph of {connections} connections from {} candidates", self.candidates)
            }
        }
    }
}

fn check_index(field: &VectorField, there: &Graph, ours: bool) -> Result<()> {
    // An exact search ignores any graph.
    let IndexKind::Hnsw(parameters) = &field.index else { return Ok(()) };
    let graph = Graph {
        connections: parameters.connections.into(),
        candidates: parameters.ef_construction.into(),
        is_of_groups: false,
    };
    // A collection of another program may have any graph, because a definition can't leave its
    // parameters out.
    let fits = if ours { *there == graph } else { there.is_built() };
    if fits {
        return Ok(());
    }
    let name = parameter(field, "index");
    Err(refused(&name, graph.described(), there.described(), DEFINE_IT_SO))
}

fn check_quantization(
    field: &VectorField,
    there: &VectorParams,
    config: &CollectionConfig,
) -> Result<()> {
    let Some(defined) = field.quantization.and_then(quantization) else { return Ok(()) };
    let there = there.quantization_config.as_ref().or(config.quantization_config.as_ref());
    let defined = packed(Some(&defined));
    let there = packed(there);
    if defined == there {
        return Ok(());
    }
    Err(refused(&parameter(field, "quantization"), defined, there, LEAVE_IT_OUT))
}

/// Shows kind and size, which definitions determine. Other tuning is up to the server.
fn packed(config: Option<&QuantizationConfig>) -> String {
    match config.and_then(|config| config.quantization.as_ref()) {
        None => "none".to_owned(),
        Some(Packed::Scalar(_)) => "scalar".to_owned(),
        Some(Packed::Binary(_)) => "binary".to_owned(),
        Some(Packed::Product(product)) => {
            format!("product of compression {}", product.compression().as_str_name())
        }
        Some(_) => "a kind that definitions cannot express".to_owned(),
    }
}

/// Servers since 1.19 report it in a new field, which takes precedence over the old one.
#[expect(deprecated, reason = "servers before 1.19 know no other way to keep vectors on disk")]
fn is_on_disk(vector: &VectorParams) -> bool {
    match vector.memory() {
        Memory::Unknown => vector.on_disk.unwrap_or_default(),
        placed => placed == Memory::Cold,
    }
}

fn parameter(field: &VectorField, name: &str) -> String {
    format!("{}.{name}", field.name)
}
