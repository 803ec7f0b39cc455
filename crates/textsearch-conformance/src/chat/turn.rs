//! The answer of a scripted model.

use std::time::Duration;

use serde_json::{Value, json};
use textsearch_core::chat::Usage;

use super::{ModelRequest, failure::Failure};

/// A scripted model's answer to one request, streamed if the request asks for it.
///
/// ```
/// use textsearch_conformance::chat::{Fault, Turn};
/// use serde_json::json;
///
/// let says = Turn::text("It is 21 degrees.");
/// let asks = Turn::text("Let me look.").with_tool_call("Weather-Now", &json!({ "city": "Ulm" }));
/// let ends_early = Turn::text("It is 21 deg").with_finish_reason("length");
/// let breaks = Turn::text("It is 21 degrees.").with_fault(Fault::Reset);
/// let is_busy = Turn::rate_limited(7);
/// # let _ = (says, asks, ends_early, breaks, is_busy);
/// ```
#[derive(Debug, Clone)]
pub struct Turn {
    pub(super) reply: Reply,
    pub(super) fault: Option<Fault>,
    pub(super) delay: Duration,
}

#[derive(Debug, Clone)]
pub(super) enum Reply {
    Message(Message),
    Failure(Failure),
    Raw { content_type: String, body: Vec<u8> },
}

#[derive(Debug, Clone, Default)]
pub(super) struct Message {
    pub(super) text: Option<String>,
    pub(super) refusal: Option<String>,
    pub(super) tool_calls: Vec<ScriptedCall>,
    pub(super) finish_reason: Option<String>,
    pub(super) usage: Option<Usage>,
}

#[derive(Debug, Clone)]
pub(super) struct ScriptedCall {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// A fault in an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// The connection resets in the middle.
    Reset,
    /// The response stalls in the middle.
    Stall,
    /// The response ends in the middle: a stream without a finish reason, or half a JSON object.
    EndsEarly,
    /// An event in the middle isn't JSON.
    MalformedEvent,
    /// The stream lacks the final `[DONE]`.
    WithoutDone,
    /// The stream ends in the middle with an error object.
    ErrorEvent {
        /// The code, such as `server_error`.
        code: String,
        /// The message.
        message: String,
    },
}

impl Turn {
    /// Answers with a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::message(Message { text: Some(text.into()), ..Message::default() })
    }

    /// Calls a tool with these arguments.
    pub fn tool_call(name: impl Into<String>, arguments: &Value) -> Self {
        Self::message(Message::default()).with_tool_call(name, arguments)
    }

    /// Refuses to answer.
    pub fn refusal(text: impl Into<String>) -> Self {
        Self::message(Message { refusal: Some(text.into()), ..Message::default() })
    }

    /// Answers with a status and OpenAI's error object.
    pub fn failure(status: u16, kind: &str, code: Option<&str>, message: &str) -> Self {
        Self::new(Reply::Failure(Failure::new(status, kind, code, message)))
    }

    /// Answers with this status and body: an error in the form of another server.
    pub fn raw_failure(status: u16, body: Value) -> Self {
        Self::new(Reply::Failure(Failure { status, headers: Vec::new(), body }))
    }

    /// Answers 401: the key is wrong.
    pub fn unauthorized() -> Self {
        let message = "Incorrect API key provided.";
        Self::failure(401, "invalid_request_error", Some("invalid_api_key"), message)
    }

    /// Answers 429 and requests a wait of this many seconds.
    pub fn rate_limited(retry_after: u32) -> Self {
        let message = "Rate limit reached for requests.";
        let turn = Self::failure(429, "requests", Some("rate_limit_exceeded"), message);
        turn.with_header("retry-after", retry_after.to_string())
    }

    /// Answers 429: the account has no quota left.
    pub fn insufficient_quota() -> Self {
        let message =
            "You exceeded your current quota, please check your plan and billing details.";
        Self::failure(429, "insufficient_quota", Some("insufficient_quota"), message)
    }

    /// Answers 400: the chat exceeds the model's context length.
    pub fn context_length_exceeded() -> Self {
        let message = "This model's maximum context length is 8192 tokens.";
        Self::failure(400, "invalid_request_error", Some("context_length_exceeded"), message)
    }

    /// Answers 500.
    pub fn server_error() -> Self {
        let message = "The server had an error while processing your request.";
        Self::failure(500, "server_error", None, message)
    }

    /// Answers 400 like Azure when its content filter rejects the prompt.
    pub fn prompt_filtered() -> Self {
        Self::new(Reply::Failure(Failure::content_filter()))
    }

    /// Answers with these bytes and status 200: a recorded answer, or nonsense. If the content type
    /// is `text/event-stream`, the script's chunks apply.
    pub fn raw(content_type: impl Into<String>, body: impl Into<Vec<u8>>) -> Self {
        Self::new(Reply::Raw { content_type: content_type.into(), body: body.into() })
    }

    /// Calls one more tool.
    #[must_use]
    pub fn with_tool_call(self, name: impl Into<String>, arguments: &Value) -> Self {
        self.with_raw_tool_call(None, name, arguments.to_string())
    }

    /// Calls one more tool, with a custom identifier and arguments that need not be JSON.
    #[must_use]
    pub fn with_raw_tool_call(
        mut self,
        id: Option<&str>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        let id = id.map(str::to_owned);
        let call = ScriptedCall { id, name: name.into(), arguments: arguments.into() };
        self.message_mut().tool_calls.push(call);
        self
    }

    /// Sets the finish reason: `length` if the answer is truncated, `content_filter` if filtered.
    #[must_use]
    pub fn with_finish_reason(mut self, reason: impl Into<String>) -> Self {
        self.message_mut().finish_reason = Some(reason.into());
        self
    }

    /// Sets the token usage. By default, four characters are one token.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.message_mut().usage = Some(usage);
        self
    }

    /// Adds a header to an error response.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match &mut self.reply {
            Reply::Failure(failure) => failure.headers.push((name.into(), value.into())),
            _ => panic!("headers can be added to failures only"),
        }
        self
    }

    /// Adds a fault to the answer.
    #[must_use]
    pub fn with_fault(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }

    /// Sets the delay before the first byte.
    #[must_use]
    pub fn with_delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    fn message(message: Message) -> Self {
        Self::new(Reply::Message(message))
    }

    fn new(reply: Reply) -> Self {
        Self { reply, fault: None, delay: Duration::ZERO }
    }

    fn message_mut(&mut self) -> &mut Message {
        match &mut self.reply {
            Reply::Message(message) => message,
            _ => panic!("this turn has no message: it is a failure or raw"),
        }
    }
}

impl Message {
    pub(super) fn finish_reason(&self) -> &str {
        let default = if self.tool_calls.is_empty() { "stop" } else { "tool_calls" };
        self.finish_reason.as_deref().unwrap_or(default)
    }

    pub(super) fn usage(&self, request: &ModelRequest) -> Value {
        let tokens = |characters: usize| u64::try_from(characters.div_ceil(4)).unwrap_or(u64::MAX);
        let usage = self.usage.unwrap_or_else(|| {
            let calls = self.tool_calls.iter().map(|call| call.name.len() + call.arguments.len());
            let texts = self.text.iter().chain(&self.refusal).map(|text| text.chars().count());
            let prompts = request.messages().iter().map(|message| message.to_string());
            let prompt = prompts.map(|prompt| prompt.chars().count()).sum();
            Usage::new(tokens(prompt), tokens(texts.chain(calls).sum()))
        });
        json!({
            "prompt_tokens": usage.input_tokens,
            "completion_tokens": usage.output_tokens,
            "total_tokens": usage.total_tokens(),
            "prompt_tokens_details": { "cached_tokens": usage.cached_tokens, "audio_tokens": 0 },
            "completion_tokens_details": {
                "reasoning_tokens": usage.reasoning_tokens,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        })
    }
}

impl ScriptedCall {
    pub(super) fn id(&self, request: usize, index: usize) -> String {
        self.id.clone().unwrap_or_else(|| format!("call_{request}_{index}"))
    }
}
