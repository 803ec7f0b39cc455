//! Decodes text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::ReadError;

/// A page declares its encoding here, as in the
/// [HTML standard](https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding).
const DECLARATION_BYTES: usize = 1024;

/// For the guess. More makes it no better.
const GUESSED_BYTES: usize = 1 << 20;

/// Decodes text: by its byte order mark; else UTF-8 or UTF-16 without one; else in the encoding that
/// the text declares in its first kilobyte, as HTML, XML and Python do; else in the likeliest one.
pub(crate) fn decode_text(bytes: Vec<u8>) -> Result<String, ReadError> {
    if let Some((encoding, mark)) = Encoding::for_bom(&bytes) {
        return decode(bytes.split_at(mark).1, encoding);
    }
    if bytes.contains(&0) {
        return unmarked_utf16(&bytes).ok_or(ReadError::Binary);
    }
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error.into_bytes(),
    };
    let encoding = declared(&bytes).unwrap_or_else(|| guessed(&bytes));
    decode(&bytes, encoding)
}

fn decode(bytes: &[u8], encoding: &'static Encoding) -> Result<String, ReadError> {
    let text = match encoding.decode_without_bom_handling_and_without_replacement(bytes) {
        Some(text) => text,
        // A page may have a few wrong bytes, such as a name that was pasted in.
        None => encoding.decode_without_bom_handling(bytes).0,
    };
    if is_binary(&text) { Err(ReadError::Binary) } else { Ok(Cow::into_owned(text)) }
}

/// Texts have neither control characters nor many bytes that their encoding lacks.
fn is_binary(text: &str) -> bool {
    let is_odd = |c: char| match c {
        '\t' | '\n' | '\r' | '\x08' | '\x0C' | '\x1B' => false,
        '\u{fffd}' => true,
        c => c.is_ascii_control(),
    };
    let odd = text.chars().filter(|c| is_odd(*c)).count();
    text.contains('\0') || odd * 50 > text.len()
}

fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..DECLARATION_BYTES).unwrap_or(bytes).to_ascii_lowercase();
    let names: [&[u8]; 3] = [b"charset", b"encoding", b"coding"];
    let value = names.into_iter().find_map(|name| value_after(&head, name))?;
    let label =
        value.split(|byte| !(byte.is_ascii_alphanumeric() || b"-_.:".contains(byte))).next()?;
    // The bytes aren't UTF-8, whatever they declare.
    Encoding::for_label(label).filter(|encoding| *encoding != UTF_8)
}

/// The text after `name`, an equals sign or colon, and a quote.
fn value_after<'head>(head: &'head [u8], name: &[u8]) -> Option<&'head [u8]> {
    let start = find(head, name)? + name.len();
    let rest = head.get(start..)?.trim_ascii_start();
    let rest = rest.strip_prefix(b"=").or_else(|| rest.strip_prefix(b":"))?.trim_ascii_start();
    Some(rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest))
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes.get(..GUESSED_BYTES).unwrap_or(bytes), true);
    detector.guess(None, Utf8Detection::Deny)
}

pub(super) fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

/// Binary files and other encodings resemble Chinese, so at least three quarters of the characters
/// must be from alphabets, ASCII and the like.
fn unmarked_utf16(bytes: &[u8]) -> Option<String> {
    let alphabetic = |text: &String| text.chars().filter(|c| *c < '\u{800}').count();
    let texts = [UTF_16LE, UTF_16BE]
        .into_iter()
        .filter_map(|encoding| encoding.decode_without_bom_handling_and_without_replacement(bytes));
    let texts = texts.map(Cow::into_owned).filter(|text| !text.contains('\0'));
    let text = texts.max_by_key(alphabetic)?;
    let is_control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0C');
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
    fn declared_encoding_is_used() {
        for (bytes, text) in [
            (&b"<meta charset=iso-8859-1><p>caf\xE9"[..], "<meta charset=iso-8859-1><p>café"),
            (
                b"<?xml version='1.0' encoding='windows-1251'?>\xEF",
                "<?xml version='1.0' encoding='windows-1251'?>п",
            ),
            (b"# -*- coding: koi8-r -*-\n# \xD0", "# -*- coding: koi8-r -*-\n# п"),
        ] {
            assert_eq!(decode_text(bytes.to_vec()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn encoding_without_declaration_is_guessed() {
        let text = "Der Käfer läuft über die grüne Straße und frißt Blätter.";
        let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode(text);
        assert_eq!(decode_text(bytes.into_owned()).as_deref(), Ok(text));
        let text = "吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。";
        let (bytes, _, _) = encoding_rs::SHIFT_JIS.encode(text);
        assert_eq!(decode_text(bytes.into_owned()).as_deref(), Ok(text));
    }

    #[test]
    fn binary_content_is_refused() {
        let random: Vec<u8> =
            (0..4000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect();
        for bytes in [&b"words\0and more words"[..], b"\x7FELF\x02\x01\x01\0\0\0", &random] {
            assert_eq!(decode_text(bytes.to_vec()), Err(ReadError::Binary), "{bytes:?}");
        }
    }

    #[test]
    fn byte_order_mark_is_no_text() {
        assert_eq!(decode_text("\u{feff}a".as_bytes().to_vec()).as_deref(), Ok("a"));
    }
}
