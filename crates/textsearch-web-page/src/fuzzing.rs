//! What the fuzz targets of this repository call. It is no part of the crate's interface and may change at any time.

use crate::html;

/// Cleans a page, then reads it: returns the cleaned HTML and the text.
///
/// # Errors
/// If the page is nested too deeply or has too many elements.
pub fn read(html: &str) -> Result<(String, String), String> {
    Ok((html::cleaned(html)?, html::readable(html)?.text))
}
