//! Splits off one token at a time: the first mistake is the one reported.

use super::{begins_word, continues_word};
use crate::filter::ParseError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'text> {
    /// A keyword or a bare field name.
    Word(&'text str),
    /// A field name in backquotes.
    Name(String),
    /// A string in double quotes.
    Text(String),
    /// May turn out not to be a number.
    Number(&'text str),
    /// Characters of comparison operators.
    Symbol(&'text str),
    OpenGroup,
    CloseGroup,
    OpenList,
    CloseList,
    Comma,
    End,
}

#[derive(Debug)]
pub(super) struct Lexer<'text> {
    text: &'text str,
    rest: &'text str,
}

type Lexed<T> = Result<T, ParseError>;

impl<'text> Lexer<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        Self { text, rest: text }
    }

    /// Returns the byte position of the rest.
    pub(super) fn position(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    pub(super) fn source(&self, start: usize, end: usize) -> &'text str {
        self.text.split_at(end).0.split_at(start).1
    }

    /// Returns whether the next token opens a group.
    pub(super) fn is_before_group(&self) -> bool {
        self.rest.trim_start().starts_with('(')
    }

    pub(super) fn error(&self, position: usize, message: impl Into<String>) -> ParseError {
        ParseError::at(self.text, position, message)
    }

    pub(super) fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    pub(super) fn token(&mut self) -> Lexed<Token<'text>> {
        self.skip_space();
        let Some(first) = self.rest.chars().next() else {
            return Ok(Token::End);
        };
        match first {
            '(' => Ok(self.single(Token::OpenGroup)),
            ')' => Ok(self.single(Token::CloseGroup)),
            '[' => Ok(self.single(Token::OpenList)),
            ']' => Ok(self.single(Token::CloseList)),
            ',' => Ok(self.single(Token::Comma)),
            '"' => self.quoted('"').map(Token::Text),
            '`' => self.quoted('`').map(Token::Name),
            '=' | '!' | '<' | '>' => Ok(Token::Symbol(self.run(is_symbol))),
            '-' | '0'..='9' => Ok(Token::Number(self.run(continues_number))),
            letter if begins_word(letter) => Ok(Token::Word(self.run(continues_word))),
            other => Err(self.error(self.position(), unexpected(other))),
        }
    }

    fn single(&mut self, token: Token<'text>) -> Token<'text> {
        self.character();
        token
    }

    fn run(&mut self, belongs: fn(char) -> bool) -> &'text str {
        let end = self.rest.find(|c: char| !belongs(c)).unwrap_or(self.rest.len());
        let (run, rest) = self.rest.split_at(end);
        self.rest = rest;
        run
    }

    fn character(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let first = characters.next()?;
        self.rest = characters.as_str();
        Some(first)
    }

    fn quoted(&mut self, quote: char) -> Lexed<String> {
        let start = self.position();
        self.character();
        let mut content = String::new();
        loop {
            match self.character() {
                None => return Err(self.error(start, format!("the {quote} here is never closed"))),
                Some('\\') => content.push(self.escaped(quote)?),
                Some(end) if end == quote => return Ok(content),
                Some(other) => content.push(other),
            }
        }
    }

    fn escaped(&mut self, quote: char) -> Lexed<char> {
        let start = self.position() - 1;
        match self.character() {
            Some('b') => Ok('\u{8}'),
            Some('f') => Ok('\u{c}'),
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some('u') => self.unicode(start),
            Some(itself @ ('\\' | '/')) => Ok(itself),
            Some(itself) if itself == quote => Ok(itself),
            _ => Err(self.error(
                start,
                format!(r"unknown escape: expected \{quote}, \\, \/, \b, \f, \n, \r, \t or \uXXXX"),
            )),
        }
    }

    /// Reads what follows `\u`: one code unit, or the two of a surrogate pair.
    fn unicode(&mut self, start: usize) -> Lexed<char> {
        let first = self.code_unit(start)?;
        let second = match self.rest.strip_prefix(r"\u") {
            Some(rest) if (0xD800..0xDC00).contains(&first) => {
                self.rest = rest;
                Some(self.code_unit(start)?)
            }
            _ => None,
        };
        let mut decoded = char::decode_utf16([first].into_iter().chain(second));
        decoded.next().and_then(Result::ok).ok_or_else(|| {
            self.error(start, r"expected the other half of a surrogate pair: two \uXXXX in a row")
        })
    }

    fn code_unit(&mut self, start: usize) -> Lexed<u16> {
        let split = self.rest.split_at_checked(4);
        let split = split.filter(|(digits, _)| digits.chars().all(|c| c.is_ascii_hexdigit()));
        let unit =
            split.and_then(|(digits, rest)| Some((u16::from_str_radix(digits, 16).ok()?, rest)));
        let (unit, rest) =
            unit.ok_or_else(|| self.error(start, r"expected four hexadecimal digits after \u"))?;
        self.rest = rest;
        Ok(unit)
    }
}

fn is_symbol(character: char) -> bool {
    matches!(character, '=' | '!' | '<' | '>')
}

/// Accepts more than numbers, so that `20x` is reported whole.
fn continues_number(character: char) -> bool {
    continues_word(character) || character == '+'
}

fn unexpected(character: char) -> String {
    match character {
        '\'' | '“' | '”' | '‘' | '’' => {
            format!("unexpected `{character}`: text is quoted with \"")
        }
        letter if letter.is_alphabetic() => {
            format!("unexpected `{letter}`: such a field name is written in backquotes, text in \"")
        }
        other => format!("unexpected `{}`", other.escape_debug()),
    }
}
