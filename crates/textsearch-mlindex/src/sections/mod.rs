//! The sections of a file, checked.

mod connection;
mod embeddings;
mod index;
mod other;
mod reader;

pub use self::{
    connection::Connection, embeddings::EmbeddingsSection, index::IndexSection,
    other::OtherSettings,
};
pub(crate) use self::{
    embeddings::{ENDPOINT as API_BASE, NONE},
    index::FIELD_MAPPING,
};
