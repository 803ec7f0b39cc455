//! Decodes bytes as browsers do: byte order mark, header, the page's own statement, a guess.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Number of bytes searched for the page's own character set.
const PRESCAN: usize = 4096;

/// Invalid bytes become `U+FFFD`. `named` is the character set in the header.
pub(crate) fn decode(body: &[u8], named: Option<&str>, is_html: bool) -> String {
    let mark = Encoding::for_bom(body).map(|(encoding, _)| encoding);
    let named = || named.and_then(|label| Encoding::for_label(label.as_bytes()));
    let in_page = || is_html.then(|| stated(body)).flatten();
    let encoding = mark.or_else(named).or_else(in_page).unwrap_or_else(|| guessed(body));
    encoding.decode(body).0.into_owned()
}

/// Reads a `meta` element or an XML declaration.
fn stated(body: &[u8]) -> Option<&'static Encoding> {
    let head = body.get(..PRESCAN).unwrap_or(body);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let declaration =
        head.trim_start().strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    let declared = declaration.and_then(|(declaration, _)| label_after(declaration, "encoding"));
    let in_meta = || {
        head.split("<meta").skip(1).find_map(|rest| {
            let tag = rest.split('>').next()?;
            label_after(tag, "charset")
        })
    };
    let encoding = declared.or_else(in_meta)?;
    // The statement was readable as ASCII, so the page can't be UTF-16.
    Some(if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding })
}

fn label_after(text: &str, name: &str) -> Option<&'static Encoding> {
    let after = text.split_once(name)?.1.trim_start().strip_prefix('=')?;
    let value = after.trim_start().trim_start_matches(['"', '\'']);
    let mut parts =
        value.split(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | ';' | '/'));
    Encoding::for_label(parts.next()?.as_bytes())
}

fn guessed(body: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(body).is_ok() { UTF_8 } else { WINDOWS_1252 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_byte_order_mark_wins() {
        assert_eq!(decode(b"\xef\xbb\xbf\xc3\xa9", Some("windows-1251"), true), "é");
        assert_eq!(decode(b"\xff\xfe\xe9\x00", Some("utf-8"), true), "é");
    }

    #[test]
    fn the_header_wins_over_the_page() {
        let page = b"<meta charset=utf-8>\xcf\xf0\xe8";
        assert_eq!(decode(page, Some("windows-1251"), true), "<meta charset=utf-8>При");
    }

    #[test]
    fn a_page_can_state_its_charset_in_several_ways() {
        let ways = [
            "<meta charset=windows-1251>",
            "<META Charset = 'Windows-1251' />",
            "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=windows-1251\">",
            "<?xml version=\"1.0\" encoding=\"windows-1251\"?>",
            "<meta name=\"charset\"><meta charset=\"cp1251\">",
        ];
        for way in ways {
            let body = [way.as_bytes(), b"\xcf\xf0\xe8"].concat();
            assert_eq!(decode(&body, None, true), format!("{way}При"), "{way}");
            assert!(!decode(&body, None, false).ends_with("При"), "{way}");
        }
        assert!(decode("<meta charset=utf-16>é".as_bytes(), None, true).ends_with('é'));
    }

    #[test]
    fn without_a_charset_valid_utf_8_is_assumed() {
        assert_eq!(decode("é".as_bytes(), None, true), "é");
        assert_eq!(decode(b"caf\xe9", None, true), "café");
        assert_eq!(decode(b"\xe9\xe9", Some("no-such-charset"), false), "éé");
        assert_eq!(decode(b"a\xff", Some("utf-8"), false), "a\u{fffd}");
    }
}
