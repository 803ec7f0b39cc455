//! Assembles an answer from its blocks, whole or in pieces. Missing fields are tolerated, unknown ones
//! ignored.

use std::ops::Range;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use textsearch_core::chat::{
    ChatMessage, ChatResponse, ChatUpdate, FinishReason, MessageBuilder, MessagePart,
    ModelCitation, ToolCall, Usage,
    http::{bounded_list, check_length},
};

use crate::{CONNECTOR, search_results::own_title};

/// More than any model would make on purpose: blocks, and citations.
const MAX_BLOCKS: usize = 1_000;

/// A whole answer.
#[derive(Deserialize)]
pub(crate) struct Message {
    #[serde(deserialize_with = "bounded_list")]
    content: Option<Vec<Block>>,
    #[serde(flatten)]
    beginning: Beginning,
    #[serde(flatten)]
    end: End,
}

/// How a stream begins: its content follows.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Beginning {
    id: Option<String>,
    model: Option<String>,
    usage: Option<WireUsage>,
}

/// The end of an answer, with its cost.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct End {
    stop_reason: Option<String>,
    stop_details: Option<StopDetails>,
    usage: Option<WireUsage>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StopDetails {
    explanation: Option<String>,
}

/// A block of content, or a piece of one. The kind says which fields it has.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(deserialize_with = "text_or_null")]
    text: String,
    #[serde(deserialize_with = "text_or_null")]
    thinking: String,
    #[serde(deserialize_with = "text_or_null")]
    signature: String,
    #[serde(deserialize_with = "text_or_null")]
    data: String,
    #[serde(deserialize_with = "bounded_list")]
    citations: Option<Vec<WireCitation>>,
    citation: Option<Box<WireCitation>>,
    id: String,
    name: String,
    input: Value,
    partial_json: String,
}

/// Of a search result. Only results are sent as citable.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireCitation {
    source: Option<String>,
    title: Option<String>,
    cited_text: Option<String>,
}

#[derive(Default, Clone, Copy, Deserialize)]
#[serde(default)]
struct WireUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens_details: Option<TokenDetails>,
}

#[derive(Default, Clone, Copy, Deserialize)]
#[serde(default)]
struct TokenDetails {
    thinking_tokens: Option<u64>,
}

/// Returns the answer, or a description of its fault.
pub(crate) fn whole(message: Message) -> Result<ChatResponse, String> {
    let mut assembly = AnswerAssembly::default();
    assembly.begin(message.beginning);
    for (index, block) in message.content.into_iter().flatten().enumerate() {
        assembly.start(index, block)?;
        assembly.stop(index);
    }
    assembly.extend(message.end);
    Ok(assembly.response())
}

#[derive(Default)]
pub(crate) struct AnswerAssembly {
    message: MessageBuilder,
    /// Updates to send next.
    pub(crate) updates: Vec<ChatUpdate>,
    open: Vec<OpenBlock>,
    citations: Vec<(Range<usize>, WireCitation)>,
    blocks: usize,
    text_bytes: usize,
    bytes: usize,
    thoughts: String,
    end: End,
    id: Option<String>,
    model: Option<String>,
    /// Whether the stream said so.
    pub(crate) is_over: bool,
}

struct OpenBlock {
    index: usize,
    text_start: usize,
    citations: Vec<WireCitation>,
    call: Option<ToolCall>,
    /// The pieces so far of reasoning and arguments, which are sent when complete.
    content: Block,
}

impl AnswerAssembly {
    pub(crate) fn begin(&mut self, beginning: Beginning) {
        self.id = beginning.id;
        self.model = beginning.model;
        self.extend(End { usage: beginning.usage, ..End::default() });
    }

    /// Usage adds up in later events, which may leave fields out.
    pub(crate) fn extend(&mut self, end: End) {
        self.end.stop_reason = end.stop_reason.or(self.end.stop_reason.take());
        self.end.stop_details = end.stop_details.or(self.end.stop_details.take());
        if let Some(usage) = end.usage {
            self.end.usage.get_or_insert_default().extend(usage);
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.end.stop_reason.is_some() && self.open.is_empty()
    }

    pub(crate) fn start(&mut self, index: usize, mut block: Block) -> Result<(), String> {
        self.blocks += 1;
        let call = (block.kind == "tool_use").then(|| {
            let arguments =
                if block.input.is_null() { "{}".to_owned() } else { block.input.to_string() };
            ToolCall::new(std::mem::take(&mut block.id), std::mem::take(&mut block.name), arguments)
        });
        self.bytes += call.as_ref().map_or(0, |call| call.arguments.len() + call.name.len());
        let data = std::mem::take(&mut block.data);
        self.bytes += data.len();
        let content = Block { kind: block.kind.clone(), data, ..Block::default() };
        let text_start = self.text_bytes;
        self.open.push(OpenBlock { index, text_start, citations: Vec::new(), call, content });
        self.extend_block(index, block)
    }

    /// Adds a piece to a block. Ignores pieces of other kinds, such as those of the provider's own
    /// tools.
    pub(crate) fn extend_block(&mut self, index: usize, piece: Block) -> Result<(), String> {
        let citations = piece.citations.into_iter().flatten().chain(piece.citation.map(|it| *it));
        let Some(block) = self.open.iter_mut().rfind(|block| block.index == index) else {
            return Err("a piece belongs to no block".to_owned());
        };
        for citation in citations {
            self.blocks += 1;
            self.bytes += citation.bytes();
            block.citations.push(citation);
        }
        self.bytes += piece.text.len() + piece.thinking.len() + piece.partial_json.len();
        self.bytes += piece.signature.len();
        block.content.partial_json.push_str(&piece.partial_json);
        block.content.thinking.push_str(&piece.thinking);
        block.content.signature.push_str(&piece.signature);
        self.thoughts.push_str(&piece.thinking);
        if matches!(piece.kind.as_str(), "text" | "text_delta") && !piece.text.is_empty() {
            self.text_bytes += piece.text.len();
            self.send(ChatUpdate::Text(piece.text));
        }
        if self.blocks > MAX_BLOCKS {
            return Err(format!("it has more than {MAX_BLOCKS} blocks and citations"));
        }
        check_length(self.bytes)
    }

    pub(crate) fn stop(&mut self, index: usize) {
        let position = self.open.iter().rposition(|block| block.index == index);
        if let Some(position) = position {
            let block = self.open.remove(position);
            self.close(block);
        }
    }

    fn close(&mut self, block: OpenBlock) {
        let range = block.text_start..self.text_bytes;
        let citations = block.citations.into_iter();
        self.citations.extend(citations.map(|citation| (range.clone(), citation)));
        if let Some(mut call) = block.call {
            if !block.content.partial_json.is_empty() {
                call.arguments = block.content.partial_json;
            }
            self.send(ChatUpdate::ToolCall(call));
        } else if let Some(content) = block.content.reasoning() {
            let provider = CONNECTOR.to_owned();
            self.message.push_part(MessagePart::Reasoning { provider, content });
        }
    }

    fn send(&mut self, update: ChatUpdate) {
        self.message.push(&update);
        self.updates.push(update);
    }

    pub(crate) fn response(&mut self) -> ChatResponse {
        let End { stop_reason, stop_details, usage } = std::mem::take(&mut self.end);
        let explanation = stop_details.and_then(|details| details.explanation);
        if let Some(text) = explanation.filter(|text| !text.is_empty()) {
            self.send(ChatUpdate::Refusal(text));
        }
        let mut message = std::mem::take(&mut self.message).build();
        let citations = std::mem::take(&mut self.citations).into_iter();
        message.citations = citations.filter_map(|(range, wire)| wire.citation(range)).collect();
        let reason = finish_reason(stop_reason, &message);
        let mut response = ChatResponse::new(message).with_finish_reason(reason);
        response.usage = usage.map(Usage::from);
        response.model = self.model.take();
        response.id = self.id.take();
        if !self.thoughts.is_empty() {
            let thoughts = std::mem::take(&mut self.thoughts);
            response.metadata.insert("reasoning_content".to_owned(), thoughts.into());
        }
        response
    }
}

impl Block {
    /// Returns the block of reasoning to send back after a tool call.
    fn reasoning(self) -> Option<Value> {
        let Self { kind, thinking, signature, data, .. } = self;
        match kind.as_str() {
            "thinking" if !signature.is_empty() => {
                Some(json!({ "type": kind, "thinking": thinking, "signature": signature }))
            }
            "redacted_thinking" => Some(json!({ "type": kind, "data": data })),
            _ => None,
        }
    }
}

/// Proxies send null for missing texts.
fn text_or_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl WireCitation {
    fn bytes(&self) -> usize {
        let texts = [&self.source, &self.title, &self.cited_text];
        texts.into_iter().flatten().map(String::len).sum()
    }

    fn citation(self, range: Range<usize>) -> Option<ModelCitation> {
        let source = self.source.filter(|source| !source.is_empty())?;
        let mut citation = ModelCitation::new(range, source);
        citation.title = self.title.as_deref().and_then(own_title).map(str::to_owned);
        citation.quote = self.cited_text;
        Some(citation)
    }
}

impl WireUsage {
    fn extend(&mut self, later: Self) {
        self.input_tokens = later.input_tokens.or(self.input_tokens);
        self.output_tokens = later.output_tokens.or(self.output_tokens);
        self.cache_creation_input_tokens =
            later.cache_creation_input_tokens.or(self.cache_creation_input_tokens);
        self.cache_read_input_tokens =
            later.cache_read_input_tokens.or(self.cache_read_input_tokens);
        self.output_tokens_details = later.output_tokens_details.or(self.output_tokens_details);
    }
}

impl From<WireUsage> for Usage {
    /// The provider counts cached tokens apart.
    fn from(wire: WireUsage) -> Self {
        let cached = wire.cache_read_input_tokens.unwrap_or_default();
        let written = wire.cache_creation_input_tokens.unwrap_or_default();
        let input = wire.input_tokens.unwrap_or_default();
        let input = input.saturating_add(cached).saturating_add(written);
        let mut usage = Self::new(input, wire.output_tokens.unwrap_or_default());
        usage.cached_tokens = cached;
        let details = wire.output_tokens_details.unwrap_or_default();
        usage.reasoning_tokens = details.thinking_tokens.unwrap_or_default();
        usage
    }
}

fn finish_reason(reason: Option<String>, message: &ChatMessage) -> FinishReason {
    match reason.as_deref() {
        Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Length,
        Some("refusal") => FinishReason::Refusal,
        // Of proxies before other services.
        Some("content_filter") => FinishReason::ContentFilter,
        None | Some("end_turn" | "stop_sequence" | "tool_use") => {
            ChatResponse::new(message.clone()).finish_reason
        }
        Some(other) => FinishReason::Other(other.to_owned()),
    }
}
