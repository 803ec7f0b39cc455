//! Declarations and the parts of their values.

use std::collections::HashMap;

use cssparser::{Delimiter, ParseError, Parser, Token};

/// Maximum nesting of functions. Deeper ones become `Part::Other`.
const MAX_DEPTH: usize = 8;

/// Maximum number of parts that replace `var()` in one style.
const MAX_REPLACED: usize = 1_000;

#[derive(Debug, Clone)]
pub(super) enum Part {
    Word(String),
    /// A number and its unit in lower case: `%`, or empty without a unit.
    Number(f32, String),
    Hash(String),
    /// The name in lower case without a vendor's prefix, or nothing for parentheses.
    Function(String, Vec<Part>),
    Sign(char),
    Other,
}

impl Part {
    pub(super) fn word(&self) -> Option<&str> {
        if let Self::Word(word) = self { Some(word) } else { None }
    }

    pub(super) fn is_sign(&self, sign: char) -> bool {
        matches!(self, Self::Sign(own) if *own == sign)
    }
}

pub(super) struct Declaration {
    pub(super) property: String,
    pub(super) value: Vec<Part>,
    pub(super) is_important: bool,
}

/// Parses a style and replaces `var()` by the style's custom properties.
pub(super) fn declarations(style: &str) -> Vec<Declaration> {
    let mut parser = Parser::new(style);
    let mut declarations = Vec::new();
    while !parser.is_exhausted() {
        declarations.extend(parser.parse_until_after(Delimiter::Semicolon, declaration));
    }
    let custom = declarations.iter().filter(|one| one.property.starts_with("--"));
    let custom: HashMap<String, Vec<Part>> =
        custom.map(|one| (one.property.clone(), one.value.clone())).collect();
    let mut budget = MAX_REPLACED;
    for declaration in &mut declarations {
        if declaration.value.iter().any(has_variable) {
            let value = std::mem::take(&mut declaration.value);
            declaration.value = replaced(&value, &custom, MAX_DEPTH, &mut budget);
        }
    }
    declarations
}

pub(super) fn has_variable(part: &Part) -> bool {
    match part {
        Part::Function(name, arguments) => name == "var" || arguments.iter().any(has_variable),
        _ => false,
    }
}

/// A variable without a value stays.
fn replaced(
    value: &[Part],
    custom: &HashMap<String, Vec<Part>>,
    depth: usize,
    budget: &mut usize,
) -> Vec<Part> {
    let mut parts = Vec::new();
    for part in value {
        let Some(left) = budget.checked_sub(1).filter(|_| depth > 0) else { break };
        *budget = left;
        match part {
            Part::Function(name, arguments) if name == "var" => {
                let own = arguments.first().and_then(Part::word).and_then(|name| custom.get(name));
                let stands_for = own.map(Vec::as_slice).or_else(|| arguments.get(2..));
                match stands_for {
                    Some(value) => parts.extend(replaced(value, custom, depth - 1, budget)),
                    None => parts.push(part.clone()),
                }
            }
            Part::Function(name, arguments) => {
                let arguments = replaced(arguments, custom, depth - 1, budget);
                parts.push(Part::Function(name.clone(), arguments));
            }
            part => parts.push(part.clone()),
        }
    }
    parts
}

pub(super) fn without_vendor(name: &str) -> &str {
    let vendors = ["-webkit-", "-moz-", "-ms-", "-o-"];
    vendors.iter().find_map(|vendor| name.strip_prefix(vendor)).unwrap_or(name)
}

fn declaration(parser: &mut Parser<'_>) -> Result<Declaration, ParseError<()>> {
    let property = parser.expect_ident()?.to_ascii_lowercase();
    parser.expect_colon()?;
    let mut value = parts(parser, MAX_DEPTH)?;
    let is_important = matches!(
        value.as_slice(),
        [.., Part::Sign('!'), Part::Word(word)] if word == "important"
    );
    if is_important {
        value.truncate(value.len() - 2);
    }
    Ok(Declaration { property, value, is_important })
}

fn parts(parser: &mut Parser<'_>, depth: usize) -> Result<Vec<Part>, ParseError<()>> {
    let mut parts = Vec::new();
    while let Ok(token) = parser.next() {
        let name = match token {
            Token::Function(name) => without_vendor(&name.to_ascii_lowercase()).to_owned(),
            Token::ParenthesisBlock => String::new(),
            token => {
                parts.push(part(token));
                continue;
            }
        };
        parts.push(match depth.checked_sub(1) {
            Some(depth) => Part::Function(
                name,
                parser.parse_nested_block(|inside| self::parts(inside, depth))?,
            ),
            None => Part::Other,
        });
    }
    Ok(parts)
}

fn part(token: &Token<'_>) -> Part {
    match token {
        Token::Ident(word) => Part::Word(word.to_ascii_lowercase()),
        Token::Number { value, .. } => Part::Number(*value, String::new()),
        Token::Dimension { value, unit, .. } => Part::Number(*value, unit.to_ascii_lowercase()),
        Token::Percentage { unit_value, .. } => Part::Number(unit_value * 100.0, "%".to_owned()),
        Token::Hash(digits) | Token::IDHash(digits) => Part::Hash(digits.to_ascii_lowercase()),
        Token::Delim(sign) => Part::Sign(*sign),
        Token::Comma => Part::Sign(','),
        _ => Part::Other,
    }
}

/// Keywords that every property accepts. Their values are visible.
pub(super) fn is_global(word: &str) -> bool {
    matches!(word, "inherit" | "initial" | "revert" | "revert-layer" | "unset")
}
