//! Parameters in the path, the query, headers and cookies.

use std::{collections::HashMap, fmt};

use serde_json::{Value, json};
use textsearch_core::http::HeaderName;

use super::{Arguments, Source, is_true, text};
use crate::{
    document::Document,
    encode::{self, Encoding, Style, percent_encoded},
    limits,
    schema::{Direction, SchemaReader},
};

/// Headers that belong to HTTP itself or to the plugin. The specification ignores the first three.
const IGNORED_HEADERS: &[&str] = &["accept", "authorization", "content-type"];
const REFUSED_HEADERS: &[&str] = &[
    "connection",
    "content-length",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A parameter and the argument that fills it.
pub(crate) struct Parameter {
    pub(crate) argument: String,
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) style: Style,
    pub(crate) explode: bool,
    pub(crate) allow_reserved: bool,
    /// Whether the value is sent as JSON text.
    pub(crate) is_json: bool,
}

impl Parameter {
    /// Returns the value without lists and objects, before any encoding.
    pub(crate) fn text(&self, value: &Value) -> String {
        if self.is_json {
            value.to_string()
        } else {
            encode::simple(value, self.explode, str::to_owned)
        }
    }

    /// Returns the encoded value of a path parameter.
    pub(crate) fn in_path(&self, value: &Value) -> String {
        match self.style {
            _ if self.is_json => percent_encoded(&value.to_string()),
            Style::Label => encode::label(value, self.explode),
            Style::Matrix => encode::matrix(&self.name, value, self.explode),
            _ => encode::simple(value, self.explode, percent_encoded),
        }
    }

    /// Returns the properties of an object that become names in the path.
    pub(crate) fn names_in_path<'a>(&self, value: &'a Value) -> impl Iterator<Item = &'a str> {
        let has_names = !self.is_json && self.style == Style::Matrix && self.explode;
        let entries = value.as_object().filter(|_| has_names);
        entries.into_iter().flat_map(|entries| entries.keys().map(String::as_str))
    }

    pub(crate) fn encoding(&self) -> Encoding {
        if self.allow_reserved { Encoding::Reserved } else { Encoding::Percent }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    Query,
    Header,
    Cookie,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        })
    }
}

/// Reads the parameters of an operation. They replace its path's parameters.
pub(super) fn read<'a>(
    source: &Source<'a>,
    schemas: &mut SchemaReader<'a>,
    arguments: &mut Arguments,
) -> Result<Vec<Parameter>, String> {
    let mut declared: Vec<&Value> = Vec::new();
    let mut places: HashMap<_, usize> = HashMap::new();
    for list in [source.path_item, source.operation] {
        for parameter in list.get("parameters").and_then(Value::as_array).into_iter().flatten() {
            let parameter = source.document.resolve(parameter)?;
            let name = text(parameter, "name").unwrap_or_default();
            limits::check_name("names of parameters", name)?;
            let id = (text(parameter, "in"), name);
            match places.get(&id).and_then(|place| declared.get_mut(*place)) {
                Some(replaced) => *replaced = parameter,
                None => {
                    places.insert(id, declared.len());
                    declared.push(parameter);
                }
            }
            limits::check_items("parameters", declared.len())?;
        }
    }
    let document = source.document;
    let read =
        declared.into_iter().map(|parameter| read_one(parameter, document, schemas, arguments));
    read.filter_map(Result::transpose).collect()
}

/// `None` if the specification ignores it.
fn read_one<'a>(
    parameter: &'a Value,
    document: &'a Document,
    schemas: &mut SchemaReader<'a>,
    arguments: &mut Arguments,
) -> Result<Option<Parameter>, String> {
    let name = text(parameter, "name").filter(|name| !name.is_empty());
    let name = name.ok_or("it has a parameter without a name")?;
    let place = match text(parameter, "in") {
        Some("path") => Place::Path,
        Some("query") => Place::Query,
        Some("header") => Place::Header,
        Some("cookie") => Place::Cookie,
        Some("querystring") => {
            return Err(format!(
                "its parameter `{name}` is the whole query (`querystring`), which isn't supported"
            ));
        }
        _ => return Err(format!("its parameter `{name}` has an unknown place")),
    };
    if place == Place::Header && is_ignored_header(name)? {
        return Ok(None);
    }
    if place == Place::Cookie && HeaderName::try_from(name).is_err() {
        return Err(format!("its parameter `{name}` isn't the name of a cookie"));
    }
    let style = style(parameter, place).map_err(|style| {
        format!("its {place} parameter `{name}` has the style `{style}`, which isn't supported")
    })?;
    let content = parameter.get("content").and_then(Value::as_object);
    let media = content.and_then(|content| content.values().next());
    let media = media.map(|media| document.resolve(media)).transpose()?;
    let schema = match media.unwrap_or(parameter).get("schema") {
        Some(schema) => schemas.read(schema, Direction::Request)?,
        None => json!({}),
    };
    let default = schema.get("default").cloned();
    let is_required = place == Place::Path || is_true(parameter, "required");
    let described = text(parameter, "description").unwrap_or_default();
    let argument = arguments.names.take_from(&place.to_string(), name);
    let argument = arguments.add(argument, schema, described, is_required);
    if let (Some(metadata), Some(default)) = (arguments.metadata.last_mut(), default) {
        metadata.default = Some(default);
    }
    let explode = parameter.get("explode").and_then(Value::as_bool);
    Ok(Some(Parameter {
        argument,
        name: name.to_owned(),
        place,
        style,
        explode: explode.unwrap_or(matches!(style, Style::Form | Style::DeepObject)),
        allow_reserved: is_true(parameter, "allowReserved"),
        is_json: media.is_some(),
    }))
}

fn is_ignored_header(name: &str) -> Result<bool, String> {
    let lower = name.to_ascii_lowercase();
    if REFUSED_HEADERS.contains(&lower.as_str()) || HeaderName::try_from(name).is_err() {
        return Err(format!("its header parameter `{name}` can't be set"));
    }
    Ok(IGNORED_HEADERS.contains(&lower.as_str()))
}

fn style(parameter: &Value, place: Place) -> Result<Style, String> {
    match (place, text(parameter, "style")) {
        (Place::Path | Place::Header, None) | (Place::Header, Some("simple")) => Ok(Style::Simple),
        (Place::Path, Some(style)) => Style::of_path(style).ok_or_else(|| style.to_owned()),
        (Place::Query | Place::Cookie, None | Some("form")) => Ok(Style::Form),
        (Place::Query, Some(style)) => Style::of_query(style).ok_or_else(|| style.to_owned()),
        (_, Some(style)) => Err(style.to_owned()),
    }
}
