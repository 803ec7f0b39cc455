//! How much text a result may have, and where it is cut.

use unicode_segmentation::UnicodeSegmentation;

/// How many characters are counted as one token: what is usual for English; Chinese and Japanese need about one token
/// a character.
const CHARACTERS_PER_TOKEN: usize = 4;

/// What is looked at behind the end, to know whether a sentence ends there.
const LOOK_AHEAD: usize = 64;

/// How much text is wanted at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextBudget {
    /// So many characters (Unicode scalar values).
    Characters(usize),
    /// About so many tokens of a model, counted as four characters each. That fits English; a budget for Chinese or
    /// Japanese is better given in characters.
    Tokens(usize),
}

impl TextBudget {
    /// The budget in characters.
    pub const fn characters(self) -> usize {
        match self {
            Self::Characters(characters) => characters,
            Self::Tokens(tokens) => tokens.saturating_mul(CHARACTERS_PER_TOKEN),
        }
    }

    /// The beginning of a text that is longer than the budget: up to the end of a sentence, or of a word where the
    /// sentence began in the first half. `None` where the text is not longer.
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

/// As [`TextBudget::cut`], for so many characters.
pub(crate) fn cut(text: &str, most: usize) -> Option<&str> {
    let (end, _) = text.char_indices().nth(most)?;
    let window = text.char_indices().nth(most.saturating_add(LOOK_AHEAD));
    let window = window.and_then(|(position, _)| text.get(..position)).unwrap_or(text);
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
    fn a_text_within_the_budget_is_not_cut() {
        assert_eq!(cut("", 0), None);
        assert_eq!(cut("One. Two.", 9), None);
        assert_eq!(cut("一二三", 3), None);
    }

    #[test]
    fn a_text_is_cut_at_the_end_of_a_sentence() {
        assert_eq!(cut("One two. Three four. Five", 24), Some("One two. Three four."));
        assert_eq!(cut("One two. Three four. Five", 20), Some("One two. Three four."));
        assert_eq!(cut("One two. Three four. Five", 19), Some("One two. Three four"));
        assert_eq!(cut("A heading\n\nA sentence that goes on", 18), Some("A heading"));
        assert_eq!(cut("第一句。第二句。第三句", 9), Some("第一句。第二句。"));
    }

    #[test]
    fn a_sentence_without_end_is_cut_between_words_and_a_word_between_characters() {
        assert_eq!(cut("a very long sentence", 13), Some("a very long"));
        assert_eq!(cut(&"x".repeat(9), 4), Some("xxxx"));
        assert_eq!(cut("👨‍👩‍👧👨‍👩‍👧", 7), Some("👨‍👩‍👧"));
        assert_eq!(cut("👨‍👩‍👧", 2), Some(""));
    }

    #[test]
    fn a_token_is_four_characters() {
        assert_eq!(TextBudget::Tokens(2000).characters(), 8000);
        assert_eq!(TextBudget::Characters(7).characters(), 7);
        assert_eq!(TextBudget::Tokens(usize::MAX).characters(), usize::MAX);
    }

    proptest! {
        #[test]
        fn a_cut_is_a_beginning_and_never_exceeds_the_budget(
            text in "([a-zA-Z]{1,9}[ .!?\n]{0,2}|\\PC|。){0,80}",
            most in 0_usize..120,
        ) {
            match cut(&text, most) {
                None => prop_assert!(text.chars().count() <= most),
                Some(beginning) => {
                    prop_assert!(text.starts_with(beginning));
                    prop_assert!(text.chars().count() > most);
                    prop_assert!(beginning.chars().count() <= most);
                }
            }
        }
    }
}
