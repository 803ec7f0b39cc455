//! Just enough of Rust's syntax for the rules: where comments, literals, functions and traits are.
//!
//! Not a parser, on purpose: one would be the largest dependency of the build tool, and rules about sizes and doc
//! comments need no more than matching braces.

use std::ops::Range;

/// The source with comments and literals blanked out. Every byte stays at its place, so offsets and lines agree.
pub(super) fn code_only(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(next) = rest.chars().next() {
        let hidden = hidden_length(rest);
        let (taken, left) = rest.split_at(hidden.unwrap_or(next.len_utf8()));
        if hidden.is_some() {
            code.extend(taken.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            code.push_str(taken);
        }
        rest = left;
    }
    code
}

/// The length of the comment or literal that the text begins with.
fn hidden_length(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(block_comment_length(text));
    }
    raw_string_length(text).or_else(|| string_length(text)).or_else(|| character_length(text))
}

/// Block comments nest.
fn block_comment_length(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut position = 0;
    while let Some(rest) = text.get(position..).filter(|rest| !rest.is_empty()) {
        let (change, length) = match rest.as_bytes() {
            [b'/', b'*', ..] => (1, 2),
            [b'*', b'/', ..] => (-1, 2),
            _ => (0, rest.chars().next().map_or(1, char::len_utf8)),
        };
        depth = depth.saturating_add_signed(change);
        position += length;
        if depth == 0 {
            break;
        }
    }
    position
}

/// `r"…"`, `r#"…"#` and so on; not `r#name`.
fn raw_string_length(text: &str) -> Option<usize> {
    let hashes_and_rest = text.strip_prefix('r')?;
    let rest = hashes_and_rest.trim_start_matches('#');
    let hashes = hashes_and_rest.len() - rest.len();
    let content = rest.strip_prefix('"')?;
    let closing = format!("\"{}", "#".repeat(hashes));
    let opening_length = text.len() - content.len();
    Some(content.find(&closing).map_or(text.len(), |at| opening_length + at + closing.len()))
}

fn string_length(text: &str) -> Option<usize> {
    let content = text.strip_prefix('"')?;
    Some(1 + length_to_quote(content, '"'))
}

/// `'x'` and `'\n'`; not the lifetime `'x`.
fn character_length(text: &str) -> Option<usize> {
    let content = text.strip_prefix('\'')?;
    let is_escape = content.starts_with('\\');
    let is_closed = content.chars().nth(1) == Some('\'');
    (is_escape || is_closed).then(|| 1 + length_to_quote(content, '\''))
}

/// The length up to and with the first quote that no backslash hides.
fn length_to_quote(content: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let end = content.char_indices().find(|(_, c)| {
        let ends = *c == quote && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        ends
    });
    end.map_or(content.len(), |(at, c)| at + c.len_utf8())
}

/// A function with a body, or a method of a trait without one.
#[derive(Debug)]
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    /// Where the word `fn` stands.
    pub(super) start: usize,
    /// From the name to the body.
    pub(super) signature: &'a str,
    /// Between the braces; empty if there is no body.
    pub(super) body: &'a str,
    /// Behind the body, or the semicolon.
    pub(super) end: usize,
}

/// The functions in a text that [`code_only`] made, nested ones too.
pub(super) fn functions(code: &str) -> Vec<Function<'_>> {
    let starts = code.match_indices("fn ").map(|(at, _)| at);
    starts.filter(|at| is_word_start(code, *at)).filter_map(|at| function_at(code, at)).collect()
}

fn function_at(code: &str, start: usize) -> Option<Function<'_>> {
    let from_name = start + "fn ".len();
    let signature_end = from_name + end_of_signature(code.get(from_name..)?)?;
    let signature = code.get(from_name..signature_end)?;
    let end = block_end(code, signature_end);
    let name_length = signature.find(|c| !is_identifier(c)).unwrap_or(signature.len());
    let body = code.get(signature_end + 1..end.saturating_sub(1)).unwrap_or_default();
    Some(Function { name: signature.get(..name_length)?, start, signature, body, end })
}

impl<'a> Function<'a> {
    /// What stands between the arrow that follows the parameters and a `where`.
    pub(super) fn returned(&self) -> Option<&'a str> {
        let clauses = [" where", "\nwhere"].iter().filter_map(|word| self.signature.find(word));
        let signature = self.signature.get(..clauses.min().unwrap_or(self.signature.len()))?;
        let mut depth = 0_i32;
        let arrows = signature.bytes().zip(0_usize..).filter(|(byte, _)| {
            depth += i32::from(*byte == b'(') - i32::from(*byte == b')');
            depth == 0
        });
        let mut returned = arrows.filter_map(|(_, at)| signature.get(at..)?.strip_prefix("->"));
        returned.next()
    }
}

/// Where the body or the semicolon is: `;` and `{` in brackets belong to array lengths.
fn end_of_signature(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    text.bytes().position(|byte| {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            _ => {}
        }
        depth <= 0 && matches!(byte, b'{' | b';')
    })
}

/// Behind the brace that closes the one at `open`; directly behind `open` if there is none.
pub(super) fn block_end(code: &str, open: usize) -> usize {
    let mut depth = 0_i32;
    let block = code.as_bytes().get(open..).unwrap_or_default();
    let closing = block.iter().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        depth <= 0
    });
    open + closing.map_or(block.len(), |at| at + 1)
}

/// The blocks of the public traits, from the keyword to the closing brace.
pub(super) fn public_traits(code: &str) -> Vec<Range<usize>> {
    let starts = code.match_indices("pub trait ").map(|(at, _)| at);
    starts
        .filter_map(|start| {
            let open = start + code.get(start..)?.find('{')?;
            Some(start..block_end(code, open))
        })
        .collect()
}

/// Inline modules and items that only tests compile, with the attribute.
pub(super) fn test_items(code: &str) -> Vec<Range<usize>> {
    let attributes = ["#[cfg(test)]", "#[cfg(all(test"];
    let starts = attributes.iter().flat_map(|attribute| code.match_indices(attribute));
    starts
        .filter_map(|(start, _)| {
            let end = start + end_of_signature(code.get(start..)?)?;
            Some(start..block_end(code, end))
        })
        .collect()
}

/// The number of the line at an offset, from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

/// Whether a text contains a name as a whole word.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let after = text.get(at + word.len()..).and_then(|rest| rest.chars().next());
        is_word_start(text, at) && !after.is_some_and(is_identifier)
    })
}

fn is_word_start(text: &str, at: usize) -> bool {
    !text.get(..at).and_then(|before| before.chars().next_back()).is_some_and(is_identifier)
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_become_spaces_of_the_same_length() {
        for (source, code) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"a("b\"{", c)"#, r"a(      , c)"),
            ("r#\"a\"{\"# b", "         b"),
            ("r#type + 'a'", "r#type +    "),
            (r"'\'' b", "     b"),
            ("&'static str", "&'static str"),
            ("\"é\" b", "     b"),
        ] {
            assert_eq!(code_only(source), code, "{source}");
        }
    }

    #[test]
    fn functions_are_found_with_signature_and_body() {
        let code = "async fn one(a: [u8; 4]) -> u8 { if a { b } }\ntrait T { fn two(&self); }";
        let found = functions(code);
        assert_eq!(found[0].name, "one");
        assert_eq!(found[0].signature, "one(a: [u8; 4]) -> u8 ");
        assert_eq!(found[0].body, " if a { b } ");
        assert_eq!((found[1].name, found[1].body), ("two", ""));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_word_that_ends_in_fn_is_no_function() {
        assert!(functions("let soft_fn = 1; let x: fn(u8) = y;").is_empty());
    }

    #[test]
    fn items_for_tests_are_found() {
        let code = "a\n#[cfg(test)]\nmod tests { fn x() {} }\nb\n#[cfg(test)]\nmod other;\nc";
        let found: Vec<_> = test_items(code).into_iter().map(|range| &code[range]).collect();
        assert_eq!(found, ["#[cfg(test)]\nmod tests { fn x() {} }", "#[cfg(test)]\nmod other;"]);
    }

    #[test]
    fn a_word_is_found_only_as_a_whole() {
        assert!(has_word("-> Result<u8>", "Result"));
        assert!(!has_word("-> TextSearchResult", "Result"));
        assert!(!has_word("-> Results<u8>", "Result"));
    }
}
