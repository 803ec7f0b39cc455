//! Distinguishes text from other content.

/// Why the content of a file isn't text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum NotText {
    /// A PDF, even if it consists of ASCII characters.
    #[error("it is a PDF, not text")]
    Pdf,
    /// Rich Text Format.
    #[error("it is in Rich Text Format, not text")]
    RichText,
    /// A ZIP archive, such as `.docx`, `.xlsx`, `.odt` and `.epub`.
    #[error("it is a ZIP archive, such as .docx or .epub, not text")]
    Zip,
    /// Other content with NUL bytes.
    #[error("it holds NUL bytes, so it is not text")]
    Binary,
    /// Neither UTF-8 nor UTF-16.
    #[error("it is neither UTF-8 nor UTF-16")]
    UnknownEncoding,
}

/// A PDF begins in its first kilobyte and ends in its last.
const PDF_MARGIN: usize = 1024;

/// Decodes UTF-8 and UTF-16, without the byte order mark. UTF-16 without one is recognised if most
/// of it is in an alphabet, such as Latin, Greek or Cyrillic.
pub(crate) fn decode_text(bytes: Vec<u8>) -> Result<String, NotText> {
    if let Some(kind) = other_format(&bytes) {
        return Err(kind);
    }
    if let Some(text) = bytes.strip_prefix(b"\xFF\xFE") {
        return utf16(text, u16::from_le_bytes).ok_or(NotText::UnknownEncoding);
    }
    if let Some(text) = bytes.strip_prefix(b"\xFE\xFF") {
        return utf16(text, u16::from_be_bytes).ok_or(NotText::UnknownEncoding);
    }
    if bytes.contains(&0) {
        return unmarked_utf16(&bytes).ok_or(NotText::Binary);
    }
    let text = String::from_utf8(bytes).map_err(|_| NotText::UnknownEncoding)?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Formats that may be valid UTF-8, or that are worth naming.
fn other_format(bytes: &[u8]) -> Option<NotText> {
    if is_pdf(bytes) {
        return Some(NotText::Pdf);
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let formats: [(&[u8], NotText); 2] =
        [(b"{\\rtf", NotText::RichText), (b"PK\x03\x04", NotText::Zip)];
    formats.into_iter().find_map(|(start, kind)| bytes.starts_with(start).then_some(kind))
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

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

/// Returns `None` for an odd number of bytes, lone surrogates and NUL characters.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let decoded = char::decode_utf16(pairs.iter().map(|pair| unit(*pair)));
    let text: String = decoded.collect::<Result<_, _>>().ok()?;
    (rest.is_empty() && !text.contains('\0')).then_some(text)
}

/// Binary files and other encodings resemble Chinese, so at least three quarters of the characters
/// must be from alphabets, ASCII and the like.
fn unmarked_utf16(bytes: &[u8]) -> Option<String> {
    let alphabetic = |text: &String| text.chars().filter(|one| *one < '\u{800}').count();
    let orders: [fn([u8; 2]) -> u16; 2] = [u16::from_le_bytes, u16::from_be_bytes];
    let texts = orders.into_iter().filter_map(|unit| utf16(bytes, unit));
    let text = texts.max_by_key(alphabetic)?;
    let is_control = |one: char| one.is_control() && !matches!(one, '\t' | '\n' | '\r' | '\x0C');
    let is_likely = alphabetic(&text) * 4 >= text.chars().count() * 3;
    (is_likely && !text.contains(is_control)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16_bytes(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn utf16_is_read_with_and_without_mark() {
        let text = "Äpfel sind rot.\n苹果\n";
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            assert_eq!(decode_text(utf16_bytes(text, order)).as_deref(), Ok(text));
            let marked = utf16_bytes(&format!("\u{feff}{text}"), order);
            assert_eq!(decode_text(marked).as_deref(), Ok(text));
        }
    }

    #[test]
    fn other_formats_are_named_by_content() {
        for (bytes, kind) in [
            (&b"%PDF-1.4\n1 0 obj\n"[..], NotText::Pdf),
            (b"\xEF\xBB\xBF\n%PDF-1.7", NotText::Pdf),
            (b"junk%PDF-1.7\r\n1 0 obj\r\n<<>>\r\nendobj\r\n%%EOF\r\n", NotText::Pdf),
            (b"{\\rtf1\\ansi text}", NotText::RichText),
            (b"PK\x03\x04\x14\0\x06\0", NotText::Zip),
            (b"words\0and more words", NotText::Binary),
            (b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", NotText::Binary),
            (b"caf\xE9", NotText::UnknownEncoding),
            (b"\xFF\xFEa", NotText::UnknownEncoding),
        ] {
            assert_eq!(decode_text(bytes.to_vec()), Err(kind), "{bytes:?}");
        }
    }

    #[test]
    fn text_that_mentions_a_format_stays_text() {
        for text in [
            "A PDF begins with %PDF-1.4.",
            "A PDF begins with:\n%PDF-1.4\n",
            "PKZIP",
            "BM25 ranks.",
            "MZ",
            "ID3 tags",
            "",
        ] {
            assert_eq!(decode_text(text.as_bytes().to_vec()).as_deref(), Ok(text));
        }
        assert_eq!(decode_text("\u{feff}a".as_bytes().to_vec()).as_deref(), Ok("a"));
    }
}
