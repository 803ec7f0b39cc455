//! The [definition](https://learn.microsoft.com/rest/api/searchservice/indexes/create-or-update) of
//! an index.

use serde_json::{Map, Value, json};
use textsearch_core::vector::{DataField, IndexKind, RecordDefinition, VectorField};

use crate::{
    analyzer::{PLAIN, analyzer},
    columns::{Edm, columns},
    definition::{explicit_parameters, metric},
    handle::data_field,
};

const PROFILE: &str = "textsearch";

/// Returns the index that holds such records.
pub(crate) fn index(name: &str, definition: &RecordDefinition, semantic: Option<&str>) -> Value {
    let mut fields = vec![key(definition), data(definition)];
    fields.extend(columns(definition).map(|(field, edm)| column(field, edm)));
    fields.extend(definition.vectors.iter().map(vector));
    let weights = weights(definition);
    let profile =
        |weights: &Map<String, Value>| json!([{ "name": PROFILE, "text": { "weights": weights } }]);
    let vectors = Some(definition).filter(|definition| !definition.vectors.is_empty());
    object([
        ("name", Some(json!(name))),
        ("fields", Some(json!(fields))),
        ("vectorSearch", vectors.map(vector_search)),
        ("scoringProfiles", weights.as_ref().map(profile)),
        ("defaultScoringProfile", weights.as_ref().map(|_| json!(PROFILE))),
        ("semantic", semantic.and_then(|name| semantic_search(name, definition))),
    ])
}

/// Leaves out the properties without a value.
fn object<const N: usize>(properties: [(&str, Option<Value>); N]) -> Value {
    let entries =
        properties.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(entries.collect())
}

fn key(definition: &RecordDefinition) -> Value {
    json!({
        "name": definition.key.name, "type": "Edm.String", "key": true, "searchable": false,
        "filterable": true, "sortable": true, "facetable": false, "retrievable": true,
    })
}

fn data(definition: &RecordDefinition) -> Value {
    json!({
        "name": data_field(definition.key.kind), "type": "Edm.String", "searchable": false,
        "filterable": false, "sortable": false, "facetable": false, "retrievable": true,
    })
}

/// Any text is searchable unless the field says otherwise.
fn column(field: &DataField, edm: Edm) -> Value {
    let is_text = matches!(edm, Edm::String | Edm::Strings);
    object([
        ("name", Some(json!(field.name))),
        ("type", Some(json!(edm.name()))),
        ("searchable", is_text.then(|| json!(field.full_text.is_some()))),
        ("analyzer", field_analyzer(field).map(Value::from)),
        ("filterable", Some(json!(field.filterable))),
        ("sortable", Some(json!(false))),
        ("facetable", Some(json!(false))),
        ("retrievable", Some(json!(true))),
    ])
}

pub(crate) fn field_analyzer(field: &DataField) -> Option<&'static str> {
    let language = field.full_text.as_ref()?.language.as_deref();
    Some(language.and_then(analyzer).unwrap_or(PLAIN))
}

fn vector(field: &VectorField) -> Value {
    json!({
        "name": field.name, "type": "Collection(Edm.Single)", "searchable": true,
        "retrievable": true, "stored": true, "dimensions": field.dimensions,
        "vectorSearchProfile": profile(field),
    })
}

/// The name says all that an existing index must have in common with a definition.
pub(crate) fn profile(field: &VectorField) -> String {
    let distance = distance(field);
    match &field.index {
        IndexKind::Hnsw(hnsw) => {
            let Some(hnsw) = explicit_parameters(hnsw) else {
                return format!("{distance}-hnsw-default");
            };
            let links = hnsw.connections;
            let build = hnsw.ef_construction;
            let search = hnsw.ef_search;
            format!("{distance}-hnsw-{links}-{build}-{search}")
        }
        _ => format!("{distance}-exact"),
    }
}

/// Such as `cosine_similarity`.
pub(crate) fn distance(field: &VectorField) -> String {
    let name = serde_json::to_value(field.distance).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}

fn vector_search(definition: &RecordDefinition) -> Value {
    let mut algorithms = Map::new();
    for field in &definition.vectors {
        let name = profile(field);
        let metric = metric(field.distance);
        let algorithm = match &field.index {
            IndexKind::Hnsw(hnsw) => {
                let parameters = match explicit_parameters(hnsw) {
                    Some(hnsw) => json!({
                        "m": hnsw.connections, "efConstruction": hnsw.ef_construction,
                        "efSearch": hnsw.ef_search, "metric": metric,
                    }),
                    None => json!({ "metric": metric }),
                };
                json!({ "name": name, "kind": "hnsw", "hnswParameters": parameters })
            }
            _ => json!({
                "name": name, "kind": "exhaustiveKnn",
                "exhaustiveKnnParameters": { "metric": metric },
            }),
        };
        algorithms.insert(name, algorithm);
    }
    let profiles = algorithms.keys().map(|name| json!({ "name": name, "algorithm": name }));
    let profiles: Vec<Value> = profiles.collect();
    let algorithms: Vec<Value> = algorithms.into_iter().map(|(_, algorithm)| algorithm).collect();
    json!({ "algorithms": algorithms, "profiles": profiles })
}

/// `None` if all fields count alike.
fn weights(definition: &RecordDefinition) -> Option<Map<String, Value>> {
    let weight = |field: &DataField| field.full_text.as_ref()?.weight;
    let fields = || definition.full_text_fields();
    fields().any(|field| weight(field).is_some()).then(|| {
        fields().map(|field| (field.name.clone(), json!(weight(field).unwrap_or(1.0)))).collect()
    })
}

/// `None` if the ranker would have nothing to read.
fn semantic_search(name: &str, definition: &RecordDefinition) -> Option<Value> {
    let is_title = |field: &&DataField| Some(&field.name) == definition.name_field.as_ref();
    let named = |field: &DataField| json!({ "fieldName": field.name });
    let title = definition.full_text_fields().find(is_title).map(named);
    let content = definition.full_text_fields().filter(|field| !is_title(field)).map(named);
    let content: Vec<Value> = content.collect();
    if title.is_none() && content.is_empty() {
        return None;
    }
    let fields =
        object([("titleField", title), ("prioritizedContentFields", Some(json!(content)))]);
    Some(json!({ "configurations": [{ "name": name, "prioritizedFields": fields }] }))
}
