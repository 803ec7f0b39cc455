//! Text of a file in errors and logs: a key may be anywhere in it.

/// In characters. A longer name or value isn't repeated in an error.
const LONGEST_SHOWN: usize = 60;

/// Returns `text` for an error: only if it is short and looks like a name.
pub(crate) fn shown(text: &str) -> &str {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:".contains(c);
    let is_shown = !text.is_empty() && text.len() <= LONGEST_SHOWN && text.chars().all(is_plain);
    if is_shown { text } else { "…" }
}
