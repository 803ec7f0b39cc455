//! The [data plane](https://docs.pinecone.io/reference/api/2026-07/data-plane/upsert) of an index.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{
    Answer,
    check::{Checked, Object, array, ascii, boolean, identifiers, integer, number, text},
    filter::Filter,
    namespaces,
    server::Server,
    state::{Change, Index, Sparse, Vector},
};

pub(super) const DEFAULT: &str = "__default__";

/// Limits of [operations](https://docs.pinecone.io/reference/api/database-limits/operation-limits).
const UPSERT_BYTES: usize = 2_000_000;
const RESULT_BYTES: usize = 4_000_000;
const METADATA_BYTES: usize = 40 * 1024;
const SPARSE_VALUES: usize = 2_048;

/// Not documented; servers of HTTP usually accept no longer ones.
const URL_BYTES: usize = 8_192;

pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a [&'a str],
    pub(crate) query: &'a [(String, String)],
    pub(crate) url_bytes: usize,
    pub(crate) body_bytes: usize,
    pub(crate) body: Option<Value>,
}

/// A refusal: a gRPC code with its status, and a message.
pub(super) struct Refusal(pub(super) u16, pub(super) u8, pub(super) String);

impl From<String> for Refusal {
    fn from(fault: String) -> Self {
        Self(400, 3, fault)
    }
}

pub(super) type Outcome = Result<Value, Refusal>;

pub(crate) fn answer(server: &Server, index: &str, request: &Request<'_>) -> Answer {
    let mut indexes = server.indexes();
    let live = indexes.get_mut(index).filter(|index| index.gone_at.is_none());
    let outcome = match live {
        Some(index) if index.is_ready() => serve(server, index, request),
        Some(_) => Err(Refusal(503, 14, "the index is not ready".to_owned())),
        None => Err(Refusal(404, 5, "the index is gone".to_owned())),
    };
    match outcome {
        Ok(body) => Answer::json(200, body),
        Err(Refusal(status, code, message)) => {
            Answer::json(status, json!({ "code": code, "message": message, "details": [] }))
        }
    }
}

fn serve(server: &Server, index: &mut Index, request: &Request<'_>) -> Outcome {
    if request.url_bytes > URL_BYTES {
        return Err(Refusal(414, 3, "the URL is too long".to_owned()));
    }
    match (request.method, request.path, &request.body) {
        ("POST", ["vectors", "upsert"], Some(body)) => {
            if request.body_bytes > UPSERT_BYTES {
                return Err("the request exceeds 2 MB".to_owned().into());
            }
            upsert(index, body, server.behavior.visible_after)
        }
        ("POST", ["vectors", "delete"], Some(body)) => {
            delete(index, body, server.behavior.visible_after)
        }
        ("POST", ["vectors", "fetch_by_metadata"], Some(body)) => {
            fetch_by_metadata(index, body, server.behavior.unequal_if_missing)
        }
        ("POST", ["query"], Some(body)) => query(index, body, server.behavior.unequal_if_missing),
        ("GET", ["vectors", "fetch"], None) => fetch(index, request.query),
        ("GET", ["vectors", "list"], None) => list(index, request.query),
        ("GET", ["namespaces"], None) => namespaces::list(index, request.query),
        ("POST", ["namespaces"], Some(body)) => namespaces::create(index, body),
        ("GET", ["namespaces", name], None) => namespaces::describe(index, name),
        ("DELETE", ["namespaces", name], None) => namespaces::delete(index, name),
        _ => Err("no such operation".to_owned().into()),
    }
}

fn named(value: Option<&Value>) -> Checked<String> {
    match value {
        Some(name) => ascii(text(name)?),
        None => Ok(DEFAULT.to_owned()),
    }
}

fn upsert(index: &mut Index, body: &Value, visible_after: Duration) -> Outcome {
    let mut request = Object::new("the upsert", body)?;
    let vectors = array(request.required("vectors")?, 1, 1_000)?;
    let namespace = named(request.optional("namespace"))?;
    request.finish()?;
    let vectors = vectors.iter().map(|vector| read_vector(vector, index));
    let vectors: Vec<Vector> = vectors.collect::<Checked<_>>()?;
    let count = vectors.len();
    let namespace = index.namespaces.entry(namespace).or_default();
    vectors.into_iter().for_each(|vector| namespace.write(Change::Put(vector), visible_after));
    Ok(json!({ "upsertedCount": count }))
}

fn read_vector(value: &Value, index: &Index) -> Checked<Vector> {
    let mut vector = Object::new("a vector", value)?;
    let id = ascii(text(vector.required("id")?)?)?;
    let values = read_values(vector.required("values")?, index.dimension)?;
    if values.iter().all(|element| element.abs() < 1e-8) {
        return Err(format!("the vector `{id}` contains only zeros"));
    }
    let sparse = read_sparse(vector.optional("sparseValues"), index)?;
    let metadata = vector.optional("metadata").map_or(Ok(Map::new()), read_metadata)?;
    vector.finish()?;
    Ok(Vector { id, values, sparse, metadata })
}

fn read_values(value: &Value, dimension: usize) -> Checked<Vec<f32>> {
    let values = array(value, 1, 20_000)?;
    if values.len() != dimension {
        return Err(format!("{} dimensions where the index has {dimension}", values.len()));
    }
    values.iter().map(element).collect()
}

fn element(value: &Value) -> Checked<f32> {
    let element = number(value)? as f32;
    if element.is_finite() { Ok(element) } else { Err(format!("{value} is too large")) }
}

/// Only an index by `dotproduct` can be queried by [sparse
/// values](https://docs.pinecone.io/reference/api/known-limitations), so it is no use to write them
/// to others.
fn read_sparse(value: Option<&Value>, index: &Index) -> Checked<Sparse> {
    let Some(value) = value else { return Ok(Sparse::new()) };
    if index.metric != "dotproduct" {
        return Err("Index configuration does not support sparse values".to_owned());
    }
    let mut object = Object::new("the sparse values", value)?;
    let indices = array(object.required("indices")?, 1, SPARSE_VALUES)?;
    let values = array(object.required("values")?, indices.len(), indices.len())?;
    object.finish()?;
    let mut sparse = Sparse::new();
    for (index, value) in indices.iter().zip(values) {
        let index = integer(index, 0, u32::MAX.into())? as u32;
        let value = element(value)?;
        if value == 0.0 || sparse.insert(index, value).is_some() {
            return Err(format!("the sparse value {index} is zero or repeated"));
        }
    }
    Ok(sparse)
}

fn read_metadata(value: &Value) -> Checked<Map<String, Value>> {
    let metadata = value.as_object().ok_or_else(|| format!("metadata are no object: {value}"))?;
    if value.to_string().len() > METADATA_BYTES {
        return Err("metadata exceed 40 KB".to_owned());
    }
    for (name, value) in metadata {
        let is_value = match value {
            Value::Array(items) => items.iter().all(Value::is_string),
            value => value.is_string() || value.is_number() || value.is_boolean(),
        };
        if name.starts_with('$') || !is_value {
            return Err(format!("`{name}` is no metadata: {value}"));
        }
    }
    // Numbers are kept as floats.
    let stored = |(name, value): (&String, &Value)| {
        let value = value.as_f64().map_or_else(|| value.clone(), Value::from);
        (name.clone(), value)
    };
    Ok(metadata.iter().map(stored).collect())
}

fn delete(index: &mut Index, body: &Value, visible_after: Duration) -> Outcome {
    let mut request = Object::new("the deletion", body)?;
    let changes = match request.optional("deleteAll").map(boolean).transpose()? {
        Some(true) => vec![Change::Clear],
        _ => {
            let ids = identifiers(request.required("ids")?)?;
            ids.into_iter().map(Change::Delete).collect()
        }
    };
    let name = named(request.optional("namespace"))?;
    request.finish()?;
    let namespace = index.namespaces.get_mut(&name).ok_or_else(namespaces::missing)?;
    changes.into_iter().for_each(|change| namespace.write(change, visible_after));
    Ok(json!({}))
}

fn query(index: &mut Index, body: &Value, unequal_if_missing: bool) -> Outcome {
    let mut request = Object::new("the query", body)?;
    let vector = read_values(request.required("vector")?, index.dimension)?;
    let sparse = read_sparse(request.optional("sparseVector"), index)?;
    let max = integer(request.required("topK")?, 1, 10_000)?;
    let filter = request.optional("filter").map(Filter::read).transpose()?;
    let with_values = request.optional("includeValues").map_or(Ok(false), boolean)?;
    let with_metadata = request.optional("includeMetadata").map_or(Ok(false), boolean)?;
    let name = named(request.optional("namespace"))?;
    request.finish()?;
    let mut ranked: Vec<(f32, &Vector)> = Vec::new();
    if let Some(namespace) = index.namespaces.get_mut(&name) {
        let matches = |vector: &&Vector| {
            filter
                .as_ref()
                .is_none_or(|filter| filter.matches(&vector.metadata, unequal_if_missing))
        };
        let scored = |stored| (Vector::score(stored, &index.metric, &vector, &sparse), stored);
        ranked.extend(namespace.vectors().values().filter(matches).map(scored));
    }
    // Equal scores come in reverse order of identifiers.
    ranked.reverse();
    ranked.sort_by(|(score, _), (other, _)| match index.metric.as_str() {
        "euclidean" => score.total_cmp(other),
        _ => other.total_cmp(score),
    });
    let matches = ranked.iter().take(max).map(|(score, vector)| {
        let mut matched = vector.json(with_values, with_metadata);
        matched["score"] = json!(score);
        matched
    });
    let matches: Vec<Value> = matches.collect();
    within_limit(
        json!({ "results": [], "matches": matches, "namespace": name, "usage": { "readUnits": 5 } }),
    )
}

fn within_limit(answer: Value) -> Outcome {
    if answer.to_string().len() > RESULT_BYTES {
        return Err("the result exceeds 4 MB".to_owned().into());
    }
    Ok(answer)
}

fn fetch(index: &mut Index, query: &[(String, String)]) -> Outcome {
    let (ids, name) = parameters(query, &["ids"])?;
    if !(1..=1_000).contains(&ids.len()) {
        return Err(format!("{} identifiers", ids.len()).into());
    }
    let mut by_id = Map::new();
    for (_, id) in ids {
        let id = ascii(id)?;
        let namespace = index.namespaces.get_mut(&name);
        if let Some(vector) = namespace.and_then(|namespace| namespace.vectors().get(&id)) {
            by_id.insert(id, vector.json(true, true));
        }
    }
    within_limit(json!({ "vectors": by_id, "namespace": name, "usage": { "readUnits": 1 } }))
}

fn fetch_by_metadata(index: &mut Index, body: &Value, unequal_if_missing: bool) -> Outcome {
    let mut request = Object::new("the request", body)?;
    let filter = Filter::read(request.required("filter")?)?;
    let limit = request.optional("limit").map_or(Ok(100), |limit| integer(limit, 1, 10_000))?;
    let token = request.optional("paginationToken").map(text).transpose()?.unwrap_or_default();
    let name = named(request.optional("namespace"))?;
    request.finish()?;
    let mut matching: Vec<&Vector> = Vec::new();
    if let Some(namespace) = index.namespaces.get_mut(&name) {
        let vectors = namespace.vectors().values().filter(|vector| vector.id.as_str() > token);
        matching
            .extend(vectors.filter(|vector| filter.matches(&vector.metadata, unequal_if_missing)));
    }
    let page = matching.get(..limit.min(matching.len())).unwrap_or_default();
    let vectors: Map<String, Value> =
        page.iter().map(|vector| (vector.id.clone(), vector.json(true, true))).collect();
    let mut answer = json!({ "vectors": vectors, "namespace": name, "usage": { "readUnits": 5 } });
    if let (true, Some(last)) = (matching.len() > limit, page.last()) {
        answer["pagination"] = json!({ "next": last.id });
    }
    within_limit(answer)
}

fn list(index: &mut Index, query: &[(String, String)]) -> Outcome {
    let (others, name) = parameters(query, &["prefix", "limit", "paginationToken"])?;
    let value =
        |name: &str| others.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let limit: usize =
        value("limit").unwrap_or("100").parse().map_err(|_| "no number".to_owned())?;
    if !(1..=100).contains(&limit) {
        return Err(format!("a limit of {limit}").into());
    }
    let prefix = value("prefix").unwrap_or("");
    let token = value("paginationToken").unwrap_or("");
    let mut listed: Vec<&str> = Vec::new();
    if let Some(namespace) = index.namespaces.get_mut(&name) {
        let ids = namespace.vectors().keys().map(String::as_str);
        listed.extend(ids.filter(|id| id.starts_with(prefix) && *id > token));
    }
    let page = listed.get(..limit.min(listed.len())).unwrap_or_default();
    let vectors: Vec<Value> = page.iter().map(|id| json!({ "id": id })).collect();
    let mut answer = json!({ "vectors": vectors, "namespace": name, "usage": { "readUnits": 1 } });
    if let (true, Some(last)) = (listed.len() > limit, page.last()) {
        answer["pagination"] = json!({ "next": last });
    }
    Ok(answer)
}

pub(super) type Parameters<'a> = Vec<(&'a str, &'a str)>;

/// Splits off the namespace. All other parameters must have these names.
pub(super) fn parameters<'a>(
    query: &'a [(String, String)],
    names: &[&str],
) -> Checked<(Parameters<'a>, String)> {
    let mut others = Vec::new();
    let mut namespace = DEFAULT.to_owned();
    for (name, value) in query {
        match name.as_str() {
            "namespace" => namespace = ascii(value)?,
            name if names.contains(&name) => others.push((name, value.as_str())),
            name => return Err(format!("an unknown parameter `{name}`")),
        }
    }
    Ok((others, namespace))
}
