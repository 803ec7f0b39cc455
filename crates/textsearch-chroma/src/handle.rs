//! A collection by its name, and the id under which the server knows it.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Serialize, de::DeserializeOwned};
use textsearch_core::{Error, Result, http::HttpRequest, vector::RecordDefinition};

use crate::{
    api::{Api, Described},
    catalog,
    error::{collection_not_found, is_missing},
};

#[derive(Debug)]
pub(crate) struct Handle {
    pub(crate) api: Arc<Api>,
    pub(crate) name: String,
    pub(crate) definition: Arc<RecordDefinition>,
    /// Looked up once. It is stale if another program deletes the collection.
    id: Mutex<Option<Arc<str>>>,
}

impl Handle {
    pub(crate) fn new(api: &Arc<Api>, name: &str, definition: RecordDefinition) -> Self {
        Self {
            api: Arc::clone(api),
            name: name.to_owned(),
            definition: Arc::new(definition),
            id: Mutex::default(),
        }
    }

    /// # Errors
    /// `CollectionNotFound`, and errors of the request.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        action: &str,
        body: &impl Serialize,
    ) -> Result<T> {
        self.send(|id| self.api.post(id, action, body)).await
    }

    /// Returns the number of records.
    pub(crate) async fn count(&self) -> Result<usize> {
        self.send(|id| self.api.count(id)).await
    }

    /// Checks that the collection exists.
    pub(crate) async fn check_exists(&self) -> Result<()> {
        self.found().await.map(drop)
    }

    pub(crate) fn remember(&self, id: Option<&str>) {
        *self.id.lock().unwrap_or_else(PoisonError::into_inner) = id.map(Arc::from);
    }

    /// Looks the id up again if the server doesn't know it any more.
    async fn send<T: DeserializeOwned>(&self, request: impl Fn(&str) -> HttpRequest) -> Result<T> {
        let known = self.id.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(id) = known {
            match self.api.send(request(&id)).await {
                Err(error) if is_missing(&error) => self.remember(None),
                done => return done,
            }
        }
        let found = self.found().await?;
        self.api.send(request(&found.id)).await.map_err(|error| self.missing(error))
    }

    async fn found(&self) -> Result<Described> {
        let found = self.api.find(&self.name).await?;
        let found = found.ok_or_else(|| collection_not_found(&self.name))?;
        catalog::check_is_ours(&found)?;
        self.remember(Some(&found.id));
        Ok(found)
    }

    fn missing(&self, error: Error) -> Error {
        if is_missing(&error) { collection_not_found(&self.name) } else { error }
    }
}
