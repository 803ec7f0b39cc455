//! Assembles a response from the events of its stream, or from its items.

use serde_json::Value;
use textsearch_core::{
    Result,
    chat::{
        ChatResponse, ChatUpdate, MessageBuilder, ModelCitation, ToolDefinition, Usage,
        http::{Assembly, check_length},
    },
    http::HttpRequest,
};

use super::{
    annotations::citations,
    wire::{Event, Item, Part, Response},
};
use crate::{
    CONNECTOR,
    chat::{
        response::{Answer as _, finish_reason, insert, metadata},
        tools::{PartialCall, WireCall, WireFunction, check_count},
    },
};

#[derive(Default)]
pub(in crate::chat) struct ResponseAssembly {
    tools: Vec<ToolDefinition>,
    message: MessageBuilder,
    citations: Vec<ModelCitation>,
    thoughts: String,
    /// The length of all texts and calls.
    bytes: usize,
    /// The length of the text alone, and what it was before the current item.
    text_bytes: usize,
    item_start: usize,
    /// Whether pieces of the current item arrived.
    is_streamed: bool,
    complete_items: usize,
    calls: usize,
    end: Option<Box<Response>>,
}

impl ResponseAssembly {
    pub(in crate::chat) fn new(tools: Vec<ToolDefinition>) -> Self {
        Self { tools, ..Self::default() }
    }

    pub(in crate::chat) fn from_response(response: Response, tools: Vec<ToolDefinition>) -> Self {
        Self { end: Some(Box::new(response)), ..Self::new(tools) }
    }

    pub(in crate::chat) fn into_response(self) -> Result<ChatResponse, String> {
        let (_, response) = self.complete()?;
        Ok(response)
    }

    /// Returns the updates that no event told, and the response.
    fn complete(mut self) -> Result<(Vec<ChatUpdate>, ChatResponse), String> {
        let end = self.end.take().unwrap_or_default();
        if end.output.is_none() && self.complete_items == 0 {
            return Err("it has no output".to_owned());
        }
        let mut updates = Vec::new();
        for item in end.output.into_iter().flatten().skip(self.complete_items) {
            updates.extend(self.take_item(item));
            self.check_size()?;
        }
        let mut message = self.message.build();
        if !self.citations.is_empty() {
            let text = message.text();
            // Pieces may differ from the complete text.
            self.citations.retain(|citation| text.get(citation.range.clone()).is_some());
            message.citations = self.citations;
        }
        let reason = match end.status.as_deref() {
            None | Some("completed") => None,
            Some("failed") => return Err("it failed without an error".to_owned()),
            Some("incomplete") => {
                let reason = end.incomplete_details.and_then(|details| details.reason);
                reason.or_else(|| Some("incomplete".to_owned()))
            }
            Some(status) => Some(status.to_owned()),
        };
        let reason = finish_reason(reason, &message);
        let mut response = ChatResponse::new(message).with_finish_reason(reason);
        response.usage = end.usage.map(Usage::from);
        response.model = end.model;
        response.id = end.id;
        response.metadata = metadata(&end.more);
        let thoughts = Some(self.thoughts).filter(|thoughts| !thoughts.is_empty());
        insert(&mut response.metadata, "reasoning_content", thoughts.map(Value::from));
        Ok((updates, response))
    }

    fn take(&mut self, event: Event) -> Vec<ChatUpdate> {
        let piece = match event {
            Event::Text { delta } => ChatUpdate::Text(delta),
            Event::Refusal { delta } => ChatUpdate::Refusal(delta),
            Event::Item { item } => {
                self.complete_items += 1;
                return self.take_item(item);
            }
            Event::End { response } => {
                self.end = Some(response);
                return Vec::new();
            }
            Event::Error | Event::Other => return Vec::new(),
        };
        self.is_streamed = true;
        self.add_piece(piece)
    }

    fn check_size(&self) -> Result<(), String> {
        check_length(self.bytes)?;
        check_count(self.calls)
    }

    fn take_item(&mut self, item: Item) -> Vec<ChatUpdate> {
        match item {
            Item::Message { content } => self.take_message(content.unwrap_or_default()),
            Item::FunctionCall { call_id, name, arguments } => {
                let function = Some(WireFunction { name, arguments });
                let call = WireCall { index: None, id: call_id, function };
                self.calls += 1;
                self.bytes = self.bytes.saturating_add(call.bytes());
                let call = PartialCall::new(call).finish(&self.tools);
                self.add(ChatUpdate::ToolCall(call))
            }
            Item::Reasoning { summary, content } => {
                let parts = [summary, content].into_iter().flatten().flatten();
                for text in parts.filter_map(|part| part.text) {
                    self.bytes = self.bytes.saturating_add(text.len());
                    self.thoughts.push_str(&text);
                }
                Vec::new()
            }
            Item::Other => Vec::new(),
        }
    }

    fn take_message(&mut self, parts: Vec<Part>) -> Vec<ChatUpdate> {
        let mut updates = Vec::new();
        if !self.is_streamed {
            for part in &parts {
                let text = part.text.clone().map(ChatUpdate::Text);
                let refusal = part.refusal.clone().map(ChatUpdate::Refusal);
                for update in [text, refusal].into_iter().flatten() {
                    updates.extend(self.add_piece(update));
                }
            }
        }
        let length: usize =
            parts.iter().filter_map(|part| part.text.as_ref()).map(String::len).sum();
        // Otherwise the positions are those of another text.
        if self.item_start + length == self.text_bytes {
            let mut start = self.item_start;
            for Part { text, annotations, .. } in parts {
                let text = text.unwrap_or_default();
                self.citations.extend(citations(&text, start, &annotations.unwrap_or_default()));
                start += text.len();
            }
        }
        self.item_start = self.text_bytes;
        self.is_streamed = false;
        updates
    }

    fn add_piece(&mut self, update: ChatUpdate) -> Vec<ChatUpdate> {
        let (ChatUpdate::Text(text) | ChatUpdate::Refusal(text)) = &update else {
            return Vec::new();
        };
        if text.is_empty() {
            return Vec::new();
        }
        self.bytes = self.bytes.saturating_add(text.len());
        if matches!(update, ChatUpdate::Text(_)) {
            self.text_bytes += text.len();
        }
        self.add(update)
    }

    fn add(&mut self, update: ChatUpdate) -> Vec<ChatUpdate> {
        self.message.push(&update);
        vec![update]
    }
}

impl Assembly for ResponseAssembly {
    const CONNECTOR: &'static str = CONNECTOR;

    type Event = Event;

    fn read(event: &[u8], request: &HttpRequest) -> Result<Event> {
        Event::read_event(event, request)
    }

    fn push(&mut self, event: Event) -> Result<Vec<ChatUpdate>, String> {
        let updates = self.take(event);
        self.check_size().map(|()| updates)
    }

    fn is_complete(&self) -> bool {
        self.end.is_some()
    }

    fn is_over(&self) -> bool {
        self.end.is_some()
    }

    fn finish(self) -> Result<Vec<ChatUpdate>, String> {
        let (mut updates, response) = self.complete()?;
        updates.push(ChatUpdate::Finished(Box::new(response)));
        Ok(updates)
    }
}
