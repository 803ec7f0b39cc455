//! Sizes of chunks.

use serde::{Deserialize, Serialize};
use textsearch_core::{Error, Result};

use crate::CONNECTOR;

/// Holds a heading and the beginning of a sentence.
const SMALLEST: usize = 16;

/// A token has fewer characters.
const CHARACTERS_PER_TOKEN: usize = 16;

/// Sizes of chunks, in characters (Unicode scalar values). An embedding model that counts tokens limits
/// the size, too.
///
/// ```
/// use textsearch_documents::ChunkerConfig;
///
/// let mut config = ChunkerConfig::default();
/// config.max_characters = 800;
/// config.overlap_characters = 80;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ChunkerConfig {
    /// Maximum characters of a chunk, overlap included. At least 16. Default: 1,200, about 300
    /// English tokens.
    pub max_characters: usize,
    /// Maximum characters that a chunk repeats from the previous one in its section. At most half
    /// of `max_characters`. Default: 120.
    pub overlap_characters: usize,
    /// Maximum tokens of a chunk, with its title and headings. Needs an embedding model that counts
    /// tokens. At least 16. Default: what the model embeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
}

impl Default for ChunkerConfig {
    fn default() -> Self {
        Self { max_characters: 1200, overlap_characters: 120, max_tokens: None }
    }
}

impl ChunkerConfig {
    /// Returns sizes in the embedding model's tokens instead of characters.
    pub fn from_tokens(max: usize, overlap: usize) -> Self {
        // The share of the overlap holds for tokens, too.
        Self {
            max_characters: max.saturating_mul(CHARACTERS_PER_TOKEN),
            overlap_characters: overlap.saturating_mul(CHARACTERS_PER_TOKEN),
            max_tokens: Some(max),
        }
    }

    pub(super) fn validate(&self) -> Result<()> {
        let max = self.max_characters;
        let overlap = self.overlap_characters;
        if max < SMALLEST {
            let allowed = format!("at least {SMALLEST}");
            return Err(Error::invalid_options(CONNECTOR, "max_characters", max, allowed));
        }
        if let Some(tokens) = self.max_tokens.filter(|tokens| *tokens < SMALLEST) {
            let allowed = format!("at least {SMALLEST}");
            return Err(Error::invalid_options(CONNECTOR, "max_tokens", tokens, allowed));
        }
        if overlap > max / 2 {
            let allowed = format!("at most {}, half of `max_characters`", max / 2);
            return Err(Error::invalid_options(CONNECTOR, "overlap_characters", overlap, allowed));
        }
        Ok(())
    }
}
