//! Reads an operation of a document into a plan for its requests.

mod body;
mod parameter;
mod part;
mod path;
mod response;

use serde_json::Value;
use textsearch_core::http::Url;
use textsearch_kernel::function::{FunctionMetadata, ParameterMetadata};

pub(crate) use self::{
    body::{Body, BodyKind, Field, Shape},
    parameter::{Parameter, Place},
    part::Part,
    path::{PathTemplate, has_dot_segment},
};
use crate::{
    OpenApiOperation, OpenApiSettings,
    document::Document,
    name::Names,
    schema::SchemaReader,
    security::{Security, read_security},
};

/// What models' interfaces accept for a parameter.
const MAX_ARGUMENT_NAME: usize = 64;

/// Longer descriptions are cut: some models' interfaces accept 1,024 characters.
const MAX_DESCRIPTION: usize = 1_000;

/// All that a call needs to know about its operation.
pub(crate) struct Plan {
    pub(crate) operation: OpenApiOperation,
    pub(crate) server: Url,
    pub(crate) path: PathTemplate,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Body>,
    pub(crate) security: Security,
    pub(crate) accept: String,
}

/// The parts of a document that describe one operation.
pub(crate) struct Source<'a> {
    pub(crate) document: &'a Document,
    pub(crate) path_item: &'a Value,
    pub(crate) operation: &'a Value,
}

/// The arguments of a function in the making.
pub(crate) struct Arguments {
    names: Names,
    pub(crate) metadata: Vec<ParameterMetadata>,
}

/// Returns the plan and the function's metadata, or the reason why there is none.
pub(crate) fn read<'a>(
    source: &Source<'a>,
    operation: &OpenApiOperation,
    server: Url,
    schemas: &mut SchemaReader<'a>,
    settings: &OpenApiSettings,
) -> Result<(Plan, FunctionMetadata), String> {
    let mut arguments = Arguments::new();
    let parameters = parameter::read(source, schemas, &mut arguments)?;
    let body = body::read(source, schemas, &mut arguments, settings.payload_namespacing)?;
    let returned = response::read(source, schemas)?;
    let texts = arguments
        .metadata
        .iter()
        .map(|argument| 200 + argument.name.len() + argument.description.len());
    schemas.pay_for_texts(texts.sum())?;
    let path = PathTemplate::parse(&operation.path, &parameters)?;
    path.check(&server, &parameters)?;
    let plan = Plan {
        operation: operation.clone(),
        server,
        path,
        parameters,
        body,
        security: read_security(source.document, source.operation)?,
        accept: returned.accept,
    };
    // The caller knows the final name.
    let mut metadata = FunctionMetadata::new("", description(source));
    metadata.parameters = arguments.metadata;
    Ok((plan, metadata.with_return(returned.description, returned.schema)))
}

impl Arguments {
    fn new() -> Self {
        Self { names: Names::new(MAX_ARGUMENT_NAME), metadata: Vec::new() }
    }

    /// Adds an argument, and returns its name.
    fn add(&mut self, name: String, schema: Value, described: &str, is_required: bool) -> String {
        let described = match schema.get("description").and_then(Value::as_str) {
            Some(of_schema) if described.is_empty() => shortened(of_schema),
            _ => shortened(described),
        };
        let mut metadata = ParameterMetadata::required(name.clone(), described, schema);
        metadata.is_required = is_required;
        self.metadata.push(metadata);
        name
    }
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

pub(crate) fn is_true(value: &Value, key: &str) -> bool {
    value.get(key) == Some(&Value::Bool(true))
}

/// Whether a media type describes the items of a stream, and no whole.
pub(crate) fn is_streamed(media: &Value) -> bool {
    media.get("itemSchema").is_some() && media.get("schema").is_none()
}

fn description(source: &Source<'_>) -> String {
    let texts = [
        text(source.operation, "description"),
        text(source.operation, "summary"),
        text(source.path_item, "description"),
        text(source.path_item, "summary"),
    ];
    let described = texts.into_iter().flatten().map(str::trim).find(|text| !text.is_empty());
    shortened(described.unwrap_or_default())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_DESCRIPTION) {
        Some((end, _)) => format!("{}…", text.split_at(end).0),
        None => text.to_owned(),
    }
}
