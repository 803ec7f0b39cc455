//! A search that returns each document once.

use std::{fmt, sync::Arc};

use foldhash::{HashSet, HashSetExt as _};
use textsearch_core::{
    Result, SearchOptions, SearchResults, TextSearch, TextSearchRecord as _,
    connector::TextSearchWrapper, results::AnyRecord, serde_json::Value,
};

use crate::{link, sifted::sifted};

/// Fields of chunks, in records of `textsearch-documents`.
const DOCUMENT_ID: &str = "document_id";
const NAMESPACE: &str = "document_namespace";

/// A search that returns only the best result of each document, such as the best chunk of a file.
///
/// - **Documents**: chunks belong to one document if their records have the same `document_id`, as those
///   of `textsearch-documents` have, in the same namespace. Other results do if their links lead to one
///   page: links are compared without fragment, and links of the web also without tracking
///   parameters. A result with neither is a document of its own.
/// - **Paging**: `top` and `skip` count documents. The wrapper reads further results until it has `top`
///   documents, when the stream is read, and at most 1,000 results or `skip + top`.
/// - **Total count**: none, because the number of documents is unknown.
///
/// The wrapper passes on filters and fixed filters unchanged.
///
/// ```
/// use textsearch_compose::PerDocument;
/// use textsearch_core::{FixedSearch, Result, SearchOptions, TextSearch, TextSearchResult};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let chunk = |text: &str, link: &str| TextSearchResult::new(text).with_link(link);
/// let chunks = FixedSearch::new([
///     chunk("High water", "tides.md#high"),
///     chunk("Low water", "tides.md#low"),
///     chunk("Water pumps", "pumps.md"),
/// ]);
/// let search = PerDocument::new(chunks);
/// let texts = search.search("water", &SearchOptions::top(2)).await?.into_vec().await?;
/// assert_eq!(texts, ["High water", "Water pumps"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PerDocument {
    inner: Arc<dyn TextSearch>,
}

impl PerDocument {
    /// Keeps the best result of each document that `search` finds.
    pub fn new(search: impl TextSearch + 'static) -> Self {
        Self { inner: Arc::new(search) }
    }
}

impl TextSearchWrapper for PerDocument {
    fn inner(&self) -> &dyn TextSearch {
        &self.inner
    }

    async fn search_inner(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchResults<AnyRecord>> {
        let mut seen = HashSet::new();
        let is_new = move |record: &AnyRecord| {
            document_of(record).is_none_or(|document| seen.insert(document))
        };
        sifted(&self.inner, query, options, is_new).await
    }
}

/// Returns the namespace and the id of the record's document, or its page.
fn document_of(record: &AnyRecord) -> Option<(Option<String>, String)> {
    let json = record.to_value().ok();
    let text = |field| json.as_ref()?.get(field).and_then(Value::as_str).map(str::to_owned);
    if let Some(id) = text(DOCUMENT_ID) {
        return Some((text(NAMESPACE), id));
    }
    let link = record.to_result().link?;
    let page = link::page(&link);
    let is_web = page.starts_with("http://") || page.starts_with("https://");
    let page = if is_web { &page } else { page.split('#').next().unwrap_or(&page) };
    Some((None, page.to_owned())).filter(|(_, page)| !page.is_empty())
}

impl fmt::Debug for PerDocument {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PerDocument").field("inner", &self.inner.name()).finish()
    }
}
