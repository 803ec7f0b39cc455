//! What styles in an answer lead to.

use std::borrow::Cow;

/// What takes one address.
const URLS: [&str; 2] = ["url(", "src("];

/// What takes addresses in quotation marks.
const LISTS: [&str; 4] = ["image-set(", "image(", "cross-fade(", "@import"];

/// The addresses that styles in `text` name.
pub(super) fn addresses(text: &str) -> Vec<&str> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for name in URLS {
        let starts = lower.match_indices(name).map(|(start, _)| start);
        let mut starts = starts.filter(|start| is_apart(&lower, *start)).peekable();
        while let Some(start) = starts.next() {
            // No further than the next one, so that each part is read once. With its name, no host ends there.
            let end = starts.peek().map_or(text.len(), |next| next + name.len());
            found.extend(text.get(start + name.len()..end).and_then(argument));
        }
    }
    for name in LISTS {
        let mut starts = lower.match_indices(name).map(|(start, _)| start + name.len()).peekable();
        while let Some(start) = starts.next() {
            // No further than the next one, so that each part is read once.
            let end = starts.peek().copied().unwrap_or(text.len());
            found.extend(strings(text.get(start..end).unwrap_or_default()));
        }
    }
    found.retain(|address| !address.is_empty());
    found
}

/// Whether the name at `start` is not the end of a longer one, as in `curl(`.
fn is_apart(text: &str, start: usize) -> bool {
    let before = text.get(..start).and_then(|before| before.chars().next_back());
    !before.is_some_and(|one| one.is_alphanumeric() || matches!(one, '-' | '_'))
}

/// The address that is the argument at the start of `text`, in quotation marks or without.
fn argument(text: &str) -> Option<&str> {
    let text = text.trim_start();
    if let Some(quote) = text.chars().next().filter(|one| matches!(one, '"' | '\'')) {
        return text.get(1..)?.split([quote, '\n']).next().map(str::trim);
    }
    text.split(|one: char| one.is_whitespace() || matches!(one, ')' | '"' | '\'' | '<' | '>'))
        .next()
}

/// What stands in quotation marks before the bracket around it, the statement or the style sheet ends.
fn strings(text: &str) -> Vec<&str> {
    let (mut found, mut open, mut depth) = (Vec::new(), None, 1_usize);
    for (position, one) in text.char_indices() {
        match (one, open) {
            (_, Some((quote, start))) if one == quote => {
                found.extend(text.get(start..position).map(str::trim));
                open = None;
            }
            (_, Some(_)) => {}
            ('"' | '\'', None) => open = Some((one, position + 1)),
            ('(', None) => depth += 1,
            (')', None) if depth > 1 => depth -= 1,
            (')' | ';' | '}' | '<', None) => break,
            _ => {}
        }
    }
    found
}

/// The text with the escapes of style sheets resolved: `\75rl(` is `url(`.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        plain.push_str(before);
        let digits = escape.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        let (number, after) = escape.split_at_checked(digits).unwrap_or_default();
        if digits > 0 {
            let character = u32::from_str_radix(number, 16).ok().and_then(char::from_u32);
            plain.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
            rest = after
                .strip_prefix("\r\n")
                .or_else(|| after.strip_prefix(is_space))
                .unwrap_or(after);
        } else {
            // A line may go on behind it; any other character is meant as it is.
            rest = after.strip_prefix('\n').unwrap_or(after);
            let mut characters = rest.chars();
            if rest.len() == after.len()
                && let Some(character) = characters.next()
            {
                plain.push(character);
                rest = characters.as_str();
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

fn is_space(one: char) -> bool {
    matches!(one, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}
