use std::time::Duration;

use textsearch_conformance::chat::{ModelScript, ScriptedModel};
use textsearch_openai::{
    ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatUpdate, OpenAiChat,
    OpenAiConfig, Result, http::HttpSettings,
};

pub(crate) const KEY: &str = "open-sesame+1/2";

pub(crate) struct Talk {
    pub(crate) model: ScriptedModel,
    pub(crate) chat: OpenAiChat,
}

impl Talk {
    pub(crate) async fn with(script: impl Into<ModelScript>) -> Self {
        Self::configured(script, |config| config).await
    }

    pub(crate) async fn configured(
        script: impl Into<ModelScript>,
        change: impl FnOnce(OpenAiConfig) -> OpenAiConfig,
    ) -> Self {
        let model = ScriptedModel::start(script).await;
        let chat = OpenAiChat::new(change(config(&model))).unwrap();
        Self { model, chat }
    }

    pub(crate) async fn ask(&self, options: &ChatOptions) -> Result<ChatResponse> {
        self.chat.complete(&question(), options).await
    }

    /// Updates up to the end or the first error, and that result.
    pub(crate) async fn listen(&self, options: &ChatOptions) -> (Vec<ChatUpdate>, Result<()>) {
        let mut stream = match self.chat.stream(&question(), options).await {
            Ok(stream) => stream,
            Err(error) => return (Vec::new(), Err(error)),
        };
        let mut updates = Vec::new();
        while let Some(update) = stream.next().await {
            match update {
                Ok(update) => updates.push(update),
                Err(error) => return (updates, Err(error)),
            }
        }
        (updates, Ok(()))
    }

    pub(crate) async fn streamed(&self, options: &ChatOptions) -> Result<ChatResponse> {
        self.chat.stream(&question(), options).await?.into_response().await
    }
}

pub(crate) fn config(model: &ScriptedModel) -> OpenAiConfig {
    let http = HttpSettings::default()
        .with_proxy(false)
        .with_max_attempts(1)
        .with_backoff(Duration::ZERO, Duration::ZERO);
    OpenAiConfig::new(KEY, "scripted-model")
        .with_base_url(model.base_url())
        .with_http_settings(http)
}

pub(crate) fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("What is it?")])
}

pub(crate) fn text_of(updates: &[ChatUpdate]) -> String {
    let texts = updates.iter().filter_map(|update| match update {
        ChatUpdate::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}
