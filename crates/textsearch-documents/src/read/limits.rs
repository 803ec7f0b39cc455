//! Limits of readers.

use std::{sync::Arc, time::Duration};

use super::{ReadError, Reader};

/// Limits on what is read from one file.
///
/// ```
/// use textsearch_documents::ReadLimits;
///
/// let limits = ReadLimits { max_pages: 500, ..ReadLimits::default() };
/// assert_eq!(limits.max_archive_depth, 3);
/// ```
#[expect(clippy::exhaustive_structs, reason = "callers set fields over the default")]
#[derive(Debug, Clone)]
pub struct ReadLimits {
    /// Maximum bytes of a document, without its compression. The parts of an Office file may have eight
    /// times as many. Default: 64 MiB.
    pub max_bytes: usize,
    /// Maximum bytes of a document's text. Default: 32 MiB.
    pub max_text_bytes: usize,
    /// Maximum pages, slides, sheets or chapters of a document. Default: 20,000.
    pub max_pages: usize,
    /// Maximum files in an archive, with those in archives inside it. Default: 100,000.
    pub max_archive_files: usize,
    /// Maximum bytes of all files in an archive, unpacked, with the parts of Office files. Default: 4 GiB.
    pub max_archive_bytes: u64,
    /// How many archives may enclose a file. Default: 3.
    pub max_archive_depth: usize,
    /// Maximum time for a document that isn't text. Default: 60 s.
    pub timeout: Duration,
    /// Reads PDF. Its parser limits neither its memory nor its stack, so read the files of strangers with
    /// a [`ReaderProcess`](crate::ReaderProcess). Default: this process, with the feature `pdf`.
    pub pdf_reader: Option<Arc<dyn Reader>>,
}

impl ReadLimits {
    pub(crate) fn check_text(&self, bytes: usize) -> Result<(), ReadError> {
        check(bytes, self.max_text_bytes, "bytes of text")
    }

    /// Takes what the format calls its pages.
    #[cfg(any(feature = "office", feature = "pdf"))]
    pub(crate) fn check_pages(&self, count: usize, unit: &'static str) -> Result<(), ReadError> {
        check(count, self.max_pages, unit)
    }
}

fn check(count: usize, limit: usize, unit: &'static str) -> Result<(), ReadError> {
    if count > limit { Err(ReadError::above(limit, unit)) } else { Ok(()) }
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_bytes: 64 << 20,
            max_text_bytes: 32 << 20,
            max_pages: 20_000,
            max_archive_files: 100_000,
            max_archive_bytes: 4 << 30,
            max_archive_depth: 3,
            timeout: Duration::from_secs(60),
            pdf_reader: None,
        }
    }
}
