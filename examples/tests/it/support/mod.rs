//! A kernel that uses a scripted model.

use std::time::Duration;

use serde_json::{Value, json};
use textsearch_conformance::chat::{ModelRequest, ModelScript, ScriptedModel, Turn};
use textsearch_core::chat::{ChatHistory, ChatMessage};
use textsearch_kernel::{Kernel, KernelPlugin, chat::FunctionChoiceBehavior};
use textsearch_openai::{OpenAiChat, OpenAiConfig, http::HttpSettings};

pub(crate) const KEY: &str = "open-sesame+1/2";

pub(crate) struct Talk {
    pub(crate) kernel: Kernel,
    pub(crate) model: ScriptedModel,
}

impl Talk {
    /// The model requires the key.
    pub(crate) async fn with(
        script: impl Into<ModelScript>,
        plugins: impl IntoIterator<Item = KernelPlugin>,
    ) -> Self {
        let model = ScriptedModel::start(script.into().with_key(KEY)).await;
        let mut kernel = Kernel::new();
        textsearch_prompt::add_template_factories(&mut kernel);
        kernel.add_chat_service("default", chat(&model)).unwrap();
        for plugin in plugins {
            kernel.add_plugin(plugin).unwrap();
        }
        Self { kernel, model }
    }

    /// Results of calls that the model saw, in order; parsed if they are JSON.
    pub(crate) fn told(&self) -> Vec<Value> {
        let requests = self.model.requests();
        let last = requests.last().map(ModelRequest::messages).unwrap_or_default();
        let results = last.iter().filter(|message| message["role"] == "tool");
        results.map(|message| parsed(message["content"].as_str().unwrap())).collect()
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

/// Two attempts and short pauses.
pub(crate) fn chat(model: &ScriptedModel) -> OpenAiChat {
    let http = HttpSettings::default()
        .with_proxy(false)
        .with_max_attempts(2)
        .with_backoff(Duration::ZERO, Duration::ZERO);
    let config = OpenAiConfig::new(KEY, "scripted-model")
        .with_base_url(model.base_url())
        .with_http_settings(http);
    OpenAiChat::new(config).unwrap()
}

pub(crate) fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("What is it?")])
}

pub(crate) fn auto() -> FunctionChoiceBehavior {
    FunctionChoiceBehavior::auto()
}

pub(crate) fn calls(function: &str, arguments: impl IntoIterator<Item = Value>) -> Turn {
    let mut arguments = arguments.into_iter();
    let first = Turn::tool_call(function, &arguments.next().unwrap());
    arguments.fold(first, |turn, arguments| turn.with_tool_call(function, &arguments))
}
