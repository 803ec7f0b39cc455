//! The words of phrases, compared with those of texts.

use unicode_segmentation::UnicodeSegmentation as _;

const PARAGRAPH_BREAK: &str = "\n\n";

/// The lower-case words of a phrase, by Unicode's word boundaries.
type Words = Vec<String>;

/// The words of a paragraph, each with the byte where it starts in the text.
type Paragraph = Vec<(usize, String)>;

/// Phrases that must occur, and phrases that must not.
#[derive(Debug)]
pub(super) struct Conditions {
    phrases: Vec<Words>,
    excluded: Vec<Words>,
}

impl Conditions {
    pub(super) fn new(phrases: &[String], excluded: &[String]) -> Self {
        let words = |phrases: &[String]| {
            let words =
                phrases.iter().map(|phrase| phrase.unicode_words().map(normalized).collect());
            words.filter(|words: &Words| !words.is_empty()).collect()
        };
        Self { phrases: words(phrases), excluded: words(excluded) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.excluded.is_empty()
    }

    /// Returns whether each phrase occurs in a paragraph of one of the texts, and no excluded one does.
    pub(super) fn allow(&self, texts: &[&str]) -> bool {
        let paragraphs: Vec<Paragraph> = texts.iter().flat_map(|text| paragraphs(text)).collect();
        let occurs = |phrase: &Words| position(phrase, &paragraphs).is_some();
        self.phrases.iter().all(occurs) && !self.excluded.iter().any(occurs)
    }

    /// Returns the byte where the first of the phrases that occur starts.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        let paragraphs: Vec<Paragraph> = paragraphs(text).collect();
        self.phrases.iter().find_map(|phrase| position(phrase, &paragraphs))
    }
}

fn paragraphs(text: &str) -> impl Iterator<Item = Paragraph> {
    let break_length = PARAGRAPH_BREAK.len();
    let mut start = 0;
    text.split(PARAGRAPH_BREAK).map(move |paragraph| {
        let words = paragraph.unicode_word_indices();
        let words = words.map(|(byte, word)| (start + byte, normalized(word))).collect();
        start += paragraph.len() + break_length;
        words
    })
}

fn position(phrase: &Words, paragraphs: &[Paragraph]) -> Option<usize> {
    let is_phrase = |part: &&[(usize, String)]| part.iter().map(|(_, word)| word).eq(phrase);
    let mut parts = paragraphs.iter().flat_map(|words| words.windows(phrase.len()));
    parts.find(is_phrase)?.first().map(|(start, _)| *start)
}

fn normalized(word: &str) -> String {
    // Both apostrophes are in use: `don't` and `don’t`.
    word.to_lowercase().replace('\u{2019}', "'")
}
