//! The section `embeddings`.

use serde_saphyr::Spanned;
use textsearch_core::{Error, Result};

use super::{Connection, OtherSettings, reader::Reader};
use crate::{access::Address, place::Place, yaml::Settings};

/// The section `embeddings`: the model that embedded the records.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EmbeddingsSection {
    /// The kind, such as `open_ai`; `none` for an index without embeddings.
    pub kind: String,
    /// The model, as its provider spells it.
    pub model: Option<String>,
    /// The number of elements of each vector.
    pub dimension: Option<usize>,
    /// The version of the file's format.
    pub schema_version: Option<String>,
    /// The kind of service, such as `azure` or `open_ai`.
    pub api_type: Option<String>,
    /// The version of the service's API.
    pub api_version: Option<String>,
    /// The deployment of the model.
    pub deployment: Option<String>,
    /// How many texts the writer of the index embedded per request.
    pub batch_size: Option<usize>,
    /// The source of the key.
    pub connection: Connection,
    /// Settings that this crate doesn't know.
    pub other: OtherSettings,
    pub(crate) api_base: Option<Address>,
    pub(crate) place: Place,
}

/// The kind of an index without embeddings.
pub(crate) const NONE: &str = "none";

pub(crate) const ENDPOINT: &str = "api_base";

impl EmbeddingsSection {
    pub(crate) fn read(section: Option<Spanned<Settings>>) -> Result<Self> {
        let mut reader = Reader::new("embeddings", section)?;
        let kind = reader.kind()?;
        let model = reader.text("model")?;
        let dimension = reader.number("dimension")?;
        let schema_version = reader.text("schema_version")?;
        let api_base = reader.address(ENDPOINT)?;
        let api_type = reader.text("api_type")?;
        let api_version = reader.text("api_version")?;
        let deployment = reader.text("deployment")?;
        let batch_size = reader.number("batch_size")?;
        let connection = reader.connection()?;
        let (place, other) = reader.finish();
        Ok(Self {
            kind,
            model,
            dimension,
            schema_version,
            api_type,
            api_version,
            deployment,
            batch_size,
            connection,
            other,
            api_base,
            place,
        })
    }

    /// Returns the error for a missing setting, such as `model`, with its path and line.
    pub fn missing(&self, name: &str, allowed: &str) -> Error {
        self.place.missing(name, allowed)
    }

    /// Returns the error for an invalid setting, with its path and line. `actual` describes the
    /// value without repeating a secret.
    pub fn invalid(&self, name: &str, actual: &str, allowed: &str) -> Error {
        self.place.invalid(name, actual, allowed)
    }
}
