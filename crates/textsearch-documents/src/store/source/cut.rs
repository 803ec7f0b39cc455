//! Finds the text of a chunk in the text of its document.

use std::{cell::OnceCell, ops::Range};

use twox_hash::XxHash3_128;

use crate::html;

/// Returns a hexadecimal hash of the text of a chunk.
pub(in crate::store) fn hash(text: &str) -> String {
    format!("{:032x}", XxHash3_128::oneshot(text.as_bytes()))
}

/// The text of a document, as it is now.
pub(super) struct DocumentText<'a> {
    id: &'a str,
    text: &'a str,
    /// The text extracted from it if it is HTML.
    extracted: OnceCell<Option<String>>,
}

impl<'a> DocumentText<'a> {
    pub(super) fn new(id: &'a str, text: &'a str) -> Self {
        Self { id, text, extracted: OnceCell::new() }
    }

    /// Returns the text at `range`, in characters; `None` if its hash is another one.
    pub(super) fn chunk(&self, range: Range<usize>, expected: &str) -> Option<&str> {
        let fits = |text: &&str| hash(text) == expected;
        let plain = slice(self.text, range.clone()).filter(fits);
        plain.or_else(|| slice(self.extracted()?, range).filter(fits))
    }

    fn extracted(&self) -> Option<&str> {
        let extract = || {
            let page = self.text.contains('<').then(|| html::extract(self.id, self.text));
            Some(page?.ok()?.text)
        };
        self.extracted.get_or_init(extract).as_deref()
    }
}

fn slice(text: &str, range: Range<usize>) -> Option<&str> {
    let count = range.end.checked_sub(range.start)?;
    let position = |text: &str, characters| {
        let ends = text.char_indices().map(|(place, _)| place).chain([text.len()]);
        ends.into_iter().nth(characters)
    };
    let rest = text.get(position(text, range.start)?..)?;
    rest.get(..position(rest, count)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_characters_and_never_panic() {
        assert_eq!(slice("aäß東c", 1..4), Some("äß東"));
        assert_eq!(slice("aäß東c", 0..5), Some("aäß東c"));
        assert_eq!(slice("", 0..0), Some(""));
        for range in [0..6, 5..6, 6..6, usize::MAX - 1..usize::MAX, 0..usize::MAX] {
            assert_eq!(slice("aäß東c", range.clone()), None, "{range:?}");
        }
        #[expect(clippy::reversed_empty_ranges, reason = "a record may hold any numbers")]
        let reversed = 3..1;
        assert_eq!(slice("aäß東c", reversed), None);
    }

    #[test]
    fn text_is_found_in_plain_text_and_in_html() {
        let text = DocumentText::new("a", "<p>x < y</p><p>b</p>");
        assert_eq!(text.chunk(3..8, &hash("x < y")), Some("x < y"));
        assert_eq!(text.chunk(0..5, &hash("x < y")), Some("x < y"));
        assert_eq!(text.chunk(0..5, &hash("x < z")), None);
    }
}
