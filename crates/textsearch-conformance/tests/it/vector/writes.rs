//! Faults in writing.

use textsearch_conformance::core::{
    Result,
    vector::{GetOptions, RecordKey, ScanOptions, StoredRecord},
};

use super::{collection::SabotagedCollection, fault::Fault, store::refused};

impl SabotagedCollection {
    pub(super) async fn write(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        match self.fault {
            Fault::StoresPartsOfBatches => {
                for record in records {
                    self.inner.upsert(vec![record]).await?;
                }
                return Ok(());
            }
            Fault::WritesHalfWhenDropped => {
                let half = records.split_off(records.len() / 2);
                self.inner.upsert(records).await?;
                tokio::task::yield_now().await;
                return self.inner.upsert(half).await;
            }
            Fault::RefusesEmptyBatches if records.is_empty() => {
                return Err(refused("records", "empty", "at least one"));
            }
            Fault::CutsLargeBatches => records.truncate(1_000),
            Fault::ReversesBatches => records.reverse(),
            Fault::KeepsOldFields => {
                for old in self.stored(&records).await? {
                    for new in records.iter_mut().filter(|record| record.key == old.key) {
                        let mut data = old.data.clone();
                        data.append(&mut new.data);
                        new.data = data;
                    }
                }
            }
            Fault::LosesConcurrentWrites => return self.write_back(records).await,
            Fault::MixesConcurrentWrites => return self.write_in_two_steps(records).await,
            _ => {}
        }
        self.inner.upsert(records).await
    }

    /// Reads the collection, waits, and writes it back with the records.
    async fn write_back(&self, records: Vec<StoredRecord>) -> Result<()> {
        let whole = ScanOptions::default().with_vectors(true);
        let mut all = self.inner.scan(&whole).await?.into_vec().await?;
        tokio::task::yield_now().await;
        all.extend(records);
        self.inner.upsert(all).await
    }

    /// Writes the data first, then the vectors.
    async fn write_in_two_steps(&self, records: Vec<StoredRecord>) -> Result<()> {
        let mut without = records.clone();
        without.iter_mut().for_each(|record| record.vectors.clear());
        self.inner.upsert(without).await?;
        tokio::task::yield_now().await;
        let mut stored = self.stored(&records).await?;
        for (record, written) in stored.iter_mut().zip(&records) {
            record.vectors.clone_from(&written.vectors);
        }
        self.inner.upsert(stored).await
    }

    pub(super) async fn lose_vectors(&self) -> Result<()> {
        let mut all = self.inner.scan(&ScanOptions::default()).await?.into_vec().await?;
        all.iter_mut().for_each(|record| record.vectors.clear());
        self.inner.upsert(all).await
    }

    async fn stored(&self, records: &[StoredRecord]) -> Result<Vec<StoredRecord>> {
        let keys: Vec<RecordKey> = records.iter().map(|record| record.key.clone()).collect();
        self.inner.get(&keys, &GetOptions::default().with_vectors(true)).await
    }
}
