//! The documents of the backend during a case.

/// A document that the backend can find.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Document {
    /// The title.
    pub name: String,
    /// The text without markup, such as the snippet of a web page.
    pub text: String,
    /// The URL. Cases identify documents by it. Its host is `example.com`, except in cases that
    /// test links outside it.
    pub link: String,
}

impl Document {
    /// Returns the document with that number.
    pub fn numbered(number: usize) -> Self {
        Self {
            name: format!("Document {number}"),
            text: format!("What document {number} says of it."),
            link: format!("https://example.com/documents/{number}"),
        }
    }

    /// Returns documents numbered from 0.
    pub fn several(count: usize) -> Vec<Self> {
        (0..count).map(Self::numbered).collect()
    }
}
