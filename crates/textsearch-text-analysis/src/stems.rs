//! Stemming of words.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

/// In bytes. Anything longer is not a natural word.
const LONGEST: usize = 64;

pub(crate) struct Stems {
    stemmer: Stemmer,
    is_english: bool,
}

impl Stems {
    pub(crate) fn new(algorithm: Algorithm) -> Self {
        let is_english = algorithm == Algorithm::English;
        Self { stemmer: Stemmer::create(algorithm), is_english }
    }

    pub(crate) fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        match word {
            _ if word.len() > LONGEST => Cow::Borrowed(word),
            // Fast path: the library finds no rule either, but slowly.
            _ if self.is_english && is_plain(word) && !has_ending(word.as_bytes()) => {
                Cow::Borrowed(word)
            }
            _ => self.stemmer.stem(word),
        }
    }
}

fn is_plain(word: &str) -> bool {
    word.bytes().all(|letter| letter.is_ascii() && letter != b'\'')
}

/// Whether any [rule or exception](https://snowballstem.org/algorithms/english/stemmer.html) may
/// apply.
fn has_ending(word: &[u8]) -> bool {
    match word {
        [.., b'e' | b's' | b'y'] => true,
        [.., b'i', b'n', b'g'] | [.., b'i', b'o', b'n'] | [.., b'i', b's', b'm'] => true,
        [.., before, last] => match last {
            b'c' => *before == b'i',
            b'd' => *before == b'e',
            b'i' => matches!(before, b'c' | b'g' | b'l' | b't'),
            b'l' => matches!(before, b'a' | b'l' | b'u'),
            b'r' => matches!(before, b'e' | b'o'),
            b't' => *before == b'n',
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str) {
        let expected = Stemmer::create(Algorithm::English).stem(word).into_owned();
        assert_eq!(Stems::new(Algorithm::English).stem(word), expected, "{word}");
    }

    #[test]
    fn english_endings_match_the_library() {
        let signs = || "abcdefghijklmnopqrstuvwxyz0_'é".chars();
        for beginning in ["", "y", "'ab", "gener", "conver", "say"] {
            for first in signs() {
                for second in signs() {
                    for third in signs() {
                        check(&format!("{beginning}{first}{second}{third}"));
                    }
                }
            }
        }
    }

    #[test]
    fn stacked_english_endings_match_the_library() {
        let endings = "s es ies ied sses ss us ed eed ing edly eedly ingly at bl iz y ly li tional enci anci \
             abli entli izer ization ational ation ator alism aliti alli fulness ousli ousness \
             iveness iviti biliti bli ogi logi fulli lessli alize icate iciti ical ful ness ative \
             al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion sion tion \
             e l ll bb tt wed oe 's '";
        let beginnings = ". a by ay hop commun arsen conver x sk rat succe proce exce cann inn out earr herr beau ey";
        for beginning in beginnings.split(' ') {
            for first in endings.split(' ') {
                check(&format!("{beginning}{first}"));
                for second in endings.split(' ') {
                    check(&format!("{beginning}{first}{second}"));
                }
            }
        }
        for word in "andes atlas bias cosmos dying early gently howe idly lying news only singly skies skis sky tying \
                     ugly arsenal commune general generate inning innings outings"
            .split(' ')
        {
            check(word);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_english_word_matches_the_library(
            word in "([a-z'é_0-9]|[aeiouy][bdlnrst]|\\PC){0,8}(al|ful|ic|iv|iz|li|ing|ed|s)?(ly|ness|e|s|\\PC)?",
        ) {
            check(&word.to_lowercase());
        }
    }

    #[test]
    fn long_words_are_not_stemmed() {
        let word = format!("{}ing", "x".repeat(LONGEST));
        assert_eq!(Stems::new(Algorithm::English).stem(&word), word);
    }
}
