//! The arguments for the sizes of chunks.

use std::str::FromStr;

use anyhow::Result;
use clap::Args;
use textsearch_documents::{Chunker, ChunkerConfig};

use crate::errors::usage;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ChunkArguments {
    /// Size of chunks: 1200 characters, or 256t for tokens of the embedding model [default: the store's,
    /// else 1200].
    ///
    /// With local embeddings, no chunk is larger than the model accepts. Tokens need
    /// --embeddings local:FOLDER.
    #[arg(long, value_name = "SIZE", help_heading = "Files")]
    pub(crate) chunk_size: Option<ChunkSize>,

    /// Overlap of a chunk with the previous one, in the unit of --chunk-size [default: a tenth].
    #[arg(long, value_name = "SIZE", requires = "chunk_size", help_heading = "Files")]
    pub(crate) chunk_overlap: Option<ChunkSize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkSize {
    Characters(usize),
    Tokens(usize),
}

impl FromStr for ChunkSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let tokens = text.strip_suffix('t');
        let number = tokens.unwrap_or(text).parse();
        let number =
            number.map_err(|_| "expected characters, as in 1200, or tokens, as in 256t")?;
        Ok(tokens.map_or(Self::Characters(number), |_| Self::Tokens(number)))
    }
}

impl ChunkArguments {
    /// Returns `None` for the sizes of the store. `counts_tokens` is whether the model does.
    pub(crate) fn chunker(&self, counts_tokens: bool) -> Result<Option<Chunker>> {
        let Some(size) = self.chunk_size else { return Ok(None) };
        let config = match (size, self.chunk_overlap) {
            (ChunkSize::Tokens(_), _) if !counts_tokens => {
                return Err(usage("--chunk-size in tokens needs --embeddings local:FOLDER"));
            }
            (ChunkSize::Characters(max), None) => of_characters(max, max / 10),
            (ChunkSize::Characters(max), Some(ChunkSize::Characters(overlap))) => {
                of_characters(max, overlap)
            }
            (ChunkSize::Tokens(max), None) => ChunkerConfig::from_tokens(max, max / 10),
            (ChunkSize::Tokens(max), Some(ChunkSize::Tokens(overlap))) => {
                ChunkerConfig::from_tokens(max, overlap)
            }
            _ => return Err(usage("--chunk-size and --chunk-overlap need the same unit")),
        };
        Ok(Some(Chunker::new(config)?))
    }
}

fn of_characters(max: usize, overlap: usize) -> ChunkerConfig {
    let mut config = ChunkerConfig::default();
    config.max_characters = max;
    config.overlap_characters = overlap;
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunker(size: &str, overlap: Option<&str>, counts_tokens: bool) -> Result<ChunkerConfig> {
        let chunk_size = Some(size.parse().unwrap());
        let chunk_overlap = overlap.map(|overlap| overlap.parse().unwrap());
        let chunker = ChunkArguments { chunk_size, chunk_overlap }.chunker(counts_tokens)?;
        Ok(chunker.unwrap().config().clone())
    }

    #[test]
    fn sizes_have_one_unit() {
        let config = chunker("500", None, false).unwrap();
        assert_eq!((config.max_characters, config.overlap_characters), (500, 50));
        let config = chunker("128t", Some("32t"), true).unwrap();
        assert_eq!(config, ChunkerConfig::from_tokens(128, 32));
        for (size, overlap, expected) in [
            ("128t", None, "--chunk-size in tokens needs --embeddings local:FOLDER"),
            ("500", Some("32t"), "--chunk-size and --chunk-overlap need the same unit"),
        ] {
            assert_eq!(chunker(size, overlap, false).unwrap_err().to_string(), expected);
        }
        assert!("12x".parse::<ChunkSize>().is_err());
    }
}
