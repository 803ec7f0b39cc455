//! The words of phrases, compared with those of texts.

use unicode_segmentation::UnicodeSegmentation as _;

/// Lower-case words, by Unicode's word boundaries.
type Words = Vec<String>;

/// Phrases that must occur, and phrases that must not.
#[derive(Debug)]
pub(super) struct Conditions {
    phrases: Vec<Words>,
    excluded: Vec<Words>,
}

impl Conditions {
    pub(super) fn new(phrases: &[String], excluded: &[String]) -> Self {
        let words = |phrase: &String| -> Words {
            let words = words_of(phrase).into_iter().map(|(_, word)| word);
            words.filter(|word| !word.is_empty()).collect()
        };
        let all = |phrases: &[String]| {
            phrases.iter().map(words).filter(|words| !words.is_empty()).collect()
        };
        Self { phrases: all(phrases), excluded: all(excluded) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.excluded.is_empty()
    }

    /// Returns whether each phrase occurs in a paragraph of one of the texts, and no excluded one does.
    pub(super) fn allow(&self, texts: &[&str]) -> bool {
        let texts: Vec<_> = texts.iter().map(|text| words_of(text)).collect();
        let occurs = |phrase: &Words| texts.iter().any(|words| position(phrase, words).is_some());
        self.phrases.iter().all(occurs) && !self.excluded.iter().any(occurs)
    }

    /// Returns the byte where the first of the phrases that occur starts.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        let words = words_of(text);
        self.phrases.iter().find_map(|phrase| position(phrase, &words))
    }
}

fn position(phrase: &Words, words: &[(usize, String)]) -> Option<usize> {
    let is_phrase = |part: &&[(usize, String)]| part.iter().map(|(_, word)| word).eq(phrase);
    words.windows(phrase.len()).find(is_phrase)?.first().map(|(start, _)| *start)
}

/// Returns each word and the byte where it starts. A blank line, which may hold spaces, is an empty word: no
/// phrase continues after it.
fn words_of(text: &str) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            words.push((start, String::new()));
        }
        // Both apostrophes are in use: `don't` and `don’t`.
        let normalized = |word: &str| word.to_lowercase().replace('\u{2019}', "'");
        let in_line = line.unicode_word_indices();
        words.extend(in_line.map(|(byte, word)| (start + byte, normalized(word))));
        start += line.len();
    }
    words
}
