//! Documents that are looked up and written together.

use std::collections::HashSet;

use crate::Document;

/// How many documents are looked up at once.
const MAX_DOCUMENTS: usize = 256;

/// How much text is held at once, a single document that is larger apart.
const MAX_BYTES: usize = 4 << 20;

/// A few documents of different ids.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) documents: Vec<Document>,
    ids: HashSet<String>,
    bytes: usize,
}

impl Group {
    /// Whether the document may join: a second version of one that is in the group has to come after it.
    pub(super) fn has_room_for(&self, document: &Document) -> bool {
        let is_full = self.documents.len() >= MAX_DOCUMENTS
            || self.bytes.saturating_add(document.text.len()) > MAX_BYTES;
        self.documents.is_empty() || !(is_full || self.ids.contains(&document.id))
    }

    pub(super) fn push(&mut self, document: Document) {
        self.bytes = self.bytes.saturating_add(document.text.len());
        self.ids.insert(document.id.clone());
        self.documents.push(document);
    }
}
