//! Validates names before anything is sent.

use textsearch_core::Result;

use crate::config::refused;

/// In characters.
pub(super) const LONGEST_NAME: usize = 64;

pub(super) fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

pub(super) fn name(option: &str, name: &str) -> Result<()> {
    if (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(is_of_name) {
        return Ok(());
    }
    Err(refused(option, &format!("`{name}`"), "1 to 64 of the characters 0-9, A-Z, a-z, _ and -"))
}
