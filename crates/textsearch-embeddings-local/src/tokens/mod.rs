//! Converts texts to token ids.

mod pairs;
mod texts;

use textsearch_core::Result;
use tokenizers::{Encoding, Tokenizer, TruncationDirection};

pub(crate) use pairs::PairTokenizer;
pub(crate) use texts::TextTokenizer;

use crate::{folder::Folder, task::Task};

const FILE: &str = "tokenizer.json";

/// Includes the start and end tokens.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    pub(crate) ids: Vec<u32>,
    pub(crate) types: Vec<u32>,
    /// Number of truncated tokens.
    pub(crate) cut: usize,
    /// Number of last tokens that no token attends to.
    pub(crate) masked: usize,
}

/// Number of truncated texts, and of tokens cut from them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cuts {
    tokens: usize,
    texts: usize,
}

impl Cuts {
    pub(crate) fn new(texts: &[Tokens]) -> Self {
        Self {
            tokens: texts.iter().map(|text| text.cut).sum(),
            texts: texts.iter().filter(|text| text.cut > 0).count(),
        }
    }

    pub(crate) fn warn(self, max_tokens: usize, model_id: &str) {
        if self.texts > 0 {
            tracing::warn!(
                texts = self.texts,
                tokens = self.tokens,
                "texts are longer than the {max_tokens} tokens that the model `{model_id}` takes; what follows was left out",
            );
        }
    }
}

/// `count` is the number of tokens that the model has. Also returns the tokens to leave out of texts:
/// some models have markers, such as one for images, that are not among their tokens.
fn load(folder: &Folder, count: usize) -> Result<(Tokenizer, Vec<u32>)> {
    let bytes = folder.bytes(FILE)?;
    let mut tokenizer = Tokenizer::from_bytes(bytes)
        .map_err(|error| folder.unreadable(FILE, "isn't a tokenizer in this format", error))?;
    // Texts are truncated apart from the tokenizer, so that the number of lost tokens is known.
    tokenizer.with_padding(None);
    tokenizer
        .with_truncation(None)
        .map_err(|error| folder.unreadable(FILE, "cannot go without truncation", error))?;
    let size = tokenizer.get_vocab_size(true);
    let markers = tokenizer.get_added_tokens_decoder().into_keys();
    let markers: Vec<u32> = markers.filter(|id| *id as usize >= count).collect();
    if size > count + markers.len() {
        return Err(folder.error(
            FILE,
            format_args!(
                "has {size} tokens, where the model has {count}: they do not belong together"
            ),
        ));
    }
    Ok((tokenizer, markers))
}

/// Returns how many of `max` tokens are left for texts.
fn room(task: Task, max: usize, marks: usize) -> Result<usize> {
    match max.checked_sub(marks) {
        None | Some(0) => Err(task.error(format!(
            "a limit of {max} tokens leaves no room for text: the start and end tokens take {marks}"
        ))),
        Some(room) => Ok(room),
    }
}

fn encode(tokenizer: &Tokenizer, task: Task, text: String) -> Result<Encoding> {
    tokenizer.encode_fast(text, false).map_err(|error| indivisible(task, error))
}

fn indivisible(task: Task, error: tokenizers::Error) -> textsearch_core::Error {
    task.error("a text can't be split into tokens").with_source(error)
}

/// Returns the ids and the types.
fn without_markers(encoding: &Encoding, markers: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let tokens = encoding.get_ids().iter().copied().zip(encoding.get_type_ids().iter().copied());
    tokens.filter(|(id, _)| !markers.contains(id)).unzip()
}

fn truncate(encoding: &mut Encoding, max: usize) {
    if encoding.len() > max {
        encoding.truncate(max, 0, TruncationDirection::Right);
        encoding.take_overflowing();
    }
}
