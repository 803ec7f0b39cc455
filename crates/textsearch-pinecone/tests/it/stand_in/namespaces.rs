//! [Namespaces](https://docs.pinecone.io/reference/api/2026-07/data-plane/listnamespaces) of an
//! index.

use serde_json::{Value, json};

use super::{
    check::{Object, ascii, text},
    data::{DEFAULT, Outcome, Refusal, parameters},
    state::{Index, Namespace},
};

pub(super) fn missing() -> Refusal {
    Refusal(404, 5, "Namespace not found".to_owned())
}

/// At most 100 at a time.
pub(super) fn list(index: &mut Index, query: &[(String, String)]) -> Outcome {
    let (others, _) = parameters(query, &["paginationToken"])?;
    let token = others.first().map_or("", |(_, token)| *token);
    let after = index.namespaces.iter_mut().filter(|(name, _)| name.as_str() > token);
    let mut listed: Vec<Value> =
        after.map(|(name, namespace)| described(name, namespace)).collect();
    let is_last = listed.len() <= 100;
    listed.truncate(100);
    let mut answer = json!({ "namespaces": listed, "total_count": index.namespaces.len() });
    if let (false, Some(last)) = (is_last, listed.last()) {
        answer["pagination"] = json!({ "next": last["name"] });
    }
    Ok(answer)
}

pub(super) fn create(index: &mut Index, body: &Value) -> Outcome {
    let mut request = Object::new("the namespace", body)?;
    let name = ascii(text(request.required("name")?)?)?;
    request.finish()?;
    if name == DEFAULT {
        return Err("`__default__` always exists".to_owned().into());
    }
    if index.namespaces.contains_key(&name) {
        return Err(Refusal(409, 6, "Namespace already exists".to_owned()));
    }
    Ok(described(&name, index.namespaces.entry(name.clone()).or_default()))
}

pub(super) fn describe(index: &mut Index, name: &str) -> Outcome {
    let namespace = index.namespaces.get_mut(name).ok_or_else(missing)?;
    Ok(described(name, namespace))
}

pub(super) fn delete(index: &mut Index, name: &str) -> Outcome {
    index.namespaces.remove(name).ok_or_else(missing)?;
    Ok(json!({}))
}

fn described(name: &str, namespace: &mut Namespace) -> Value {
    json!({ "name": name, "record_count": namespace.vectors().len().to_string() })
}
