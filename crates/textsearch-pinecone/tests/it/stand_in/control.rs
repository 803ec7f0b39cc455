//! The [control plane](https://docs.pinecone.io/reference/api/2026-07/control-plane/create_index).

use std::time::Instant;

use serde_json::{Value, json};

use super::{
    Answer,
    check::{Checked, Object, integer, text},
    server::Server,
    state::Index,
};

const METRICS: [&str; 3] = ["cosine", "dotproduct", "euclidean"];

pub(crate) fn answer(server: &Server, method: &str, path: &[&str], body: Option<Value>) -> Answer {
    server.indexes().retain(|_, index| !index.is_gone());
    match (method, path, body) {
        ("GET", ["indexes"], None) => {
            let models: Vec<Value> = server.indexes().values().map(Index::model).collect();
            Answer::json(200, json!({ "indexes": models }))
        }
        ("POST", ["indexes"], Some(body)) => match new_index(&body) {
            Ok(index) => create(server, index),
            Err(fault) => error(400, "INVALID_ARGUMENT", &fault),
        },
        ("GET", ["indexes", name], None) => match server.indexes().get(*name) {
            Some(index) => Answer::json(200, index.model()),
            None => not_found(name),
        },
        ("DELETE", ["indexes", name], None) => match server.indexes().get_mut(*name) {
            Some(index) => {
                index.gone_at = Some(Instant::now() + server.behavior.gone_after);
                Answer { status: 202, content_type: "text/plain", body: String::new() }
            }
            None => not_found(name),
        },
        _ => error(400, "INVALID_ARGUMENT", "no such operation"),
    }
}

fn create(server: &Server, mut index: Index) -> Answer {
    if server.indexes().contains_key(&index.name) {
        return error(409, "ALREADY_EXISTS", "Resource already exists.");
    }
    index.host = server.open_host(&index.name);
    index.ready_at = Instant::now() + server.behavior.ready_after;
    let model = index.model();
    server.indexes().insert(index.name.clone(), index);
    Answer::json(201, model)
}

fn new_index(body: &Value) -> Checked<Index> {
    let mut request = Object::new("the index", body)?;
    let name = index_name(text(request.required("name")?)?)?;
    let (dimension, metric) = schema(request.required("schema")?)?;
    let deployment = request.optional("deployment").cloned();
    let deployment = deployment.unwrap_or_else(
        || json!({ "deployment_type": "managed", "cloud": "aws", "region": "us-east-1" }),
    );
    check_deployment(&deployment)?;
    let tags = request.optional("tags").cloned().unwrap_or(Value::Null);
    check_tags(&tags)?;
    request.finish()?;
    let host = String::new();
    let namespaces = Default::default();
    Ok(Index {
        name,
        host,
        dimension,
        metric,
        tags,
        deployment,
        ready_at: Instant::now(),
        gone_at: None,
        namespaces,
    })
}

fn index_name(name: &str) -> Checked<String> {
    let is_edge = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_name = (1..=45).contains(&name.len())
        && name.bytes().all(|byte| is_edge(byte) || byte == b'-')
        && !name.starts_with('-')
        && !name.ends_with('-');
    is_name.then(|| name.to_owned()).ok_or_else(|| format!("{name:?} is no name of an index"))
}

/// An index of the vectors API has one reserved field.
fn schema(value: &Value) -> Checked<(usize, String)> {
    let mut schema = Object::new("the schema", value)?;
    let mut fields = Object::new("the fields", schema.required("fields")?)?;
    schema.finish()?;
    let mut field = Object::new("the field `_values`", fields.required("_values")?)?;
    fields.finish()?;
    let kind = text(field.required("type")?)?;
    let dimension = integer(field.required("dimension")?, 1, 20_000)?;
    let metric = text(field.required("metric")?)?.to_owned();
    field.finish()?;
    if kind != "dense_vector" || !METRICS.contains(&metric.as_str()) {
        return Err(format!("`{kind}` by `{metric}` is no dense vector"));
    }
    Ok((dimension, metric))
}

fn check_deployment(value: &Value) -> Checked<()> {
    let mut deployment = Object::new("the deployment", value)?;
    let kind = text(deployment.required("deployment_type")?)?;
    let cloud = text(deployment.required("cloud")?)?;
    text(deployment.required("region")?)?;
    deployment.finish()?;
    let is_known = kind == "managed" && ["aws", "gcp", "azure"].contains(&cloud);
    if is_known { Ok(()) } else { Err(format!("no deployment {kind} on {cloud}")) }
}

fn check_tags(value: &Value) -> Checked<()> {
    let Value::Object(tags) = value else {
        return if value.is_null() { Ok(()) } else { Err("tags are no object".to_owned()) };
    };
    for (name, value) in tags {
        let value = text(value)?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let is_printable = |byte: u8| (0x20..0x7f).contains(&byte);
        if name.len() > 80 || !name.bytes().all(is_name) {
            return Err(format!("{name:?} is no name of a tag"));
        }
        if value.len() > 120 || !value.bytes().all(is_printable) {
            return Err(format!("{value:?} is no value of a tag"));
        }
    }
    if tags.len() > 20 { Err("more than 20 tags".to_owned()) } else { Ok(()) }
}

fn not_found(name: &str) -> Answer {
    error(404, "NOT_FOUND", &format!("Index {name} not found."))
}

fn error(status: u16, code: &str, message: &str) -> Answer {
    Answer::json(status, json!({ "status": status, "error": { "code": code, "message": message } }))
}
