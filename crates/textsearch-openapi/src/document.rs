//! The text of a document, and the references within it.

use percent_encoding::percent_decode_str;
use serde_json::Value;
use textsearch_core::{Error, ErrorKind, Result};

use crate::{CONNECTOR, limits};

/// As deep as `serde_json` reads.
const MAX_JSON_DEPTH: usize = 128;

/// A level of YAML takes 20 KB of stack in a debug build, and threads have 2 MiB.
const MAX_YAML_DEPTH: usize = 48;

/// Major and minor numbers.
const VERSIONS: [&str; 3] = ["3.0", "3.1", "3.2"];

/// References that lead to references.
const MAX_HOPS: usize = 16;

/// Real documents reuse few YAML anchors; bombs multiply them.
mod yaml {
    pub(super) const NODES: usize = 2_000_000;
    pub(super) const EVENTS: usize = 4_000_000;
    pub(super) const REPLAYED_EVENTS: usize = 100_000;
}

/// An OpenAPI document as JSON.
pub(crate) struct Document {
    root: Value,
}

impl Document {
    pub(crate) fn parse(text: &str, max_bytes: usize) -> Result<Self> {
        if text.len() > max_bytes {
            let message = format!("the document has {} bytes, more than {max_bytes}", text.len());
            return Err(undecodable(message));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let root =
            if text.trim_start().starts_with('{') { from_json(text) } else { from_yaml(text) };
        let document = Self { root: root.map_err(undecodable)? };
        document.check_version()?;
        Ok(document)
    }

    pub(crate) fn root(&self) -> &Value {
        &self.root
    }

    /// Follows the reference of `value`, if it is one.
    pub(crate) fn resolve<'a>(&'a self, mut value: &'a Value) -> Result<&'a Value, String> {
        for _ in 0..MAX_HOPS {
            match reference_of(value) {
                Some(reference) => value = self.referenced(reference)?,
                None => return Ok(value),
            }
        }
        Err(format!("more than {MAX_HOPS} references lead to each other"))
    }

    /// Returns the value that a reference such as `#/components/schemas/Pet` names.
    pub(crate) fn referenced(&self, reference: &str) -> Result<&Value, String> {
        limits::check_url("references", reference)?;
        let Some(pointer) = reference.strip_prefix('#') else {
            return Err(format!("it refers to `{reference}`, outside the document"));
        };
        let pointer = percent_decode_str(pointer).decode_utf8_lossy();
        let target = self.root.pointer(&pointer);
        target.ok_or_else(|| format!("it refers to `{reference}`, which the document lacks"))
    }

    fn check_version(&self) -> Result<()> {
        let version = match self.root.get("openapi") {
            Some(Value::String(version)) => version.clone(),
            // YAML reads an unquoted `3.1` as a number.
            Some(Value::Number(version)) => version.to_string(),
            _ if self.root.get("swagger").is_some() => {
                let message = "the document is Swagger 2.0; convert it to OpenAPI 3";
                return Err(undecodable(message.to_owned()));
            }
            _ => {
                let message = "the document has no `openapi` version; expected OpenAPI 3.0 to 3.2";
                return Err(undecodable(message.to_owned()));
            }
        };
        if VERSIONS.iter().any(|known| version.starts_with(known)) {
            return Ok(());
        }
        let message = format!("the document has OpenAPI version `{version}`; expected 3.0 to 3.2");
        Err(undecodable(message))
    }
}

pub(crate) fn reference_of(value: &Value) -> Option<&str> {
    value.get("$ref").and_then(Value::as_str)
}

fn undecodable(message: String) -> Error {
    Error::new(ErrorKind::Undecodable, CONNECTOR, message)
}

fn from_json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| {
        format!("the document can't be read as JSON of at most {MAX_JSON_DEPTH} levels: {error}")
    })
}

fn from_yaml(text: &str) -> Result<Value, String> {
    let budget = serde_saphyr::budget! {
        max_depth: MAX_YAML_DEPTH,
        max_nodes: yaml::NODES,
        max_events: yaml::EVENTS,
    };
    let options = serde_saphyr::options! {
        budget: budget,
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: yaml::REPLAYED_EVENTS },
        strict_booleans: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        format!("the document can't be read as YAML of at most {MAX_YAML_DEPTH} levels: {error}")
    })
}
