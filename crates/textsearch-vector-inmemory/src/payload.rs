//! All of a record but its vectors, as small as it can be held.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};
use textsearch_core::{BoxError, Error, ErrorKind, Result, vector::RecordKey};

use crate::error::CONNECTOR;

/// The key and the data of a record.
///
/// The data are JSON text, about a fifth of what a tree of values takes; values that filters may ask for stand in the
/// columns of chunks, where they are fast to go through.
pub(crate) struct Payload {
    key: RecordKey,
    data: Box<str>,
}

/// Makes payloads, each in the same place from which it is copied: a text that grows as it is written leaves holes in the
/// memory.
#[derive(Default)]
pub(crate) struct PayloadWriter(Vec<u8>);

impl PayloadWriter {
    /// The payload of a record that was checked.
    pub(crate) fn payload(
        &mut self,
        key: RecordKey,
        data: &Map<String, Value>,
    ) -> Result<Arc<Payload>> {
        self.0.clear();
        serde_json::to_writer(&mut self.0, data).map_err(|error| unreadable(&key, error))?;
        let text = std::str::from_utf8(&self.0).map_err(|error| unreadable(&key, error))?;
        Ok(Payload::of_json(key, text))
    }
}

impl Payload {
    /// The payload of a record whose data are this JSON text, which was checked.
    pub(crate) fn of_json(key: RecordKey, text: &str) -> Arc<Self> {
        Arc::new(Self { key, data: text.into() })
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
