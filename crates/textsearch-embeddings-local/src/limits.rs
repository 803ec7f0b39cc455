//! How many tokens a model takes at once.

use textsearch_core::{Error, Result};

use crate::{
    folder::{ModelConfig, Sentences},
    task::Task,
};

/// A text of more tokens would take too much memory: with the largest supported models, one
/// thread's buffers take 41 KB a token, or 340 MB. Attention also compares each token with each.
const MAX_TOKENS: usize = 8192;

/// `requested` overrides the limit in the folder's files.
pub(crate) fn max_tokens(
    task: Task,
    requested: Option<usize>,
    shape: &ModelConfig,
    sentences: &Sentences,
) -> Result<usize> {
    let longest = shape.longest().min(MAX_TOKENS);
    match requested {
        None => own_max_tokens(task, shape, sentences),
        Some(requested) if (1..=longest).contains(&requested) => Ok(requested),
        Some(other) => Err(task.refused("max_tokens", other, &format!("1 to {longest}"))),
    }
}

fn own_max_tokens(task: Task, shape: &ModelConfig, sentences: &Sentences) -> Result<usize> {
    let longest = shape.longest();
    let own = sentences.max_tokens.unwrap_or(longest).min(longest);
    if own <= MAX_TOKENS { Ok(own) } else { Err(too_many(task, own)) }
}

fn too_many(task: Task, own: usize) -> Error {
    task.error(format!(
        "the model takes texts of {own} tokens, and more than {MAX_TOKENS} would take too much memory: set \
         `max_tokens`, or `max_seq_length` in `sentence_bert_config.json`, to at most {MAX_TOKENS}"
    ))
}
