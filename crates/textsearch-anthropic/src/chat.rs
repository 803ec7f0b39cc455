//! Chats.

use std::sync::Arc;

use textsearch_core::{
    Result, async_trait,
    chat::{ChatCompletion, ChatHistory, ChatOptions, ChatResponse, ChatStream, http::read_stream},
    http::{HttpClient, HttpRequest, read_json},
};

use crate::{
    AnthropicConfig, CONNECTOR,
    answer::{self, AnswerAssembly, Message},
    failure::{self, undecodable},
    request,
};

/// A chat model behind Anthropic's [Messages](https://docs.anthropic.com/en/api/messages) API.
///
/// ```no_run
/// use textsearch_anthropic::{
///     AnthropicChat, AnthropicConfig, ChatCompletion, ChatHistory, ChatMessage, ChatOptions,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_anthropic::Result<()> {
/// let chat = AnthropicChat::new(AnthropicConfig::from_env()?)?;
/// let history = ChatHistory::from(vec![ChatMessage::user("What is a connector?")]);
/// let response = chat.complete(&history, &ChatOptions::new()).await?;
/// println!("{} ({})", response.message.text(), response.finish_reason.name());
/// # Ok(())
/// # }
/// ```
///
/// # Behavior
/// - A refused or truncated response is a response with that
///   [`finish_reason`](ChatResponse::finish_reason). The provider's explanation of a refusal, if
///   any, is the message's refusal.
/// - A stream that breaks, ends too early or contains an error returns an error, never a short
///   response.
/// - Tool results [with search results](crate::ToolResult::has_search_results) are
///   sent to the hosted service as `search_result` blocks. Its citations are in
///   [`citations`](crate::ChatMessage::citations): each with the result's link, else its identifier
///   or number, and the cited text.
/// - System and developer messages become the `system` prompt, wherever they stand.
/// - `seed`, the penalties, the format [`JsonObject`](crate::ResponseFormat::JsonObject) and a
///   message's author are rejected before a request, because the API has none.
///   [`extra`](ChatOptions::extra) is copied into the request, but can't replace a field that this
///   crate sets.
/// - Strict tools and JSON schemas lose the limits that the provider can't enforce, such as
///   `maximum`. The provider doesn't cite in answers of a schema, so results are sent as text then.
#[derive(Debug, Clone)]
pub struct AnthropicChat {
    config: Arc<AnthropicConfig>,
    client: HttpClient,
}

impl AnthropicChat {
    /// Creates a model with these settings.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions), naming the setting
    /// and its allowed values, if a setting is invalid.
    pub fn new(config: AnthropicConfig) -> Result<Self> {
        config.check()?;
        let client = HttpClient::new(CONNECTOR, config.http.clone())?;
        Ok(Self { config: Arc::new(config), client: client.with_error_reader(failure::read_error) })
    }

    /// Replaces the HTTP client. The client's own settings apply instead of the configured ones.
    #[must_use]
    pub fn with_http_client(mut self, client: HttpClient) -> Self {
        self.client = client.with_error_reader(failure::read_error);
        self
    }

    fn request(
        &self,
        history: &ChatHistory,
        options: &ChatOptions,
        is_stream: bool,
    ) -> Result<HttpRequest> {
        let body = request::body(&self.config, history, options, is_stream)?;
        Ok(self.config.request()?.with_json(&body))
    }
}

#[async_trait]
impl ChatCompletion for AnthropicChat {
    fn name(&self) -> &str {
        CONNECTOR
    }

    fn model_id(&self) -> &str {
        &self.config.model
    }

    async fn complete(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatResponse> {
        let request = self.request(history, options, false)?;
        whole(&self.client.send(request.clone()).await?.body, &request)
    }

    async fn stream(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatStream> {
        let request = self.request(history, options, true)?;
        let request = request.with_header("accept", "text/event-stream");
        let answer = self.client.open(request.clone()).await?;
        let assembly = AnswerAssembly::default();
        read_stream(answer, request.clone(), assembly, |body| whole(body, &request)).await
    }
}

fn whole(body: &[u8], request: &HttpRequest) -> Result<ChatResponse> {
    let message: Message = read_json(body).map_err(|error| {
        failure::error_in(body, request).unwrap_or_else(|| undecodable(request, &error))
    })?;
    answer::whole(message).map_err(|problem| undecodable(request, &problem))
}
