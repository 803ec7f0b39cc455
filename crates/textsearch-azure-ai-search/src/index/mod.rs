//! Indexes: which exist, whether they fit a definition, and how they are made.

mod existing;
mod schema;

use std::sync::Arc;

use serde::Deserialize;
use textsearch_core::{
    Result,
    http::{HttpRequest, Method},
    vector::{KeyKind, RecordDefinition},
};

use crate::{
    error::{is_status, of_index, refused},
    service::Service,
};
use existing::Existing;

/// An index, and what its records look like.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) service: Service,
    pub(crate) name: Arc<str>,
    pub(crate) definition: Arc<RecordDefinition>,
}

#[derive(Deserialize)]
struct List {
    value: Vec<Existing>,
}

/// Returns the names of the indexes that this crate made.
pub(crate) async fn names(service: &Service) -> Result<Vec<String>> {
    let request = of_indexes(service, Method::GET, "/indexes").with_query("$select", "name,fields");
    let list: List = service.read(request).await?;
    let own = list.value.into_iter().filter(Existing::is_own);
    let mut names: Vec<String> = own.map(|index| index.name).collect();
    names.sort_unstable();
    Ok(names)
}

impl Index {
    pub(crate) async fn exists(&self) -> Result<bool> {
        Ok(self.existing().await?.is_some_and(|existing| existing.is_own()))
    }

    /// # Errors
    /// Returns `CollectionNotFound` if there is no index.
    pub(crate) async fn check_exists(&self) -> Result<()> {
        self.service.send(self.own(Method::GET)).await.map_err(|error| of_index(&self.name, error))
    }

    pub(crate) async fn ensure_exists(&self) -> Result<()> {
        if let Some(existing) = self.existing().await? {
            return self.check_fits(&existing);
        }
        let semantic = self.service.config().semantic_configuration.as_deref();
        let request = self
            .own(Method::PUT)
            .with_header("Prefer", "return=representation")
            .with_header("If-None-Match", "*")
            .with_json(&schema::index(&self.name, &self.definition, semantic));
        match self.service.send(request).await {
            // Another caller was faster.
            Err(error) if is_status(&error, 412) => match self.existing().await? {
                Some(existing) => self.check_fits(&existing),
                None => Err(error),
            },
            made => made,
        }
    }

    /// Leaves an index that this crate didn't make.
    pub(crate) async fn delete(&self) -> Result<()> {
        match self.existing().await? {
            Some(existing) if !existing.is_own() => Err(self.foreign()),
            Some(_) => match self.service.send(self.own(Method::DELETE)).await {
                Err(error) if is_status(&error, 404) => Ok(()),
                deleted => deleted,
            },
            None => Ok(()),
        }
    }

    fn check_fits(&self, existing: &Existing) -> Result<()> {
        if !existing.is_own() {
            return Err(self.foreign());
        }
        existing.check_fits(&self.definition)?;
        match &self.service.config().semantic_configuration {
            Some(name) if !existing.has_semantic(name) => {
                let found = format_args!("`{name}`, which the index `{}` lacks", self.name);
                Err(refused("semantic_configuration", found, "one of the index, or unset"))
            }
            _ => Ok(()),
        }
    }

    fn foreign(&self) -> textsearch_core::Error {
        let found = format_args!("`{}`, an index that another program made", self.name);
        refused("name", found, "the name of a collection, or a new one")
    }

    async fn existing(&self) -> Result<Option<Existing>> {
        match self.service.read(self.own(Method::GET)).await {
            Err(error) if is_status(&error, 404) => Ok(None),
            found => found.map(Some),
        }
    }

    fn own(&self, method: Method) -> HttpRequest {
        of_indexes(&self.service, method, &format!("/indexes('{}')", self.name))
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
        _ => "textsearch_data_of_string",
    }
}

fn of_indexes(service: &Service, method: Method, path: &str) -> HttpRequest {
    service.request(method, path).with_header("Accept", "application/json;odata.metadata=minimal")
}
