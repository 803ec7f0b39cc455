//! Chat prompt tags.

use std::borrow::Cow;

use super::decode::decode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagName {
    Message,
    Text,
    Image,
    Audio,
    Binary,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: TagName,
    pub(super) is_closing: bool,
    /// Self-closing: `<message role="user"/>`.
    pub(super) is_empty: bool,
    pub(super) start: usize,
    pub(super) end: usize,
    attributes: &'a str,
}

impl TagName {
    const ALL: [Self; 5] = [Self::Message, Self::Text, Self::Image, Self::Audio, Self::Binary];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Text => "text",
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Binary => "binary",
        }
    }

    /// Semantic Kernel accepts `message` in any case. The other names are case-sensitive, so that a
    /// `<TEXT>` that a template puts around a document stays text.
    pub(super) fn split_off(text: &str) -> Option<(Self, &str)> {
        Self::ALL.into_iter().find_map(|tag| {
            let (name, after) = text.split_at_checked(tag.as_str().len())?;
            let is_name = match tag {
                Self::Message => name.eq_ignore_ascii_case(tag.as_str()),
                _ => name == tag.as_str(),
            };
            is_name.then_some((tag, after))
        })
    }

    /// `<text size=…` is text, so that SVG in a message stays intact.
    pub(super) const fn takes_attributes(self) -> bool {
        !matches!(self, Self::Text)
    }
}

impl<'a> Tag<'a> {
    /// Whatever its value before rendering.
    fn names_role(&self) -> bool {
        let mut quote = None;
        let unquoted = self.attributes.chars().map(|character| {
            match quote {
                Some(open) if open == character => quote = None,
                Some(_) => return 'x',
                None if matches!(character, '"' | '\'') => quote = Some(character),
                None => {}
            }
            character
        });
        let unquoted: String = unquoted.collect();
        let mut names = unquoted.split('=').map(str::trim_end);
        // The text after the last equals sign is a value.
        names.next_back();
        names.any(|name| {
            // A template expression may precede it: `{{#if x}}role='system'{{/if}}`.
            name.strip_suffix("role").is_some_and(|before| !before.ends_with(is_name_character))
        })
    }

    pub(super) fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        let mut rest = self.attributes;
        while let Some((key, after)) = rest.split_once('=') {
            let after = after.trim_start();
            let quote = after.chars().next().filter(|first| matches!(first, '"' | '\''))?;
            let (value, after) = after.get(1..)?.split_once(quote)?;
            if key.split_whitespace().next_back() == Some(name) {
                return Some(decode(value));
            }
            rest = after;
        }
        None
    }
}

/// Returns whether a template's own text opens a message with a role, which makes it a chat prompt.
///
/// Only the source decides, since rendered text may come from anywhere.
///
/// ```
/// use textsearch_kernel::prompt::opens_message;
///
/// assert!(opens_message("<message name='Bob'  role='system'>Be brief.</message>"));
/// assert!(!opens_message("The tag <message> needs a role."));
/// ```
pub fn opens_message(source: &str) -> bool {
    let mut position = 0;
    while let Some(tag) = next_tag(source, position) {
        if tag.name == TagName::Message && !tag.is_closing && tag.names_role() {
            return true;
        }
        position = tag.end;
    }
    false
}

pub(super) fn next_tag(text: &str, from: usize) -> Option<Tag<'_>> {
    let mut position = from;
    loop {
        let start = position + text.get(position..)?.find('<')?;
        if let Some(tag) = tag_at(text, start) {
            return Some(tag);
        }
        position = start + 1;
    }
}

pub(super) fn tag_at(text: &str, start: usize) -> Option<Tag<'_>> {
    let inside = text.get(start + 1..)?;
    let (is_closing, inside) = match inside.strip_prefix('/') {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    let (name, after) = TagName::split_off(inside)?;
    let takes_attributes = name.takes_attributes() && !is_closing;
    let ends_name =
        |next: char| next == '>' || (takes_attributes && (next == '/' || next.is_whitespace()));
    if !after.starts_with(ends_name) {
        return None;
    }
    let length = attributes_length(after)?;
    let attributes = after.get(..length)?;
    let end = text.len() - after.len() + length + 1;
    let is_empty = attributes.ends_with('/');
    Some(Tag { name, is_closing, is_empty, start, end, attributes })
}

fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | ':')
}

/// Returns the number of bytes before the `>` that ends the tag, ignoring any `>` in quotes.
///
/// As in XML, an attribute cannot contain `<`: a text full of unclosed tags is scanned only once.
fn attributes_length(text: &str) -> Option<usize> {
    let mut quote = None;
    for (position, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (_, b'<') => return None,
            (None, b'>') => return Some(position),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}
