//! Creates, completes, describes and deletes collections on the server.

use qdrant_client::qdrant::{CollectionInfo, PointId, ScrollPoints};
use textsearch_core::{Error, Result};

use crate::{
    CONNECTOR, error,
    handle::{QdrantCollection, no_payload},
    schema,
};

impl QdrantCollection {
    pub(crate) async fn is_there(&self) -> Result<bool> {
        let asked = self.request(|client| {
            let name = self.name.clone();
            async move { client.collection_exists(name).await }
        });
        let exists = asked.await?;
        if !exists {
            self.forget();
        }
        Ok(exists)
    }

    pub(crate) async fn check_exists(&self) -> Result<()> {
        if self.is_there().await? {
            Ok(())
        } else {
            Err(Error::collection_not_found(CONNECTOR, &self.name))
        }
    }

    pub(crate) async fn ensure(&self) -> Result<()> {
        if !self.is_there().await? {
            self.create().await?;
        }
        self.complete().await
    }

    pub(crate) async fn delete_all(&self) -> Result<()> {
        let deleted = self.request(|client| {
            let name = self.name.clone();
            async move { client.delete_collection(name).await }
        });
        let deleted = deleted.await;
        self.forget();
        match deleted {
            Err(error) if error::is_collection_not_found(&error) => Ok(()),
            deleted => deleted.map(drop),
        }
    }

    pub(crate) async fn info(&self) -> Result<CollectionInfo> {
        let asked = self.request(|client| {
            let name = self.name.clone();
            async move { client.collection_info(name).await }
        });
        Ok(asked.await?.result.unwrap_or_default())
    }

    /// Returns the identifier of any point; `None` if there is none.
    pub(crate) async fn any_id(&self) -> Result<Option<PointId>> {
        let scrolled = self.request(|client| {
            let request = ScrollPoints {
                collection_name: self.name.clone(),
                limit: Some(1),
                with_payload: Some(no_payload()),
                with_vectors: self.vectors(false),
                ..ScrollPoints::default()
            };
            async move { client.scroll(request).await }
        });
        Ok(scrolled.await?.result.into_iter().next().and_then(|point| point.id))
    }

    async fn create(&self) -> Result<()> {
        let request = schema::create(&self.name, &self.definition)?;
        let created = self.request(|client| {
            let request = request.clone();
            async move { client.create_collection(request).await }
        });
        match created.await {
            // Another client, or an attempt that seemed to fail, may have created it already.
            Err(_) if self.is_there().await? => Ok(()),
            created => created.map(drop),
        }
    }

    async fn complete(&self) -> Result<()> {
        let info = self.info().await?;
        self.look_at(&info);
        let missing = schema::check_existing(info, &self.definition)?;
        if let Some(metadata) = missing.metadata {
            let updated = self.request(|client| {
                let request = schema::update(&self.name, metadata.clone());
                async move { client.update_collection(request).await }
            });
            updated.await?;
        }
        for (path, index) in missing.indexes {
            let request = schema::create_index(&self.name, &path, index);
            let created = self.request(|client| {
                let request = request.clone();
                async move { client.create_field_index(request).await }
            });
            created.await?;
        }
        Ok(())
    }
}
