//! Request bodies.

use serde_json::{Map, Value, json};

use super::{
    Arguments, Source, is_streamed, is_true,
    part::{self, Part, essence, is_json},
    text,
};
use crate::{
    encode::Style,
    limits,
    schema::{Direction, SchemaReader},
};

/// The argument for a body that isn't an object with properties, and the prefix of properties.
const PAYLOAD: &str = "payload";

pub(crate) struct Body {
    pub(crate) kind: BodyKind,
    pub(crate) content_type: String,
    pub(crate) is_required: bool,
    pub(crate) shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    Json,
    Form,
    Multipart,
    Text,
    /// A file, sent as text.
    File,
}

pub(crate) enum Shape {
    /// One argument is the body.
    Whole { argument: String },
    /// Each argument is a property of the body.
    Fields(Vec<Field>),
}

/// A property of the body and the argument that fills it.
pub(crate) struct Field {
    pub(crate) argument: String,
    pub(crate) name: String,
    /// How forms write lists and objects; `None` writes objects as JSON.
    pub(crate) style: Option<Style>,
    pub(crate) explode: bool,
    /// How it is sent in a body of several parts.
    pub(crate) part: Option<Part>,
}

pub(super) fn read<'a>(
    source: &Source<'a>,
    schemas: &mut SchemaReader<'a>,
    arguments: &mut Arguments,
    has_namespace: bool,
) -> Result<Option<Body>, String> {
    let Some(body) = source.operation.get("requestBody") else { return Ok(None) };
    let body = source.document.resolve(body)?;
    let is_required = is_true(body, "required");
    let Some(content) =
        body.get("content").and_then(Value::as_object).filter(|content| !content.is_empty())
    else {
        return Ok(None);
    };
    limits::check_items("media types", content.len())?;
    let (kind, content_type, media) = preferred(content).ok_or_else(|| unsupported(content))?;
    let media = source.document.resolve(media)?;
    if is_streamed(media) {
        return Err(
            "its body is a stream of items (`itemSchema`), which isn't supported".to_owned()
        );
    }
    let schema = match media.get("schema") {
        Some(schema) => schemas.read(schema, Direction::Request)?,
        None => json!({}),
    };
    let shape = match (kind, properties(&schema)) {
        (BodyKind::Json | BodyKind::Form | BodyKind::Multipart, Some(properties)) => {
            limits::check_items("properties of a body", properties.len())?;
            let reader = FieldReader { kind, media, is_required, has_namespace };
            Shape::Fields(reader.read(properties, arguments)?)
        }
        (BodyKind::Form | BodyKind::Multipart, None) => {
            return Err("its form body has no properties".to_owned());
        }
        (kind, _) => {
            let is_text = matches!(kind, BodyKind::Text | BodyKind::File);
            let schema = if is_text { json!({ "type": "string" }) } else { schema };
            let described = match kind {
                BodyKind::File => part::describe_file(body),
                _ => text(body, "description").unwrap_or_default().to_owned(),
            };
            let argument = arguments.names.take_from("body", PAYLOAD);
            Shape::Whole { argument: arguments.add(argument, schema, &described, is_required) }
        }
    };
    Ok(Some(Body { kind, content_type: content_type.to_owned(), is_required, shape }))
}

struct FieldReader<'a> {
    kind: BodyKind,
    media: &'a Value,
    is_required: bool,
    has_namespace: bool,
}

impl FieldReader<'_> {
    fn read(
        &self,
        properties: Vec<(&str, &Value, bool)>,
        arguments: &mut Arguments,
    ) -> Result<Vec<Field>, String> {
        let mut fields = Vec::new();
        for (name, schema, is_required) in &properties {
            fields.push(self.field(name, schema, *is_required, arguments)?);
        }
        for (field, (_, schema, _)) in fields.iter_mut().zip(properties) {
            if let Some(part) = field.part.as_mut().filter(|part| part.is_file) {
                part.file_name = Some(part::add_file_name(arguments, &field.argument, schema));
            }
        }
        Ok(fields)
    }

    fn field(
        &self,
        name: &str,
        schema: &Value,
        is_required: bool,
        arguments: &mut Arguments,
    ) -> Result<Field, String> {
        let argument_name =
            if self.has_namespace { format!("{PAYLOAD}_{name}") } else { name.to_owned() };
        let is_multipart = self.kind == BodyKind::Multipart;
        let part = is_multipart.then(|| part::read(self.media, name, schema)).transpose()?;
        let is_file = part.as_ref().is_some_and(|part| part.is_file);
        let described = if is_file { part::describe_file(schema) } else { String::new() };
        let argument = arguments.names.take_from(PAYLOAD, &argument_name);
        let is_required = self.is_required && is_required;
        let argument = arguments.add(argument, schema.clone(), &described, is_required);
        let (style, explode) = form_style(self.media, name);
        let style = style.filter(|_| !is_file);
        Ok(Field { argument, name: name.to_owned(), style, explode, part })
    }
}

fn preferred(content: &Map<String, Value>) -> Option<(BodyKind, &str, &Value)> {
    let first = |kind: BodyKind| {
        let media_type = content.iter().find(|(name, _)| kind_of(name) == Some(kind));
        media_type.map(|(name, media)| (kind, name.as_str(), media))
    };
    let any = || content.get("*/*").map(|media| (BodyKind::Json, "application/json", media));
    first(BodyKind::Json)
        .or_else(|| first(BodyKind::Form))
        .or_else(|| first(BodyKind::Multipart))
        .or_else(|| first(BodyKind::Text))
        .or_else(|| first(BodyKind::File))
        .or_else(any)
}

fn kind_of(media_type: &str) -> Option<BodyKind> {
    if !limits::is_short(media_type) {
        return None;
    }
    match essence(media_type).as_str() {
        kind if is_json(kind) => Some(BodyKind::Json),
        "application/x-www-form-urlencoded" => Some(BodyKind::Form),
        "multipart/form-data" => Some(BodyKind::Multipart),
        "application/octet-stream" => Some(BodyKind::File),
        "text/xml" | "text/*" => None,
        kind if kind.starts_with("text/") => Some(BodyKind::Text),
        _ => None,
    }
}

fn unsupported(content: &Map<String, Value>) -> String {
    let kinds = content.keys().map(String::as_str).filter(|kind| limits::is_short(kind));
    let kinds: Vec<&str> = kinds.take(5).collect();
    format!("its body is {}; JSON, a form or text is supported", kinds.join(" or "))
}

/// Returns the properties of an object schema, required ones first, and whether each is required.
fn properties(schema: &Value) -> Option<Vec<(&str, &Value, bool)>> {
    let properties = schema.get("properties")?.as_object().filter(|all| !all.is_empty())?;
    // Alternatives that only name required properties leave the properties as they are.
    let says_more = |branch: &Value| {
        branch.as_object().is_none_or(|entries| entries.keys().any(|key| key != "required"))
    };
    let branches = ["allOf", "anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)?.as_array());
    if branches.flatten().any(says_more) {
        return None;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|all| all.iter().any(|listed| listed == name));
    let all = properties.iter().map(|(name, schema)| (name.as_str(), schema, is_required(name)));
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(_, _, is_required)| !is_required);
    Some(all)
}

fn form_style(media: &Value, property: &str) -> (Option<Style>, bool) {
    let encoding = media.get("encoding").and_then(|encoding| encoding.get(property));
    let style = encoding.and_then(|encoding| text(encoding, "style")).and_then(Style::of_query);
    let explode = encoding.and_then(|encoding| encoding.get("explode")?.as_bool());
    (style, explode.unwrap_or(matches!(style, None | Some(Style::Form | Style::DeepObject))))
}
