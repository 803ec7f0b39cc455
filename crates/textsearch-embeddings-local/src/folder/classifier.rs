//! The settings of a cross-encoder.

use std::collections::BTreeMap;

use serde::Deserialize;
use textsearch_core::Result;

use super::{Folder, modules};

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
    default_prompt_name: Option<String>,
    prompts: Option<BTreeMap<String, Option<String>>>,
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
    pub(crate) fn read(folder: &Folder) -> Result<Self> {
        modules::check_classifier(folder)?;
        let settings: Settings = folder.optional_json(SENTENCE_TRANSFORMERS)?.unwrap_or_default();
        check_prompt(folder, &settings)?;
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

fn check_prompt(folder: &Folder, settings: &Settings) -> Result<()> {
    let prompts = settings.prompts.as_ref();
    let default = settings.default_prompt_name.as_deref();
    let prompt = default.and_then(|name| prompts?.get(name)?.as_deref());
    match prompt {
        None | Some("") => Ok(()),
        Some(_) => Err(folder.error(
            SENTENCE_TRANSFORMERS,
            "has a default prompt, which is not supported for a reranker",
        )),
    }
}
