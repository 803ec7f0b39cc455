//! Entry points for fuzz targets. Not part of the public API.

use crate::html;

/// Cleans a page, then reads it. Returns the cleaned HTML and the text.
///
/// # Errors
/// Returns the reason if the page exceeds a limit or the parser rejects it.
pub fn read(html: &str) -> Result<(String, String), String> {
    Ok((html::cleaned(html)?, html::readable(html)?.text))
}
