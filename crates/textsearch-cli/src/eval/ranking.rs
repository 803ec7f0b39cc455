//! The documents that a search finds, each in the place of its best chunk.

use std::{collections::HashSet, sync::Arc};

use anyhow::Result;
use serde_json::Value;
use textsearch_core::{AnyRecord, SearchOptions, TextSearch, TextSearchRecord as _};
use textsearch_documents::fields;

use super::judgements::Judged;
use crate::{arguments::SearchSelector, index::PATH, selector};

/// How many chunks are asked for a document at first, and how many more where that was not enough.
const CHUNKS_A_DOCUMENT: usize = 8;

/// A search whose results are documents.
pub(super) struct Ranker {
    search: Arc<dyn TextSearch>,
    options: SearchOptions,
    /// Whether a document may be several results.
    has_chunks: bool,
    /// Whether a search is work of this machine alone.
    is_local: bool,
}

impl Ranker {
    /// The search that the arguments select, as deep as their `--top`.
    ///
    /// # Errors
    ///
    /// Where it is not there, or cannot be searched so.
    pub(super) async fn open(selector: &SearchSelector) -> Result<Self> {
        let search = selector::open(selector).await?;
        let mut options = selector::options(selector, &search)?;
        // Some services take longer to count.
        options.include_total_count = false;
        let has_chunks = selector.source.is_none();
        let is_local = has_chunks && selector.ranking.embeddings.model.is_none();
        Ok(Self { search, options, has_chunks, is_local })
    }

    /// Whether a search is work of this machine alone.
    pub(super) fn is_local(&self) -> bool {
        self.is_local
    }

    /// The largest number of documents in a ranking.
    pub(super) fn cutoff(&self) -> usize {
        self.options.top
    }

    /// The names of the best documents, best first.
    ///
    /// # Errors
    ///
    /// Those of the search.
    pub(super) async fn rank(&self, query: &str, judged: &Judged) -> Result<Vec<String>> {
        if !self.has_chunks {
            return Ok(self.rank_within(query, judged, self.cutoff()).await?.0);
        }
        let mut chunks = self.cutoff();
        loop {
            chunks = chunks.saturating_mul(CHUNKS_A_DOCUMENT);
            let (names, read) = self.rank_within(query, judged, chunks).await?;
            if names.len() == self.cutoff() || read < chunks {
                return Ok(names);
            }
        }
    }

    /// The names of the best documents among the best results, and how many results were read for them.
    async fn rank_within(
        &self,
        query: &str,
        judged: &Judged,
        results: usize,
    ) -> Result<(Vec<String>, usize)> {
        let mut options = self.options.clone();
        options.top = results;
        let mut results = self.search.search_any(query, &options).await?;
        let (mut names, mut seen, mut read) = (Vec::new(), HashSet::new(), 0);
        while names.len() < self.cutoff()
            && let Some(record) = results.next().await
        {
            read += 1;
            let document = Document::of(&record?)?;
            if seen.insert(document.id.clone()) {
                names.push(document.name(judged, &names));
            }
        }
        Ok((names, read))
    }
}

/// A document that was found.
struct Document {
    /// The path of a file, that path and the id of a record in it, or the link of anything else.
    id: String,
    /// The id of a record alone, which other files may use as well.
    record_id: Option<String>,
}

impl Document {
    /// The document that the result is, or is a chunk of.
    fn of(record: &AnyRecord) -> Result<Self> {
        let value = record.to_value()?;
        let text = |field: &str| value.get(field).and_then(Value::as_str);
        let Some(id) = text(fields::DOCUMENT_ID) else {
            let result = record.to_result();
            let id = result.link.or(result.id).or(result.name).unwrap_or(result.value);
            return Ok(Self { id, record_id: None });
        };
        let record_id = text(PATH)
            .and_then(|path| id.strip_prefix(path))
            .and_then(|rest| rest.strip_prefix('#'));
        Ok(Self { id: id.to_owned(), record_id: record_id.map(str::to_owned) })
    }

    /// What judgements call the document: a record by its id alone, unless they name it with its file, or a better
    /// document is called so.
    fn name(self, judged: &Judged, better: &[String]) -> String {
        let is_free = |name: &String| !judged.contains_key(&self.id) && !better.contains(name);
        self.record_id.filter(is_free).unwrap_or(self.id)
    }
}
