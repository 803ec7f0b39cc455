//! Splitting of texts into pieces. No word extends over several pieces.

use std::iter;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'a> {
    pub(crate) text: &'a str,
    kinds: u8,
}

/// Lower-case letters and digits.
const PLAIN: u8 = 1;
const CAPITAL: u8 = 2;
const SIGN: u8 = 4;
const SPACE: u8 = 8;
const NOT_ASCII: u8 = 16;

#[expect(clippy::indexing_slicing, reason = "constants cannot call `get_mut`")]
static KINDS: [u8; 256] = {
    let mut kinds = [SIGN; 256];
    let mut byte = 0;
    while byte < kinds.len() {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' => PLAIN,
            b'A'..=b'Z' => CAPITAL,
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' => SPACE,
            0x80.. => NOT_ASCII,
            _ => SIGN,
        };
        byte += 1;
    }
    kinds
};

fn kind_of(byte: u8) -> u8 {
    KINDS.get(usize::from(byte)).copied().unwrap_or(SIGN)
}

/// Splits `text` at white space. No word extends over several pieces: a piece extends over white
/// space that the next character joins.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    let pieces = iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Gap { start, end, kinds } = first_gap(rest);
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(Piece { text: piece.split_at(start).0, kinds })
    });
    pieces.filter(|piece| !piece.text.is_empty())
}

impl<'a> Piece<'a> {
    /// The only word of the piece, if it is ASCII letters and digits apart from punctuation around
    /// it. Most pieces are.
    pub(crate) fn only_word(self) -> Option<&'a str> {
        match self.kinds {
            kinds if kinds & (SIGN | SPACE | NOT_ASCII) == 0 => Some(self.text),
            kinds if kinds & (SPACE | NOT_ASCII) == 0 => without_punctuation(self.text),
            _ => None,
        }
    }

    pub(crate) fn is_folded(self) -> bool {
        self.kinds & (CAPITAL | NOT_ASCII) == 0
    }

    pub(crate) fn is_ascii(self) -> bool {
        self.kinds & NOT_ASCII == 0
    }
}

/// Strips punctuation that joins no words from both ends, if only letters and digits remain.
fn without_punctuation(piece: &str) -> Option<&str> {
    let is_opening = |byte: &u8| matches!(byte, b'(' | b'"' | b'*' | b'`' | b'[');
    let is_closing = |byte: &u8| {
        matches!(byte, b',' | b'.' | b';' | b':' | b'!' | b'?' | b')' | b'"' | b'*' | b'`' | b']')
    };
    let bytes = piece.as_bytes();
    let start = bytes.iter().take_while(|byte| is_opening(byte)).count();
    let word = bytes.iter().skip(start).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let end = start + word;
    let is_only = word > 0 && bytes.iter().skip(end).all(is_closing);
    piece.get(start..end).filter(|_| is_only)
}

/// White space, with the kinds of the bytes before it.
struct Gap {
    start: usize,
    end: usize,
    kinds: u8,
}

fn first_gap(text: &str) -> Gap {
    let bytes = text.as_bytes();
    let mut kinds = 0;
    let mut from = 0;
    loop {
        let (piece, kinds_of_piece) = until_space(bytes.split_at(from).1);
        let start = from + piece;
        kinds |= kinds_of_piece;
        let spaces = bytes.iter().skip(start).take_while(|byte| kind_of(**byte) == SPACE).count();
        let end = start + spaces;
        let next = text.split_at(end).1.chars().next();
        if next.is_none_or(starts_anew) {
            return Gap { start, end, kinds };
        }
        kinds |= SPACE;
        from = end;
    }
}

fn until_space(bytes: &[u8]) -> (usize, u8) {
    let mut kinds = 0;
    for (place, byte) in bytes.iter().enumerate() {
        match kind_of(*byte) {
            SPACE => return (place, kinds),
            kind => kinds |= kind,
        }
    }
    (bytes.len(), kinds)
}

/// Whether a character after white space starts a new word. A wrong "no" only makes a piece longer.
fn starts_anew(sign: char) -> bool {
    // Among the letters with two cases, only this one is a combining mark.
    const IOTA_BELOW: char = '\u{345}';
    sign.is_ascii() || ((sign.is_lowercase() || sign.is_uppercase()) && sign != IOTA_BELOW)
}

#[cfg(test)]
mod tests {
    use unicode_segmentation::UnicodeSegmentation as _;

    use super::*;

    fn texts(text: &str) -> impl Iterator<Item = &str> {
        pieces(text).map(|piece| piece.text)
    }

    #[test]
    fn white_space_separates_pieces() {
        let parts: Vec<&str> = texts(" Two  words,\r\n(and) more\tперед Ünder ").collect();
        assert_eq!(parts, ["Two", "words,", "(and)", "more", "перед", "Ünder"]);
        assert_eq!(pieces(" \n").count(), 0);
        assert_eq!(pieces("").count(), 0);
    }

    #[test]
    fn joining_characters_stay_with_the_text_before() {
        assert_eq!(texts("a \u{301}b c").collect::<Vec<_>>(), ["a \u{301}b", "c"]);
        assert_eq!(texts("全文 検索").collect::<Vec<_>>(), ["全文 検索"]);
    }

    #[test]
    fn characters_that_start_anew_never_join_white_space() {
        for sign in ('\0'..=char::MAX).filter(|sign| starts_anew(*sign)) {
            for space in [' ', '\t', '\n', '\r', '\x0c'] {
                let text = format!("a{space}{sign}");
                let bounds = text.split_word_bound_indices().any(|(place, _)| place == 2);
                assert!(bounds || sign.is_ascii_whitespace(), "{text:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn pieces_have_the_words_of_the_text(
            text in "([ \\t\\n\\r]{1,3}|[a-zA-Z0-9_.,:;'’\"-]{1,6}|\\PC|[\u{345}\u{200d}Ⓜ\u{301}\u{ad}א🇩カเ]){0,40}",
        ) {
            let words: Vec<&str> = texts(&text).flat_map(|piece| piece.unicode_words()).collect();
            let expected: Vec<&str> = text.unicode_words().collect();
            assert_eq!(words, expected);
        }

        #[test]
        fn only_word_matches_unicode_segmentation(
            text in "([(\"*`\\[]{0,2}[a-zA-Z0-9é'_.]{0,4}[,.;:!?)\"*`\\]-]{0,3} ){0,20}",
        ) {
            for piece in pieces(&text) {
                let words: Vec<&str> = piece.text.unicode_words().collect();
                if let Some(word) = piece.only_word() {
                    assert_eq!(words, [word]);
                }
                assert_eq!(piece.is_ascii(), piece.text.is_ascii());
                assert!(!piece.is_folded() || piece.text.to_lowercase() == piece.text);
            }
        }
    }
}
