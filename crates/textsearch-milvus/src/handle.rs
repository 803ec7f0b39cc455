//! Requests about one collection.

use std::{sync::Arc, time::Duration};

use prost::Message;
use textsearch_core::{
    Error, ErrorKind, Result,
    text_analysis::SparseFields,
    vector::{Batches, KeyKind, RecordDefinition, RecordKey, StoredRecord},
};
use tokio::time::{Instant, sleep};

use crate::{
    CONNECTOR,
    client::Client,
    columns::{ABSENT, Columns, DATA, LONG, TERMS, signed},
    error::{Failure, undecodable},
    filter::both,
    literal, names,
    proto::{self, Response, Values, pair},
    rows::{self, Row},
};

/// Records that are read at once; fewer if they are too large for one response.
const PAGE: usize = 1_000;

/// Bytes of keys in one expression.
const BYTES_OF_KEYS: usize = 1 << 20;

/// Rows without data that are read at once, and about their bytes.
const PAGE_WITHOUT_DATA: usize = 16_384;
const BYTES_OF_PAGE: usize = 16 * 1024 * 1024;

pub(crate) struct Handle {
    pub(crate) client: Arc<Client>,
    pub(crate) name: String,
    pub(crate) definition: Arc<RecordDefinition>,
    pub(crate) columns: Columns,
    pub(crate) text_fields: SparseFields,
    /// The name on the server.
    encoded: String,
}

impl Handle {
    pub(crate) fn new(client: Arc<Client>, name: &str, definition: RecordDefinition) -> Self {
        Self {
            client,
            name: name.to_owned(),
            columns: Columns::new(&definition),
            text_fields: SparseFields::new(&definition),
            encoded: names::encode(name),
            definition: Arc::new(definition),
        }
    }

    pub(crate) fn encoded(&self) -> String {
        self.encoded.clone()
    }

    pub(crate) fn named(&self) -> proto::NamedCollection {
        let db_name = self.client.database();
        let collection_name = self.encoded();
        proto::NamedCollection { db_name, collection_name }
    }

    pub(crate) async fn call<R: Response>(
        &self,
        method: &'static str,
        request: &impl Message,
    ) -> Result<R, Failure> {
        self.client.call(method, request, Some(&self.name)).await
    }

    /// Sends a request, and loads the collection into the server's memory first if necessary.
    pub(crate) async fn call_loaded<R: Response>(
        &self,
        method: &'static str,
        request: &impl Message,
    ) -> Result<R, Failure> {
        match self.call(method, request).await {
            Err(failure) if failure.not_loaded => {
                self.load().await?;
                self.call(method, request).await
            }
            answered => answered,
        }
    }

    /// Loads the collection into the server's memory, and waits until it is there.
    pub(crate) async fn load(&self) -> Result<()> {
        let replicas = self.definition.distribution.replication_factor.unwrap_or(1);
        let request = proto::LoadCollection {
            db_name: self.client.database(),
            collection_name: self.encoded(),
            replica_number: replicas.cast_signed(),
        };
        let _: proto::Status = self.call("LoadCollection", &request).await?;
        let begin = Instant::now();
        let mut pause = Duration::from_millis(10);
        let request = proto::GetLoadState {
            db_name: self.client.database(),
            collection_name: self.encoded(),
        };
        loop {
            let response: proto::LoadState = self.call("GetLoadState", &request).await?;
            if response.state == proto::LOADED {
                return Ok(());
            }
            let max = self.client.config().load_timeout;
            if begin.elapsed() >= max {
                let message = format!(
                    "the collection `{}` isn't loaded after {max:?}; wait, or raise `load_timeout`",
                    self.name
                );
                return Err(Error::new(ErrorKind::Timeout, CONNECTOR, message));
            }
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    pub(crate) async fn is_there(&self) -> Result<bool> {
        let response: Result<proto::Truth, _> = self.call("HasCollection", &self.named()).await;
        Ok(response?.value)
    }

    pub(crate) async fn check_exists(&self) -> Result<()> {
        if self.is_there().await? {
            Ok(())
        } else {
            Err(Error::collection_not_found(CONNECTOR, &self.name))
        }
    }

    fn query_request(&self, expression: String, outputs: Vec<String>) -> proto::Query {
        proto::Query {
            db_name: self.client.database(),
            collection_name: self.encoded(),
            expr: expression,
            output_fields: outputs,
            guarantee_timestamp: self.client.guarantee(),
            query_params: Vec::new(),
            consistency_level: self.client.config().consistency_level.number(),
        }
    }

    /// Counts the records of an expression; all if it is empty.
    pub(crate) async fn count(&self, expression: &str) -> Result<u64> {
        let request = self.query_request(expression.to_owned(), vec!["count(*)".to_owned()]);
        let response: proto::Queried = self.call_loaded("Query", &request).await?;
        match response.fields_data.first().and_then(rows::scalars) {
            Some(Values::Longs(counts)) if counts.data.len() == 1 => {
                Ok(counts.data.first().map_or(0, |count| count.unsigned_abs()))
            }
            _ => Err(undecodable("Query", "it has no count")),
        }
    }

    /// Reads the records with these keys, in any order.
    pub(crate) async fn rows_of(&self, keys: &[RecordKey], with_vectors: bool) -> Result<Vec<Row>> {
        let mut rows = Vec::with_capacity(keys.len());
        let mut page = PAGE;
        for batch in batches(keys) {
            let mut rest = batch;
            while !rest.is_empty() {
                let (keys, after) = rest.split_at(rest.len().min(page));
                let outputs = self.record_columns(with_vectors);
                let request = self.query_request(self.with_keys(keys), outputs);
                let queried: Result<proto::Queried, _> = self.call_loaded("Query", &request).await;
                match queried {
                    Err(failure) if failure.too_large && page > 1 => page /= 2,
                    queried => {
                        rows.extend(rows::from_query(queried?.fields_data, &self.columns)?);
                        rest = after;
                    }
                }
            }
        }
        Ok(rows)
    }

    /// Returns the expression of records with these keys.
    pub(crate) fn with_keys(&self, keys: &[RecordKey]) -> String {
        let literals = keys.iter().map(literal_of);
        format!("{} in {}", self.columns.key, literal::list(literals))
    }

    /// Reads the rows of an expression in the order of their keys, until `take` returns false.
    pub(crate) async fn each(
        &self,
        expression: &str,
        outputs: Vec<String>,
        mut take: impl FnMut(Row) -> Result<bool> + Send,
    ) -> Result<()> {
        let key = &self.columns.key;
        let mut limit = self.page(&outputs);
        // The upper half of integer keys is negative on the server.
        let parts = match self.columns.key_kind {
            KeyKind::Integer => vec![format!("{key} >= 0"), format!("{key} < 0")],
            _ => vec![String::new()],
        };
        for part in parts {
            let mut last: Option<RecordKey> = None;
            loop {
                let after = last.as_ref().map(|last| format!("{key} > {}", literal_of(last)));
                let condition = both(&both(expression, &part), &after.unwrap_or_default());
                let mut outputs = outputs.clone();
                outputs.push(key.clone());
                let mut request = self.query_request(condition, outputs);
                request.query_params = vec![
                    pair("limit", limit),
                    // Pages follow the order of keys, with nothing left out between them.
                    pair("iterator", "True"),
                    pair("reduce_stop_for_best", "True"),
                ];
                let queried: Result<proto::Queried, _> = self.call_loaded("Query", &request).await;
                let page = match queried {
                    Err(failure) if failure.too_large && limit > 1 => {
                        limit /= 2;
                        continue;
                    }
                    queried => rows::from_query(queried?.fields_data, &self.columns)?,
                };
                let is_last = page.len() < limit;
                let end = page.last().map(|row| &row.key);
                if end.is_some() && end <= last.as_ref() {
                    return Err(undecodable("Query", "its keys don't follow the previous page"));
                }
                for row in page {
                    last = Some(row.key.clone());
                    if !take(row)? {
                        return Ok(());
                    }
                }
                if is_last {
                    break;
                }
            }
        }
        Ok(())
    }

    fn page(&self, outputs: &[String]) -> usize {
        if outputs.iter().any(|output| output == DATA) {
            return PAGE;
        }
        let read = self.columns.vectors.iter().filter(|column| outputs.contains(&column.column));
        let dimensions: usize = read.map(|column| column.dimensions).sum();
        // A sparse vector has some hundred elements.
        let terms = if outputs.iter().any(|output| output == TERMS) { 4_096 } else { 0 };
        (BYTES_OF_PAGE / (4 * dimensions + terms + 64)).clamp(PAGE, PAGE_WITHOUT_DATA)
    }

    /// Returns the columns that make a record.
    pub(crate) fn record_columns(&self, with_vectors: bool) -> Vec<String> {
        let mut columns = vec![DATA.to_owned(), LONG.to_owned()];
        if with_vectors && !self.columns.vectors.is_empty() {
            columns.push(ABSENT.to_owned());
            columns.extend(self.columns.vectors.iter().map(|column| column.column.clone()));
        }
        columns
    }

    pub(crate) fn record(&self, row: Row) -> Result<StoredRecord> {
        let data = row.data.ok_or_else(|| undecodable("Query", "it has no data"))?;
        let mut record = StoredRecord::new(data, &self.definition)?;
        record.vectors = row.vectors;
        Ok(record)
    }
}

/// Splits keys into lists for one request each.
pub(crate) fn batches(keys: &[RecordKey]) -> impl Iterator<Item = &[RecordKey]> {
    let sizes = keys.iter().map(|key| literal_of(key).len() + ", ".len());
    let batches = Batches::new(PAGE, BYTES_OF_KEYS).split(sizes);
    batches.into_iter().filter_map(|batch| keys.get(batch))
}

fn literal_of(key: &RecordKey) -> String {
    match key {
        RecordKey::Integer(key) => signed(*key).to_string(),
        RecordKey::String(key) => literal::text(key),
    }
}
