//! Decodes text of a chat prompt.

use std::borrow::Cow;

/// Decodes once: the five named entities, and decimal and hexadecimal numbers. Leaves anything else
/// unchanged.
pub(super) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        rest = match entity(after) {
            Some((character, after)) => {
                decoded.push(character);
                after
            }
            None => {
                decoded.push('&');
                after
            }
        };
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// `text` starts after the `&`. Returns the character and the text after the entity.
fn entity(text: &str) -> Option<(char, &str)> {
    // The longest known name is `#x0010FFFF`. The limit avoids rescanning a text full of `&`.
    const LONGEST: usize = 10;
    let end = text.bytes().take(LONGEST + 1).position(|byte| byte == b';')?;
    let name = text.get(..end)?;
    let after = text.get(end + 1..)?;
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => numbered(name.strip_prefix('#')?)?,
    };
    Some((character, after))
}

fn numbered(number: &str) -> Option<char> {
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // Rust's parser accepts a sign, but an entity must not have one.
    if !digits.starts_with(|first: char| first.is_ascii_hexdigit()) {
        return None;
    }
    char::from_u32(u32::from_str_radix(digits, radix).ok()?)
}
