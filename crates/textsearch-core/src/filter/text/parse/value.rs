//! Parses the values of filters.

use std::num::IntErrorKind;

use super::{Parsed, Parser, quoted};
use crate::filter::{
    DateTime, FilterValue,
    text::{DATE, token::Token},
};

const A_VALUE: &str = "a value (text in \", a number, true, false, date \"…\" or a [list])";

impl Parser<'_> {
    pub(super) fn value(&mut self) -> Parsed<FilterValue> {
        let value = match &mut self.token {
            Token::OpenList => return self.nested(Self::list).map(FilterValue::List),
            Token::Word(word) if word.eq_ignore_ascii_case(DATE) => return self.date(),
            Token::Word(word) if word.eq_ignore_ascii_case("true") => FilterValue::Bool(true),
            Token::Word(word) if word.eq_ignore_ascii_case("false") => FilterValue::Bool(false),
            Token::Text(text) => FilterValue::String(std::mem::take(text)),
            Token::Number(digits) => {
                number(digits).map_err(|message| self.lexer.error(self.start, message))?
            }
            _ => return Err(self.expected(A_VALUE)),
        };
        self.advance()?;
        Ok(value)
    }

    fn date(&mut self) -> Parsed<FilterValue> {
        self.advance()?;
        let Token::Text(text) = &self.token else {
            return Err(self.expected("the text of a date in \" after `date`"));
        };
        let date = DateTime::parse(text)
            .map_err(|error| self.lexer.error(self.start, error.to_string()))?;
        self.advance()?;
        Ok(FilterValue::DateTime(date))
    }

    pub(super) fn list(&mut self) -> Parsed<Vec<FilterValue>> {
        if self.token != Token::OpenList {
            return Err(self.expected("a list in brackets, such as [1, 2]"));
        }
        let mut values = Vec::new();
        self.advance()?;
        if self.token != Token::CloseList {
            values.push(self.value()?);
            while self.token == Token::Comma {
                self.advance()?;
                values.push(self.value()?);
            }
        }
        if self.token != Token::CloseList {
            return Err(self.expected("`,` or `]`"));
        }
        self.advance()?;
        Ok(values)
    }
}

/// Reads an integer, or a float if it has a point or an exponent. The error is the message.
fn number(digits: &str) -> Result<FilterValue, String> {
    let piece = quoted(digits);
    if digits.contains(['.', 'e', 'E']) {
        return match digits.parse() {
            Ok(float) if f64::is_finite(float) => Ok(FilterValue::Float(float)),
            Ok(_) => Err(format!("{piece} is beyond the largest number")),
            Err(_) => Err(format!("{piece} is not a number")),
        };
    }
    digits.parse().map(FilterValue::Integer).map_err(|error: std::num::ParseIntError| {
        match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
                format!("{piece} does not fit 64 bits: add `.0` to compare as a float")
            }
            _ => format!("{piece} is not a number"),
        }
    })
}
