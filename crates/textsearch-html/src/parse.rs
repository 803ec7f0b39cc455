//! Parses a page into the tree that browsers make of it.
//!
//! `html5gum` splits the page into tokens in linear time, `html5ever` builds the tree.

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    hash::{BuildHasher, RandomState},
    mem,
};

use html5ever::{
    Attribute, LocalName, QualName,
    interface::Tracer,
    local_name, ns,
    tendril::StrTendril,
    tokenizer::{
        Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult,
        states::RawKind::{Rawtext, Rcdata, ScriptData},
    },
    tree_builder::{TreeBuilder, TreeBuilderOpts},
};
use html5gum::{
    Emitter, ForwardingEmitter, Span, State, Tokenizer,
    emitters::callback::{Callback, CallbackEmitter, CallbackEvent},
};

use crate::{
    elements::{attribute, hidden_mark, is_formatting, is_hidden},
    limits::{Excess, Limits},
    tree::{Handle, Sink, Tree},
};

/// Steps that the tree builder may take, for each byte of a page and for any page. Real pages take
/// fewer than ten a byte.
const STEPS: (usize, usize) = (64, 1_000_000);

/// Steps that cost as much as comparing a tag with one unclosed formatting element.
const STEPS_PER_COMPARISON: usize = 16;

/// Up to this number of unclosed formatting elements, comparisons aren't counted.
const FEW_UNCLOSED: usize = 32;

/// Longest name, in bytes, that `html5ever` doesn't intern.
const MAX_SHORT_NAME: usize = 7;

pub(crate) fn parse(html: &str, limits: &Limits) -> Result<Tree, Excess> {
    let builder = TreeBuilder::new(Sink::new(limits), TreeBuilderOpts::default());
    let feeder = Feeder {
        builder: &builder,
        max_steps: html.len().saturating_mul(STEPS.0).saturating_add(STEPS.1),
        tag: None,
        names: HashMap::new(),
        hasher: RandomState::new(),
        max_unclosed: 0,
        next_trace: FEW_UNCLOSED,
        next_state: None,
    };
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let emitter = Forwarder(CallbackEmitter::new(feeder));
    let mut excesses = Tokenizer::new_with_emitter(html, emitter);
    if let Some(excess) = excesses.next() {
        let Ok(excess) = excess;
        return Err(excess);
    }
    drop(excesses);
    match builder.sink.excess() {
        Some(excess) => Err(excess),
        None => Ok(builder.sink.tree.into_inner()),
    }
}

struct OpenTag {
    name: LocalName,
    /// Attributes that matter, whether the tree needs them, and their values.
    attributes: Vec<(&'static str, bool, StrTendril)>,
    /// Whether the last attribute was kept.
    takes_value: bool,
    identity: Identity,
}

/// A number for all attributes of a tag, in any order. Browsers keep at most three open formatting
/// elements with the same attributes, so dropped ones must still tell them apart.
#[derive(Default)]
struct Identity {
    names: HashSet<u64>,
    last: Option<u64>,
    sum: u64,
}

impl Identity {
    fn name(&mut self, name: u64) {
        self.finish();
        self.last = self.names.insert(name).then_some(name);
    }

    fn value(&mut self, value: u64) {
        self.last = self.last.map(|name| name.rotate_left(1) ^ value);
    }

    fn finish(&mut self) {
        self.sum = self.sum.wrapping_add(self.last.take().unwrap_or_default());
    }
}

struct Feeder<'a> {
    builder: &'a TreeBuilder<Handle, Sink<'a>>,
    max_steps: usize,
    tag: Option<OpenTag>,
    /// Short names for elements that `html5ever` doesn't know. Its own table of long names has
    /// 4,096 buckets, and a page could put all names into one.
    names: HashMap<Box<[u8]>, LocalName>,
    hasher: RandomState,
    /// Upper bound of the number of unclosed formatting elements.
    max_unclosed: usize,
    /// Above this value, `max_unclosed` is counted exactly.
    next_trace: usize,
    next_state: Option<State>,
}

impl Callback<Excess, ()> for Feeder<'_> {
    fn handle_event(&mut self, event: CallbackEvent<'_>, _: Span<()>) -> Option<Excess> {
        match event {
            CallbackEvent::OpenStartTag { name } => self.open(name),
            CallbackEvent::AttributeName { name } => self.attribute_name(name),
            CallbackEvent::AttributeValue { value } => self.attribute_value(value),
            CallbackEvent::CloseStartTag { self_closing } => {
                let tag = self.tag.take()?.finish(self_closing);
                if is_formatting(&tag.name) {
                    self.count_comparisons();
                }
                self.feed(Token::TagToken(tag));
            }
            CallbackEvent::EndTag { name } => {
                let name = self.local_name(name);
                self.feed(Token::TagToken(tag(TagKind::EndTag, name)));
            }
            CallbackEvent::String { value } => {
                for (index, part) in value.split(|byte| *byte == 0).enumerate() {
                    if index > 0 {
                        self.feed(Token::NullCharacterToken);
                    }
                    self.feed(Token::CharacterTokens(text(part)));
                }
            }
            CallbackEvent::Comment { .. } => self.feed(Token::CommentToken(StrTendril::new())),
            CallbackEvent::Doctype { name, public_identifier, system_identifier, force_quirks } => {
                self.feed(Token::DoctypeToken(Doctype {
                    name: Some(name).filter(|name| !name.is_empty()).map(text),
                    public_id: public_identifier.map(text),
                    system_id: system_identifier.map(text),
                    force_quirks,
                }));
            }
            CallbackEvent::Error(_) => {}
        }
        self.excess()
    }
}

impl Feeder<'_> {
    fn feed(&mut self, token: Token) {
        self.next_state = match self.builder.process_token(token, 1) {
            TokenSinkResult::Plaintext => Some(State::PlainText),
            TokenSinkResult::RawData(Rcdata) => Some(State::RcData),
            TokenSinkResult::RawData(Rawtext) => Some(State::RawText),
            TokenSinkResult::RawData(ScriptData) => Some(State::ScriptData),
            _ => None,
        };
    }

    fn excess(&self) -> Option<Excess> {
        let is_exceeded = self.builder.sink.steps.get() > self.max_steps;
        self.builder.sink.excess().or(is_exceeded.then_some(Excess::Misnested))
    }

    fn open(&mut self, name: &[u8]) {
        self.tag = Some(OpenTag {
            name: self.local_name(name),
            attributes: Vec::new(),
            takes_value: false,
            identity: Identity::default(),
        });
    }

    fn attribute_name(&mut self, name: &[u8]) {
        // End tags have no attributes.
        let Some(tag) = &mut self.tag else { return };
        if is_formatting(&tag.name) {
            tag.identity.name(self.hasher.hash_one(name));
        }
        let known = std::str::from_utf8(name).ok().and_then(attribute);
        // Of several attributes with the same name, the first counts.
        let known = known.filter(|(name, _)| tag.attributes.iter().all(|(own, ..)| own != name));
        tag.takes_value = known.is_some();
        tag.attributes.extend(known.map(|(name, is_kept)| (name, is_kept, StrTendril::new())));
    }

    fn attribute_value(&mut self, value: &[u8]) {
        let Some(tag) = &mut self.tag else { return };
        if is_formatting(&tag.name) {
            tag.identity.value(self.hasher.hash_one(value));
        }
        if let Some((_, _, own)) = tag.attributes.last_mut().filter(|_| tag.takes_value) {
            *own = text(value);
        }
    }

    fn local_name(&mut self, name: &[u8]) -> LocalName {
        let long = String::from_utf8_lossy(name);
        if name.len() <= MAX_SHORT_NAME {
            return LocalName::from(long);
        }
        if let Some(known) = LocalName::try_static(&long) {
            return known;
        }
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let dash = if name.contains(&b'-') { "-" } else { "" };
        // No element of a page has such a name.
        let short = LocalName::from(format!("?{dash}{}", self.names.len()));
        self.names.insert(name.into(), short.clone());
        short
    }

    fn count_comparisons(&mut self) {
        self.max_unclosed += 1;
        if self.max_unclosed > self.next_trace {
            let sink = &self.builder.sink;
            // This makes the tree builder visit the innermost open element.
            self.builder.adjusted_current_node_present_but_not_in_html_namespace();
            let unclosed = Unclosed { innermost: sink.seen.get(), ..Unclosed::default() };
            self.builder.trace_handles(&unclosed);
            sink.count(unclosed.traced.get());
            self.max_unclosed = unclosed.count.get();
            self.next_trace = (self.max_unclosed * 2).max(FEW_UNCLOSED);
        }
        if self.max_unclosed > FEW_UNCLOSED {
            self.builder.sink.count(self.max_unclosed * STEPS_PER_COMPARISON);
        }
    }
}

impl OpenTag {
    fn finish(mut self, self_closing: bool) -> Tag {
        let attributes = self.attributes.iter();
        let hides = is_hidden(attributes.map(|(name, _, value)| (*name, &**value)));
        self.identity.finish();
        // Inline markup is dropped, except for links. The tree builder needs these attributes of
        // `font`.
        let is_markup = is_formatting(&self.name) && self.name != local_name!("a");
        let is_needed = |name: &str| !is_markup || matches!(name, "color" | "face" | "size");
        let attributes = mem::take(&mut self.attributes).into_iter();
        let mut attributes: Vec<Attribute> = attributes
            .filter(|(name, is_kept, _)| *is_kept && is_needed(name))
            .map(|(name, _, value)| named(name, value))
            .collect();
        attributes.extend(hides.then(hidden_mark));
        if is_markup && self.identity.sum != 0 {
            attributes.push(named("id", StrTendril::from(self.identity.sum.to_string())));
        }
        Tag { attrs: attributes, self_closing, ..tag(TagKind::StartTag, self.name) }
    }
}

fn named(name: &str, value: StrTendril) -> Attribute {
    Attribute { name: QualName::new(None, ns!(), LocalName::from(name)), value }
}

fn tag(kind: TagKind, name: LocalName) -> Tag {
    Tag { kind, name, self_closing: false, attrs: Vec::new(), had_duplicate_attributes: false }
}

fn text(bytes: &[u8]) -> StrTendril {
    StrTendril::from_slice(&String::from_utf8_lossy(bytes))
}

/// The tree builder lists unclosed formatting elements after its innermost open element.
#[derive(Default)]
struct Unclosed {
    innermost: usize,
    is_after: Cell<bool>,
    count: Cell<usize>,
    traced: Cell<usize>,
}

impl Tracer for Unclosed {
    type Handle = Handle;

    fn trace_handle(&self, node: &Handle) {
        self.traced.set(self.traced.get() + 1);
        self.count.set(self.count.get() + usize::from(self.is_after.get()));
        self.is_after.set(self.is_after.get() || node.id == self.innermost);
    }
}

/// Tells the tokenizer what only the tree builder knows.
struct Forwarder<'a>(CallbackEmitter<Feeder<'a>, Excess>);

impl ForwardingEmitter for Forwarder<'_> {
    type Token = Excess;

    fn inner(&mut self) -> &mut impl Emitter<Token = Excess> {
        &mut self.0
    }

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn emit_eof(&mut self) {
        self.0.emit_eof();
        self.0.callback_mut().feed(Token::EOFToken);
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        let _never = self.0.emit_current_tag();
        self.0.callback_mut().next_state.take()
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.0.callback_mut().builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}
