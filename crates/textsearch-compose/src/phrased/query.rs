//! The syntax of queries with phrases and excluded words.

use super::conditions::Conditions;

/// A query with phrases in double quotes and excluded words: `"tide table" -moon`.
///
/// - A phrase is in double quotes, and starts a word: it must occur.
/// - A `-` at the start of a word, directly before a letter, a digit or a quote, excludes the word or
///   phrase.
/// - Everything else is literal: a hyphen within a word, a `-` alone, an unclosed quote.
///
/// A phrase occurs where its words follow each other in a paragraph, whatever is between them. Words are split by Unicode's rules, and
/// compared without case and as written: `tide` doesn't occur in `tides`. A word with a hyphen is a
/// phrase of its parts.
///
/// ```
/// use textsearch_compose::PhraseQuery;
///
/// let query = PhraseQuery::parse("harbour \"tide table\" -moon");
/// assert_eq!(query.text, "harbour tide table");
/// assert_eq!((query.phrases.as_slice(), query.excluded.as_slice()), (&["tide table".to_owned()][..], &["moon".to_owned()][..]));
/// assert_eq!(query.find("The Tide Table of the harbour"), Some(4));
/// assert_eq!(query.find("The table of tides"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PhraseQuery {
    /// The words to search for: those of the query and of its phrases, without quotes.
    pub text: String,
    /// The phrases that must occur.
    pub phrases: Vec<String>,
    /// The words and phrases that must not occur.
    pub excluded: Vec<String>,
}

impl PhraseQuery {
    /// Parses `query`. Every text is a query.
    pub fn parse(query: &str) -> Self {
        let mut parsed = Self::default();
        let mut text: Vec<&str> = Vec::new();
        let mut rest = query.trim_start();
        while !rest.is_empty() {
            let (part, after) = first_part(rest);
            // What follows a closing quote without a space is literal.
            let (suffix, after) =
                if matches!(part, Part::Word(_)) { ("", after) } else { split_word(after) };
            match part {
                Part::Word(word) => text.push(word),
                Part::Phrase(phrase) => {
                    parsed.phrases.push(phrase.to_owned());
                    text.push(phrase.trim());
                }
                Part::Excluded(phrase) => parsed.excluded.push(phrase.to_owned()),
            }
            if !suffix.is_empty() {
                text.push(suffix);
            }
            rest = after.trim_start();
        }
        parsed.text = text.join(" ");
        parsed
    }

    /// Finds the first of the phrases that occur in `text`. Returns the byte where it starts.
    pub fn find(&self, text: &str) -> Option<usize> {
        self.conditions().find(text)
    }

    pub(super) fn conditions(&self) -> Conditions {
        Conditions::new(&self.phrases, &self.excluded)
    }
}

enum Part<'a> {
    Word(&'a str),
    Phrase(&'a str),
    Excluded(&'a str),
}

/// Returns the first part of `text`, which starts with a word, and the rest.
fn first_part(text: &str) -> (Part<'_>, &str) {
    if let Some((phrase, rest)) = split_phrase(text) {
        return (Part::Phrase(phrase), rest);
    }
    if let Some(negated) = text.strip_prefix('-') {
        if let Some((phrase, rest)) = split_phrase(negated) {
            return (Part::Excluded(phrase), rest);
        }
        if negated.starts_with(char::is_alphanumeric) {
            let (word, rest) = split_word(negated);
            return (Part::Excluded(word), rest);
        }
    }
    let (word, rest) = split_word(text);
    (Part::Word(word), rest)
}

/// Returns a phrase in quotes at the start of `text`, if it has a word, and the rest.
fn split_phrase(text: &str) -> Option<(&str, &str)> {
    let (phrase, rest) = text.strip_prefix('"')?.split_once('"')?;
    phrase.contains(char::is_alphanumeric).then_some((phrase, rest))
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(query: &str) -> (String, Vec<String>, Vec<String>) {
        let PhraseQuery { text, phrases, excluded } = PhraseQuery::parse(query);
        (text, phrases, excluded)
    }

    fn literal(query: &str) -> bool {
        parsed(query) == (query.to_owned(), vec![], vec![])
    }

    #[test]
    fn phrases_rank_and_exclusions_do_not() {
        let (text, phrases, excluded) = parsed(" a \"b  c\"\t-d -\"e f\" -g-h i ");
        assert_eq!(text, "a b  c i");
        assert_eq!(phrases, ["b  c"]);
        assert_eq!(excluded, ["d", "e f", "g-h"]);
    }

    #[test]
    fn all_other_quotes_and_hyphens_are_literal() {
        for query in
            ["e-mail", "a - b", "--top 3", "5\" pipe 6\"", "\"open", "\"\"", "-\"open", "a -", "->"]
        {
            assert!(literal(query), "{query}: {:?}", parsed(query));
        }
        assert_eq!(parsed("\"open -moon").2, ["moon"]);
    }

    #[test]
    fn text_after_a_closing_quote_is_literal() {
        assert_eq!(
            parsed("\"tide table\"s-x"),
            ("tide table s-x".into(), vec!["tide table".into()], vec![])
        );
        assert_eq!(parsed("-\"moon\", tide").0, ", tide");
    }

    #[test]
    fn words_match_whole_and_without_case() {
        let matches =
            |query: &str, text: &str| PhraseQuery::parse(query).conditions().allow(&[text]);
        assert!(matches("\"ÜBER den\"", "Über,\nDEN Wolken"));
        assert!(!matches("\"tide table\"", "# The tide\n\nTable of contents"));
        assert!(!matches("\"tide table\"", "tide tables"));
        assert!(!matches("\"tide table\"", "table of the tide"));
        assert!(matches("\"don't\"", "Don\u{2019}t panic"));
        assert!(matches("\"e mail\" -mails", "an e-mail"));
        assert!(!matches("-e-mail", "an e-mail"));
        assert!(matches("\"全文検索\"", "日本語の全文検索です"));
        assert!(matches("anything", ""));
    }

    #[test]
    fn first_phrase_that_occurs_is_found() {
        let query = PhraseQuery::parse("x \"no where\" \"don't panic\" -moon");
        let text = "Grüße\n\n\nDon\u{2019}t\n\nMoon: don't \u{2014} panic, don't panic";
        assert_eq!(query.find(text), text.find("don't"));
        assert_eq!(query.find("panic"), None);
        assert_eq!(PhraseQuery::parse("panic -moon").find("panic"), None);
    }
}
