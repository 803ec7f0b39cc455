//! Assembles a response from its chunks.

use textsearch_core::{
    Result,
    chat::{
        ChatResponse, ChatUpdate, MessageBuilder, ToolDefinition, Usage,
        http::{Assembly, check_length},
    },
    http::HttpRequest,
    results::Metadata,
};

use super::calls::Calls;
use crate::{
    CONNECTOR,
    chat::{
        response::{
            Answer as _, Choice, Completion, Content, WireMessage, WireUsage, finish_reason, insert,
        },
        tools::check_count,
    },
};

#[derive(Default)]
pub(in crate::chat) struct CompletionAssembly {
    tools: Vec<ToolDefinition>,
    has_begun: bool,
    /// The length of all texts and calls.
    bytes: usize,
    message: MessageBuilder,
    thoughts: String,
    calls: Calls,
    finish_reason: Option<String>,
    usage: Option<WireUsage>,
    id: Option<String>,
    model: Option<String>,
    metadata: Metadata,
}

impl Assembly for CompletionAssembly {
    const CONNECTOR: &'static str = CONNECTOR;

    type Event = Completion;

    fn read(event: &[u8], request: &HttpRequest) -> Result<Completion> {
        Completion::read_event(event, request)
    }

    fn is_complete(&self) -> bool {
        self.finish_reason.is_some()
    }

    fn takes_done(&self) -> bool {
        self.has_begun
    }

    /// Only the first choice is read.
    fn push(&mut self, chunk: Completion) -> Result<Vec<ChatUpdate>, String> {
        self.metadata.extend(chunk.metadata());
        let known = |text: Option<String>| text.filter(|text| !text.is_empty());
        self.id = self.id.take().or(known(chunk.id));
        self.model = self.model.take().or(known(chunk.model));
        self.usage = chunk.usage.or(self.usage);
        let choices = chunk.choices.into_iter().flatten();
        let first = choices.filter(|choice| choice.index.unwrap_or_default() == 0);
        let updates = first.flat_map(|choice| self.push_choice(choice)).collect();
        self.check_size().map(|()| updates)
    }

    /// The arguments of calls are complete only now.
    fn finish(self) -> Result<Vec<ChatUpdate>, String> {
        let Self { tools, mut message, thoughts, calls, mut metadata, .. } = self;
        let calls = calls.finish(&tools).map(ChatUpdate::ToolCall);
        let mut updates: Vec<ChatUpdate> = calls.collect();
        updates.iter().for_each(|update| message.push(update));
        let thoughts = Some(thoughts).filter(|thoughts| !thoughts.is_empty());
        insert(&mut metadata, "reasoning_content", thoughts.map(Into::into));
        let message = message.build();
        let reason = finish_reason(self.finish_reason, &message);
        let mut response = ChatResponse::new(message).with_finish_reason(reason);
        response.usage = self.usage.map(Usage::from);
        response.model = self.model;
        response.id = self.id;
        response.metadata = metadata;
        updates.push(ChatUpdate::Finished(Box::new(response)));
        Ok(updates)
    }
}

impl CompletionAssembly {
    pub(in crate::chat) fn new(tools: Vec<ToolDefinition>) -> Self {
        Self { tools, ..Self::default() }
    }

    fn check_size(&self) -> Result<(), String> {
        check_length(self.bytes)?;
        check_count("calls", self.calls.len())
    }

    fn push_choice(&mut self, mut choice: Choice) -> Vec<ChatUpdate> {
        self.has_begun = true;
        let mut message = choice.take_message();
        self.bytes = self.bytes.saturating_add(message.bytes());
        insert(&mut self.metadata, "content_filter_results", choice.content_filter_results);
        let reason = choice.finish_reason.filter(|reason| !reason.is_empty());
        self.finish_reason = reason.or(self.finish_reason.take());
        self.thoughts.push_str(&message.take_thoughts().unwrap_or_default());
        let WireMessage { content, refusal, tool_calls, .. } = message;
        let mut fragments = tool_calls.into_iter().flatten();
        while let Some(fragment) = fragments.next().filter(|_| self.check_size().is_ok()) {
            self.calls.push(fragment);
        }
        let text = content.map(Content::into_text).map(ChatUpdate::Text);
        let updates = [text, refusal.map(ChatUpdate::Refusal)].into_iter().flatten();
        let updates: Vec<ChatUpdate> = updates.filter(|update| !is_empty(update)).collect();
        updates.iter().for_each(|update| self.message.push(update));
        updates
    }
}

fn is_empty(update: &ChatUpdate) -> bool {
    matches!(update, ChatUpdate::Text(text) | ChatUpdate::Refusal(text) if text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use textsearch_conformance::assert_linear;

    use super::*;

    fn assembled(count: usize, delta: impl Fn(usize) -> Value) -> CompletionAssembly {
        let mut assembly = CompletionAssembly::default();
        for number in 0..count {
            let chunk = json!({ "choices": [{ "delta": delta(number) }] });
            assembly.push(serde_json::from_value(chunk).unwrap()).unwrap();
        }
        assembly
    }

    #[test]
    fn pieces_of_text_and_thoughts_take_linear_time() {
        assert_linear(5_000, |count| {
            let updates = assembled(count, |_| json!({ "content": "ab", "reasoning": "cd" }));
            assert_eq!(updates.finish().unwrap().len(), 1);
        });
    }

    #[test]
    fn fragments_of_one_call_take_linear_time() {
        let delta = |number: usize| json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "arguments": [number] } }] });
        assert_linear(5_000, |count| {
            assert_eq!(assembled(count, delta).finish().unwrap().len(), 2);
        });
    }

    #[test]
    fn alternating_fragments_of_calls_take_linear_time() {
        let delta = |number: usize| json!({ "tool_calls": [{ "index": number % 1_000, "function": { "arguments": "1" } }] });
        assert_linear(5_000, |count| {
            assert_eq!(assembled(count, delta).finish().unwrap().len(), 1_001);
        });
    }
}
