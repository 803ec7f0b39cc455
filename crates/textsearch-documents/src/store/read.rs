//! Reads whole documents, page by page.

use std::mem;

use textsearch_core::{
    Error, Filter, Result, SearchOptions, SearchResults, async_trait,
    document::{DocumentInfo, DocumentPage, DocumentReader, ReadOptions},
    vector::{GetOptions, RecordKey, ScanOptions, StoredRecord},
};

use super::{
    DocumentStore, StoredDocument,
    namespace::Namespace,
    passage::{ChunkText, without_first},
    schema::fields,
    source::records_with_texts,
};
use crate::CONNECTOR;

/// Fewer characters than most chunks have.
const CHUNK_BYTES: usize = 512;

/// Read at once.
const MAX_CHUNKS: usize = 64;

/// In an id. No store has longer keys.
const MAX_ID_BYTES: usize = 8 << 10;

/// Fields whose values differ between the chunks of a document.
const OF_CHUNKS: [&str; 3] = [fields::KEY, fields::CHUNK, fields::HEADINGS];

/// The offsets count chunks in their upper half, and characters of the chunk that earlier pages have in the
/// lower.
const CHARACTERS: u32 = 32;

/// Reads and lists the documents of the store, in its [namespace](DocumentStore::with_namespace).
///
/// - An id is a document's id, the id of a search result, or its link if documents have links like their
///   ids, as files do. A document's id comes first.
/// - The text is put together from the chunks: what chunks repeat is there once. A chunk that the filter
///   hides is left out, and `…` stands for it.
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
        for id in self.document_ids(id).into_iter().flatten() {
            if let Some(page) = self.page(id, options).await? {
                return Ok(Some(page));
            }
        }
        Ok(None)
    }

    async fn list(&self, options: &SearchOptions) -> Result<SearchResults<DocumentInfo>> {
        let mut scan = ScanOptions::default().with_skip(options.skip).with_top(options.top);
        scan.filter = options.filter().map(std::borrow::Cow::into_owned);
        // Not the trait's method.
        Ok(DocumentStore::list(self, &scan).await?.map(StoredDocument::into_info))
    }
}

impl DocumentStore {
    /// Returns the documents that `text` may mean, as a document's id, a result's id, or a result's link. The
    /// link of a document in an archive has its place after `&`.
    fn document_ids<'id>(&self, text: &'id str) -> [Option<&'id str>; 3] {
        let prefix = self.namespace.as_ref().map(Namespace::prefix).unwrap_or_default();
        let key = text.strip_prefix(prefix).unwrap_or(text);
        let before = |mark| key.rsplit_once(mark).map(|(id, _)| id);
        [Some(text), before('#'), before('&').filter(|id| id.contains('#'))]
    }

    async fn page(&self, id: &str, options: &ReadOptions) -> Result<Option<DocumentPage>> {
        let (mut next, mut repeated) = from_offset(options.offset);
        let at_once = (options.max_bytes() / CHUNK_BYTES).clamp(1, MAX_CHUNKS);
        let mut page: Option<PageBuilder> = None;
        loop {
            let keys = (next..next.saturating_add(at_once)).map(|index| self.key(id, index));
            let records = self.stored_records(&keys.collect::<Vec<_>>()).await?;
            let Some(count) = records.first().and_then(count) else { break };
            for record in self.with_texts(visible(records, options.filter())).await? {
                let record = record?;
                let Some(chunk) = ChunkText::from_fields(&record.data) else { continue };
                if page.is_none() {
                    let definition = self.collection.definition();
                    let document = StoredDocument::from_head(record, definition)?.into_info();
                    page = Some(PageBuilder::new(document, options));
                }
                let repeated = mem::take(&mut repeated);
                if page.as_mut().is_some_and(|page| page.is_full_with(chunk, repeated)) {
                    return Ok(page.map(|page| page.page));
                }
            }
            next = next.saturating_add(at_once);
            // Without such a field, the filter hides all chunks or none.
            let varies = |filter: &Filter| filter.fields().any(|field| OF_CHUNKS.contains(&field));
            if next >= count || (page.is_none() && !options.filter().is_some_and(varies)) {
                break;
            }
        }
        Ok(page.map(|page| page.page))
    }

    /// Reads the chunks with these keys that match the filter.
    pub(crate) async fn visible_chunks(
        &self,
        keys: &[RecordKey],
        filter: Option<&Filter>,
    ) -> Result<Vec<(RecordKey, ChunkText)>> {
        let records = visible(self.stored_records(keys).await?, filter);
        let records = self.with_texts(records).await?.into_iter().flatten();
        let chunks =
            records.filter_map(|record| Some((record.key, ChunkText::from_fields(&record.data)?)));
        Ok(chunks.collect())
    }

    async fn stored_records(&self, keys: &[RecordKey]) -> Result<Vec<StoredRecord>> {
        self.collection.get(keys, &GetOptions::default()).await
    }

    async fn with_texts(&self, records: Vec<StoredRecord>) -> Result<Vec<Result<StoredRecord>>> {
        let definition = self.collection.definition();
        if records.is_empty() || definition.data_field(fields::CHUNK_HASH).is_none() {
            return Ok(records.into_iter().map(Ok).collect());
        }
        records_with_texts(self.sources.as_deref(), records, definition).await
    }
}

/// Reads by key instead of by filter: an index by key is faster, and every store has it.
fn visible(mut records: Vec<StoredRecord>, filter: Option<&Filter>) -> Vec<StoredRecord> {
    if let Some(filter) = filter {
        records.retain(|record| filter.matches_object(&record.data));
    }
    records
}

fn count(record: &StoredRecord) -> Option<usize> {
    usize::try_from(record.data.get(fields::CHUNKS)?.as_u64()?).ok()
}

/// Returns the chunk, and its characters that earlier pages have.
fn from_offset(offset: u64) -> (usize, usize) {
    let number = |number| usize::try_from(number).unwrap_or(usize::MAX);
    (number(offset >> CHARACTERS), number(offset & u64::from(u32::MAX)))
}

fn to_offset(chunk: usize, characters: usize) -> u64 {
    ((chunk as u64) << CHARACTERS) + (characters as u64).min(u64::from(u32::MAX))
}

struct PageBuilder {
    page: DocumentPage,
    max: usize,
    last: Option<ChunkText>,
}

impl PageBuilder {
    fn new(document: DocumentInfo, options: &ReadOptions) -> Self {
        let mut page = DocumentPage::default();
        page.document = document;
        page.offset = options.offset;
        Self { page, max: options.max_bytes(), last: None }
    }

    /// Adds the chunk without the characters that are repeated. Returns whether the rest belongs to the
    /// next page.
    fn is_full_with(&mut self, chunk: ChunkText, repeated: usize) -> bool {
        let (separator, rest) = chunk.after(self.last.as_ref());
        let rest = without_first(rest, repeated);
        let text = &mut self.page.text;
        let room = self.max.saturating_sub(text.len());
        if separator.len() <= room {
            text.push_str(&separator);
        }
        if separator.len() + rest.len() <= room {
            text.push_str(rest);
            self.last = Some(chunk);
            return false;
        }
        let before = chunk.characters().saturating_sub(rest.chars().count());
        let mut beginning = 0;
        if text.trim().is_empty() {
            // A chunk is larger than a page.
            let options = ReadOptions::default().with_max_bytes(self.max);
            let part = DocumentPage::from_text(DocumentInfo::default(), rest, &options);
            let part = part.unwrap_or_default().text;
            beginning = part.chars().count();
            *text = part;
        }
        self.page.next_offset = Some(to_offset(chunk.index, before + beginning));
        true
    }
}
