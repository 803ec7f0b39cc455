//! A position in a source.

use super::syntax::Position;

#[derive(Debug, Clone)]
pub(super) struct Cursor<'s> {
    rest: &'s str,
    position: Position,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { rest: source, position: (1, 1) }
    }

    pub(super) fn rest(&self) -> &'s str {
        self.rest
    }

    pub(super) fn position(&self) -> Position {
        self.position
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let character = characters.next()?;
        self.rest = characters.as_str();
        match (character, &mut self.position) {
            ('\n', (line, column)) => (*line, *column) = (*line + 1, 1),
            (_, (_, column)) => *column += 1,
        }
        Some(character)
    }

    pub(super) fn skip(&mut self, text: &str) -> bool {
        let is_next = self.rest.starts_with(text);
        if is_next {
            self.take_bytes(text.len());
        }
        is_next
    }

    pub(super) fn take_until(&mut self, end: &str) -> &'s str {
        self.take_bytes(self.rest.find(end).unwrap_or(self.rest.len()))
    }

    pub(super) fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'s str {
        let length = self.rest.find(|character| !fits(character)).unwrap_or(self.rest.len());
        self.take_bytes(length)
    }

    pub(super) fn skip_white_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    fn take_bytes(&mut self, length: usize) -> &'s str {
        let before = self.rest;
        while before.len() - self.rest.len() < length && self.next().is_some() {}
        before.split_at(before.len() - self.rest.len()).0
    }
}
