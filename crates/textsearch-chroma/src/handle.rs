//! A collection by its name, and the id under which the server knows it.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Serialize, de::DeserializeOwned};
use textsearch_core::{Error, Filter, Result, http::HttpRequest, vector::RecordDefinition};

use crate::{
    CONNECTOR,
    client::Api,
    definition::{check_fits, check_metadata, check_vectors},
    error::is_missing,
    existing::{Existing, existing},
    filter::{Where, by_documents, selection},
};

/// Compares the handle's definition with the collection's.
type Check = fn(&RecordDefinition, &RecordDefinition) -> Result<()>;

#[derive(Debug)]
pub(crate) struct Handle {
    pub(crate) api: Arc<Api>,
    pub(crate) name: String,
    pub(crate) definition: Arc<RecordDefinition>,
    /// The result of the last lookup. Stale once another program deletes the collection.
    existing: Mutex<Option<Arc<Existing>>>,
}

impl Handle {
    pub(crate) fn new(api: &Arc<Api>, name: &str, definition: RecordDefinition) -> Self {
        Self {
            api: Arc::clone(api),
            name: name.to_owned(),
            definition: Arc::new(definition),
            existing: Mutex::default(),
        }
    }

    /// # Errors
    /// `CollectionNotFound`, and errors of the request.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        action: &str,
        body: &impl Serialize,
    ) -> Result<T> {
        self.send(accept, |id| self.api.post(id, action, body)).await
    }

    /// Sends a request with a selection.
    ///
    /// # Errors
    /// As [`post`](Self::post); `InvalidOptions` if the selection relies on metadata that the
    /// collection doesn't have: another program has just made it again.
    pub(crate) async fn post_selection<T: DeserializeOwned>(
        &self,
        action: &str,
        body: &impl Serialize,
        selection: &Where,
    ) -> Result<T> {
        let check = if selection.by_field { check_metadata } else { accept };
        self.send(check, |id| self.api.post(id, action, body)).await
    }

    /// Ranks a selection.
    ///
    /// # Errors
    /// As [`post_selection`](Self::post_selection); `InvalidOptions` if the collection has other
    /// vectors, whose scores would mean something else.
    pub(crate) async fn post_query<T: DeserializeOwned>(
        &self,
        body: &impl Serialize,
        selection: &Where,
    ) -> Result<T> {
        let check = if selection.by_field { check_fits } else { check_vectors };
        self.send(check, |id| self.api.post(id, "query", body)).await
    }

    /// # Errors
    /// As [`post`](Self::post); `InvalidOptions` if the collection has another definition.
    pub(crate) async fn post_records<T: DeserializeOwned>(
        &self,
        action: &str,
        body: &impl Serialize,
    ) -> Result<T> {
        self.send(check_fits, |id| self.api.post(id, action, body)).await
    }

    /// Returns the number of records.
    pub(crate) async fn count(&self) -> Result<usize> {
        self.send(accept, |id| self.api.count(id)).await
    }

    /// Checks that the collection exists.
    pub(crate) async fn check_exists(&self) -> Result<()> {
        self.find().await.map(drop)
    }

    /// Checks that records written by this definition have the metadata of the others.
    pub(crate) async fn check_writable(&self) -> Result<()> {
        check_fits(&self.definition, &self.existing().await?.definition)
    }

    /// Returns the server's part of a filter: only documents if the collection was created with other
    /// metadata. The server treats a field without metadata as absent.
    pub(crate) async fn selection(&self, filter: Option<&Filter>) -> Result<Where> {
        let Some(filter) = filter else { return Ok(Where::ALL) };
        let existing = self.existing().await?;
        let select = match check_metadata(&self.definition, &existing.definition) {
            Ok(()) => selection,
            Err(_) => by_documents,
        };
        Ok(select(filter, &self.definition))
    }

    pub(crate) fn remember(&self, existing: Option<Arc<Existing>>) {
        *self.existing.lock().unwrap_or_else(PoisonError::into_inner) = existing;
    }

    fn remembered(&self) -> Option<Arc<Existing>> {
        self.existing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks the collection up again if the server doesn't know its id any more. Checks its
    /// definition against this one before each request.
    async fn send<T: DeserializeOwned>(
        &self,
        check: Check,
        request: impl Fn(&str) -> HttpRequest,
    ) -> Result<T> {
        let mut attempts = 0;
        if let Some(existing) = self.remembered() {
            check(&self.definition, &existing.definition)?;
            match self.api.send(request(&existing.id)).await {
                Err(error) if is_missing(&error) => attempts = error.attempts() - 1,
                done => return done,
            }
            self.remember(None);
        }
        let again = async {
            let existing = self.find().await?;
            check(&self.definition, &existing.definition)?;
            self.api.send(request(&existing.id)).await.map_err(|error| self.missing(error))
        };
        again.await.map_err(|error| {
            let all = attempts + error.attempts();
            error.with_attempts(all)
        })
    }

    async fn existing(&self) -> Result<Arc<Existing>> {
        match self.remembered() {
            Some(existing) => Ok(existing),
            None => self.find().await,
        }
    }

    async fn find(&self) -> Result<Arc<Existing>> {
        let collection = self.api.find(&self.name).await?;
        let collection =
            collection.ok_or_else(|| Error::collection_not_found(CONNECTOR, &self.name))?;
        let existing = Arc::new(existing(collection)?);
        self.remember(Some(Arc::clone(&existing)));
        Ok(existing)
    }

    fn missing(&self, error: Error) -> Error {
        if !is_missing(&error) {
            return error;
        }
        Error::collection_not_found(CONNECTOR, &self.name).with_attempts(error.attempts())
    }
}

fn accept(_: &RecordDefinition, _: &RecordDefinition) -> Result<()> {
    Ok(())
}
