//! Writes records in batches, and reports which were stored if that fails.

use std::ops::Range;

use textsearch_core::{
    Error, ErrorKind, Result,
    text_analysis::SparseWriter,
    vector::{Batches, InterruptedUpsert, StoredRecord, keep_last_of_each_key},
};

use crate::{
    CONNECTOR,
    data::DataText,
    error::Failure,
    handle::Handle,
    proto,
    record::{Prepared, Table},
    terms::weights,
};

impl Prepared<'_> {
    /// Returns about the bytes in a request.
    fn size(&self, handle: &Handle) -> usize {
        let vectors: usize = handle.columns.vectors.iter().map(|column| column.dimensions).sum();
        // Columns repeat parts of the data.
        4 * vectors + 2 * self.data.len() + 13 * self.terms.len() + 64
    }
}

impl Handle {
    /// If several records have the same key, the last one wins.
    pub(crate) async fn write(&self, mut records: Vec<StoredRecord>) -> Result<()> {
        for record in &records {
            self.definition.check_record(CONNECTOR, record)?;
            self.columns.check(record)?;
        }
        keep_last_of_each_key(&mut records);
        if records.is_empty() {
            return self.check_exists().await;
        }
        let config = self.client.config();
        let mut writer = self.text_fields.writer();
        let mut table = Table::new(&self.columns);
        let mut batches = Batches::new(config.max_batch_records, config.max_batch_bytes);
        let mut written = 0;
        for record in &records {
            let prepared = prepared(record, &mut writer).map_err(|error| {
                // Nothing of this batch was sent.
                InterruptedUpsert::at(&records, &(written..written), true, error)
            })?;
            if let Some(batch) = batches.add(prepared.size(self)) {
                written = batch.end;
                let ready = std::mem::replace(&mut table, Table::new(&self.columns));
                self.write_batch(&records, batch, ready).await?;
            }
            table.push(&prepared);
        }
        match batches.take() {
            Some(batch) => self.write_batch(&records, batch, table).await,
            None => Ok(()),
        }
    }

    async fn write_batch(
        &self,
        records: &[StoredRecord],
        batch: Range<usize>,
        table: Table<'_>,
    ) -> Result<()> {
        let request = proto::Upsert {
            db_name: self.client.database(),
            collection_name: self.encoded(),
            num_rows: u32::try_from(batch.len()).unwrap_or(u32::MAX),
            fields_data: table.into_fields(),
        };
        let written: Result<proto::Written, Failure> = self.call("Upsert", &request).await;
        match written {
            Ok(written) if written.err_index.is_empty() => {
                self.client.wrote(written.timestamp);
                Ok(())
            }
            Ok(written) => {
                let message =
                    format!("the server stored all but {} of a batch", written.err_index.len());
                let error = Error::new(ErrorKind::Backend, CONNECTOR, message);
                Err(InterruptedUpsert::at(records, &batch, false, error))
            }
            Err(Failure { error, is_refusal, .. }) => {
                Err(InterruptedUpsert::at(records, &batch, is_refusal, error))
            }
        }
    }
}

fn prepared<'a>(record: &'a StoredRecord, writer: &mut SparseWriter<'_>) -> Result<Prepared<'a>> {
    let data = DataText::new(&record.data).ok_or_else(|| {
        let fault = "its data has more than 268 million bytes of JSON";
        Error::invalid_record(CONNECTOR, &record.key, fault)
    })?;
    Ok(Prepared { record, data, terms: weights(writer.document(&record.data)) })
}
