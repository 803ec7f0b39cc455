//! Parts of `multipart/form-data` bodies.

use serde_json::{Value, json};

use super::{Arguments, text};
use crate::{
    form_data::{is_content_type, is_name},
    limits,
};

/// Describes the argument of a file.
const FILE: &str = "The file's content, as text.";

/// How a property becomes a part, or one for each item of a list.
pub(crate) struct Part {
    /// `None` chooses JSON for objects, and plain text otherwise.
    pub(crate) content_type: Option<String>,
    /// Whether the content type is JSON.
    pub(crate) is_json: bool,
    pub(crate) is_file: bool,
    /// The argument with the names of files.
    pub(crate) file_name: Option<String>,
}

pub(super) fn read(media: &Value, name: &str, schema: &Value) -> Result<Part, String> {
    limits::check_name("names of fields", name)?;
    if !is_name(name) {
        return Err(format!("its field `{}` can't be the name of a part", name.escape_debug()));
    }
    let item = item(schema);
    let is_file = is_file(item);
    let own = if is_file { text(item, "contentMediaType") } else { None };
    let content_type = declared_type(media, name).or(own);
    let content_type = content_type.or(is_file.then_some("application/octet-stream"));
    let kind = content_type.map(essence);
    if let (Some(content_type), Some(kind)) = (content_type, &kind) {
        limits::check_name("content types", content_type)?;
        if !is_content_type(content_type) {
            return Err(format!("its field `{name}` has a broken content type"));
        }
        if item.get("properties").is_some() && !is_json(kind) {
            return Err(format!("its field `{name}` is an object as {kind}; JSON is supported"));
        }
    }
    let is_json = !is_file && kind.is_some_and(|kind| is_json(&kind));
    let content_type = content_type.map(str::to_owned);
    Ok(Part { content_type, is_json, is_file, file_name: None })
}

/// Adds the argument for a file's name. Call it after all properties have theirs, so that they keep
/// their names.
pub(super) fn add_file_name(arguments: &mut Arguments, argument: &str, schema: &Value) -> String {
    let name = arguments.names.take(&format!("{argument}_filename"));
    let text = json!({ "type": "string" });
    let (schema, described) = match schema.get("items") {
        Some(_) => (json!({ "type": "array", "items": text }), "The names of the files."),
        None => (text, "The name of the file."),
    };
    arguments.add(name, schema, described, false)
}

/// Returns the description of a file's argument. `described` is a schema or a body.
pub(super) fn describe_file(described: &Value) -> String {
    match text(described, "description").map(str::trim) {
        None | Some("") => FILE.to_owned(),
        Some(described) => format!("{described}\n{FILE}"),
    }
}

fn item(schema: &Value) -> &Value {
    schema.get("items").unwrap_or(schema)
}

/// OpenAPI 3.0 has `format: binary`; 3.1 has `contentMediaType`.
fn is_file(schema: &Value) -> bool {
    let is_encoded = schema.get("contentEncoding").is_some();
    let is_binary = text(schema, "contentMediaType").is_some_and(|media_type| {
        let kind = essence(media_type);
        !is_json(&kind) && kind != "text/plain"
    });
    let branches = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
    text(schema, "format") == Some("binary")
        || (is_binary && !is_encoded)
        || branches.flatten().any(is_file)
}

/// Returns the first type without wildcards.
fn declared_type<'a>(media: &'a Value, name: &str) -> Option<&'a str> {
    let declared = text(media.get("encoding")?.get(name)?, "contentType")?;
    declared
        .split(',')
        .map(str::trim)
        .find(|media_type| !media_type.is_empty() && !media_type.contains('*'))
}

/// Returns a media type in lower case, without parameters.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

pub(super) fn is_json(essence: &str) -> bool {
    essence == "application/json" || essence.ends_with("+json")
}
