//! The key and data of a record in compact form.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};
use textsearch_core::{BoxError, Error, ErrorKind, Result, vector::RecordKey};

use crate::error::CONNECTOR;

/// JSON text takes about a fifth of the memory of a value tree. Filterable values are also stored
/// in the columns of chunks, which are fast to scan.
pub(crate) struct Payload {
    key: RecordKey,
    data: Box<str>,
}

/// Reuses one buffer. A buffer per payload would grow as it is written and fragment the memory.
#[derive(Default)]
pub(crate) struct PayloadWriter(Vec<u8>);

impl PayloadWriter {
    pub(crate) fn payload(
        &mut self,
        key: RecordKey,
        data: &Map<String, Value>,
    ) -> Result<Arc<Payload>> {
        self.0.clear();
        serde_json::to_writer(&mut self.0, data).map_err(|error| unreadable(&key, error))?;
        let text = std::str::from_utf8(&self.0).map_err(|error| unreadable(&key, error))?;
        Ok(Arc::new(Payload::of_json(key, text)))
    }
}

impl Payload {
    /// The text was checked.
    pub(crate) fn of_json(key: RecordKey, text: &str) -> Self {
        Self { key, data: text.into() }
    }

    pub(crate) fn key(&self) -> &RecordKey {
        &self.key
    }

    pub(crate) fn into_key(self) -> RecordKey {
        self.key
    }

    pub(crate) fn json(&self) -> &str {
        &self.data
    }

    pub(crate) fn data(&self) -> Result<Map<String, Value>> {
        serde_json::from_str(&self.data).map_err(|error| unreadable(&self.key, error))
    }
}

fn unreadable(key: &RecordKey, error: impl Into<BoxError> + fmt::Display) -> Error {
    let message = format!("the data of the record `{key}` are not JSON: {error}");
    Error::new(ErrorKind::Undecodable, CONNECTOR, message).with_source(error)
}
