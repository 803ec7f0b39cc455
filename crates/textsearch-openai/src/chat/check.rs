//! Validates names before anything is sent.

use textsearch_core::{Result, chat::http::sendable_name};

use crate::config::refused;

/// In characters.
pub(super) const LONGEST_NAME: usize = 64;

pub(super) fn name(option: &str, name: &str) -> Result<()> {
    if sendable_name(name, LONGEST_NAME) == name {
        return Ok(());
    }
    Err(refused(option, &format!("`{name}`"), "1 to 64 of the characters 0-9, A-Z, a-z, _ and -"))
}
