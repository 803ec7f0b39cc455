//! Texts of documents whose records hold no texts.

mod collection;
mod cut;

use std::sync::Arc;

use textsearch_core::{Result, async_trait};

pub(super) use self::{
    collection::{ReferencingCollection, records_with_texts},
    cut::hash,
};

/// A document whose text is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentSource {
    /// The document's id.
    pub id: String,
    /// The document's title, if known.
    pub name: Option<String>,
    /// The link to a section that the search found, if the document has a link.
    pub link: Option<String>,
}

/// Fetches the texts of documents, for a [`DocumentStore`](crate::DocumentStore) whose records hold
/// [references](crate::DocumentSchema::references) only.
///
/// ```
/// use textsearch_core::{Result, async_trait};
/// use textsearch_documents::{DocumentSource, SourceTexts};
///
/// /// Reads the files that the ids name.
/// struct Files;
///
/// #[async_trait]
/// impl SourceTexts for Files {
///     async fn texts(&self, sources: &[DocumentSource]) -> Result<Vec<Option<String>>> {
///         let texts = sources.iter().map(|source| std::fs::read_to_string(&source.id).ok());
///         Ok(texts.collect())
///     }
/// }
/// ```
#[async_trait]
pub trait SourceTexts: Send + Sync {
    /// Returns the text of each source, in order, as it was when the document was stored; `None` if
    /// there is none anymore. A call has at most 64 sources, each once.
    ///
    /// # Errors
    ///
    /// Returns an error if no texts can be fetched. The search then fails.
    async fn texts(&self, sources: &[DocumentSource]) -> Result<Vec<Option<String>>>;
}

#[async_trait]
impl<S: SourceTexts + ?Sized> SourceTexts for Arc<S> {
    async fn texts(&self, sources: &[DocumentSource]) -> Result<Vec<Option<String>>> {
        (**self).texts(sources).await
    }
}
