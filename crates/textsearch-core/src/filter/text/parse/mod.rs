//! Parses filters by recursive descent with bounded depth.
//!
//! ```text
//! filter     = and-filter ("or" and-filter)*
//! and-filter = not-filter ("and" not-filter)*
//! not-filter = "not" not-filter | primary
//! primary    = "(" filter ")" | "true" | "false" | ("all" | "any") "(" filter ")" | comparison
//! comparison = field (symbol value | "in" list | "exists")
//! value      = string | number | "true" | "false" | "date" string | list
//! list       = "[" (value ("," value)*)? "]"
//! ```

mod value;

use std::str::FromStr;

use super::{
    EXISTS, Group, IN, NEGATION, is_keyword, symbol,
    token::{Lexer, Token},
};
use crate::filter::{Comparison, Filter, ParseError, parse_error::excerpt};

const A_FILTER: &str = "a field, `not`, `true`, `false` or `(`";

impl FromStr for Filter {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parser = Parser::new(text)?;
        let filter = parser.filter()?;
        if parser.token != Token::End {
            return Err(parser.expected("`and`, `or` or the end"));
        }
        // Groups nest without parentheses too, as in `a or b and (…)`, but at most two a
        // parenthesis.
        if filter.depth() > Self::MAX_DEPTH {
            return Err(parser.too_deep(0));
        }
        Ok(filter)
    }
}

type Parsed<T> = Result<T, ParseError>;

struct Parser<'text> {
    lexer: Lexer<'text>,
    /// The next token, which begins at the byte `start`.
    token: Token<'text>,
    start: usize,
    /// The number of open parentheses, lists and `not`s.
    nesting: usize,
}

impl<'text> Parser<'text> {
    fn new(text: &'text str) -> Parsed<Self> {
        let mut parser = Self { lexer: Lexer::new(text), token: Token::End, start: 0, nesting: 0 };
        parser.advance()?;
        Ok(parser)
    }

    fn advance(&mut self) -> Parsed<()> {
        self.lexer.skip_space();
        self.start = self.lexer.position();
        self.token = self.lexer.token()?;
        Ok(())
    }

    fn filter(&mut self) -> Parsed<Filter> {
        self.group(Group::Or, Self::and_filter)
    }

    fn and_filter(&mut self) -> Parsed<Filter> {
        self.group(Group::And, Self::not_filter)
    }

    fn group(&mut self, group: Group, operand: fn(&mut Self) -> Parsed<Filter>) -> Parsed<Filter> {
        let first = operand(self)?;
        if !self.is_at(group.keyword()) {
            return Ok(first);
        }
        let mut filters = vec![first];
        while self.take(group.keyword())? {
            filters.push(operand(self)?);
        }
        Ok(group.combine(filters))
    }

    fn not_filter(&mut self) -> Parsed<Filter> {
        if self.take(NEGATION)? {
            let filter = self.nested(Self::not_filter)?;
            return Ok(Filter::Not(Box::new(filter)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Parsed<Filter> {
        if self.token == Token::OpenGroup {
            return self.parenthesised();
        }
        for group in [Group::And, Group::Or] {
            if self.take(group.of_none())? {
                return Ok(group.combine(Vec::new()));
            }
            // A field of this name is not followed by a parenthesis.
            if self.is_at(group.of_one()) && self.lexer.is_before_group() {
                self.advance()?;
                return Ok(group.combine(vec![self.parenthesised()?]));
            }
        }
        self.comparison()
    }

    fn parenthesised(&mut self) -> Parsed<Filter> {
        self.advance()?;
        let filter = self.nested(Self::filter)?;
        if self.token != Token::CloseGroup {
            return Err(self.expected("`and`, `or` or `)`"));
        }
        self.advance()?;
        Ok(filter)
    }

    fn comparison(&mut self) -> Parsed<Filter> {
        let start = self.start;
        let end = self.lexer.position();
        let field = self.field()?;
        if self.take(IN)? {
            return Ok(Filter::In { field, values: self.list()? });
        }
        if self.take(EXISTS)? {
            return Ok(Filter::Exists { field });
        }
        match self.operator() {
            Some(operator) => {
                self.advance()?;
                Ok(Filter::Compare { field, operator, value: self.value()? })
            }
            None => {
                let name = quoted(self.lexer.source(start, end));
                Err(self.expected(&format!("an operator ({}) after {name}", operators())))
            }
        }
    }

    fn field(&mut self) -> Parsed<String> {
        let field = match &mut self.token {
            Token::Word(word) if !is_keyword(word) => (*word).to_owned(),
            Token::Name(name) => std::mem::take(name),
            _ => return Err(self.expected(A_FILTER)),
        };
        self.advance()?;
        Ok(field)
    }

    fn operator(&self) -> Option<Comparison> {
        let (Token::Symbol(text) | Token::Word(text)) = self.token else {
            return None;
        };
        Comparison::ALL
            .iter()
            .copied()
            .find(|comparison| symbol(*comparison).eq_ignore_ascii_case(text))
    }

    fn nested<T>(&mut self, parse: fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == Filter::MAX_DEPTH {
            return Err(self.too_deep(self.start));
        }
        self.nesting += 1;
        let parsed = parse(self)?;
        self.nesting -= 1;
        Ok(parsed)
    }

    fn is_at(&self, keyword: &str) -> bool {
        matches!(self.token, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Skips the keyword if it is next, and returns whether it was.
    fn take(&mut self, keyword: &str) -> Parsed<bool> {
        let is_next = self.is_at(keyword);
        if is_next {
            self.advance()?;
        }
        Ok(is_next)
    }

    fn too_deep(&self, position: usize) -> ParseError {
        let message = format!("a filter may be nested at most {} levels deep", Filter::MAX_DEPTH);
        self.lexer.error(position, message)
    }

    fn expected(&self, expected: &str) -> ParseError {
        let actual = match self.token {
            Token::End => "the end".to_owned(),
            _ => quoted(self.lexer.source(self.start, self.lexer.position())),
        };
        self.lexer.error(self.start, format!("expected {expected}, found {actual}"))
    }
}

impl Group {
    fn combine(self, filters: Vec<Filter>) -> Filter {
        match self {
            Self::And => Filter::And(filters),
            Self::Or => Filter::Or(filters),
        }
    }
}

fn operators() -> String {
    let symbols: Vec<&str> = Comparison::ALL.iter().map(|comparison| symbol(*comparison)).collect();
    format!("{}, {IN}, {EXISTS}", symbols.join(", "))
}

/// Quotes a piece of the text for a message, on one line and shortened.
fn quoted(source: &str) -> String {
    let piece = excerpt(source);
    // A name in backquotes needs no second pair.
    if piece.starts_with('`') { piece } else { format!("`{piece}`") }
}
