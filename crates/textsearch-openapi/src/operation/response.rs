//! The successful response of an operation.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    Source,
    body::{essence, is_json},
    shortened, text,
};
use crate::{
    limits,
    schema::{Direction, SchemaReader},
};

const ACCEPT: &str = "application/json, text/*;q=0.5";

pub(super) struct Returned {
    pub(super) description: String,
    pub(super) schema: Arc<Value>,
    pub(super) accept: String,
}

/// Reads the first successful response with JSON, or else the first successful one.
pub(super) fn read<'a>(
    source: &Source<'a>,
    schemas: &mut SchemaReader<'a>,
) -> Result<Returned, String> {
    let responses = source.operation.get("responses").and_then(Value::as_object);
    limits::check_items("responses", responses.map_or(0, Map::len))?;
    let mut first = None;
    for (_, response) in
        responses.into_iter().flatten().filter(|(status, _)| status.starts_with('2'))
    {
        let response = source.document.resolve(response)?;
        let described = text(response, "description").unwrap_or_default();
        first = first.or(Some(described));
        let content = response.get("content").and_then(Value::as_object);
        if let Some((media_type, media)) = content.and_then(json) {
            let schema = media.get("schema");
            let schema =
                schema.map(|schema| schemas.read(schema, Direction::Response)).transpose()?;
            return Ok(Returned {
                description: shortened(described),
                schema: Arc::new(schema.unwrap_or_default()),
                accept: accept(media_type),
            });
        }
    }
    let description = shortened(first.unwrap_or_default());
    Ok(Returned { description, schema: Arc::default(), accept: ACCEPT.to_owned() })
}

fn json(content: &Map<String, Value>) -> Option<(&str, &Value)> {
    let found = content
        .iter()
        .take(100)
        .find(|(name, _)| limits::is_short(name) && is_json(&essence(name)));
    found.map(|(name, media)| (name.as_str(), media))
}

/// Some services answer only requests for their own kind of JSON.
fn accept(media_type: &str) -> String {
    match essence(media_type).as_str() {
        "application/json" => ACCEPT.to_owned(),
        own => format!("{own}, {ACCEPT}"),
    }
}
