//! Writes records in batches, and reports which were stored if that fails.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use prost::Message as _;
use qdrant_client::qdrant::{PointStruct, UpsertPoints};
use textsearch_core::{
    Error, Result,
    vector::{Batches, InterruptedUpsert, StoredRecord, keep_last_of_each_key},
};

use crate::{CONNECTOR, error, handle::QdrantCollection, path::RESERVED, record::PointWriter};

impl QdrantCollection {
    /// If several records have the same key, the last one wins.
    pub(crate) async fn write(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        for record in &records {
            self.definition.check_record(CONNECTOR, record)?;
            check_reserved(record)?;
        }
        keep_last_of_each_key(&mut records);
        if records.is_empty() {
            return self.check_exists().await;
        }
        let mut writer = self.writer();
        let config = self.nodes.config();
        let mut batches = Batches::new(config.max_batch_records, config.max_batch_bytes);
        let mut points: Vec<PointStruct> = Vec::new();
        for record in &records {
            let point = writer.point(record);
            if let Some(batch) = batches.add(point.encoded_len()) {
                let ready = std::mem::take(&mut points);
                self.write_batch(&records, batch, ready, &mut writer).await?;
            }
            points.push(point);
        }
        match batches.take() {
            Some(batch) => self.write_batch(&records, batch, points, &mut writer).await,
            None => Ok(()),
        }
    }

    async fn write_batch(
        &self,
        records: &[StoredRecord],
        batch: std::ops::Range<usize>,
        points: Vec<PointStruct>,
        writer: &mut PointWriter<'_>,
    ) -> Result<()> {
        #[expect(clippy::indexing_slicing, reason = "batches are ranges of the records")]
        let batch_records = &records[batch.clone()];
        // Rebuild the points only for a retry; a copy for every attempt would cost more than
        // sending.
        let mut ready = Some(points);
        let attempts = AtomicUsize::new(0);
        let is_refused = AtomicBool::new(false);
        let attempts = &attempts;
        let is_refused = &is_refused;
        let written = self.request(|client| {
            let is_first = attempts.fetch_add(1, Ordering::Relaxed) == 0;
            let points = ready.take();
            let points = points.unwrap_or_else(|| {
                batch_records.iter().map(|record| writer.point(record)).collect()
            });
            let request = UpsertPoints {
                collection_name: self.name.clone(),
                wait: Some(self.nodes.config().wait_for_writes),
                points,
                ..UpsertPoints::default()
            };
            async move {
                let written = client.upsert_points(request).await;
                let is_refusal = written.as_ref().err().is_some_and(error::is_refusal);
                is_refused.store(is_first && is_refusal, Ordering::Relaxed);
                written
            }
        });
        let waits = self.nodes.config().wait_for_writes;
        let done = written.await.and_then(|answer| error::check_written(&answer, waits));
        let Err(cause) = done else { return Ok(()) };
        // The client may have sent the request once more by itself, if its connection broke.
        let is_refused = is_refused.load(Ordering::Relaxed);
        Err(InterruptedUpsert::at(records, &batch, is_refused, cause))
    }
}

/// A field of the reserved name would be mistaken for this crate's own data.
fn check_reserved(record: &StoredRecord) -> Result<()> {
    if !record.data.contains_key(RESERVED) {
        return Ok(());
    }
    let fault = format!("its field `{RESERVED}` is reserved for this connector; rename it");
    Err(Error::invalid_record(CONNECTOR, &record.key, fault))
}
