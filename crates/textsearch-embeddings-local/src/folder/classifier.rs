//! The settings of a cross-encoder.

use serde::Deserialize;
use textsearch_core::Result;

use super::{Folder, Sentences, modules};

const CONFIG: &str = "config.json";
const SENTENCE_TRANSFORMERS: &str = "config_sentence_transformers.json";

/// Applied to the logit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScoreActivation {
    Identity,
    Sigmoid,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Settings {
    activation_fn: Option<String>,
}

/// `config.json`: where older versions of sentence-transformers keep the activation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Config {
    sentence_transformers: Option<Settings>,
    sbert_ce_default_activation_function: Option<String>,
}

impl ScoreActivation {
    /// Without a statement in the files, the score is the logit.
    pub(crate) fn read(folder: &Folder, sentences: &Sentences) -> Result<Self> {
        modules::check_classifier(folder)?;
        if !sentences.default_prompt.is_empty() {
            let what = "has a default prompt, which is not supported for a reranker";
            return Err(folder.error(SENTENCE_TRANSFORMERS, what));
        }
        let settings: Settings = folder.optional_json(SENTENCE_TRANSFORMERS)?.unwrap_or_default();
        if let Some(name) = settings.activation_fn {
            return Self::named(folder, SENTENCE_TRANSFORMERS, &name);
        }
        let config: Config = folder.json(CONFIG)?;
        let newer = config.sentence_transformers.and_then(|settings| settings.activation_fn);
        match newer.or(config.sbert_ce_default_activation_function) {
            Some(name) => Self::named(folder, CONFIG, &name),
            None => Ok(Self::Identity),
        }
    }

    pub(crate) fn apply(self, logit: f64) -> f64 {
        match self {
            Self::Identity => logit,
            Self::Sigmoid => 1.0 / (1.0 + (-logit).exp()),
        }
    }

    /// `name` is the path of a class in PyTorch.
    fn named(folder: &Folder, file: &str, name: &str) -> Result<Self> {
        match modules::last_name(name) {
            "Identity" => Ok(Self::Identity),
            "Sigmoid" => Ok(Self::Sigmoid),
            _ => Err(folder.error(
                file,
                format_args!("the activation is `{name}`: supported are Identity and Sigmoid"),
            )),
        }
    }
}
