//! Readers: bytes in, a document out.

#[cfg(feature = "archives")]
mod archive;
#[cfg(feature = "code")]
mod code;
#[cfg(feature = "csv")]
mod csv;
mod documents;
mod error;
mod format;
#[cfg(feature = "mail")]
mod headers;
#[cfg(feature = "http")]
mod http_loader;
mod limits;
mod loader;
#[cfg(feature = "mail")]
mod mail;
mod manual;
mod markup;
#[cfg(any(feature = "archives", feature = "office"))]
mod metered;
mod notebook;
#[cfg(feature = "office")]
mod office;
#[cfg(feature = "pdf")]
mod pdf;
mod process;
mod program;
mod subtitles;
mod text;

#[cfg(feature = "office")]
use std::{cell::Cell, rc::Rc};
use std::{fmt, path::Path};

use self::format::FileFormat;
#[cfg(feature = "http")]
pub use self::http_loader::HttpLoader;
pub(crate) use self::{documents::Documents, format::is_document, text::decode_text};
pub use self::{
    error::ReadError,
    limits::ReadLimits,
    loader::{ExternalLoader, LoaderError},
    process::ReaderProcess,
};
use crate::{Document, DocumentFormat, Locator, Section, chunk, html};

/// Reads files of one format.
///
/// The crate's own readers are chosen by content and extension. Give another one to a
/// [`FileWalker`](crate::ingest::FileWalker) for its extension.
///
/// ```
/// use textsearch_documents::{Document, ReadError, ReadLimits, Reader};
///
/// #[derive(Debug)]
/// struct Upper;
///
/// impl Reader for Upper {
///     fn read(
///         &self,
///         bytes: Vec<u8>,
///         _limits: &ReadLimits,
///         document: &mut Document,
///     ) -> Result<(), ReadError> {
///         document.text = String::from_utf8_lossy(&bytes).to_uppercase();
///         Ok(())
///     }
/// }
/// ```
pub trait Reader: fmt::Debug + Send + Sync {
    /// Reads the content of a file into `document`, whose id, link and path are set.
    ///
    /// The caller limits the bytes and the time, and turns a panic into an error of the file. The
    /// reader respects the other limits.
    ///
    /// # Errors
    ///
    /// Returns a [`ReadError`] if the file has no text or exceeds a limit.
    fn read(
        &self,
        bytes: Vec<u8>,
        limits: &ReadLimits,
        document: &mut Document,
    ) -> Result<(), ReadError>;
}

/// Reads the content of the file called `name` into `document`.
pub(crate) fn read(
    name: &str,
    bytes: Vec<u8>,
    limits: &ReadLimits,
    document: &mut Document,
) -> Result<(), ReadError> {
    if bytes.len() > limits.max_bytes {
        return Err(ReadError::above(limits.max_bytes, "bytes"));
    }
    let extension = extension_of(Path::new(name));
    let format = FileFormat::detect(&extension, &bytes);
    document.facts.kind = Some(format.kind().to_owned());
    document.facts.size = Some(bytes.len() as u64);
    match format {
        FileFormat::Text(format) => read_text(&extension, format, bytes, document)?,
        FileFormat::Notebook => notebook::read(&decode_text(bytes)?, limits, document)?,
        FileFormat::Subtitles => subtitles::read(&decode_text(bytes)?, document),
        FileFormat::Manual => manual::read(&decode_text(bytes)?, document),
        #[cfg(feature = "csv")]
        FileFormat::Csv(delimiter) => csv::read(delimiter, &decode_text(bytes)?, limits, document)?,
        #[cfg(not(feature = "csv"))]
        FileFormat::Csv(_) => read_text(&extension, DocumentFormat::Lines, bytes, document)?,
        #[cfg(feature = "office")]
        FileFormat::Zip => {
            let zip = zip::ZipArchive::new(std::io::Cursor::new(bytes));
            let bytes_left = Rc::new(Cell::new(limits.max_archive_bytes));
            office::read(zip.map_err(ReadError::damaged)?, limits, &bytes_left, document)?;
        }
        #[cfg(feature = "mail")]
        FileFormat::Mail => {
            let masked = mail::without_messages(&bytes)?;
            mail::Mail::new(&bytes, &masked)?.read(limits, document)?;
        }
        FileFormat::Pdf => read_pdf(bytes, limits, document)?,
        format => return Err(ReadError::NoReader { format: format.name().into() }),
    }
    limits.check_text(document.text.len())
}

/// In lower case; empty for a name without one.
pub(crate) fn extension_of(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn headings(extension: &str, text: &str) -> Vec<Section> {
    #[cfg(feature = "code")]
    {
        let definitions = code::headings(extension, text);
        if !definitions.is_empty() {
            return definitions;
        }
    }
    markup::headings(extension, text)
}

/// Whether the first row of a table names its columns. Most do, and years may be names.
#[cfg(any(feature = "csv", feature = "office"))]
fn is_header<'cell>(cells: impl Iterator<Item = &'cell str>) -> bool {
    let cells: Vec<&str> = cells.map(str::trim).skip_while(|cell| cell.is_empty()).collect();
    let is_number = |cell: &&str| cell.parse::<f64>().is_ok();
    cells.len() > 1
        && cells.iter().all(|cell| !cell.is_empty())
        && !cells.first().is_some_and(is_number)
}

fn read_pdf(bytes: Vec<u8>, limits: &ReadLimits, document: &mut Document) -> Result<(), ReadError> {
    if let Some(reader) = &limits.pdf_reader {
        return reader.read(bytes, limits, document);
    }
    #[cfg(feature = "pdf")]
    {
        pdf::read(bytes, limits, document)
    }
    #[cfg(not(feature = "pdf"))]
    {
        Err(ReadError::NoReader { format: FileFormat::Pdf.name().into() })
    }
}

fn read_text(
    extension: &str,
    format: DocumentFormat,
    bytes: Vec<u8>,
    document: &mut Document,
) -> Result<(), ReadError> {
    document.text = decode_text(bytes)?;
    document.format = format;
    match format {
        DocumentFormat::Markdown => chunk::take_facts(&document.text, &mut document.facts),
        DocumentFormat::Html => html::take_facts(&document.text, &mut document.facts),
        DocumentFormat::PlainText | DocumentFormat::Lines => {
            document.sections = headings(extension, &document.text);
            document.locate(Locator::Lines { first: 1 });
        }
    }
    Ok(())
}
