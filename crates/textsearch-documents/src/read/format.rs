//! Recognises formats by content, then by name.

#[cfg(feature = "mail")]
use super::headers::{is_mailbox, is_message};
use super::text::find;
use crate::DocumentFormat;

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileFormat {
    Text(DocumentFormat),
    Notebook,
    Subtitles,
    Manual,
    Csv(u8),
    /// A message.
    #[cfg(feature = "mail")]
    Mail,
    /// A file of messages.
    #[cfg(feature = "mail")]
    Mailbox,
    Pdf,
    /// A ZIP archive, perhaps a document in parts.
    Zip,
    Tar,
    Gzip,
    Xz,
    Zstandard,
    /// No reader exists.
    Other(&'static str),
}

/// A PDF begins in its first kilobyte and ends in its last.
const PDF_MARGIN: usize = 1024;

const TAR_MARK: usize = 257;

/// What decides is in the first kilobyte, so that a part of a file is judged like the whole.
pub(super) const HEAD_BYTES: usize = 1024;

/// Images, audio, video, fonts, programs, models, databases, and archives that nothing here opens. Sorted.
const NOT_DOCUMENTS: &[&str] = &[
    "7z",
    "a",
    "aac",
    "apk",
    "avi",
    "avif",
    "bin",
    "bmp",
    "br",
    "bz2",
    "class",
    "db",
    "deb",
    "dll",
    "dmg",
    "dylib",
    "eot",
    "exe",
    "flac",
    "gguf",
    "gif",
    "heic",
    "icns",
    "ico",
    "iso",
    "jar",
    "jpeg",
    "jpg",
    "jxl",
    "lz4",
    "m4a",
    "mkv",
    "mov",
    "mp3",
    "mp4",
    "msi",
    "npy",
    "npz",
    "o",
    "ogg",
    "onnx",
    "otf",
    "pickle",
    "pkl",
    "png",
    "psd",
    "pt",
    "pyc",
    "rar",
    "rlib",
    "rmeta",
    "rpm",
    "safetensors",
    "so",
    "sqlite",
    "svg",
    "svgz",
    "tif",
    "tiff",
    "ttc",
    "ttf",
    "wasm",
    "wav",
    "webm",
    "webp",
    "whl",
    "woff",
    "woff2",
];

/// Starts of formats whose content decides.
const STARTS: [(&[u8], FileFormat); 9] = [
    (b"PK\x03\x04", FileFormat::Zip),
    (b"PK\x05\x06", FileFormat::Zip),
    (b"\x1F\x8B\x08", FileFormat::Gzip),
    (b"\xFD7zXZ\0", FileFormat::Xz),
    (b"\x28\xB5\x2F\xFD", FileFormat::Zstandard),
    (b"{\\rtf", FileFormat::Other("Rich Text Format")),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", FileFormat::Other("Microsoft Office before 2007")),
    (b"%!PS", FileFormat::Other("PostScript")),
    (b"AT&TFORM", FileFormat::Other("DjVu")),
];

impl FileFormat {
    /// `extension` is in lower case, and empty for a name without one.
    pub(super) fn detect(extension: &str, bytes: &[u8]) -> Self {
        if is_pdf(bytes) {
            return Self::Pdf;
        }
        let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
        let start = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
        let by_start = STARTS.iter().find(|(mark, _)| start.starts_with(mark));
        if let Some((_, format)) = by_start {
            return *format;
        }
        if bytes.get(TAR_MARK..).is_some_and(|rest| rest.starts_with(b"ustar")) {
            return Self::Tar;
        }
        Self::of_extension(extension).unwrap_or_else(|| Self::of_text(extension, start))
    }

    fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension {
            "ipynb" => Self::Notebook,
            "srt" | "vtt" => Self::Subtitles,
            "csv" => Self::Csv(b','),
            "tsv" => Self::Csv(b'\t'),
            #[cfg(feature = "mail")]
            "eml" => Self::Mail,
            #[cfg(feature = "mail")]
            "mbox" => Self::Mailbox,
            _ => Self::Text(DocumentFormat::from_extension(extension)?),
        })
    }

    /// The kind of file, for filters. An Office file's reader says which one it is.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Text(DocumentFormat::Markdown) => "markdown",
            Self::Text(DocumentFormat::PlainText) => "text",
            Self::Text(DocumentFormat::Lines) => "source",
            Self::Text(DocumentFormat::Html) => "html",
            Self::Notebook => "notebook",
            Self::Subtitles => "subtitles",
            Self::Manual => "manual",
            Self::Csv(_) => "csv",
            Self::Pdf => "pdf",
            // Of the others, only mail is stored.
            _ => self.name(),
        }
    }

    /// For a message.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pdf => "PDF",
            Self::Zip => "ZIP",
            Self::Tar => "tar",
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Zstandard => "Zstandard",
            #[cfg(feature = "mail")]
            Self::Mail => "mail",
            #[cfg(feature = "mail")]
            Self::Mailbox => "mbox",
            Self::Other(name) => name,
            Self::Text(_) | Self::Notebook | Self::Subtitles | Self::Manual | Self::Csv(_) => {
                "text"
            }
        }
    }

    /// Takes a text whose extension says nothing.
    fn of_text(extension: &str, start: &[u8]) -> Self {
        let head = start.get(..256).unwrap_or(start).to_ascii_lowercase();
        if head.starts_with(b"<!doctype html") || head.starts_with(b"<html") {
            return Self::Text(DocumentFormat::Html);
        }
        #[cfg(feature = "mail")]
        if let Some(format) = Self::of_mail(extension, start) {
            return format;
        }
        let is_section = extension.as_bytes().first().is_some_and(u8::is_ascii_digit);
        if is_section && (find(start, b"\n.SH").is_some() || find(start, b"\n.Sh").is_some()) {
            return Self::Manual;
        }
        let format =
            if extension.is_empty() { DocumentFormat::PlainText } else { DocumentFormat::Lines };
        Self::Text(format)
    }
}

#[cfg(feature = "mail")]
impl FileFormat {
    /// A patch for mail is still code.
    fn of_mail(extension: &str, start: &[u8]) -> Option<Self> {
        match extension {
            "patch" | "diff" => None,
            _ if is_message(start) => Some(Self::Mail),
            _ => is_mailbox(start).then_some(Self::Mailbox),
        }
    }
}

/// Takes lower case. True for an unknown extension.
pub(crate) fn is_document(extension: &str) -> bool {
    NOT_DOCUMENTS.binary_search(&extension).is_err()
}

/// PDF readers look for the header in the first kilobyte, since some programs put other text before
/// it. A text may mention the header, so the end of a PDF must follow.
fn is_pdf(bytes: &[u8]) -> bool {
    let head = bytes.get(..PDF_MARGIN).unwrap_or(bytes);
    let tail = bytes.get(bytes.len().saturating_sub(PDF_MARGIN)..).unwrap_or(bytes);
    let before = find(head, b"%PDF-").and_then(|place| head.get(..place));
    before.map(<[u8]>::trim_ascii).is_some_and(|before| {
        matches!(before, b"" | b"\xEF\xBB\xBF") || find(tail, b"%%EOF").is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_before_the_name() {
        for (bytes, format) in [
            (&b"%PDF-1.4\n1 0 obj\n"[..], FileFormat::Pdf),
            (b"\xEF\xBB\xBF\n%PDF-1.7", FileFormat::Pdf),
            (b"junk%PDF-1.7\r\n1 0 obj\r\n<<>>\r\nendobj\r\n%%EOF\r\n", FileFormat::Pdf),
            (b"{\\rtf1\\ansi text}", FileFormat::Other("Rich Text Format")),
            (b"PK\x03\x04\x14\0\x06\0", FileFormat::Zip),
            (b"\x1F\x8B\x08\0", FileFormat::Gzip),
        ] {
            assert_eq!(FileFormat::detect("md", bytes), format, "{bytes:?}");
        }
    }

    #[test]
    fn images_are_no_documents() {
        assert!(NOT_DOCUMENTS.is_sorted());
        for extension in ["png", "jpg", "ico", "svg", "woff"] {
            assert!(!is_document(extension), "{extension}");
        }
        for extension in ["pdf", "docx", "py", "zip", ""] {
            assert!(is_document(extension), "{extension}");
        }
    }

    #[test]
    fn text_that_mentions_a_format_stays_text() {
        for text in
            ["A PDF begins with %PDF-1.4.", "A PDF begins with:\n%PDF-1.4\n", "PKZIP", "BM25", ""]
        {
            let format = FileFormat::detect("", text.as_bytes());
            assert_eq!(format, FileFormat::Text(DocumentFormat::PlainText), "{text}");
        }
    }

    #[test]
    fn text_without_known_ending_is_recognised_by_content() {
        let format = |extension, text: &str| FileFormat::detect(extension, text.as_bytes());
        assert_eq!(format("", "<!DOCTYPE html>\n"), FileFormat::Text(DocumentFormat::Html));
        assert_eq!(format("1", ".TH LS 1\n.SH NAME\n"), FileFormat::Manual);
        assert_eq!(format("1", "1. first\n"), FileFormat::Text(DocumentFormat::Lines));
        assert_eq!(format("rs", "fn main() {}"), FileFormat::Text(DocumentFormat::Lines));
    }
}
