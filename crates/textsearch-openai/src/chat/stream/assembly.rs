//! The pieces of an answer, put together.

use textsearch_core::{
    Metadata,
    chat::{ChatResponse, ChatUpdate, MessageBuilder, ToolDefinition, Usage},
};

use crate::chat::{
    response::{Choice, Completion, Content, WireMessage, WireUsage, finish_reason, insert},
    tools::{PartialCall, WireCall},
};

/// The most calls of one answer.
pub(super) const MOST_CALLS: usize = 10_000;

/// What has come of an answer.
#[derive(Default)]
pub(super) struct Assembly {
    has_begun: bool,
    message: MessageBuilder,
    thoughts: String,
    calls: Vec<Slot>,
    finish_reason: Option<String>,
    usage: Option<WireUsage>,
    id: Option<String>,
    model: Option<String>,
    metadata: Metadata,
}

/// A call, and the index under which its fragments come.
struct Slot {
    index: Option<usize>,
    call: PartialCall,
}

impl Assembly {
    /// Whether the provider has said why the answer ended.
    pub(super) fn is_complete(&self) -> bool {
        self.finish_reason.is_some()
    }

    /// Whether anything of an answer has come.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether there are more calls than any model means: each fragment is compared with those that there are.
    pub(super) fn has_too_many_calls(&self) -> bool {
        self.calls.len() > MOST_CALLS
    }

    /// Adds a chunk, and tells what of it can be told at once. Only the first choice is read.
    pub(super) fn push(&mut self, chunk: Completion) -> Vec<ChatUpdate> {
        self.metadata.extend(chunk.metadata());
        let known = |text: Option<String>| text.filter(|text| !text.is_empty());
        self.id = self.id.take().or(known(chunk.id));
        self.model = self.model.take().or(known(chunk.model));
        self.usage = chunk.usage.or(self.usage);
        let choices = chunk.choices.into_iter().flatten();
        let first = choices.filter(|choice| choice.index.unwrap_or_default() == 0);
        first.flat_map(|choice| self.push_choice(choice)).collect()
    }

    fn push_choice(&mut self, mut choice: Choice) -> Vec<ChatUpdate> {
        self.has_begun = true;
        let mut message = choice.take_message();
        insert(&mut self.metadata, "content_filter_results", choice.content_filter_results);
        let reason = choice.finish_reason.filter(|reason| !reason.is_empty());
        self.finish_reason = reason.or(self.finish_reason.take());
        self.thoughts.push_str(&message.take_thoughts().unwrap_or_default());
        let WireMessage { content, refusal, tool_calls, .. } = message;
        let mut fragments = tool_calls.into_iter().flatten();
        while let Some(fragment) = fragments.next().filter(|_| !self.has_too_many_calls()) {
            self.push_fragment(fragment);
        }
        let text = content.map(Content::into_text).map(ChatUpdate::Text);
        let updates = [text, refusal.map(ChatUpdate::Refusal)].into_iter().flatten();
        let updates: Vec<ChatUpdate> = updates.filter(|update| !is_empty(update)).collect();
        updates.iter().for_each(|update| self.message.push(update));
        updates
    }

    /// Fragments of calls may come by turns. Some servers give no index, some the same to each call.
    fn push_fragment(&mut self, fragment: WireCall) {
        let index = fragment.index;
        let id = fragment.id.as_deref().filter(|id| !id.is_empty());
        let is_of = |slot: &&mut Slot| match (index, id) {
            (Some(_), None) => slot.index == index,
            (Some(_), Some(id)) => {
                slot.index == index && (slot.call.id.is_empty() || slot.call.id == id)
            }
            (None, Some(id)) => slot.call.id == id,
            (None, None) => true,
        };
        match self.calls.iter_mut().rev().find(is_of) {
            Some(slot) => slot.call.push(fragment),
            None => self.calls.push(Slot { index, call: PartialCall::of(fragment) }),
        }
    }

    /// The calls, whose arguments are complete only now, and the whole answer.
    pub(super) fn finish(self, tools: &[ToolDefinition]) -> Vec<ChatUpdate> {
        let Self { mut message, thoughts, calls, mut metadata, .. } = self;
        let calls = calls.into_iter().map(|slot| ChatUpdate::ToolCall(slot.call.finish(tools)));
        let mut updates: Vec<ChatUpdate> = calls.collect();
        updates.iter().for_each(|update| message.push(update));
        let thoughts = Some(thoughts).filter(|thoughts| !thoughts.is_empty());
        insert(&mut metadata, "reasoning_content", thoughts.map(Into::into));
        let message = message.build();
        let reason = finish_reason(self.finish_reason, &message);
        let mut response = ChatResponse::new(message).with_finish_reason(reason);
        response.usage = self.usage.map(Usage::from);
        (response.model, response.id) = (self.model, self.id);
        updates.push(ChatUpdate::Finished(Box::new(response.with_metadata(metadata))));
        updates
    }
}

fn is_empty(update: &ChatUpdate) -> bool {
    matches!(update, ChatUpdate::Text(text) | ChatUpdate::Refusal(text) if text.is_empty())
}
