//! Reads line-based files.

use crate::error::{EvalError, Result};

/// Skips blank lines and a byte order mark at the start.
pub(crate) fn read_lines(
    text: &str,
    mut read: impl FnMut(&str) -> Result<(), String>,
) -> Result<()> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty());
    for (index, text) in lines {
        read(text).map_err(|reason| EvalError::Line { line: index + 1, reason })?;
    }
    Ok(())
}
