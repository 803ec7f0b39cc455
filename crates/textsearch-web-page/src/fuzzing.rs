//! Entry points for this repository's fuzz targets. Not part of the public API; may change at any
//! time.

use crate::html;

/// Cleans a page, then reads it. Returns the cleaned HTML and the text.
///
/// # Errors
/// If the page is nested too deeply or has too many elements.
pub fn read(html: &str) -> Result<(String, String), String> {
    Ok((html::cleaned(html)?, html::readable(html)?.text))
}
