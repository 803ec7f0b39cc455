//! Parses a rendered chat prompt into messages.

use std::borrow::Cow;

use textsearch_core::chat::{ChatHistory, ChatMessage, ChatRole, MessagePart};

use super::{
    decode::decode,
    insertion::finish_chat,
    tag::{Tag, TagName, next_tag},
};
use crate::{KernelError, Result};

/// Parses the messages of a rendered chat prompt. Errors use `name` for the prompt.
///
/// # The form
///
/// - `<message role="system">…</message>`, in single or double quotes, also `MESSAGE`. The roles
///   are those of [`ChatRole`], and `name` is the speaker's name. Other attributes are ignored.
/// - In a message, `<text>…</text>` and `<image>URL</image>` are separate parts, besides the text
///   around them. An image may also be Base64 data, `<image mimetype="image/png">…</image>`.
/// - `<audio>` and `<binary>` in a message are errors: they would be sent as text.
/// - Everything else is text, including `a < b`, `<b>` and `<messages>`. Write `&lt;message>` for a
///   literal tag.
/// - Non-blank text outside messages becomes a user message at its position.
/// - In a CDATA section, `<![CDATA[…]]>`, everything is text and nothing is decoded.
/// - White space around each text is trimmed, then entities are decoded exactly once: `&amp;`,
///   `&lt;`, `&gt;`, `&quot;`, `&apos;`, and numbers such as `&#10;` and `&#xA;`. Anything else
///   stays unchanged.
///
/// # Errors
///
/// Returns an error, with line and column in the rendered text, if a message or part is not closed
/// or never opened, a message is inside another, or a role is missing or unknown.
///
/// ```
/// use textsearch_kernel::prompt::parse_chat;
///
/// let chat = parse_chat("prompt", "<message role='system'>Be brief.</message>\nIs 1 &lt; 2?")?;
/// assert_eq!(chat.messages()[0].text(), "Be brief.");
/// assert_eq!(chat.messages()[1].text(), "Is 1 < 2?");
/// # Ok::<(), textsearch_kernel::KernelError>(())
/// ```
pub fn parse_chat(name: &str, text: &str) -> Result<ChatHistory> {
    let text = &without_cdata(text);
    let mut parser = Parser { name, text, position: 0 };
    let mut chat = ChatHistory::new();
    while let Some(tag) = next_tag(text, parser.position) {
        // Part tags count only inside a message.
        if tag.name != TagName::Message {
            let end = parser.next_message(tag.end);
            chat.extend(parser.loose_message(end));
            parser.position = end;
            continue;
        }
        chat.extend(parser.loose_message(tag.start));
        chat.push(parser.message(&tag)?);
    }
    chat.extend(parser.loose_message(text.len()));
    Ok(chat)
}

struct Parser<'a> {
    name: &'a str,
    text: &'a str,
    position: usize,
}

impl<'a> Parser<'a> {
    fn loose_message(&self, end: usize) -> Option<ChatMessage> {
        text_part(self.between(self.position, end))
            .map(|part| ChatMessage::new(ChatRole::User, vec![part]))
    }

    fn next_message(&self, from: usize) -> usize {
        let mut position = from;
        while let Some(tag) = next_tag(self.text, position) {
            if tag.name == TagName::Message {
                return tag.start;
            }
            position = tag.end;
        }
        self.text.len()
    }

    fn message(&mut self, tag: &Tag<'a>) -> Result<ChatMessage> {
        if tag.is_closing {
            return Err(self.error(tag.start, "`</message>` closes no message"));
        }
        let mut message = ChatMessage::new(self.role(tag)?, Vec::new());
        message.author = tag.attribute("name").map(|author| author.into_owned());
        self.position = tag.end;
        if !tag.is_empty {
            message.parts = self.parts(tag)?;
        }
        Ok(message)
    }

    fn role(&self, tag: &Tag<'a>) -> Result<ChatRole> {
        let role = tag.attribute("role");
        if let Some(role) = role.as_deref().and_then(|role| ChatRole::from_name(role.trim())) {
            return Ok(role);
        }
        let problem = match role {
            Some(role) => format!("`{}` is not a role", role.chars().take(40).collect::<String>()),
            None => "a message has no role".to_owned(),
        };
        let names: Vec<&str> = ChatRole::ALL.into_iter().map(ChatRole::name).collect();
        Err(self.error(tag.start, format!("{problem}: roles are {}", names.join(", "))))
    }

    fn parts(&mut self, opening: &Tag<'a>) -> Result<Vec<MessagePart>> {
        let mut parts = Vec::new();
        loop {
            let tag = self.next_inside(opening)?;
            parts.extend(text_part(self.between(self.position, tag.start)));
            self.position = tag.end;
            if tag.name == TagName::Message {
                return Ok(parts);
            }
            parts.extend(self.part(&tag)?);
        }
    }

    fn next_inside(&self, opening: &Tag<'a>) -> Result<Tag<'a>> {
        match next_tag(self.text, self.position) {
            Some(tag) if (tag.name == TagName::Message) == tag.is_closing => Ok(tag),
            Some(tag) if tag.is_closing => {
                let message = format!("`</{}>` closes nothing", tag.name.as_str());
                Err(self.error(tag.start, message))
            }
            Some(_) => {
                Err(self.error(opening.start, "this message is not closed before the next one"))
            }
            None => {
                Err(self
                    .error(opening.start, "this message is not closed: `</message>` is missing"))
            }
        }
    }

    fn part(&mut self, opening: &Tag<'a>) -> Result<Option<MessagePart>> {
        if matches!(opening.name, TagName::Audio | TagName::Binary) {
            let name = opening.name.as_str();
            let message = format!(
                "`<{name}>` cannot be sent: a message holds texts and images; write `&lt;{name}>` where it isn't a tag"
            );
            return Err(self.error(opening.start, message));
        }
        if opening.is_empty {
            self.position = opening.end;
            return Ok(None);
        }
        let closing = next_tag(self.text, opening.end);
        let Some(closing) = closing.filter(|tag| tag.is_closing && tag.name == opening.name) else {
            let name = opening.name.as_str();
            let message =
                format!("`<{name}>` is not closed: write `&lt;{name}>` where it isn't a tag");
            return Err(self.error(opening.start, message));
        };
        let inside = self.between(opening.end, closing.start);
        self.position = closing.end;
        Ok(match opening.name {
            TagName::Image => Some(MessagePart::Image { url: image_url(opening, inside) }),
            _ => text_part(inside),
        })
    }

    fn between(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn error(&self, position: usize, message: impl Into<String>) -> KernelError {
        let before = self.between(0, position);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = self.between(line_start, position).chars().count() + 1;
        let line = before.matches('\n').count() + 1;
        let message = format!("in the rendered prompt, {}", message.into());
        KernelError::template(self.name, (line, column), message)
    }
}

fn without_cdata(text: &str) -> Cow<'_, str> {
    if text.contains("<![CDATA[") {
        Cow::Owned(finish_chat(text.to_owned()))
    } else {
        Cow::Borrowed(text)
    }
}

/// Trimmed and decoded once; `None` if blank.
fn text_part(text: &str) -> Option<MessagePart> {
    let text = text.trim();
    (!text.is_empty()).then(|| MessagePart::Text { text: decode(text).into_owned() })
}

/// Base64 data with a `mimetype` becomes a `data:` URL.
fn image_url(opening: &Tag<'_>, inside: &str) -> String {
    let inside = decode(inside.trim());
    match opening.attribute("mimetype") {
        Some(mime_type) if !inside.contains(':') => {
            let data: String = inside.split_ascii_whitespace().collect();
            format!("data:{};base64,{data}", mime_type.trim())
        }
        _ => inside.into_owned(),
    }
}
