//! Assembles a response from the events of its stream, or from its items.

use std::{
    collections::HashMap,
    mem::{Discriminant, discriminant, take},
};

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
    /// The length of all texts, calls and citations.
    bytes: usize,
    /// The length of the text before the current item.
    item_start: usize,
    /// The pieces of the current item.
    item_text: String,
    item_refusal: String,
    /// Whether a complete item differs from its pieces.
    is_contradicted: bool,
    /// The number of complete items of each kind.
    complete_items: HashMap<Discriminant<Item>, usize>,
    calls: usize,
    annotations: usize,
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
        if end.output.is_none() && self.complete_items.is_empty() {
            return Err("it has no output".to_owned());
        }
        let mut updates = Vec::new();
        for item in end.output.into_iter().flatten() {
            // The end repeats the items of the stream, but not every server repeats every kind.
            match self.complete_items.get_mut(&discriminant(&item)) {
                Some(repeated) if *repeated > 0 => {
                    *repeated -= 1;
                    continue;
                }
                _ => {}
            }
            updates.extend(self.take_item(item));
            self.check_size()?;
        }
        let mut message = self.message.build();
        message.citations = self.citations;
        let incomplete = end.incomplete_details.and_then(|details| details.reason);
        let reason = match end.status.as_deref() {
            None | Some("completed") => incomplete,
            Some("failed") => return Err("it failed without an error".to_owned()),
            Some("incomplete") => incomplete.or_else(|| Some("incomplete".to_owned())),
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
        match event {
            Event::Text { delta } => self.add_piece(ChatUpdate::Text(delta)),
            Event::Refusal { delta } => self.add_piece(ChatUpdate::Refusal(delta)),
            Event::Item { item } => {
                *self.complete_items.entry(discriminant(&item)).or_default() += 1;
                self.take_item(item)
            }
            Event::Completed { response } => self.end(response, None),
            Event::Incomplete { response } => self.end(response, Some("incomplete")),
            Event::Failed { response } => self.end(response, Some("failed")),
            Event::Error | Event::Other => Vec::new(),
        }
    }

    fn check_size(&self) -> Result<(), String> {
        if self.is_contradicted {
            return Err("the text of an item differs from its pieces".to_owned());
        }
        check_length(self.bytes)?;
        check_count("calls", self.calls)?;
        check_count("citations", self.annotations)
    }

    fn take_item(&mut self, item: Item) -> Vec<ChatUpdate> {
        match item {
            Item::Message { content } => self.take_message(&content.unwrap_or_default()),
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

    fn take_message(&mut self, parts: &[Part]) -> Vec<ChatUpdate> {
        let texts = parts.iter().filter_map(|part| part.text.as_deref());
        let refusals = parts.iter().filter_map(|part| part.refusal.as_deref());
        let text: String = texts.collect();
        let text_rest = rest(&text, &self.item_text);
        let refusal_rest = rest(&refusals.collect::<String>(), &self.item_refusal);
        self.is_contradicted |= text_rest.is_none() || refusal_rest.is_none();
        let rests = [text_rest.map(ChatUpdate::Text), refusal_rest.map(ChatUpdate::Refusal)];
        let rests = rests.into_iter().flatten();
        let updates: Vec<ChatUpdate> = rests.flat_map(|piece| self.add_piece(piece)).collect();
        self.annotations += parts.iter().flat_map(Part::annotations).count();
        // Otherwise the positions are those of another text.
        if self.check_size().is_ok() && self.item_text.starts_with(&text) {
            self.take_citations(parts);
        }
        self.item_start += take(&mut self.item_text).len();
        self.item_refusal.clear();
        updates
    }

    fn take_citations(&mut self, parts: &[Part]) {
        let mut start = self.item_start;
        for part in parts {
            let text = part.text.as_deref().unwrap_or_default();
            for citation in citations(text, start, part.annotations()) {
                let title = citation.title.as_ref().map_or(0, String::len);
                self.bytes = self.bytes.saturating_add(citation.source.len() + title);
                self.citations.push(citation);
            }
            start += text.len();
        }
    }

    fn add_piece(&mut self, update: ChatUpdate) -> Vec<ChatUpdate> {
        let (piece, item) = match &update {
            ChatUpdate::Text(piece) => (piece, &mut self.item_text),
            ChatUpdate::Refusal(piece) => (piece, &mut self.item_refusal),
            _ => return Vec::new(),
        };
        if piece.is_empty() {
            return Vec::new();
        }
        item.push_str(piece);
        self.bytes = self.bytes.saturating_add(piece.len());
        self.add(update)
    }

    /// `status` is the event's, which the response may lack.
    fn end(&mut self, mut response: Box<Response>, status: Option<&str>) -> Vec<ChatUpdate> {
        response.status = status.map(str::to_owned).or(response.status);
        self.end = Some(response);
        Vec::new()
    }

    fn add(&mut self, update: ChatUpdate) -> Vec<ChatUpdate> {
        self.message.push(&update);
        vec![update]
    }
}

/// Returns what a complete text has beyond its pieces, or `None` if it differs from them. Some servers
/// trim the complete text, or cut pieces within a character.
fn rest(text: &str, pieces: &str) -> Option<String> {
    if pieces.contains(char::REPLACEMENT_CHARACTER) {
        return Some(String::new());
    }
    let trimmed = (text.trim_start(), pieces.trim_start());
    let rest = [(text, pieces), trimmed].into_iter().find_map(|(text, pieces)| {
        if pieces.starts_with(text) { Some("") } else { text.strip_prefix(pieces) }
    });
    rest.map(str::to_owned)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sources_of_citations_count_for_the_length_of_an_answer() {
        let outcome = |length: usize| {
            let cited = json!({ "type": "url_citation", "url": "u".repeat(length) });
            let part = json!({ "text": "Tides.", "annotations": vec![cited; 5] });
            let output = json!([{ "type": "message", "content": [part] }]);
            let response = serde_json::from_value(json!({ "output": output })).unwrap();
            ResponseAssembly::from_response(response, Vec::new()).into_response()
        };
        assert_eq!(outcome(800_000).unwrap().message.citations.len(), 5);
        assert!(outcome(900_000).unwrap_err().contains("longer than 4194304 bytes"));
    }
}
