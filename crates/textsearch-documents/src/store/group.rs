//! Batches of documents: the one decision about how many are looked up, embedded and written at once.

use std::collections::HashSet;

use textsearch_core::vector::RecordDefinition;

use super::size;
use crate::{Document, Section};

const MAX_DOCUMENTS: usize = 1024;

/// Text and metadata held at once, except for a single larger document. Larger batches are no faster and
/// take several times the memory.
const MAX_BYTES: usize = 1 << 20;

/// The same, if texts are embedded: about 60,000 tokens, which keep the threads of a local model busy
/// whatever the number of documents. The embeddings are lost if the call fails.
pub(super) const MAX_BYTES_TO_EMBED: usize = 256 << 10;

/// Documents with different ids.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub(crate) documents: Vec<Document>,
    ids: HashSet<String>,
    bytes: usize,
    max_bytes: usize,
}

impl Group {
    pub(super) fn new(definition: &RecordDefinition) -> Self {
        let has_vectors = !definition.vectors.is_empty();
        let max_bytes = if has_vectors { MAX_BYTES_TO_EMBED } else { MAX_BYTES };
        Self { max_bytes, ..Self::default() }
    }

    /// A second version of a document must go into a later group.
    pub(crate) fn has_room_for(&self, document: &Document) -> bool {
        let is_full = self.documents.len() >= MAX_DOCUMENTS
            || self.bytes.saturating_add(bytes_of(document)) > self.max_bytes;
        self.documents.is_empty() || !(is_full || self.ids.contains(&document.id))
    }

    /// Returns the documents, and is empty afterwards.
    pub(crate) fn take(&mut self) -> Self {
        let max_bytes = self.max_bytes;
        std::mem::replace(self, Self { max_bytes, ..Self::default() })
    }

    pub(crate) fn push(&mut self, document: Document) {
        self.bytes = self.bytes.saturating_add(bytes_of(&document));
        self.ids.insert(document.id.clone());
        self.documents.push(document);
    }
}

fn bytes_of(document: &Document) -> usize {
    let headings = document.sections.iter().filter_map(|section| section.heading.as_ref());
    let headings: usize = headings.map(|heading| heading.text.len()).sum();
    let sections = document.sections.len() * size_of::<Section>() + headings;
    let text = document.text.len().saturating_add(sections);
    text.saturating_add(size::of_fields(&document.metadata))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SectionHeading;

    fn has_room_for_two(document: impl Fn(&str) -> Document) -> bool {
        let mut group = Group::new(&RecordDefinition::new("id"));
        group.push(document("a"));
        group.has_room_for(&document("b"))
    }

    #[test]
    fn metadata_and_headings_count_against_the_group_size() {
        let half = || "x".repeat(MAX_BYTES / 2 + 1);
        assert!(has_room_for_two(|id| Document::plain_text(id, "text")));
        assert!(!has_room_for_two(|id| Document::plain_text(id, half())));
        assert!(!has_room_for_two(|id| {
            Document::plain_text(id, "text").with_metadata("notes", serde_json::json!([half()]))
        }));
        assert!(!has_room_for_two(|id| {
            let mut document = Document::plain_text(id, "text");
            let heading = Some(SectionHeading { level: 1, text: half() });
            document.sections.push(Section { start: 0, heading, locator: None });
            document
        }));
    }
}
