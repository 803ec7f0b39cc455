//! Describes an existing collection, which another program may have created.

use std::collections::HashMap;

use qdrant_client::qdrant::{
    CollectionConfig, CollectionInfo, Distance as ServerDistance, PointId, VectorParams,
    point_id::PointIdOptions,
};
use serde_json::json;
use textsearch_core::{
    serde::de::DeserializeOwned,
    text_analysis::Analyzer,
    vector::{
        DataField, DataKind, Distance, FullText, HnswParameters, IndexKind, KeyField, KeyKind,
        RecordDefinition, VectorField,
    },
};

use super::{
    ANALYZER, DISTANCES, FILTERABLE, FULL_TEXT, LANGUAGE, MEAN_LENGTH, UNORDERED, WEIGHT,
    existing::{known, object, part, vectors},
    parameters::Graph,
};
use crate::{conversion::Json, path};

/// The key of points that other programs wrote.
const KEY: &str = "id";

/// `first` is the identifier of any point.
pub(crate) fn described(info: CollectionInfo, first: Option<PointId>) -> RecordDefinition {
    let mut config = info.config.unwrap_or_default();
    let vectors = vectors(config.params.as_mut().and_then(|params| params.vectors_config.take()));
    let ours = known(&config.metadata).unwrap_or_default();
    let mut definition = RecordDefinition::new(KEY);
    match from_json::<KeyField>(part(&ours, "key")) {
        Some(key) => definition.key = key,
        None => definition.key.kind = kind_of(first),
    }
    definition.data = data(&object(&ours, FULL_TEXT), &object(&ours, FILTERABLE));
    definition.vectors = vector_fields(vectors, &config, &object(&ours, DISTANCES));
    definition
}

/// An empty collection may have keys of either kind.
fn kind_of(id: Option<PointId>) -> KeyKind {
    match id.and_then(|id| id.point_id_options) {
        Some(PointIdOptions::Num(_)) => KeyKind::Integer,
        _ => KeyKind::Uuid,
    }
}

fn data(full_text: &Json, filterable: &Json) -> Vec<DataField> {
    let is_readable = |read: &serde_json::Value| part(read, ANALYZER) == json!(Analyzer::VERSION);
    let mut fields: Vec<DataField> = Vec::new();
    for (name, kind) in filterable {
        let text = kind.as_str().unwrap_or_default();
        let (kind, is_unordered) = match text.strip_suffix(UNORDERED) {
            Some(kind) => (kind, true),
            None => (text, false),
        };
        let kind = from_json(kind.into()).unwrap_or(DataKind::Json);
        let field = DataField::new(name, kind).filterable();
        fields.push(if is_unordered { field.without_text_order() } else { field });
    }
    for (name, read) in full_text.iter().filter(|(_, read)| is_readable(read)) {
        let place = fields.iter().position(|field| field.name == *name);
        let place = place.unwrap_or_else(|| {
            fields.push(DataField::string(name));
            fields.len() - 1
        });
        if let Some(field) = fields.get_mut(place) {
            field.full_text = Some(full_text_of(read));
        }
    }
    fields
}

fn full_text_of(read: &serde_json::Value) -> FullText {
    let mut full_text = FullText::default();
    full_text.language = from_json(part(read, LANGUAGE));
    full_text.mean_length = from_json(part(read, MEAN_LENGTH));
    full_text.weight = from_json(part(read, WEIGHT));
    full_text
}

fn vector_fields(
    vectors: HashMap<String, VectorParams>,
    config: &CollectionConfig,
    distances: &Json,
) -> Vec<VectorField> {
    // A search compares one vector with one, not with several.
    let single = vectors.into_iter().filter(|(_, params)| params.multivector_config.is_none());
    let mut fields: Vec<VectorField> = single
        .map(|(name, params)| {
            let distance = distances.get(&name).cloned().and_then(from_json);
            let name = if name.is_empty() { path::UNNAMED_VECTOR } else { &name };
            let dimensions = usize::try_from(params.size).unwrap_or(usize::MAX);
            VectorField::new(name, dimensions)
                .with_distance(distance.unwrap_or_else(|| distance_of(params.distance())))
                .with_index(index_of(&Graph::new(&params, config)))
        })
        .collect();
    fields.sort_by(|left, right| left.name.cmp(&right.name));
    fields
}

fn distance_of(distance: ServerDistance) -> Distance {
    match distance {
        ServerDistance::Dot => Distance::DotProduct,
        ServerDistance::Euclid => Distance::Euclidean,
        ServerDistance::Manhattan => Distance::Manhattan,
        ServerDistance::Cosine | ServerDistance::UnknownDistance => Distance::CosineSimilarity,
    }
}

fn index_of(graph: &Graph) -> IndexKind {
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    match graph.connections {
        0 => IndexKind::Exact,
        connections => HnswParameters {
            connections: number(connections),
            ef_construction: number(graph.candidates),
            ..HnswParameters::default()
        }
        .into(),
    }
}

fn from_json<T: DeserializeOwned>(json: serde_json::Value) -> Option<T> {
    serde_json::from_value(json).ok()
}
