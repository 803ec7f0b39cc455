//! Limits nesting before anything recursive reads the template: the parser, the compiler, the
//! renderer, and the destructors of both trees.
//!
//! Follows the parser's grammar. At a mistake it stops, since the parser stops there too.

use serde_json::Value;

use super::{mistakes::line_and_column, problem::Problem};

/// Levels of blocks, `{{else if}}`, parentheses, lists and objects together.
const MAX_NESTING: usize = 100;

/// The parser takes every other white space for the character of a name.
const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// The parser reads such text as a name or as a list, whichever fits.
const BRACKETS: &str = "`[…]` can't be read: it has quotes or brackets inside, so write it as a JSON list without fractions";

pub(super) fn check(source: &str) -> Result<(), Problem> {
    let mut scan = Scan { source, position: 0, levels: 0 };
    scan.template()
        .map_err(|message| Problem { position: line_and_column(source, scan.position), message })
}

struct Scan<'s> {
    source: &'s str,
    position: usize,
    levels: usize,
}

impl<'s> Scan<'s> {
    fn template(&mut self) -> Result<(), String> {
        // The levels of each open block: one, and one for each `{{else if}}`.
        let mut blocks = Vec::new();
        while self.skip_text("{{") {
            let source = self.rest();
            if let Some(comment) = source.strip_prefix("{{!") {
                let long = comment.trim_start_matches(WHITE_SPACE).strip_prefix("--");
                let long = long.and_then(|text| text.split_once("--}}"));
                let Some((_, after)) = long.or_else(|| comment.split_once("}}")) else { break };
                self.position = self.source.len() - after.len();
                continue;
            }
            let tag = source.trim_start_matches(|character: char| {
                WHITE_SPACE.contains(&character) || "{~".contains(character)
            });
            let otherwise = tag.strip_prefix("else").or_else(|| tag.strip_prefix('^'));
            let is_chain = otherwise
                .is_some_and(|tag| !tag.trim_start_matches(WHITE_SPACE).starts_with(['~', '}']));
            if tag.starts_with('#') {
                blocks.push(1);
                self.deepen(1)?;
            } else if tag.starts_with('/') {
                self.levels -= blocks.pop().unwrap_or(0);
            } else if let (true, Some(levels)) = (is_chain, blocks.last_mut()) {
                *levels += 1;
                self.deepen(1)?;
            }
            let is_raw = source.starts_with("{{{{");
            if !self.skip_tag()? || is_raw && !(self.skip_text("{{{{") && self.skip_tag()?) {
                break;
            }
        }
        Ok(())
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.position..).unwrap_or_default()
    }

    fn deepen(&mut self, levels: usize) -> Result<(), String> {
        self.levels += levels;
        if self.levels > MAX_NESTING {
            return Err(format!("blocks and expressions are nested more than {MAX_NESTING} deep"));
        }
        Ok(())
    }

    /// Skips to `braces`, unless exactly one backslash escapes them.
    fn skip_text(&mut self, braces: &str) -> bool {
        while let Some((text, after)) = self.rest().split_once(braces) {
            self.position += text.len();
            if text.len() - text.trim_end_matches('\\').len() != 1 {
                return true;
            }
            self.position += braces.len();
            if braces == "{{" && after.starts_with("{{") {
                self.position += 2;
            }
        }
        false
    }

    /// Returns whether the tag is closed.
    fn skip_tag(&mut self) -> Result<bool, String> {
        self.position += 2;
        let outer = self.levels;
        let mut open = Vec::new();
        // The last character that isn't white space.
        let mut before = '{';
        while let Some(next) = self.rest().chars().next() {
            let length = match next {
                '"' | '\'' => match string(self.rest(), before == '>') {
                    Some(length) => length,
                    None => return Ok(false),
                },
                '[' => self.brackets(before)?,
                '}' if open.is_empty() => {
                    self.levels = outer;
                    let is_end = self.rest().starts_with("}}");
                    self.position += 2;
                    return Ok(is_end);
                }
                '(' | '{' => {
                    open.push(next);
                    self.deepen(1)?;
                    1
                }
                ')' | '}' if open.pop() != Some(if next == ')' { '(' } else { '{' }) => {
                    return Ok(false);
                }
                ')' | '}' => {
                    self.levels -= 1;
                    1
                }
                other => other.len_utf8(),
            };
            if !WHITE_SPACE.contains(&next) {
                before = if next == '[' { ']' } else { next };
            }
            self.position += length;
        }
        Ok(false)
    }

    /// Returns the length of a list or of a name in brackets. Where both are possible, both end at
    /// the same place.
    fn brackets(&mut self, before: char) -> Result<usize, String> {
        let rest = self.rest();
        let end = rest.find(']').map_or(rest.len(), |end| end + 1);
        let mut inside = rest.get(1..end).unwrap_or_default();
        while let Some(quote) = inside.find(['"', '\'', '[', '{', '\\']) {
            let (_, quoted) = inside.split_at(quote);
            let Some(length) =
                string(quoted, false).filter(|_| !quoted.starts_with(['[', '{', '\\']))
            else {
                return self.list(before);
            };
            inside = quoted.split_at(length).1;
        }
        self.deepen(1)?;
        self.levels -= 1;
        Ok(end)
    }

    fn list(&mut self, before: char) -> Result<usize, String> {
        if !before.is_alphanumeric() && !"_-=:\"')]}".contains(before) {
            return Err(BRACKETS.to_owned());
        }
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<Value>();
        let Some(Ok(list)) = values.next() else { return Err(BRACKETS.to_owned()) };
        let outer = self.levels;
        let mut inner = vec![(&list, outer + 1)];
        while let Some((value, levels)) = inner.pop() {
            self.levels = levels - 1;
            match value {
                Value::Array(items) => inner.extend(items.iter().map(|item| (item, levels + 1))),
                Value::Object(items) => inner.extend(items.values().map(|item| (item, levels + 1))),
                // The parsers differ in exponents.
                Value::Number(number) if number.is_f64() => return Err(BRACKETS.to_owned()),
                _ => continue,
            }
            self.deepen(1)?;
        }
        self.levels = outer;
        Ok(values.byte_offset())
    }
}

/// Returns the length of the string in quotes at the start of `text`. `None` if it isn't closed.
fn string(text: &str, is_partial: bool) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        if is_escaped {
            // In the name of a partial, a backslash escapes only a quote.
            is_escaped = is_partial && character == '\\';
        } else if character == quote {
            return Some(at + 1);
        } else {
            is_escaped = character == '\\';
        }
    }
    None
}
