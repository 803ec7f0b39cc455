use std::time::Duration;

use serde_json::{Value, json};
use textsearch_anthropic::{
    AnthropicChat, AnthropicConfig, ChatCompletion, ChatHistory, ChatMessage, ChatOptions,
    ChatResponse, ChatUpdate, Result, http::HttpSettings,
};
use textsearch_conformance::{Action, Response, Server};

pub(crate) const KEY: &str = "open-sesame+1/2";

pub(crate) struct Talk {
    pub(crate) server: Server,
    pub(crate) chat: AnthropicChat,
}

impl Talk {
    /// The server always answers so.
    pub(crate) async fn answering(response: Response) -> Self {
        Self::with(response, |config| config.search_result_blocks = Some(true)).await
    }

    pub(crate) async fn configured(change: impl FnOnce(&mut AnthropicConfig)) -> Self {
        Self::with(Response::json(&message(json!([]))), change).await
    }

    async fn with(response: Response, change: impl FnOnce(&mut AnthropicConfig)) -> Self {
        let server = Server::start(move |_, _| Action::Answer(response.clone())).await;
        let http = HttpSettings::default()
            .with_proxy(false)
            .with_max_attempts(1)
            .with_backoff(Duration::ZERO, Duration::ZERO);
        let mut config = AnthropicConfig::new(KEY, "m")
            .with_endpoint(server.url().as_str())
            .with_http_settings(http);
        change(&mut config);
        Self { server, chat: AnthropicChat::new(config).unwrap() }
    }

    pub(crate) async fn saying(text: &str) -> Self {
        Self::answering(Response::json(&message(json!([{ "type": "text", "text": text }])))).await
    }

    pub(crate) async fn ask(&self) -> Result<ChatResponse> {
        self.chat.complete(&question(), &ChatOptions::new()).await
    }

    /// Updates up to the end or the first error, and that result.
    pub(crate) async fn listen(&self) -> (Vec<ChatUpdate>, Result<()>) {
        let mut stream = match self.chat.stream(&question(), &ChatOptions::new()).await {
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

    /// Sends a chat and returns the body of the request.
    pub(crate) async fn sent(messages: Vec<ChatMessage>, options: &ChatOptions) -> Value {
        let talk = Self::saying("Yes.").await;
        talk.chat.complete(&ChatHistory::from(messages), options).await.unwrap();
        talk.server.requests()[0].json()
    }
}

pub(crate) fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("What is it?")])
}

pub(crate) fn message(content: Value) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": content,
        "stop_reason": "end_turn", "stop_sequence": null,
    })
}

pub(crate) fn events(events: &[Value]) -> Response {
    let event =
        |data: &Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap());
    Response::new(200, "text/event-stream", events.iter().map(event).collect::<String>())
}

pub(crate) fn text_of(updates: &[ChatUpdate]) -> String {
    let texts = updates.iter().filter_map(|update| match update {
        ChatUpdate::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}
