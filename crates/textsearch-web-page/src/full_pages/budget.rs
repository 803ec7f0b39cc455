//! Text budgets and truncation.

use unicode_segmentation::UnicodeSegmentation;

/// Typical for English. Chinese and Japanese need about one token per character.
const CHARACTERS_PER_TOKEN: usize = 4;

/// Characters after the end that show whether a sentence ends there.
const LOOK_AHEAD: usize = 64;

/// A maximum length of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextBudget {
    /// Number of characters (Unicode scalar values).
    Characters(usize),
    /// Approximate number of model tokens, at four characters each. Use characters for Chinese or
    /// Japanese.
    Tokens(usize),
}

impl TextBudget {
    /// Returns the budget in characters.
    pub const fn characters(self) -> usize {
        match self {
            Self::Characters(characters) => characters,
            Self::Tokens(tokens) => tokens.saturating_mul(CHARACTERS_PER_TOKEN),
        }
    }

    /// Truncates a text that exceeds the budget. Returns `None` if it doesn't.
    ///
    /// Cuts at the end of a sentence, or of a word if the last sentence starts in the first half,
    /// or inside a longer word.
    ///
    /// ```
    /// use textsearch_web_page::TextBudget;
    ///
    /// assert_eq!(TextBudget::Characters(12).cut("One. Two. Three."), Some("One. Two."));
    /// assert_eq!(TextBudget::Tokens(4).cut("One. Two. Three."), None);
    /// ```
    pub fn cut(self, text: &str) -> Option<&str> {
        cut(text, self.characters())
    }
}

pub(crate) fn cut(text: &str, max: usize) -> Option<&str> {
    let (end, _) = text.char_indices().nth(max)?;
    let window = text.char_indices().nth(max.saturating_add(LOOK_AHEAD));
    let window = window.map_or(text, |(position, _)| text.split_at(position).0);
    let last = |starts: &mut dyn Iterator<Item = usize>| {
        starts.take_while(|start| *start <= end).last().unwrap_or(0)
    };
    let sentence = last(&mut window.split_sentence_bound_indices().map(|(start, _)| start));
    let position = if sentence > end / 2 {
        sentence
    } else {
        match last(&mut window.split_word_bound_indices().map(|(start, _)| start)) {
            0 => last(&mut window.grapheme_indices(true).map(|(start, _)| start)),
            word => word,
        }
    };
    text.get(..position).map(str::trim_end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_within_the_budget_is_unchanged() {
        assert_eq!(cut("", 0), None);
        assert_eq!(cut("One. Two.", 9), None);
        assert_eq!(cut("一二三", 3), None);
    }

    #[test]
    fn a_text_is_truncated_at_a_sentence_end() {
        assert_eq!(cut("One two. Three four. Five", 24), Some("One two. Three four."));
        assert_eq!(cut("One two. Three four. Five", 20), Some("One two. Three four."));
        assert_eq!(cut("One two. Three four. Five", 19), Some("One two. Three four"));
        assert_eq!(cut("A heading\n\nA sentence that goes on", 18), Some("A heading"));
        assert_eq!(cut("第一句。第二句。第三句", 9), Some("第一句。第二句。"));
    }

    #[test]
    fn long_sentences_and_words_are_truncated_inside() {
        assert_eq!(cut("a very long sentence", 13), Some("a very long"));
        assert_eq!(cut(&"x".repeat(9), 4), Some("xxxx"));
        assert_eq!(cut("👨‍👩‍👧👨‍👩‍👧", 7), Some("👨‍👩‍👧"));
        assert_eq!(cut("👨‍👩‍👧", 2), Some(""));
    }

    #[test]
    fn a_token_counts_as_four_characters() {
        assert_eq!(TextBudget::Tokens(2000).characters(), 8000);
        assert_eq!(TextBudget::Characters(7).characters(), 7);
        assert_eq!(TextBudget::Tokens(usize::MAX).characters(), usize::MAX);
    }

    proptest! {
        #[test]
        fn a_truncated_text_is_a_prefix_within_the_budget(
            text in "([a-zA-Z]{1,9}[ .!?\n]{0,2}|\\PC|。){0,80}",
            max in 0_usize..120,
        ) {
            match cut(&text, max) {
                None => prop_assert!(text.chars().count() <= max),
                Some(beginning) => {
                    prop_assert!(text.starts_with(beginning));
                    prop_assert!(text.chars().count() > max);
                    prop_assert!(beginning.chars().count() <= max);
                }
            }
        }
    }
}
