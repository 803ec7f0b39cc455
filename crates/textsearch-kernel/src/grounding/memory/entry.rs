//! Entries of a memory, and changes that a model requests.

/// A text to save in a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryEntry {
    /// The key. Saving replaces an earlier entry with the same key.
    pub key: String,
    /// The text.
    pub text: String,
    /// The title.
    pub name: Option<String>,
    /// The link to the source.
    pub link: Option<String>,
}

/// A change of a memory that a model requests.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryWrite {
    /// To save this entry. It has no control characters, except line feeds and tabs in the text.
    Save(MemoryEntry),
    /// To remove an entry.
    #[non_exhaustive]
    Remove {
        /// The key.
        key: String,
    },
}

impl MemoryEntry {
    /// Creates an entry without name and link.
    pub fn new(key: impl Into<String>, text: impl Into<String>) -> Self {
        Self { key: key.into(), text: text.into(), name: None, link: None }
    }

    /// Sets the title.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the link to the source.
    #[must_use]
    pub fn with_link(mut self, link: impl Into<String>) -> Self {
        self.link = Some(link.into());
        self
    }
}
