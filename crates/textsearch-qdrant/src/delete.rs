//! Deletion of records.

use qdrant_client::qdrant::{
    DeletePoints, PointId, PointsIdsList, PointsSelector, points_selector::PointsSelectorOneOf,
};
use textsearch_core::{Filter, Result, vector::RecordKey};

use crate::{
    error,
    handle::{PAGE, QdrantCollection},
    key,
};

impl QdrantCollection {
    pub(crate) async fn delete_keys(&self, keys: &[RecordKey]) -> Result<()> {
        let field = &self.definition.key;
        let ids: Vec<PointId> = keys.iter().filter_map(|key| key::point_of(field, key)).collect();
        if ids.is_empty() {
            return self.check_exists().await;
        }
        for page in ids.chunks(PAGE) {
            let ids = PointsIdsList { ids: page.to_vec() };
            self.delete_points(PointsSelectorOneOf::Points(ids)).await?;
        }
        Ok(())
    }

    pub(crate) async fn delete_matches(&self, filter: &Filter) -> Result<()> {
        let filter = self.conditions(Some(filter)).await?.unwrap_or_default();
        self.delete_points(PointsSelectorOneOf::Filter(filter)).await
    }

    async fn delete_points(&self, points: PointsSelectorOneOf) -> Result<()> {
        let waits = self.nodes.config().wait_for_writes;
        let deleted = self.request(|client| {
            let request = DeletePoints {
                collection_name: self.name.clone(),
                wait: Some(waits),
                points: Some(PointsSelector { points_selector_one_of: Some(points.clone()) }),
                ..DeletePoints::default()
            };
            async move { client.delete_points(request).await }
        });
        error::check_written(&deleted.await?, waits)
    }
}
