//! The folder's settings for texts: length, prefixes, vector size.

use std::collections::BTreeMap;

use serde::Deserialize;
use textsearch_core::Result;

use super::Folder;

#[derive(Debug, Clone, Default)]
pub(crate) struct Sentences {
    pub(crate) max_tokens: Option<usize>,
    pub(crate) lower_case: bool,
    pub(crate) query_prefix: String,
    pub(crate) document_prefix: String,
    /// Empty without one.
    pub(super) default_prompt: String,
    /// Vectors are truncated to this size.
    pub(crate) dimensions: Option<usize>,
}

/// `sentence_bert_config.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Limits {
    max_seq_length: Option<usize>,
    do_lower_case: bool,
}

/// `config_sentence_transformers.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Prompts {
    prompts: Option<BTreeMap<String, Option<String>>>,
    default_prompt_name: Option<String>,
    truncate_dim: Option<usize>,
}

/// `tokenizer_config.json`: an unlimited length is written as a huge float.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tokenizer {
    model_max_length: Option<f64>,
}

impl Sentences {
    pub(crate) fn read(folder: &Folder) -> Result<Self> {
        let limits: Limits = folder.optional_json("sentence_bert_config.json")?.unwrap_or_default();
        let tokenizer: Tokenizer =
            folder.optional_json("tokenizer_config.json")?.unwrap_or_default();
        let prompts: Prompts =
            folder.optional_json("config_sentence_transformers.json")?.unwrap_or_default();
        Ok(Self {
            // Ignore limits beyond 32 bits, which no text could reach.
            max_tokens: limits.max_seq_length.or(tokenizer
                .model_max_length
                .filter(|max| *max < f64::from(u32::MAX))
                .map(|max| max as usize)),
            lower_case: limits.do_lower_case,
            query_prefix: prompts.first(&["query"]),
            document_prefix: prompts.first(&["document", "passage", "corpus"]),
            default_prompt: prompts.first(&[]),
            dimensions: prompts.truncate_dim,
        })
    }
}

impl Prompts {
    /// Falls back to the default prompt.
    fn first(&self, names: &[&str]) -> String {
        let default = self.default_prompt_name.as_deref();
        let prompt = |name: &str| self.prompts.as_ref()?.get(name)?.clone();
        names.iter().copied().chain(default).find_map(prompt).unwrap_or_default()
    }
}
