//! Mail: messages and mailboxes.

use std::{
    collections::HashSet,
    io::{BufReader, Read},
};

use mail_parser::{
    Addr, Address, Encoding, Message, MessageParser, MessagePart, MimeHeaders as _, PartType,
    mailbox::mbox::MessageIterator,
};
use textsearch_html::one_line;

use super::{ReadError, ReadLimits, format::FileFormat};
use crate::{Document, DocumentFormat, html};

/// Messages inside one another. The parser builds a tree of them, which is dropped by recursion.
const MAX_NESTED: usize = 100;

const QUOTED: &str = "Quoted";

/// A file of a message.
pub(super) struct Attachment<'a> {
    pub(super) name: String,
    /// Unknown until its content is seen.
    pub(super) format: Option<FileFormat>,
    pub(super) content: &'a [u8],
}

pub(super) fn parse(bytes: &[u8]) -> Result<Message<'_>, ReadError> {
    check_nesting(bytes)?;
    let message = MessageParser::default().parse(bytes);
    message.ok_or_else(|| ReadError::damaged("it has no headers"))
}

/// Reads the subject as name, the main headers, and the text. Text is preferred to HTML.
pub(super) fn read(
    message: &Message<'_>,
    limits: &ReadLimits,
    document: &mut Document,
) -> Result<(), ReadError> {
    document.format = DocumentFormat::PlainText;
    let subject = message.subject().map(one_line).filter(|subject| !subject.is_empty());
    document.name = document.name.take().or(subject);
    let author = message.from().and_then(Address::first);
    let author = author.and_then(|author| author.name().or(author.address()));
    document.facts.take("author", author.unwrap_or_default());
    let date = message.date().map(|date| date.to_rfc3339()).unwrap_or_default();
    document.facts.take("date", &date);
    let headers = [("From", message.from()), ("To", message.to()), ("Cc", message.cc())];
    for (name, addresses) in headers {
        push_header(document, name, &addresses.map(list).unwrap_or_default());
    }
    push_header(document, "Date", &date);
    document.text.push('\n');
    let mut bodies = Vec::new();
    for part in message.text_bodies() {
        bodies.extend(body(part, &document.id)?);
    }
    let text = bodies.join("\n\n").replace("\r\n", "\n");
    limits.check_text(document.text.len() + text.len())?;
    let (reply, quote) = split_quote(&text);
    document.text.push_str(reply);
    if !quote.is_empty() {
        document.push_heading(1, QUOTED);
        document.text.push('\n');
        document.text.push_str(quote);
    }
    Ok(())
}

/// Returns the attachments that may hold text, with names of their own.
pub(super) fn attachments<'a>(message: &'a Message<'_>) -> Vec<Attachment<'a>> {
    let mut names = HashSet::new();
    let attachments = message.attachments().filter(|part| may_hold_text(part));
    let attachments = attachments.enumerate().filter_map(|(index, part)| {
        let (content, format, unnamed): (&[u8], _, _) = match &part.body {
            PartType::Text(text) => (text.as_bytes(), None, "text.txt"),
            PartType::Html(html) => (html.as_bytes(), None, "page.html"),
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => (bytes, None, "file"),
            PartType::Message(inner) => {
                (raw(message, part, inner), Some(FileFormat::Mail), "message.eml")
            }
            PartType::Multipart(_) => return None,
        };
        let name = part.attachment_name().map(one_line).filter(|name| !name.is_empty());
        let mut name = name.unwrap_or_else(|| unnamed.to_owned());
        if !names.insert(name.clone()) {
            name = format!("{}-{name}", index + 1);
        }
        Some(Attachment { name, format, content })
    });
    attachments.collect()
}

/// Images in a page often have no name to know them by.
fn may_hold_text(part: &MessagePart<'_>) -> bool {
    let Some(media_type) = part.content_type() else { return true };
    let is_signature = media_type.subtype().is_some_and(|subtype| subtype.ends_with("-signature"));
    !is_signature && !matches!(media_type.ctype(), "image" | "audio" | "video" | "font")
}

/// Divides a mailbox at its `From ` lines.
pub(super) fn messages(content: impl Read) -> impl Iterator<Item = Result<Vec<u8>, ReadError>> {
    let messages = MessageIterator::new(BufReader::new(content));
    messages
        .map(|message| message.map(|message| message.unwrap_contents()).map_err(ReadError::damaged))
}

/// Two levels need a type each, and one of these words.
fn check_nesting(bytes: &[u8]) -> Result<(), ReadError> {
    let count = |word: &str| {
        let words = bytes.windows(word.len());
        words.filter(|bytes| bytes.eq_ignore_ascii_case(word.as_bytes())).count()
    };
    if count("content-type") > MAX_NESTED
        && ["rfc822", "global", "digest"].into_iter().map(count).sum::<usize>() > MAX_NESTED
    {
        return Err(ReadError::above(MAX_NESTED, "messages inside one another"));
    }
    Ok(())
}

fn push_header(document: &mut Document, name: &str, value: &str) {
    if !value.is_empty() {
        document.text.extend([name, ": ", value, "\n"]);
    }
}

fn list(addresses: &Address<'_>) -> String {
    let addresses = addresses.iter().map(|Addr { name, address }| match (name, address) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (name, address) => {
            name.as_ref().or(address.as_ref()).map(ToString::to_string).unwrap_or_default()
        }
    });
    one_line(&addresses.collect::<Vec<_>>().join(", "))
}

/// Returns the text of a part; `None` for an image.
fn body(part: &MessagePart<'_>, id: &str) -> Result<Option<String>, ReadError> {
    Ok(match &part.body {
        PartType::Text(text) => Some(text.trim().to_owned()),
        PartType::Html(page) => {
            let page = html::extract(id, page).map_err(ReadError::damaged)?;
            Some(page.text.trim().to_owned())
        }
        _ => None,
    })
}

/// Returns the bytes of a message in `message`. The parser has decoded an encoded one.
fn raw<'a>(message: &'a Message<'_>, part: &MessagePart<'_>, inner: &'a Message<'_>) -> &'a [u8] {
    if part.encoding != Encoding::None {
        return &inner.raw_message;
    }
    let range = part.offset_body as usize..part.offset_end as usize;
    message.raw_message.get(range).unwrap_or_default()
}

/// Divides a text before the quoted lines at its end, and the line that introduces them. Quotes between
/// replies stay where they are.
fn split_quote(text: &str) -> (&str, &str) {
    let mut start = text.len();
    let mut quote = None;
    for line in text.split_inclusive('\n').rev() {
        let before = start - line.len();
        let is_introduction = quote.is_some() && line.trim_end().ends_with(':');
        if line.starts_with('>') || is_introduction {
            quote = Some(before);
        }
        if is_introduction || !(line.starts_with('>') || line.trim().is_empty()) {
            break;
        }
        start = before;
    }
    text.split_at(quote.unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quote_at_the_end_is_divided_with_its_introduction() {
        for (text, reply, quote) in [
            (
                "Yes.\n\nOn Monday, Ada wrote:\n> Tea?\n>\n",
                "Yes.\n\n",
                "On Monday, Ada wrote:\n> Tea?\n>\n",
            ),
            ("Yes.\n> Tea?", "Yes.\n", "> Tea?"),
            ("> Tea?\nYes.\n", "> Tea?\nYes.\n", ""),
            ("", "", ""),
        ] {
            assert_eq!(split_quote(text), (reply, quote), "{text:?}");
        }
    }
}
