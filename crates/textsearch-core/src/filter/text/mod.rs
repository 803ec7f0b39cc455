//! The text form of filters: `name = "x" and year >= 2020`.

mod parse;
mod print;
mod token;

use super::Comparison;

/// The words that cannot be bare field names. `date`, `all` and `any` can: they are keywords only
/// by the token after them.
const KEYWORDS: &[&str] =
    &["and", "or", "not", "in", "contains", "starts_with", "exists", "true", "false"];

const NEGATION: &str = "not";
const IN: &str = "in";
const EXISTS: &str = "exists";
const DATE: &str = "date";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    And,
    Or,
}

impl Group {
    const fn keyword(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Or => "or",
        }
    }

    /// The text of an empty group.
    const fn of_none(self) -> &'static str {
        match self {
            Self::And => "true",
            Self::Or => "false",
        }
    }

    /// The text before a group of one filter in parentheses.
    const fn of_one(self) -> &'static str {
        match self {
            Self::And => "all",
            Self::Or => "any",
        }
    }
}

const fn symbol(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq => "=",
        Comparison::Ne => "!=",
        Comparison::Lt => "<",
        Comparison::Le => "<=",
        Comparison::Gt => ">",
        Comparison::Ge => ">=",
        Comparison::Contains => "contains",
        Comparison::StartsWith => "starts_with",
    }
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

fn begins_word(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}

fn continues_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-')
}
