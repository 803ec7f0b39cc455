//! Chats.

mod check;
mod messages;
mod request;
mod response;
mod responses;
mod stream;
mod strict;
mod tools;

use std::sync::Arc;

use serde_json::{Value, value::RawValue};
use textsearch_core::{
    Error, Result, async_trait,
    chat::{
        ChatCompletion, ChatHistory, ChatOptions, ChatResponse, ChatStream, FinishReason,
        ToolDefinition, http::read_stream,
    },
    http::{HttpClient, HttpRequest},
};

use crate::{
    CONNECTOR, OpenAiConfig, Protocol,
    config::Target,
    failure::{self, undecodable},
};
use response::{Answer as _, Completion};
use responses::{Response, ResponseAssembly};
use stream::CompletionAssembly;

/// A chat model behind OpenAI's [Chat
/// Completions](https://platform.openai.com/docs/api-reference/chat/create) or
/// [Responses](https://platform.openai.com/docs/api-reference/responses/create) API, of the hosted
/// service, Azure or a self-hosted server.
///
/// ```no_run
/// use textsearch_openai::{
///     ChatCompletion, ChatHistory, ChatMessage, ChatOptions, OpenAiChat, OpenAiConfig,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_openai::Result<()> {
/// let chat = OpenAiChat::new(OpenAiConfig::from_env()?)?;
/// let history = ChatHistory::from(vec![ChatMessage::user("What is a connector?")]);
/// let mut options = ChatOptions::new();
/// options.max_tokens = Some(300);
/// let response = chat.complete(&history, &options).await?;
/// println!("{} ({})", response.message.text(), response.finish_reason.name());
/// # Ok(())
/// # }
/// ```
///
/// Call tools:
///
/// ```no_run
/// use textsearch_openai::{
///     ChatCompletion, ChatHistory, ChatMessage, ChatOptions, FinishReason, OpenAiChat, OpenAiConfig, ToolDefinition,
///     ToolResult,
/// };
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> textsearch_openai::Result<()> {
/// let chat = OpenAiChat::new(OpenAiConfig::without_key("http://localhost:11434/v1", "llama3.2"))?;
/// let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
/// let mut weather = ToolDefinition::new("Weather-Now", "How warm it is.", parameters);
/// weather.strict = Some(true);
/// let options = ChatOptions::new().with_tools([weather]);
///
/// let mut history = ChatHistory::from(vec![ChatMessage::user("How warm is it in Ulm?")]);
/// let mut response = chat.complete(&history, &options).await?;
/// while response.finish_reason == FinishReason::ToolCalls {
///     history.push(response.message.clone());
///     for call in response.message.tool_calls() {
///         history.push(ChatMessage::tool_result(ToolResult::new(&call.id, "21 °C")));
///     }
///     response = chat.complete(&history, &options).await?;
/// }
/// println!("{}", response.message.text());
/// # Ok(())
/// # }
/// ```
///
/// # Behavior
/// - A refused, filtered or truncated response is a response with that
///   [`finish_reason`](ChatResponse::finish_reason), also if a filter blocked the prompt.
/// - A stream that breaks, ends too early or contains an error returns an error, never a short
///   response. The error says whether a retry may help.
/// - Options are validated before anything is sent. [`extra`](ChatOptions::extra) is copied into
///   the request, but can't replace a field that this crate sets.
/// - With [`strict`](ToolDefinition::strict), a tool's schema is rewritten to the subset that
///   OpenAI can enforce. Optional arguments become nullable for the model, and the added nulls are
///   removed from its calls. A strict [`response_format`](ChatOptions::response_format) is rewritten
///   in the same way, but the answer keeps its nulls.
#[derive(Debug, Clone)]
pub struct OpenAiChat {
    config: Arc<OpenAiConfig>,
    target: Target,
    client: HttpClient,
}

impl OpenAiChat {
    /// Creates a model with these settings.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions), naming the setting
    /// and its allowed values, if a setting is invalid.
    pub fn new(config: OpenAiConfig) -> Result<Self> {
        let target = Target::new(&config)?;
        config.check(&target)?;
        config.check_protocol()?;
        let client = HttpClient::new(CONNECTOR, config.http.clone())?;
        let client = client.with_error_reader(failure::read_error);
        Ok(Self { config: Arc::new(config), target, client })
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
        let model = options.model.as_deref().unwrap_or(&self.config.model);
        let post = |path| self.target.request(&self.config, path, model);
        match self.config.protocol {
            Protocol::ChatCompletions => {
                let target = (&*self.config, &self.target);
                let body = request::body(target, history, options, is_stream)?;
                Ok(post("chat/completions").with_json(&body))
            }
            Protocol::Responses => {
                let body = responses::body(model, history, options, is_stream)?;
                Ok(post("responses").with_json(&body))
            }
        }
    }

    fn whole(
        &self,
        body: &[u8],
        request: &HttpRequest,
        tools: &[ToolDefinition],
    ) -> Result<ChatResponse> {
        let unreadable = |error| undecodable(request, &error);
        let response = match self.config.protocol {
            Protocol::ChatCompletions => {
                Completion::read(body, request, unreadable)?.into_response(tools)
            }
            Protocol::Responses => {
                let response = Response::read(body, request, unreadable)?;
                ResponseAssembly::from_response(response, tools.to_vec()).into_response()
            }
        };
        response.map_err(|problem| undecodable(request, &problem))
    }
}

#[async_trait]
impl ChatCompletion for OpenAiChat {
    fn name(&self) -> &str {
        CONNECTOR
    }

    fn model_id(&self) -> &str {
        &self.config.model
    }

    async fn complete(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatResponse> {
        let request = self.request(history, options, false)?;
        match self.client.send_json::<Box<RawValue>>(request.clone()).await {
            Ok(answer) => self.whole(answer.body.get().as_bytes(), &request, &options.tools),
            Err(error) => filtered(error),
        }
    }

    async fn stream(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatStream> {
        let request = self.request(history, options, true)?;
        let request = request.with_header("accept", "text/event-stream");
        let answer = match self.client.open(request.clone()).await {
            Ok(answer) => answer,
            Err(error) => return filtered(error).map(ChatStream::from),
        };
        let tools = &options.tools;
        let whole = |body: &[u8]| self.whole(body, &request, tools);
        let sent = request.clone();
        match self.config.protocol {
            Protocol::ChatCompletions => {
                let assembly = CompletionAssembly::new(tools.clone());
                read_stream(answer, sent, assembly, whole).await
            }
            Protocol::Responses => {
                let assembly = ResponseAssembly::new(tools.clone());
                read_stream(answer, sent, assembly, whole).await
            }
        }
    }
}

/// The error of a filtered prompt becomes a response.
fn filtered(error: Error) -> Result<ChatResponse> {
    if !failure::is_filtered(&error) {
        return Err(error);
    }
    let mut response = ChatResponse::default().with_finish_reason(FinishReason::ContentFilter);
    response.metadata.insert("prompt_filtered".to_owned(), Value::Bool(true));
    Ok(response)
}
