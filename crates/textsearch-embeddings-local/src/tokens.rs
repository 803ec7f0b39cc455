//! Converts a text to token ids.

use textsearch_core::Result;
use tokenizers::{Encoding, PostProcessor, Tokenizer, TruncationDirection};

use crate::{
    failure,
    folder::{Folder, ModelConfig, Sentences},
};

const FILE: &str = "tokenizer.json";

/// Includes the start and end tokens.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    pub(crate) ids: Vec<u32>,
    pub(crate) types: Vec<u32>,
    /// Number of truncated tokens.
    pub(crate) cut: usize,
}

#[derive(Debug)]
pub(crate) struct TextTokenizer {
    tokenizer: Tokenizer,
    /// Maximum tokens of a text, without the start and end tokens.
    most: usize,
    lower_case: bool,
}

impl TextTokenizer {
    /// `most` includes the start and end tokens.
    pub(crate) fn load(
        folder: &Folder,
        shape: &ModelConfig,
        sentences: &Sentences,
        most: usize,
    ) -> Result<Self> {
        let bytes = folder.bytes(FILE)?;
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| {
            failure::unreadable(&folder.path(FILE), "isn't a tokenizer in this format", error)
        })?;
        // Truncate below, so that the number of lost tokens is known.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| {
            failure::unreadable(&folder.path(FILE), "cannot go without truncation", error)
        })?;
        let size = tokenizer.get_vocab_size(true);
        if size > shape.vocabulary {
            return Err(folder.error(
                FILE,
                format_args!(
                    "has {size} tokens, where `config.json` says `vocab_size` is {}",
                    shape.vocabulary
                ),
            ));
        }
        let marks = tokenizer.get_post_processor().map_or(0, |post| post.added_tokens(false));
        if most <= marks {
            return Err(failure::embedding(format!(
                "a limit of {most} tokens leaves no room for text: the start and end tokens take {marks}"
            )));
        }
        Ok(Self { tokenizer, most: most - marks, lower_case: sentences.lower_case })
    }

    pub(crate) fn tokenize(&self, prefix: &str, text: &str) -> Result<Tokens> {
        let mut text = format!("{prefix}{text}");
        if self.lower_case {
            text = text.to_lowercase();
        }
        let failed =
            |error| failure::embedding("a text can't be split into tokens").with_source(error);
        let mut encoding = self.tokenizer.encode_fast(text, false).map_err(failed)?;
        let cut = encoding.len().saturating_sub(self.most);
        if cut > 0 {
            encoding.truncate(self.most, 0, TruncationDirection::Right);
            encoding.take_overflowing();
        }
        let encoding: Encoding =
            self.tokenizer.post_process(encoding, None, true).map_err(failed)?;
        let (ids, types) = (encoding.get_ids().to_vec(), encoding.get_type_ids().to_vec());
        Ok(Tokens { ids, types, cut })
    }
}
