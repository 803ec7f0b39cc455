//! Reads whole documents, page by page.

use std::mem;

use textsearch_core::{
    Error, Filter, Result, SearchOptions, SearchResults, async_trait,
    document::{DocumentInfo, DocumentPage, DocumentReader, ReadOptions},
    vector::{GetOptions, OrderBy, RecordKey, ScanOptions, StoredRecord},
};

use super::{
    DocumentStore, StoredDocument,
    namespace::Namespace,
    passage::{ChunkText, GAP},
    schema::fields,
    source::records_with_texts,
};
use crate::CONNECTOR;

/// Read at once.
const MAX_CHUNKS: usize = 64;

/// In an id. No store has longer keys.
const MAX_ID_BYTES: usize = 8 << 10;

/// Reads and lists the documents of the store, in its [namespace](DocumentStore::with_namespace).
///
/// - An id is a document's id, or the id of a search result. A document's id comes first.
/// - The text is put together from the chunks: what chunks repeat is there once. A chunk that the filter
///   hides is left out, and `…` stands for it.
/// - A page has whole chunks, at least one: a chunk that is larger than a page makes a larger page. Offsets
///   count chunks.
/// - The link leads to the section in which the page begins.
/// - [`list`](DocumentReader::list) has an exact total count, and returns a document if its first chunk
///   matches the filter.
#[async_trait]
impl DocumentReader for DocumentStore {
    fn check_filter(&self, filter: &Filter) -> Result<()> {
        let fields = self.collection.definition().filterable_fields();
        filter.check(self.collection.store_name(), &fields)
    }

    async fn read(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>> {
        if let Some(filter) = options.filter() {
            self.check_filter(filter)?;
        }
        let definition = self.collection.definition();
        if self.namespace.is_none() && definition.data_field(fields::NAMESPACE).is_some() {
            let allowed =
                "a namespace (`DocumentStore::with_namespace`): others may have the same ids";
            return Err(Error::invalid_options(CONNECTOR, "namespace", "not set", allowed));
        }
        if id.len() > MAX_ID_BYTES {
            return Ok(None);
        }
        match (self.page(id, options).await?, self.document_of(id)) {
            (None, Some(document)) => self.page(document, options).await,
            (page, _) => Ok(page),
        }
    }

    async fn list(&self, options: &SearchOptions) -> Result<SearchResults<DocumentInfo>> {
        let mut scan = ScanOptions::default().with_skip(options.skip).with_top(options.top);
        scan.filter = options.filter().map(std::borrow::Cow::into_owned);
        // Not the trait's method.
        Ok(DocumentStore::list(self, &scan).await?.map(StoredDocument::into_info))
    }
}

impl DocumentStore {
    /// Returns the id in the key of a chunk.
    fn document_of<'key>(&self, key: &'key str) -> Option<&'key str> {
        let prefix = self.namespace.as_ref().map(Namespace::prefix).unwrap_or_default();
        let (id, index) = key.strip_prefix(prefix)?.rsplit_once('#')?;
        let is_index = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
        is_index.then_some(id)
    }

    async fn page(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>> {
        // No document has more chunks.
        let Ok(offset) = u32::try_from(options.offset) else { return Ok(None) };
        let mut page: Option<DocumentPage> = None;
        let mut before: Option<ChunkText> = None;
        // The page begins with what separates it from the chunk before, and without what both have.
        let mut next = Some(i64::from(offset.saturating_sub(1)));
        while let Some(first) = next {
            let records = self.chunks_from(first, id, options.filter()).await?;
            let last = records.last().filter(|_| records.len() == MAX_CHUNKS);
            next = last.and_then(index).map(|index| index + 1);
            for record in self.with_texts(records).await? {
                let record = record?;
                let Some(chunk) = ChunkText::from_fields(&record.data) else { continue };
                if chunk.index < offset as usize {
                    before = Some(chunk);
                    continue;
                }
                let (separator, text) = match &before {
                    None if offset > 0 => (GAP.to_owned(), chunk.own_text()),
                    before => chunk.after(before.as_ref()),
                };
                match &mut page {
                    Some(page) => {
                        let bytes = page.text.len() + separator.len() + text.len();
                        if bytes > options.max_bytes() {
                            page.next_offset = Some(chunk.index as u64);
                            return Ok(Some(mem::take(page)));
                        }
                        page.text.push_str(&separator);
                        page.text.push_str(text);
                    }
                    None => {
                        let mut first = DocumentPage::default();
                        first.document =
                            StoredDocument::from_head(record, self.collection.definition())?
                                .into_info();
                        first.offset = options.offset;
                        first.text = separator + text;
                        page = Some(first);
                    }
                }
                before = Some(chunk);
            }
        }
        Ok(page)
    }

    /// Reads chunks in order. The store applies the filter: of a hidden document it reads as little as of a
    /// missing one, so the time of a read doesn't tell them apart.
    async fn chunks_from(
        &self,
        first: i64,
        id: &str,
        filter: Option<&Filter>,
    ) -> Result<Vec<StoredRecord>> {
        let is_in_document = Filter::eq(fields::DOCUMENT_ID, id);
        let is_not_before = Filter::ge(fields::CHUNK, first);
        let all = filter.cloned().into_iter().chain([is_in_document, is_not_before]);
        let mut options = ScanOptions::default().with_filter(Filter::all(all));
        options = options.with_order_by(OrderBy::ascending(fields::CHUNK)).with_top(MAX_CHUNKS);
        self.collection.scan(&options).await?.into_vec().await
    }

    /// Reads the chunks with these keys that match the filter.
    pub(crate) async fn visible_chunks(
        &self,
        keys: &[RecordKey],
        filter: Option<&Filter>,
    ) -> Result<Vec<(RecordKey, ChunkText)>> {
        let mut records = self.collection.get(keys, &GetOptions::default()).await?;
        if let Some(filter) = filter {
            records.retain(|record| filter.matches_object(&record.data));
        }
        let records = self.with_texts(records).await?.into_iter().flatten();
        let chunks =
            records.filter_map(|record| Some((record.key, ChunkText::from_fields(&record.data)?)));
        Ok(chunks.collect())
    }

    async fn with_texts(&self, records: Vec<StoredRecord>) -> Result<Vec<Result<StoredRecord>>> {
        let definition = self.collection.definition();
        if records.is_empty() || definition.data_field(fields::CHUNK_HASH).is_none() {
            return Ok(records.into_iter().map(Ok).collect());
        }
        records_with_texts(self.sources.as_deref(), records, definition).await
    }
}

fn index(record: &StoredRecord) -> Option<i64> {
    record.data.get(fields::CHUNK)?.as_i64()
}
