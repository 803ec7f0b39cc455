//! The documents that searches found, as resources.

use std::sync::{Mutex, PoisonError};

use lru::LruCache;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::model::{Resource, ResourceContents};
use textsearch_core::TextSearchResult;
use textsearch_kernel::function::FunctionValue;
use twox_hash::XxHash3_128;

use crate::text::clean;

const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Forgets the least recently found document first.
pub(super) struct Documents {
    known: Option<Mutex<Known>>,
}

struct Known {
    by_uri: LruCache<String, Document>,
    max: usize,
    bytes: usize,
}

struct Document {
    resource: Resource,
    text: String,
}

impl Documents {
    pub(super) fn new(max: usize) -> Self {
        // A bounded cache would allocate for its bound at once.
        let known = Known { by_uri: LruCache::unbounded(), max, bytes: 0 };
        Self { known: (max > 0).then(|| Mutex::new(known)) }
    }

    /// Remembers the first `shown` documents that a search found, and returns a link to each.
    pub(super) fn remember(&self, value: &FunctionValue, shown: usize) -> Vec<Resource> {
        let (Some(known), Some(records)) = (&self.known, value.records()) else {
            return Vec::new();
        };
        let results = records.clone().into_results();
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let documents = results.into_iter().take(shown).map(Document::new);
        documents.map(|document| known.add(document)).collect()
    }

    pub(super) fn list(&self) -> Vec<Resource> {
        self.with(|known| {
            known.by_uri.iter().map(|(_, document)| document.resource.clone()).collect()
        })
    }

    pub(super) fn read(&self, uri: &str) -> Option<ResourceContents> {
        self.with(|known| {
            known
                .by_uri
                .get(uri)
                .map(|document| ResourceContents::text(document.text.as_str(), uri))
        })
    }

    fn with<T: Default>(&self, read: impl FnOnce(&mut Known) -> T) -> T {
        let Some(known) = &self.known else { return T::default() };
        read(&mut known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Known {
    fn add(&mut self, document: Document) -> Resource {
        let resource = document.resource.clone();
        if document.bytes() > MAX_BYTES {
            return resource;
        }
        self.bytes += document.bytes();
        if let Some((_, old)) = self.by_uri.push(resource.uri.clone(), document) {
            self.bytes -= old.bytes();
        }
        while self.bytes > MAX_BYTES || self.by_uri.len() > self.max {
            let Some((_, oldest)) = self.by_uri.pop_lru() else { break };
            self.bytes -= oldest.bytes();
        }
        resource
    }
}

impl Document {
    fn new(result: TextSearchResult) -> Self {
        let uri = uri(&result);
        let name = result.name.as_deref().or(result.link.as_deref()).unwrap_or(&uri);
        let mut resource = Resource::new(uri.as_str(), clean(name));
        if let Some(link) = result.link.as_deref().filter(|link| *link != uri) {
            resource = resource.with_description(clean(link));
        }
        resource = resource.with_mime_type("text/plain");
        Self { resource, text: clean(&result.value) }
    }

    fn bytes(&self) -> usize {
        let Resource { uri, name, description, .. } = &self.resource;
        // The URI is also the key.
        self.text.len() + 2 * uri.len() + name.len() + description.as_ref().map_or(0, String::len)
    }
}

/// A web page keeps its own URI, which clients can open. Any other document is named after its
/// source and its id or link, so that the same document has the same URI in every run.
fn uri(result: &TextSearchResult) -> String {
    let is_web = |link: &&str| link.starts_with("https://") || link.starts_with("http://");
    let link = result.link.as_deref();
    if let (None, Some(link)) = (&result.id, link.filter(is_web)) {
        return link
            .chars()
            .filter(|character| !character.is_control() && !character.is_whitespace())
            .collect();
    }
    let source = result.source.as_deref().unwrap_or("search");
    let identity = match result.id.as_deref().or(link) {
        Some(identity) => identity.to_owned(),
        None => format!("{:032x}", XxHash3_128::oneshot(result.value.as_bytes())),
    };
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    format!("textsearch://{}/{}", encoded(source), encoded(&identity))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(results: impl IntoIterator<Item = TextSearchResult>) -> FunctionValue {
        FunctionValue::from(results.into_iter().collect::<Vec<_>>())
    }

    #[test]
    fn uris_are_stable_and_escaped() {
        let page = TextSearchResult::new("x").with_link("https://docs.rs/a?b=c");
        assert_eq!(uri(&page), "https://docs.rs/a?b=c");
        let chunk = page.with_id("a/../b c").with_source("in memory");
        assert_eq!(uri(&chunk), "textsearch://in%20memory/a%2F%2E%2E%2Fb%20c");
        let file = TextSearchResult::new("x").with_link("file:///etc/passwd");
        assert_eq!(uri(&file), "textsearch://search/file%3A%2F%2F%2Fetc%2Fpasswd");
        assert_eq!(uri(&TextSearchResult::new("x")), uri(&TextSearchResult::new("x")));
    }

    #[test]
    fn the_least_recently_found_document_is_forgotten() {
        let documents = Documents::new(2);
        for id in ["1", "2", "1", "3"] {
            documents.remember(&records([TextSearchResult::new(id).with_id(id)]), 9);
        }
        let uris: Vec<_> = documents.list().into_iter().map(|resource| resource.uri).collect();
        assert_eq!(uris, ["textsearch://search/3", "textsearch://search/1"]);
        assert!(documents.read("textsearch://search/2").is_none());
    }

    #[test]
    fn remembered_texts_stay_within_their_bytes() {
        let documents = Documents::new(9);
        for id in ["1", "2", "3"] {
            let text = "x".repeat(MAX_BYTES / 2 - 1_000);
            documents.remember(&records([TextSearchResult::new(text).with_id(id)]), 9);
        }
        assert_eq!(documents.list().len(), 2);
        documents.remember(&records([TextSearchResult::new("x".repeat(MAX_BYTES + 1))]), 9);
        assert_eq!(documents.list().len(), 2);
    }

    #[test]
    fn only_shown_documents_are_linked() {
        let two = ["1", "2"].map(|id| TextSearchResult::new(id).with_id(id));
        assert_eq!(Documents::new(9).remember(&records(two.clone()), 1).len(), 1);
        assert!(Documents::new(0).remember(&records(two), 1).is_empty());
    }
}
