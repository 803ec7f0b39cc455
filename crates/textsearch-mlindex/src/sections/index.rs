//! The section `index`.

use serde_saphyr::Spanned;
use textsearch_core::{Error, Result};

use super::{Connection, OtherSettings, reader::Reader};
use crate::{FieldMapping, access::Address, place::Place, yaml::Settings};

/// The section `index`: the location of the records, and the roles of their fields.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct IndexSection {
    /// The kind, such as `qdrant`.
    pub kind: String,
    /// The name of the index or collection (`index` or `collection`).
    pub index: Option<String>,
    /// Which field has which role.
    pub fields: FieldMapping,
    /// The version of the service's API.
    pub api_version: Option<String>,
    /// The source of the key.
    pub connection: Connection,
    /// Settings that this crate doesn't know.
    pub other: OtherSettings,
    /// The setting with the name: `index` or `collection`.
    pub(crate) named_by: &'static str,
    /// The setting with the address: `endpoint` or `uri`.
    pub(crate) addressed_by: &'static str,
    pub(crate) endpoint: Option<Address>,
    pub(crate) place: Place,
}

const INDEX: &str = "index";

const COLLECTION: &str = "collection";

const ENDPOINT: &str = "endpoint";

/// As files of the kind `milvus` call it.
const URI: &str = "uri";

pub(crate) const FIELD_MAPPING: &str = "field_mapping";

impl IndexSection {
    pub(crate) fn read(section: Option<Spanned<Settings>>) -> Result<Self> {
        let mut reader = Reader::new("index", section)?;
        let kind = reader.kind()?;
        let endpoint = reader.address(ENDPOINT)?;
        let uri = reader.address(URI)?;
        if endpoint.is_some() && uri.is_some() {
            return Err(reader.place.invalid(
                URI,
                "set beside `endpoint`",
                "one of the two settings",
            ));
        }
        let addressed_by = if uri.is_some() { URI } else { ENDPOINT };
        let endpoint = endpoint.or(uri);
        let index = reader.text(INDEX)?;
        let collection = reader.text(COLLECTION)?;
        if index.is_some() && collection.is_some() && index != collection {
            let actual = "another name than `index`";
            return Err(reader.place.invalid(COLLECTION, actual, "one of the two settings"));
        }
        let mapped = reader.fields(FIELD_MAPPING)?.unwrap_or_default();
        let fields = FieldMapping::read(&reader.place.inside(FIELD_MAPPING), &mapped)?;
        let api_version = reader.text("api_version")?;
        let connection = reader.connection()?;
        let (place, other) = reader.finish();
        let named_by = if index.is_some() { INDEX } else { COLLECTION };
        let index = index.or(collection);
        Ok(Self {
            kind,
            index,
            fields,
            api_version,
            connection,
            other,
            named_by,
            addressed_by,
            endpoint,
            place,
        })
    }

    /// Returns the name of the index or collection.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidOptions`](textsearch_core::ErrorKind::InvalidOptions) if the file has
    /// neither `index.index` nor `index.collection`.
    pub fn required_index(&self) -> Result<&str> {
        let allowed = "the name of an index, here or in `index.collection`";
        self.index.as_deref().ok_or_else(|| self.place.missing(INDEX, allowed))
    }

    /// Returns the error for a missing setting, such as `endpoint`, with its path and line.
    pub fn missing(&self, name: &str, allowed: &str) -> Error {
        self.place.missing(name, allowed)
    }

    /// Returns the error for an invalid setting, with its path and line. `actual` describes the
    /// value without repeating a secret.
    pub fn invalid(&self, name: &str, actual: &str, allowed: &str) -> Error {
        self.place.invalid(name, actual, allowed)
    }
}
