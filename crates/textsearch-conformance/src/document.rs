//! What the backend holds during a case.

/// One thing that the backend would find.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Document {
    /// Its title.
    pub name: String,
    /// What it says, without markup: the snippet of a web page.
    pub text: String,
    /// Where it is: an URL, by which cases tell documents apart. It is on the host `example.com`, but where a case tries
    /// what becomes of links that are not.
    pub link: String,
}

impl Document {
    /// The document of that number.
    pub fn numbered(number: usize) -> Self {
        Self {
            name: format!("Document {number}"),
            text: format!("What document {number} says of it."),
            link: format!("https://example.com/documents/{number}"),
        }
    }

    /// Documents with the numbers from 0 on.
    pub fn several(count: usize) -> Vec<Self> {
        (0..count).map(Self::numbered).collect()
    }
}
