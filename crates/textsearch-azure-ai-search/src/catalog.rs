//! Indexes: which exist, whether they fit a definition, and how they are made.

use serde::Deserialize;
use textsearch_core::{Result, http::Method};

use crate::{
    client::Service,
    error::{is_status, refused},
    existing::Existing,
    handle::{Index, indexes_request},
    schema,
};

#[derive(Deserialize)]
struct List {
    value: Vec<Existing>,
}

/// Returns the names of the indexes that this crate made.
pub(crate) async fn names(service: &Service) -> Result<Vec<String>> {
    let request =
        indexes_request(service, Method::GET, "/indexes").with_query("$select", "name,fields");
    let list: List = service.read(request).await?;
    let own = list.value.into_iter().filter(Existing::is_own);
    let mut names: Vec<String> = own.map(|index| index.name).collect();
    names.sort_unstable();
    Ok(names)
}

impl Index {
    pub(crate) async fn is_there(&self) -> Result<bool> {
        Ok(self.existing().await?.is_some_and(|existing| existing.is_own()))
    }

    pub(crate) async fn ensure(&self) -> Result<()> {
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
    pub(crate) async fn delete_all(&self) -> Result<()> {
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
                let value = format_args!("`{name}`, which the index `{}` lacks", self.name);
                Err(refused("semantic_configuration", value, "one of the index, or unset"))
            }
            _ => Ok(()),
        }
    }

    fn foreign(&self) -> textsearch_core::Error {
        let value = format_args!("`{}`, an index that another program made", self.name);
        refused("name", value, "the name of a collection, or a new one")
    }

    async fn existing(&self) -> Result<Option<Existing>> {
        match self.service.read(self.own(Method::GET)).await {
            Err(error) if is_status(&error, 404) => Ok(None),
            index => index.map(Some),
        }
    }
}
