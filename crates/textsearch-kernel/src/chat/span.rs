//! The `chat` span around each request to a model, by version 0.1.0 of the OpenTelemetry conventions
//! for generative AI (<https://github.com/open-telemetry/semantic-conventions-genai>).

use serde_json::{Value, json};
use textsearch_core::telemetry::{ChatTokens, IS_ON, Operation, Timer, record_chat_tokens};
use textsearch_core::{
    Error, Result,
    chat::{
        ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, MessagePart, ToolCall,
        ToolResult,
    },
};
use tracing::{Instrument, Span, field};

pub(super) async fn in_span(
    service: &dyn ChatCompletion,
    options: &ChatOptions,
    history: &ChatHistory,
    records_content: bool,
    request: impl Future<Output = Result<ChatResponse>>,
) -> Result<ChatResponse> {
    let span = tracing::info_span!(
        "chat",
        otel.name = field::Empty,
        otel.kind = "client",
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = field::Empty,
        gen_ai.request.model = field::Empty,
        gen_ai.request.temperature = options.temperature,
        gen_ai.request.top_p = options.top_p,
        gen_ai.request.max_tokens = options.max_tokens.map(i64::from),
        gen_ai.request.seed = options.seed,
        gen_ai.request.frequency_penalty = options.frequency_penalty,
        gen_ai.request.presence_penalty = options.presence_penalty,
        gen_ai.request.stop_sequences = field::Empty,
        gen_ai.response.id = field::Empty,
        gen_ai.response.model = field::Empty,
        gen_ai.response.finish_reasons = field::Empty,
        gen_ai.usage.input_tokens = field::Empty,
        gen_ai.usage.output_tokens = field::Empty,
        gen_ai.usage.cache_read.input_tokens = field::Empty,
        gen_ai.usage.reasoning.output_tokens = field::Empty,
        gen_ai.input.messages = field::Empty,
        gen_ai.output.messages = field::Empty,
        error.type = field::Empty,
    );
    let model = options.model.as_deref().unwrap_or_else(|| service.model_id());
    if span.is_disabled() {
        let timer = Timer::new();
        let response = request.await;
        measure(timer, service, model, &response);
        return response;
    }
    span.record("otel.name", field::display(format_args!("chat {model}")));
    span.record("gen_ai.provider.name", service.name());
    span.record("gen_ai.request.model", model);
    if !options.stop.is_empty() {
        span.record("gen_ai.request.stop_sequences", text_of(&options.stop));
    }
    if records_content {
        let messages: Value = history.messages().iter().map(message_value).collect();
        span.record("gen_ai.input.messages", messages.to_string());
    }
    let timer = Timer::new();
    let response = request.instrument(span.clone()).await;
    measure(timer, service, model, &response);
    match &response {
        Ok(response) => record_response(&span, response, records_content),
        Err(error) => record_error(&span, error),
    }
    response
}

fn measure(
    timer: Timer,
    service: &dyn ChatCompletion,
    model: &str,
    response: &Result<ChatResponse>,
) {
    if !IS_ON {
        return;
    }
    let mut attributes =
        vec![("gen_ai.provider.name", service.name()), ("gen_ai.request.model", model)];
    let answer = response.as_ref().ok();
    let answered_by = answer.and_then(|answer| answer.model.as_deref());
    attributes.extend(answered_by.map(|model| ("gen_ai.response.model", model)));
    let error = response.as_ref().err().map(|error| error.kind().name());
    timer.record(Operation::Chat, &attributes, error);
    // The conventions count failed requests, too, as 0 tokens.
    let usage = answer.and_then(|answer| answer.usage.as_ref());
    let tokens = usage.map_or_else(ChatTokens::default, |usage| ChatTokens {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cached: usage.cached_tokens,
        reasoning: usage.reasoning_tokens,
    });
    record_chat_tokens(tokens, &attributes, error);
}

fn record_response(span: &Span, response: &ChatResponse, records_content: bool) {
    // Spans of this crate have no lists: exporters show a list as JSON.
    span.record("gen_ai.response.finish_reasons", text_of(&[response.finish_reason.name()]));
    if let Some(id) = &response.id {
        span.record("gen_ai.response.id", id.as_str());
    }
    if let Some(model) = &response.model {
        span.record("gen_ai.response.model", model.as_str());
    }
    if let Some(usage) = &response.usage {
        span.record("gen_ai.usage.input_tokens", integer(usage.input_tokens));
        span.record("gen_ai.usage.output_tokens", integer(usage.output_tokens));
        if usage.cached_tokens > 0 {
            span.record("gen_ai.usage.cache_read.input_tokens", integer(usage.cached_tokens));
        }
        if usage.reasoning_tokens > 0 {
            span.record("gen_ai.usage.reasoning.output_tokens", integer(usage.reasoning_tokens));
        }
    }
    if records_content {
        let mut message = message_value(&response.message);
        if let Some(fields) = message.as_object_mut() {
            fields.insert("finish_reason".to_owned(), response.finish_reason.name().into());
        }
        span.record("gen_ai.output.messages", text_of(&[message]));
    }
}

/// Exporters write an unsigned integer as a string.
fn integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn record_error(span: &Span, error: &Error) {
    span.record("error.type", error.kind().name());
}

fn message_value(message: &ChatMessage) -> Value {
    let parts: Value = message.parts.iter().map(part_value).collect();
    json!({ "role": message.role.name(), "parts": parts })
}

fn part_value(part: &MessagePart) -> Value {
    match part {
        MessagePart::Text { text } => json!({ "type": "text", "content": text }),
        MessagePart::Refusal { text } => json!({ "type": "refusal", "content": text }),
        MessagePart::Image { url } => json!({ "type": "uri", "modality": "image", "uri": url }),
        MessagePart::ToolCall(ToolCall { id, name, arguments, .. }) => {
            json!({ "type": "tool_call", "id": id, "name": name, "arguments": arguments })
        }
        MessagePart::ToolResult(ToolResult { call_id, content, .. }) => {
            json!({ "type": "tool_call_response", "id": call_id, "response": content })
        }
        _ => json!({ "type": "other" }),
    }
}

fn text_of(value: &(impl serde::Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
