//! Texts that a server or a search sent.

/// The maximum length of an error or description, in characters.
#[cfg(feature = "client")]
pub(crate) const LONGEST_TEXT: usize = 2_000;

/// Removes control characters, which can hide text in a terminal that shows a log. Keeps line feeds
/// and tabs, as the kernel does for the results of tools.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control() || matches!(character, '\n' | '\t'))
        .collect()
}

/// Takes a text without control characters.
#[cfg(feature = "client")]
pub(crate) fn cut(text: &str) -> String {
    let mut kept: String = text.chars().take(LONGEST_TEXT).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}
