//! Vectors that a table can hold, and indexes that pgvector can build.

use textsearch_core::{
    Result,
    serde::{Deserialize, Serialize},
    vector::{Distance, HnswParameters, IndexKind, RecordDefinition, VectorField},
};

use super::{Index, VectorColumn, stored_type};
use crate::{
    IvfFlatParameters, PgVectorTable, VectorType,
    error::refused,
    version::{Version, WITH_TYPES},
};

const MAX_LISTS: u32 = 32_768;

/// A vector's column as it exists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(crate = "textsearch_core::serde")]
pub(crate) struct Built {
    pub(crate) kind: VectorType,
    pub(crate) index: Index,
}

/// Checks that pgvector has these types and indexes.
///
/// # Errors
/// Returns `InvalidOptions`, which names the field.
pub(crate) fn check(
    definition: &RecordDefinition,
    settings: &PgVectorTable,
    version: Version,
) -> Result<()> {
    for name in settings.vector_types.keys().chain(settings.ivf_flat.keys()) {
        if !definition.vectors.iter().any(|field| field.name == *name) {
            let allowed = "settings for vector fields of the definition";
            return Err(refused("tables", format_args!("set for the field `{name}`"), allowed));
        }
    }
    definition.vectors.iter().try_for_each(|field| {
        let is_hnsw = !matches!(field.index, IndexKind::Exact);
        if is_hnsw && settings.ivf_flat.contains_key(&field.name) {
            let allowed = "one of the two indexes";
            return Err(refused(&field.name, "indexed by IVFFlat and by the definition", allowed));
        }
        check_field(field, &VectorColumn::new(field, settings), version)
    })
}

fn check_field(field: &VectorField, column: &VectorColumn, version: Version) -> Result<()> {
    let name = field.name.as_str();
    if column.kind != VectorType::Single {
        version.check(WITH_TYPES, name, &format!("of the type {:?}", column.kind))?;
    }
    let is_of_bits = matches!(field.distance, Distance::Hamming | Distance::Jaccard);
    if is_of_bits != (column.kind == VectorType::Bit) {
        let value = format!("{:?}, compared by {:?}", column.kind, field.distance);
        return Err(refused(name, value, "VectorType::Bit with Hamming or Jaccard, or neither"));
    }
    let max = max_dimensions(column);
    if field.dimensions > max {
        let allowed = format!("at most {max} with this type and index");
        return Err(refused(name, format_args!("{} dimensions", field.dimensions), &allowed));
    }
    match &column.index {
        Index::None => match (&field.index, column.kind) {
            (IndexKind::Exact, VectorType::HalfIndex) => {
                Err(refused(name, "HalfIndex without an index", "an HNSW or IVFFlat index"))
            }
            (IndexKind::Exact, _) => Ok(()),
            (other, _) => Err(refused(name, format_args!("{other:?}"), "exact or HNSW")),
        },
        Index::Hnsw(_) if field.distance == Distance::Manhattan && version < WITH_TYPES => {
            version.check(WITH_TYPES, name, "an HNSW index by Manhattan")
        }
        Index::Hnsw(parameters) => check_hnsw(name, parameters),
        Index::IvfFlat(_) if matches!(field.distance, Distance::Manhattan | Distance::Jaccard) => {
            let allowed = "an HNSW index, an exact one, or another distance";
            let value = format_args!("an IVFFlat index by {:?}", field.distance);
            Err(refused(name, value, allowed))
        }
        Index::IvfFlat(parameters) => check_ivf_flat(name, *parameters),
    }
}

fn max_dimensions(column: &VectorColumn) -> usize {
    match (column.kind, &column.index) {
        (VectorType::Bit, _) => 64_000,
        (_, Index::None) => 16_000,
        (VectorType::Single, _) => 2_000,
        _ => 4_000,
    }
}

fn check_hnsw(name: &str, parameters: &HnswParameters) -> Result<()> {
    let connections = parameters.connections;
    let candidates = parameters.ef_construction;
    let is_accepted = (2..=100).contains(&connections)
        && (4..=1_000).contains(&candidates)
        && candidates >= 2 * connections;
    if !is_accepted {
        let allowed = "2 to 100 connections, and an ef_construction of 4 to 1000 that is at least \
                       twice the connections";
        return Err(refused(name, format_args!("{parameters:?}"), allowed));
    }
    check_ef_search(parameters.ef_search)
}

pub(crate) fn check_ef_search(candidates: u32) -> Result<()> {
    if (1..=1_000).contains(&candidates) {
        return Ok(());
    }
    Err(refused("ef_search", candidates, "1 to 1000"))
}

fn check_ivf_flat(name: &str, parameters: IvfFlatParameters) -> Result<()> {
    let IvfFlatParameters { lists, probes } = parameters;
    if (1..=MAX_LISTS).contains(&lists) && (1..=lists).contains(&probes) {
        return Ok(());
    }
    let allowed = format!("1 to {MAX_LISTS} lists, and no more probes than lists");
    Err(refused(name, format_args!("{parameters:?}"), &allowed))
}

impl Built {
    /// An exact search needs no index, and a missing one can be built.
    ///
    /// # Errors
    /// Returns `InvalidOptions`, which names the field, for another type or index.
    pub(crate) fn on(self, old: &Self, name: &str) -> Result<Self> {
        let can_change = old.index == Index::None || self.index == Index::None;
        let is_same = match (&self.index, &old.index) {
            (Index::Hnsw(new), Index::Hnsw(old)) => {
                (new.connections, new.ef_construction) == (old.connections, old.ef_construction)
            }
            (Index::IvfFlat(new), Index::IvfFlat(old)) => new.lists == old.lists,
            _ => false,
        };
        if stored_type(self.kind) != stored_type(old.kind)
            || !(can_change || is_same && self.kind == old.kind)
        {
            let allowed = format!("{old}, as the table has; or another collection");
            return Err(refused(name, &self, &allowed));
        }
        Ok(if self.index == Index::None { old.clone() } else { self })
    }
}

impl std::fmt::Display for Built {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.index {
            Index::None => write!(formatter, "{:?} without an index", self.kind),
            Index::Hnsw(index) => write!(formatter, "{:?} with {index:?}", self.kind),
            Index::IvfFlat(index) => write!(formatter, "{:?} with {index:?}", self.kind),
        }
    }
}
