//! Whether a collection that exists keeps its vectors, and is spread over nodes, as a definition says.
//!
//! What a definition leaves to the server is not compared; what a vector leaves to its collection is that of the
//! collection.

use std::collections::HashMap;

use qdrant_client::qdrant::{
    CollectionConfig, CollectionParams, HnswConfigDiff, Memory, QuantizationConfig, VectorParams,
    quantization_config::Quantization as Packed,
};
use textsearch_core::{
    Result,
    vector::{Distribution, IndexKind, RecordDefinition, VectorField},
};

use super::{existing::refused, quantization};

/// What a server takes where neither a vector nor its collection says it.
const DEFAULT_CONNECTIONS: u64 = 16;
const DEFAULT_CANDIDATES: u64 = 100;

const DEFINE_IT_SO: &str = "update the collection, or define it so";
const LEAVE_IT_OUT: &str = "update the collection, or leave it out of the definition";
const SPREAD_ANEW: &str =
    "leave it out of the definition, or store the records again in a new collection";

/// # Errors
/// `InvalidOptions` that names the parameter, what the definition says, and what is there.
pub(super) fn check_parameters(
    config: &CollectionConfig,
    vectors: &HashMap<String, VectorParams>,
    definition: &RecordDefinition,
    is_ours: bool,
) -> Result<()> {
    for field in &definition.vectors {
        let Some(there) = vectors.get(&field.name) else { continue };
        check_index(field, &Graph::new(there, config), is_ours)?;
        check_quantization(field, there, config)?;
        if field.on_disk && !is_on_disk(there) {
            return Err(refused(&parameter(field, "on_disk"), true, false, LEAVE_IT_OUT));
        }
    }
    Ok(())
}

/// # Errors
/// As those of [`check_parameters`].
pub(super) fn check_distribution(params: &CollectionParams, wanted: Distribution) -> Result<()> {
    // A number that is missing is the default of the interface, which is one.
    let there = |number: Option<u32>| number.unwrap_or_default().max(1);
    let (shards, copies) = (there(Some(params.shard_number)), there(params.replication_factor));
    let writes = there(params.write_consistency_factor);
    let numbers = [
        ("shards", wanted.shards, shards, SPREAD_ANEW),
        ("replication_factor", wanted.replication_factor, copies, LEAVE_IT_OUT),
        ("write_consistency_factor", wanted.write_consistency_factor, writes, LEAVE_IT_OUT),
    ];
    for (name, wanted, there, remedy) in numbers {
        if let Some(wanted) = wanted.filter(|wanted| *wanted != there) {
            return Err(refused(&format!("distribution.{name}"), wanted, there, remedy));
        }
    }
    Ok(())
}

/// The graph that a server builds for a vector.
#[derive(PartialEq)]
struct Graph {
    connections: u64,
    candidates: u64,
    /// Whether there are graphs of the records that share a value, without one of all.
    is_of_groups: bool,
}

impl Graph {
    fn new(vector: &VectorParams, config: &CollectionConfig) -> Self {
        let said = |number: fn(&HnswConfigDiff) -> Option<u64>| {
            vector.hnsw_config.iter().chain(&config.hnsw_config).find_map(number)
        };
        let connections = said(|graph| graph.m).unwrap_or(DEFAULT_CONNECTIONS);
        let of_groups = said(|graph| graph.payload_m).unwrap_or(connections);
        Self {
            connections,
            candidates: said(|graph| graph.ef_construct).unwrap_or(DEFAULT_CANDIDATES),
            is_of_groups: connections == 0 && of_groups > 0,
        }
    }

    fn is_built(&self) -> bool {
        self.connections > 0 || self.is_of_groups
    }

    fn described(&self) -> String {
        match self.connections {
            0 if self.is_of_groups => "graphs of groups of records alone".to_owned(),
            0 => "without a graph".to_owned(),
            connections => {
                format!("a graph of {connections} connections from {} candidates", self.candidates)
            }
        }
    }
}

fn check_index(field: &VectorField, there: &Graph, is_ours: bool) -> Result<()> {
    // An exact search passes by any graph that there is.
    let IndexKind::Hnsw(wanted) = &field.index else { return Ok(()) };
    let wanted = Graph {
        connections: wanted.connections.into(),
        candidates: wanted.ef_construction.into(),
        is_of_groups: false,
    };
    // How others had it built, definitions cannot leave out.
    let fits = if is_ours { *there == wanted } else { there.is_built() };
    if fits {
        return Ok(());
    }
    let name = parameter(field, "index");
    Err(refused(&name, wanted.described(), there.described(), DEFINE_IT_SO))
}

fn check_quantization(
    field: &VectorField,
    there: &VectorParams,
    config: &CollectionConfig,
) -> Result<()> {
    let Some(wanted) = field.quantization.and_then(quantization) else { return Ok(()) };
    let there = there.quantization_config.as_ref().or(config.quantization_config.as_ref());
    let (wanted, there) = (packed(Some(&wanted)), packed(there));
    if wanted == there {
        return Ok(());
    }
    Err(refused(&parameter(field, "quantization"), wanted, there, LEAVE_IT_OUT))
}

/// The kind of a quantization with its size, which the kinds of definitions say; what else is tuned is the server's.
fn packed(config: Option<&QuantizationConfig>) -> String {
    match config.and_then(|config| config.quantization.as_ref()) {
        None => "none".to_owned(),
        Some(Packed::Scalar(_)) => "scalar".to_owned(),
        Some(Packed::Binary(_)) => "binary".to_owned(),
        Some(Packed::Product(product)) => {
            format!("product of compression {}", product.compression().as_str_name())
        }
        Some(_) => "one that definitions do not know".to_owned(),
    }
}

/// Servers since 1.19 say it in another place than those before, which holds where both do.
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
