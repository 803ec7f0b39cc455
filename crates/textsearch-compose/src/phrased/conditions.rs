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
        let words = |phrases: &[String]| {
            let words = phrases.iter().map(|phrase| words_of(phrase));
            words.filter(|words| !words.is_empty()).collect()
        };
        Self { phrases: words(phrases), excluded: words(excluded) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.excluded.is_empty()
    }

    /// Returns whether each phrase occurs in a paragraph of one of the texts, and no excluded one does.
    pub(super) fn allow(&self, texts: &[&str]) -> bool {
        let paragraphs: Vec<Words> = texts.iter().flat_map(|text| paragraphs_of(text)).collect();
        let occurs = |phrase: &Words| {
            paragraphs
                .iter()
                .any(|words| words.windows(phrase.len()).any(|part| part == phrase.as_slice()))
        };
        self.phrases.iter().all(occurs) && !self.excluded.iter().any(occurs)
    }
}

/// Returns the words of each paragraph. A blank line may hold spaces, and end in CR and LF.
fn paragraphs_of(text: &str) -> Vec<Words> {
    let lines: Vec<&str> = text.lines().collect();
    let paragraphs = lines.split(|line| line.trim().is_empty());
    paragraphs.map(|lines| words_of(&lines.join("\n"))).collect()
}

fn words_of(text: &str) -> Words {
    // Both apostrophes are in use: `don't` and `don’t`.
    text.unicode_words().map(|word| word.to_lowercase().replace('\u{2019}', "'")).collect()
}
