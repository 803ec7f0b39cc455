//! Creates collections from definitions, and checks whether an existing one matches.

mod described;
mod existing;
mod parameters;
mod readable;

use std::collections::HashMap;

use qdrant_client::qdrant::{
    BinaryQuantization, CreateCollection, CreateFieldIndexCollection, Distance as ServerDistance,
    FieldType, HnswConfigDiff, Modifier, ProductQuantization, QuantizationConfig, QuantizationType,
    ScalarQuantization, SparseVectorConfig, SparseVectorParams, StrictModeConfig, UpdateCollection,
    Value, VectorParams, VectorParamsMap, VectorsConfig, quantization_config, vectors_config,
};
use serde_json::json;
use textsearch_core::{
    Error, ErrorKind, Result,
    text_analysis::Analyzer,
    vector::{DataKind, Distance, IndexKind, KeyKind, Quantization, RecordDefinition, VectorField},
};

pub(crate) use self::{described::described, existing::check_existing, readable::Readable};
use crate::{CONNECTOR, path};

const METADATA: &str = "textsearch";

const LANGUAGE: &str = "language";
const MEAN_LENGTH: &str = "mean_length";
const WEIGHT: &str = "weight";
const ANALYZER: &str = "analyzer";

const FULL_TEXT: &str = "full_text";
const DISTANCES: &str = "distances";
const FILTERABLE: &str = "filterable";

/// Marks a field whose texts have no order.
const UNORDERED: &str = " without text order";

const PRODUCT_COMPRESSION: i32 = qdrant_client::qdrant::CompressionRatio::X16 as i32;

/// Checks the server's limits that are stricter than the core's.
pub(crate) fn check_definition(collection: &str, definition: &RecordDefinition) -> Result<()> {
    if collection.is_empty() || collection.contains('/') || collection.len() > 255 {
        let allowed = "a name of 1 to 255 bytes without slashes";
        return Err(Error::invalid_options(
            CONNECTOR,
            "name",
            format_args!("`{collection}`"),
            allowed,
        ));
    }
    definition.validate(CONNECTOR)?;
    let data = definition.data.iter().map(|field| field.name.as_str());
    let vectors = definition.vectors.iter().map(|field| field.name.as_str());
    let mut names = std::iter::once(definition.key.name.as_str()).chain(data).chain(vectors);
    if let Some((name, allowed)) = names.find_map(|name| Some((name, path::fault(name)?))) {
        let value = format_args!("naming a field `{name}`");
        return Err(Error::invalid_options(CONNECTOR, "definition", value, allowed));
    }
    definition.vectors.iter().try_for_each(|field| server_distance(field).map(drop))
}

pub(crate) fn server_distance(field: &VectorField) -> Result<ServerDistance> {
    match field.distance {
        Distance::CosineSimilarity | Distance::CosineDistance => Ok(ServerDistance::Cosine),
        Distance::DotProduct | Distance::NegativeDotProduct => Ok(ServerDistance::Dot),
        Distance::Euclidean | Distance::EuclideanSquared => Ok(ServerDistance::Euclid),
        Distance::Manhattan => Ok(ServerDistance::Manhattan),
        other => {
            let option = format!("{}.distance", field.name);
            let allowed = "a distance that Qdrant has: cosine, dot product, euclidean or manhattan";
            Err(Error::invalid_options(CONNECTOR, option, format_args!("{other:?}"), allowed))
        }
    }
}

/// Converts a score from the server to the scale of the field's distance.
pub(crate) fn score(distance: Distance, score: f32) -> f64 {
    let score = f64::from(score);
    match distance {
        Distance::CosineDistance => 1.0 - score,
        Distance::NegativeDotProduct => -score,
        Distance::EuclideanSquared => score * score,
        _ => score,
    }
}

pub(crate) fn create(name: &str, definition: &RecordDefinition) -> Result<CreateCollection> {
    if definition.vectors.iter().any(|field| field.name == path::UNNAMED_VECTOR) {
        let allowed = "a vector with a name, or a collection that exists";
        return Err(Error::invalid_options(CONNECTOR, "definition", "without a name", allowed));
    }
    let vectors = definition.vectors.iter().map(|field| Ok((field.name.clone(), params(field)?)));
    let map = vectors.collect::<Result<HashMap<_, _>>>()?;
    let vectors_config = vectors_config::Config::ParamsMap(VectorParamsMap { map });
    let distribution = definition.distribution;
    Ok(CreateCollection {
        collection_name: name.to_owned(),
        vectors_config: Some(VectorsConfig { config: Some(vectors_config) }),
        sparse_vectors_config: has_terms(definition).then(terms_config),
        shard_number: distribution.shards,
        replication_factor: distribution.replication_factor,
        write_consistency_factor: distribution.write_consistency_factor,
        strict_mode_config: Some(strict_mode()),
        metadata: metadata(definition),
        ..CreateCollection::default()
    })
}

/// Allows filters on unindexed fields, whatever the server's default, because not all columns have
/// an index.
fn strict_mode() -> StrictModeConfig {
    StrictModeConfig {
        unindexed_filtering_retrieve: Some(true),
        unindexed_filtering_update: Some(true),
        ..StrictModeConfig::default()
    }
}

fn has_terms(definition: &RecordDefinition) -> bool {
    definition.full_text_fields().next().is_some()
}

fn terms_config() -> SparseVectorConfig {
    let params = SparseVectorParams { modifier: Some(Modifier::Idf.into()), index: None };
    SparseVectorConfig { map: HashMap::from([(path::TERMS.to_owned(), params)]) }
}

/// The parts of a definition that the server doesn't need, and so wouldn't check.
fn metadata(definition: &RecordDefinition) -> HashMap<String, Value> {
    // The terms and their weights in records depend on these settings.
    let texts = definition.full_text_fields().map(|field| {
        let text = field.full_text.clone().unwrap_or_default();
        let read = json!({
            LANGUAGE: text.language,
            MEAN_LENGTH: text.assumed_mean_length(),
            WEIGHT: text.weight_or_default(),
            ANALYZER: Analyzer::VERSION,
        });
        (field.name.clone(), read)
    });
    // The server can't distinguish some of the distances.
    let distances =
        definition.vectors.iter().map(|field| (field.name.clone(), json!(field.distance)));
    let texts: serde_json::Map<_, _> = texts.collect();
    let distances: serde_json::Map<_, _> = distances.collect();
    // The columns in records depend on which fields are filterable, and on their kinds.
    let filterable = definition.data.iter().filter(|field| field.filterable);
    let filterable = filterable.map(|field| {
        let kind = json!(field.kind);
        let kind = match kind.as_str().filter(|_| !field.text_order) {
            Some(kind) => json!(format!("{kind}{UNORDERED}")),
            None => kind,
        };
        (field.name.clone(), kind)
    });
    let filterable: serde_json::Map<_, _> = filterable.collect();
    let known = json!({
        "key": definition.key,
        FULL_TEXT: texts,
        DISTANCES: distances,
        FILTERABLE: filterable,
    });
    HashMap::from([(METADATA.to_owned(), known.into())])
}

pub(crate) fn update(name: &str, metadata: HashMap<String, Value>) -> UpdateCollection {
    UpdateCollection { collection_name: name.to_owned(), metadata, ..UpdateCollection::default() }
}

#[expect(deprecated, reason = "servers before 1.19 know no other way to keep vectors on disk")]
fn params(field: &VectorField) -> Result<VectorParams> {
    Ok(VectorParams {
        size: field.dimensions as u64,
        distance: server_distance(field)?.into(),
        hnsw_config: Some(hnsw(&field.index)),
        quantization_config: field.quantization.and_then(quantization),
        on_disk: field.on_disk.then_some(true),
        ..VectorParams::default()
    })
}

fn hnsw(index: &IndexKind) -> HnswConfigDiff {
    match index {
        IndexKind::Hnsw(parameters) => HnswConfigDiff {
            m: Some(parameters.connections.into()),
            ef_construct: Some(parameters.ef_construction.into()),
            ..HnswConfigDiff::default()
        },
        // Disable the graph if the definition doesn't ask for one.
        _ => HnswConfigDiff { m: Some(0), ..HnswConfigDiff::default() },
    }
}

fn quantization(quantization: Quantization) -> Option<QuantizationConfig> {
    use quantization_config::Quantization as Config;

    let quantization = match quantization {
        Quantization::Scalar => Config::Scalar(ScalarQuantization {
            r#type: QuantizationType::Int8.into(),
            ..ScalarQuantization::default()
        }),
        Quantization::Binary => Config::Binary(BinaryQuantization::default()),
        Quantization::Product => Config::Product(ProductQuantization {
            compression: PRODUCT_COMPRESSION,
            ..ProductQuantization::default()
        }),
        _ => return None,
    };
    Some(QuantizationConfig { quantization: Some(quantization) })
}

pub(crate) fn indexes(definition: &RecordDefinition) -> Vec<(String, FieldType)> {
    let filterable = definition.data.iter().filter(|field| field.filterable);
    let field_indexes = filterable.filter_map(|field| {
        let index = match path::kind(field) {
            DataKind::String | DataKind::Strings => FieldType::Keyword,
            DataKind::Integer => FieldType::Integer,
            DataKind::Number => FieldType::Float,
            DataKind::Boolean => FieldType::Bool,
            DataKind::DateTime => FieldType::Datetime,
            // Values of any kind get no index.
            _ => return None,
        };
        Some((path::native(&field.name), index))
    });
    // Key equality uses point identifiers; this index is for the order of integer keys.
    let key_index = (definition.key.kind == KeyKind::Integer)
        .then(|| (path::native(&definition.key.name), FieldType::Integer));
    field_indexes.chain(key_index).chain([(path::column_fields(), FieldType::Keyword)]).collect()
}

pub(crate) fn create_index(
    collection: &str,
    path: &str,
    index: FieldType,
) -> CreateFieldIndexCollection {
    CreateFieldIndexCollection {
        collection_name: collection.to_owned(),
        wait: Some(true),
        field_name: path.to_owned(),
        field_type: Some(index.into()),
        ..CreateFieldIndexCollection::default()
    }
}

/// Returns the error for a collection that doesn't match its definition.
fn refused(
    field: &str,
    actual: impl std::fmt::Display,
    expected: impl std::fmt::Display,
    remedy: &str,
) -> Error {
    let allowed = format!("{expected}, as in the collection that exists; {remedy}");
    let message = format!("the definition of `{field}` is {actual}; expected {allowed}");
    let option = format!("definition.{field}");
    Error::new(ErrorKind::invalid_options(option, allowed), CONNECTOR, message)
}

#[cfg(test)]
mod tests;
