//! Texts in pieces that no word reaches over.

use std::iter;

/// The pieces of `text` between white space.
///
/// Each is as long as it takes for its words to be those of the whole text: white space parts words but for a sign that
/// joins what stands before it, whatever that is.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let pieces = iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (end, next) = first_gap(rest);
        let piece = rest.get(..end);
        rest = rest.get(next..).unwrap_or_default();
        piece
    });
    pieces.filter(|piece| !piece.is_empty())
}

/// Where the first white space that parts pieces begins and ends.
fn first_gap(text: &str) -> (usize, usize) {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(space) = find(bytes, from, |byte| byte.is_ascii_whitespace()) {
        let end = find(bytes, space, |byte| !byte.is_ascii_whitespace()).unwrap_or(bytes.len());
        let next = text.get(end..).and_then(|rest| rest.chars().next());
        if next.is_none_or(starts_anew) {
            return (space, end);
        }
        from = end;
    }
    (bytes.len(), bytes.len())
}

fn find(bytes: &[u8], from: usize, is_sought: impl Fn(u8) -> bool) -> Option<usize> {
    let found = bytes.get(from..)?.iter().position(|byte| is_sought(*byte));
    found.map(|place| from + place)
}

/// Whether a sign after white space has nothing to do with it. More do than are known here: pieces are only longer then.
fn starts_anew(sign: char) -> bool {
    // Of the letters with two cases, one is written as a sign under the letter before it.
    const IOTA_BELOW: char = '\u{345}';
    sign.is_ascii() || ((sign.is_lowercase() || sign.is_uppercase()) && sign != IOTA_BELOW)
}

#[cfg(test)]
mod tests {
    use unicode_segmentation::UnicodeSegmentation as _;

    use super::*;

    #[test]
    fn white_space_parts_pieces() {
        let found: Vec<&str> = pieces(" Two  words,\r\n(and) more\tперед Ünder ").collect();
        assert_eq!(found, ["Two", "words,", "(and)", "more", "перед", "Ünder"]);
        assert_eq!(pieces(" \n").count(), 0);
        assert_eq!(pieces("").count(), 0);
    }

    #[test]
    fn a_sign_that_joins_what_is_before_it_stays_with_it() {
        assert_eq!(pieces("a \u{301}b c").collect::<Vec<_>>(), ["a \u{301}b", "c"]);
        assert_eq!(pieces("全文 検索").collect::<Vec<_>>(), ["全文 検索"]);
    }

    #[test]
    fn what_starts_anew_is_never_joined_to_white_space() {
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
        fn the_words_of_the_pieces_are_those_of_the_text(
            text in "([ \\t\\n\\r]{1,3}|[a-zA-Z0-9_.,:;'’\"-]{1,6}|\\PC|[\u{345}\u{200d}Ⓜ\u{301}\u{ad}א🇩カเ]){0,40}",
        ) {
            let found: Vec<&str> = pieces(&text).flat_map(|piece| piece.unicode_words()).collect();
            let expected: Vec<&str> = text.unicode_words().collect();
            assert_eq!(found, expected);
        }
    }
}
