//! The words of a language: their parts, and their terms.

use crate::{language::Language, stems::Stems};

/// The rules for words of one language.
pub(crate) struct Words {
    language: Language,
    stems: Option<Stems>,
}

impl Words {
    pub(crate) fn of_language(code: Option<&str>) -> Self {
        let language = Language::from_code(code);
        let stems = language.stemmer.map(Stems::new);
        Self { language, stems }
    }

    pub(crate) fn language(&self) -> &Language {
        &self.language
    }

    /// Emits a lower-case word and the parts joined in it.
    pub(crate) fn for_each_part(&self, word: &str, mut emit: impl FnMut(&str)) {
        if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            // Fast path: most words have no parts.
            return emit(word);
        }
        let whole = self.without_article(word);
        emit(whole);
        if whole.contains(is_joint) {
            let parts = whole.split(is_joint);
            parts.filter(|part| part.contains(char::is_alphabetic)).for_each(emit);
        }
    }

    pub(crate) fn with_term_of(&self, word: &str, emit: impl FnOnce(&str, bool)) {
        let is_stop_word = self.language.stop_words.contains(word);
        match &self.stems {
            Some(stems) => emit(&stems.stem(word), is_stop_word),
            None => emit(word, is_stop_word),
        }
    }

    /// Writes `word` into `folded`, with one kind of apostrophe.
    pub(crate) fn fold_case(&self, word: &str, folded: &mut String) {
        folded.clear();
        if self.language.has_dotless_i && word.contains(['I', 'İ']) {
            let lower = word.replace('I', "ı").replace('İ', "i").to_lowercase();
            folded.push_str(&with_plain_apostrophe(&lower));
        } else if word.is_ascii() {
            folded.push_str(word);
            folded.make_ascii_lowercase();
        } else {
            folded.push_str(&with_plain_apostrophe(&word.to_lowercase()));
        }
    }

    fn without_article<'a>(&self, word: &'a str) -> &'a str {
        match word.split_once('\'') {
            Some((article, noun)) if self.language.elided.contains(&article) => noun,
            _ => word,
        }
    }
}

fn with_plain_apostrophe(word: &str) -> String {
    word.replace('\u{2019}', "'")
}

/// Whether a character inside a word joins parts. An apostrophe does not: `don't` is one word.
pub(crate) fn is_joint(sign: char) -> bool {
    !sign.is_alphanumeric() && sign != '\'' && !is_mark(sign)
}

/// Whether a character modifies the letter before it, such as a combining accent or a vowel sign.
fn is_mark(sign: char) -> bool {
    !sign.is_ascii()
        && !sign.is_ascii_punctuation()
        && !matches!(sign, '\u{2018}'..='\u{2027}' | '\u{203f}' | '\u{2040}')
}
