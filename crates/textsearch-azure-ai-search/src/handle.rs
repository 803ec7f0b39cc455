//! The index of a collection.

use std::sync::Arc;

use textsearch_core::{
    Result,
    http::{HttpRequest, Method},
    vector::{KeyKind, RecordDefinition},
};

use crate::{client::Service, error::index_error};

/// An index, and what its records look like.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) service: Service,
    pub(crate) name: Arc<str>,
    pub(crate) definition: Arc<RecordDefinition>,
}

impl Index {
    /// # Errors
    /// Returns `CollectionNotFound` if there is no index.
    pub(crate) async fn check_exists(&self) -> Result<()> {
        self.service
            .send(self.own(Method::GET))
            .await
            .map_err(|error| index_error(&self.name, error))
    }

    pub(crate) fn own(&self, method: Method) -> HttpRequest {
        indexes_request(&self.service, method, &format!("/indexes('{}')", self.name))
    }

    /// Returns the name of the index field with the record as JSON, by the kind of the keys.
    pub(crate) fn data_field(&self) -> &'static str {
        data_field(self.definition.key.kind)
    }
}

pub(crate) fn data_field(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Integer => "textsearch_data_of_integer",
        KeyKind::Uuid => "textsearch_data_of_uuid",
        KeyKind::String => "textsearch_data_of_string",
    }
}

pub(crate) fn indexes_request(service: &Service, method: Method, path: &str) -> HttpRequest {
    service.request(method, path).with_header("Accept", "application/json;odata.metadata=minimal")
}
