//! The successful response of an operation.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    Source, is_streamed,
    part::{essence, is_json},
    shortened, text,
};
use crate::{
    limits,
    schema::{Direction, SchemaReader},
};

const ACCEPT: &str = "application/json, text/*;q=0.5";

const MAX_MEDIA_TYPES: usize = 100;

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
    let mut has_stream = false;
    let mut has_other = false;
    for (_, response) in
        responses.into_iter().flatten().filter(|(status, _)| status.starts_with('2'))
    {
        let response = source.document.resolve(response)?;
        let described = text(response, "description").unwrap_or_default();
        first = first.or(Some(described));
        let content = response.get("content").and_then(Value::as_object);
        let media =
            content.into_iter().flatten().take(MAX_MEDIA_TYPES).map(|(name, media)| {
                (name.as_str(), source.document.resolve(media).unwrap_or(media))
            });
        let media: Vec<(&str, &Value)> = media.collect();
        has_stream |= media.iter().any(|(_, media)| is_streamed(media));
        has_other |= media.iter().any(|(_, media)| !is_streamed(media));
        if let Some((media_type, media)) = json(&media) {
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
    if has_stream && !has_other {
        let reason = "its response is a stream of items (`itemSchema`), which isn't supported";
        return Err(reason.to_owned());
    }
    let description = shortened(first.unwrap_or_default());
    Ok(Returned { description, schema: Arc::default(), accept: ACCEPT.to_owned() })
}

fn json<'a>(content: &[(&'a str, &'a Value)]) -> Option<(&'a str, &'a Value)> {
    let is_json = |name: &str| limits::is_short(name) && is_json(&essence(name));
    content.iter().copied().find(|(name, media)| is_json(name) && !is_streamed(media))
}

/// Some services answer only requests for their own kind of JSON.
fn accept(media_type: &str) -> String {
    match essence(media_type).as_str() {
        "application/json" => ACCEPT.to_owned(),
        own => format!("{own}, {ACCEPT}"),
    }
}
