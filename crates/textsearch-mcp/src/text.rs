//! Texts that a server or a search sent.

/// Removes control characters, which can hide text in a terminal that shows a log. Keeps line feeds
/// and tabs, as the kernel does for the results of tools.
pub(crate) fn clean(text: &str) -> String {
    text.chars().filter(|one| !one.is_control() || matches!(one, '\n' | '\t')).collect()
}
