//! Tokens, with rights and filters.

mod digest;
mod file;

use std::{collections::HashSet, fmt};

use serde::Serialize;
use textsearch_core::{Filter, secret::Secret};
use utoipa::ToSchema;

pub(crate) use self::{digest::Digest, file::read_filter};
use crate::{Result, ServerError};

/// The rights of everyone on a server without tokens.
pub(crate) const ANYONE: [Right; 4] = [Right::Search, Right::Prompt, Right::Answer, Right::Metrics];

const DEFAULT: [Right; 3] = [Right::Search, Right::Prompt, Right::Answer];

/// Shorter tokens can be guessed.
const MIN_CHARACTERS: usize = 16;

/// A token with rights and a filter.
///
/// `Debug` hides the token itself.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AccessToken {
    /// The holder's name, for logs.
    pub name: String,
    /// The token that requests send: 16 visible ASCII characters or more.
    pub token: Secret,
    /// The holder's rights: search, prompt and answer by default.
    pub rights: Vec<Right>,
    /// A condition on everything that the holder finds, writes and deletes; none by default.
    pub fixed_filter: Option<Filter>,
}

/// A right of a token's holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Right {
    /// Search, also through MCP and the retrieval-plugin interface.
    Search,
    /// Render templates.
    Prompt,
    /// Ask the model, which costs money.
    Answer,
    /// Store and delete documents.
    Upsert,
    /// Read the metrics.
    Metrics,
}

impl AccessToken {
    /// Creates a token for searches, prompts and answers over everything.
    pub fn new(name: impl Into<String>, token: impl Into<Secret>) -> Self {
        Self {
            name: name.into(),
            token: token.into(),
            rights: DEFAULT.to_vec(),
            fixed_filter: None,
        }
    }

    /// Sets the holder's rights.
    #[must_use]
    pub fn with_rights(mut self, rights: impl IntoIterator<Item = Right>) -> Self {
        self.rights = rights.into_iter().collect();
        self
    }

    /// Adds a condition on everything that the holder finds, writes and deletes. A second one
    /// narrows the first.
    #[must_use]
    pub fn with_fixed_filter(mut self, filter: Filter) -> Self {
        self.fixed_filter = both(self.fixed_filter, Some(filter));
        self
    }
}

impl Right {
    /// All rights.
    pub const ALL: &'static [Self] =
        &[Self::Search, Self::Prompt, Self::Answer, Self::Upsert, Self::Metrics];

    /// Returns the name in files of tokens, such as `search`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Prompt => "prompt",
            Self::Answer => "answer",
            Self::Upsert => "upsert",
            Self::Metrics => "metrics",
        }
    }
}

impl fmt::Display for Right {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

pub(crate) fn both(first: Option<Filter>, other: Option<Filter>) -> Option<Filter> {
    match (first, other) {
        (Some(first), Some(other)) => Some(Filter::all([first, other])),
        (first, other) => first.or(other),
    }
}

/// The error names the holder, never the token.
pub(crate) fn check(tokens: &[AccessToken]) -> Result<()> {
    let mut names = HashSet::new();
    let mut seen = HashSet::new();
    for AccessToken { name, token, .. } in tokens {
        if name.is_empty() || !names.insert(name) {
            let message = format!("holds the name `{name}` twice, or an empty one");
            return Err(ServerError::setting("tokens", message));
        }
        let text = token.expose();
        if text.len() < MIN_CHARACTERS || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = format!(
                "of `{name}` is too short or has other characters: \
                 expected {MIN_CHARACTERS} visible ASCII characters or more"
            );
            return Err(ServerError::setting("tokens", message));
        }
        if !seen.insert(Digest::from_token(text.as_bytes())) {
            let message = format!("holds the token of `{name}` twice: give each holder another");
            return Err(ServerError::setting("tokens", message));
        }
    }
    Ok(())
}
