//! How many tokens a model takes at once.

use textsearch_core::Result;

use crate::task::Task;

/// A text of more tokens would take too much memory: with the largest models of the BERT family, one
/// thread's buffers take 41 KB a token, or 340 MB. Attention also compares each token with each.
const MAX_TOKENS: usize = 8192;

/// `requested` overrides `own`, the limit in the folder's files. Neither exceeds `longest`, the
/// model's positions.
pub(crate) fn max_tokens(
    task: Task,
    requested: Option<usize>,
    longest: usize,
    own: Option<usize>,
) -> Result<usize> {
    let longest = longest.min(MAX_TOKENS);
    match requested {
        None => Ok(own.unwrap_or(longest).min(longest)),
        Some(requested) if (1..=longest).contains(&requested) => Ok(requested),
        Some(other) => Err(task.refused("max_tokens", other, &format!("1 to {longest}"))),
    }
}
