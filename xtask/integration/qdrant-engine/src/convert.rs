//! Converts gRPC messages to the engine's types, which deserialize from the JSON of the REST
//! interface.

use std::collections::HashMap;

use qdrant_client::qdrant::{
    self, Condition, CreateCollection, DenseVector, FieldCondition, Filter, Modifier,
    NamedVectorsOutput, PointId, PointStruct, Value, VectorOutput, VectorsOutput,
    WithPayloadSelector, WithVectorsSelector, condition::ConditionOneOf, r#match::MatchValue,
    point_id::PointIdOptions, vector_output, vectors_config, vectors_output, with_payload_selector,
    with_vectors_selector,
};
use qdrant_edge::{EdgeConfig, VectorInternal, VectorStructInternal};
use serde_json::{Map, Value as Json, json};
use tonic::Status;

pub(crate) fn read<T: serde::de::DeserializeOwned>(json: Json) -> Result<T, Status> {
    serde_json::from_value(json).map_err(|error| Status::invalid_argument(error.to_string()))
}

fn unsupported(what: &str) -> Status {
    Status::unimplemented(format!("{what} is not among what the tests need"))
}

pub(crate) fn config(created: &CreateCollection) -> Result<EdgeConfig, Status> {
    let mut vectors = Map::new();
    match created.vectors_config.as_ref().and_then(|config| config.config.as_ref()) {
        Some(vectors_config::Config::ParamsMap(params)) => {
            for (name, params) in &params.map {
                // The engine has the same names.
                let distance = params.distance().as_str_name();
                vectors.insert(name.clone(), json!({ "size": params.size, "distance": distance }));
            }
        }
        Some(vectors_config::Config::Params(params)) => {
            let distance = params.distance().as_str_name();
            vectors.insert(String::new(), json!({ "size": params.size, "distance": distance }));
        }
        None => {}
    }
    let sparse = created.sparse_vectors_config.iter().flat_map(|config| &config.map);
    let sparse: Map<String, Json> = sparse
        .map(|(name, params)| {
            let modifier = (params.modifier() == Modifier::Idf).then_some("idf");
            (name.clone(), json!({ "modifier": modifier }))
        })
        .collect();
    read(json!({ "vectors": vectors, "sparse_vectors": sparse }))
}

pub(crate) fn id_json(id: &PointId) -> Result<Json, Status> {
    match &id.point_id_options {
        Some(PointIdOptions::Num(number)) => Ok(json!(number)),
        Some(PointIdOptions::Uuid(uuid)) => Ok(json!(uuid)),
        None => Err(Status::invalid_argument("a point has no identifier")),
    }
}

pub(crate) fn id(id: &PointId) -> Result<qdrant_edge::PointId, Status> {
    read(id_json(id)?)
}

pub(crate) fn ids(ids: &[PointId]) -> Result<Vec<qdrant_edge::PointId>, Status> {
    ids.iter().map(id).collect()
}

pub(crate) fn id_message(id: qdrant_edge::PointId) -> PointId {
    match id {
        qdrant_edge::PointId::NumId(number) => number.into(),
        qdrant_edge::PointId::Uuid(uuid) => uuid.to_string().into(),
    }
}

pub(crate) fn point(point: PointStruct) -> Result<qdrant_edge::PointStruct, Status> {
    let id = id(&point.id.unwrap_or_default())?;
    let named = match point.vectors.and_then(|vectors| vectors.vectors_options) {
        Some(qdrant::vectors::VectorsOptions::Vectors(named)) => named.vectors,
        Some(qdrant::vectors::VectorsOptions::Vector(unnamed)) => {
            HashMap::from([(String::new(), unnamed)])
        }
        None => HashMap::new(),
    };
    let vectors = named.into_iter().map(|(name, vector)| Ok((name, vector_of(vector)?)));
    let vectors = vectors.collect::<Result<HashMap<_, _>, Status>>()?;
    let vectors = qdrant_edge::Vectors(VectorStructInternal::Named(vectors));
    Ok(qdrant_edge::PointStruct::new(id, vectors, payload(point.payload)?))
}

#[allow(deprecated)]
fn vector_of(vector: qdrant::Vector) -> Result<VectorInternal, Status> {
    match vector.vector {
        Some(qdrant::vector::Vector::Dense(dense)) => Ok(VectorInternal::Dense(dense.data)),
        Some(qdrant::vector::Vector::Sparse(sparse)) => self::sparse(sparse.indices, sparse.values),
        None => match vector.indices {
            Some(indices) => self::sparse(indices.data, vector.data),
            None => Ok(VectorInternal::Dense(vector.data)),
        },
        _ => Err(unsupported("a vector of this kind")),
    }
}

pub(crate) fn sparse(indices: Vec<u32>, values: Vec<f32>) -> Result<VectorInternal, Status> {
    let sparse = qdrant_edge::SparseVector::new(indices, values);
    sparse.map(VectorInternal::Sparse).map_err(|error| Status::invalid_argument(error.to_string()))
}

fn payload(payload: HashMap<String, Value>) -> Result<Json, Status> {
    serde_json::to_value(payload).map_err(|error| Status::invalid_argument(error.to_string()))
}

pub(crate) fn payload_message(payload: Option<qdrant_edge::Payload>) -> HashMap<String, Value> {
    let fields = payload.into_iter().flat_map(|payload| payload.0);
    fields.map(|(name, value)| (name, value.into())).collect()
}

pub(crate) fn vectors_message(vectors: Option<VectorStructInternal>) -> Option<VectorsOutput> {
    let named = match vectors? {
        VectorStructInternal::Named(named) => named,
        VectorStructInternal::Single(data) => return Some(unnamed(data)),
        _ => return None,
    };
    let dense = named.into_iter().filter_map(|(name, vector)| match vector {
        VectorInternal::Dense(data) => {
            let vector = Some(vector_output::Vector::Dense(DenseVector { data }));
            Some((name.to_string(), VectorOutput { vector, ..VectorOutput::default() }))
        }
        _ => None,
    });
    let named = NamedVectorsOutput { vectors: dense.collect() };
    Some(VectorsOutput { vectors_options: Some(vectors_output::VectorsOptions::Vectors(named)) })
}

/// As the real interface returns the vector of a collection whose only vector has no name.
fn unnamed(data: Vec<f32>) -> VectorsOutput {
    let vector = Some(vector_output::Vector::Dense(DenseVector { data }));
    let vector = VectorOutput { vector, ..VectorOutput::default() };
    VectorsOutput { vectors_options: Some(vectors_output::VectorsOptions::Vector(vector)) }
}

/// None by default, as in the real interface, which rejects an empty selector.
pub(crate) fn with_payload(selector: Option<WithPayloadSelector>) -> Result<Json, Status> {
    use with_payload_selector::SelectorOptions;

    let Some(selector) = selector else { return Ok(json!(false)) };
    Ok(match selector.selector_options {
        None => return Err(Status::invalid_argument("No PayloadSelector")),
        Some(SelectorOptions::Enable(wanted)) => json!(wanted),
        Some(SelectorOptions::Include(fields)) => json!(fields.fields),
        Some(SelectorOptions::Exclude(_)) => return Err(unsupported("leaving fields out")),
    })
}

pub(crate) fn with_vectors(selector: Option<WithVectorsSelector>) -> Json {
    use with_vectors_selector::SelectorOptions;

    match selector.and_then(|selector| selector.selector_options) {
        None => json!(false),
        Some(SelectorOptions::Enable(wanted)) => json!(wanted),
        Some(SelectorOptions::Include(names)) => json!(names.names),
    }
}

pub(crate) fn filter(filter: Option<Filter>) -> Result<Option<qdrant_edge::Filter>, Status> {
    filter.map(|filter| read(filter_json(filter)?)).transpose()
}

pub(crate) fn filter_json(filter: Filter) -> Result<Json, Status> {
    if filter.min_should.is_some() {
        return Err(unsupported("min_should"));
    }
    let mut json = Map::new();
    let parts = [("must", filter.must), ("should", filter.should), ("must_not", filter.must_not)];
    for (name, conditions) in parts {
        if !conditions.is_empty() {
            let conditions = conditions.into_iter().map(condition).collect::<Result<Json, _>>()?;
            json.insert(name.to_owned(), conditions);
        }
    }
    Ok(json.into())
}

fn condition(condition: Condition) -> Result<Json, Status> {
    Ok(match condition.condition_one_of {
        Some(ConditionOneOf::Field(condition)) => field(condition)?,
        Some(ConditionOneOf::IsEmpty(condition)) => json!({ "is_empty": { "key": condition.key } }),
        Some(ConditionOneOf::IsNull(condition)) => json!({ "is_null": { "key": condition.key } }),
        Some(ConditionOneOf::HasId(condition)) => {
            let ids = condition.has_id.iter().map(id_json).collect::<Result<Json, _>>()?;
            json!({ "has_id": ids })
        }
        Some(ConditionOneOf::HasVector(condition)) => json!({ "has_vector": condition.has_vector }),
        Some(ConditionOneOf::Filter(filter)) => filter_json(filter)?,
        _ => return Err(unsupported("a condition of this kind")),
    })
}

fn field(condition: FieldCondition) -> Result<Json, Status> {
    let mut json = Map::from_iter([("key".to_owned(), condition.key.into())]);
    if let Some(wanted) = condition.r#match.and_then(|wanted| wanted.match_value) {
        let wanted = match wanted {
            MatchValue::Keyword(text) => json!({ "value": text }),
            MatchValue::Integer(number) => json!({ "value": number }),
            MatchValue::Boolean(value) => json!({ "value": value }),
            MatchValue::Keywords(texts) => json!({ "any": texts.strings }),
            MatchValue::Integers(numbers) => json!({ "any": numbers.integers }),
            MatchValue::Text(text) => json!({ "text": text }),
            _ => return Err(unsupported("a match of this kind")),
        };
        json.insert("match".to_owned(), wanted);
    }
    if let Some(range) = condition.range {
        let bounds = [("lt", range.lt), ("gt", range.gt), ("gte", range.gte), ("lte", range.lte)];
        let bounds =
            bounds.into_iter().filter_map(|(name, bound)| Some((name.to_owned(), bound?.into())));
        json.insert("range".to_owned(), bounds.collect::<Map<String, Json>>().into());
    }
    if let Some(range) = condition.datetime_range {
        let bounds = [("lt", range.lt), ("gt", range.gt), ("gte", range.gte), ("lte", range.lte)];
        let mut texts = Map::new();
        for (name, bound) in bounds {
            let Some(bound) = bound else { continue };
            let date = u32::try_from(bound.nanos)
                .ok()
                .and_then(|nanos| chrono::DateTime::from_timestamp(bound.seconds, nanos))
                .ok_or_else(|| Status::invalid_argument("a date is out of range"))?;
            texts.insert(name.to_owned(), date.to_rfc3339().into());
        }
        json.insert("range".to_owned(), texts.into());
    }
    if json.len() == 1 {
        return Err(unsupported("a condition on a field of this kind"));
    }
    Ok(json.into())
}
