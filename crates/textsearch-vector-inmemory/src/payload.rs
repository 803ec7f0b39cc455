//! All of a record but its vectors, as small as it can be held.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};
use textsearch_core::{BoxError, Error, ErrorKind, Result, vector::RecordKey};

use crate::error::CONNECTOR;

/// More bytes than most records take as JSON.
const USUAL: usize = 4096;

/// The key and the data of a record.
///
/// The data are JSON text, about a fifth of what a tree of values takes; values that filters may ask for stand in the
/// columns of chunks, where they are fast to go through.
pub(crate) struct Payload {
    key: RecordKey,
    data: Box<str>,
}

impl Payload {
    /// The payload of a record that was checked.
    pub(crate) fn new(key: RecordKey, data: &Map<String, Value>) -> Result<Arc<Self>> {
        // Made in one place and then copied: a text that grows as it is written leaves holes in the memory.
        let mut text = Vec::with_capacity(USUAL);
        serde_json::to_writer(&mut text, data).map_err(|error| unreadable(&key, error))?;
        let text = std::str::from_utf8(&text).map_err(|error| unreadable(&key, error))?;
        Ok(Arc::new(Self { key, data: text.into() }))
    }

    pub(crate) fn key(&self) -> &RecordKey {
        &self.key
    }

    /// The data as JSON text.
    pub(crate) fn json(&self) -> &str {
        &self.data
    }

    /// A copy of the data.
    pub(crate) fn data(&self) -> Result<Map<String, Value>> {
        serde_json::from_str(&self.data).map_err(|error| unreadable(&self.key, error))
    }
}

fn unreadable(key: &RecordKey, error: impl Into<BoxError> + fmt::Display) -> Error {
    let message = format!("the data of the record `{key}` are not JSON: {error}");
    Error::new(ErrorKind::Undecodable, CONNECTOR, message).with_source(error)
}
