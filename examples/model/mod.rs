//! The model of an example: from the environment, or scripted on loopback.

use std::{env, sync::Arc};

use textsearch_conformance::chat::{ModelScript, ScriptedModel};
use textsearch_openai::{OPENAI_API_KEY, OPENAI_BASE_URL, OpenAiChat, OpenAiConfig};

pub struct Model {
    /// The chat service for a kernel.
    pub chat: Arc<OpenAiChat>,
    _server: Option<ScriptedModel>,
}

impl Model {
    /// Opens the model of `OPENAI_MODEL`. With `--scripted`, or if neither `OPENAI_API_KEY` nor
    /// `OPENAI_BASE_URL` is set, it follows `script` instead.
    pub async fn open(script: ModelScript) -> anyhow::Result<Self> {
        let names = [OPENAI_API_KEY, OPENAI_BASE_URL];
        let is_named = names.iter().any(|name| env::var_os(name).is_some());
        if is_named && !env::args().any(|argument| argument == "--scripted") {
            let chat = Arc::new(OpenAiChat::new(OpenAiConfig::from_env()?)?);
            return Ok(Self { chat, _server: None });
        }
        println!(
            "(This model plays a script. OPENAI_API_KEY or OPENAI_BASE_URL asks a real one.)\n"
        );
        let server = ScriptedModel::start(script).await;
        let config = OpenAiConfig::without_key(server.base_url(), "scripted-model");
        Ok(Self { chat: Arc::new(OpenAiChat::new(config)?), _server: Some(server) })
    }
}
