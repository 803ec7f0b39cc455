//! Mail: messages and mailboxes.

use std::{
    borrow::Cow,
    collections::HashSet,
    io::{BufReader, Read},
};

use mail_parser::{
    Addr, Address, ContentType, HeaderName, Message, MessageParser, MessagePart, MimeHeaders as _,
    PartType,
    decoders::{
        base64::base64_decode, charsets::map::charset_decoder,
        quoted_printable::quoted_printable_decode,
    },
    mailbox::mbox::MessageIterator,
    parsers::MessageStream,
};
use textsearch_html::one_line;

use super::{ReadError, ReadLimits, format::FileFormat};
use crate::{Document, DocumentFormat, html};

/// Types of parts that the parser would parse as messages.
const MESSAGES: [&str; 3] = ["rfc822", "global", "digest"];

/// Lines of a message that may be headers, each of which takes a hundred bytes.
const MAX_HEADERS: usize = 1_000_000;

/// Bytes of a header, whose list may take 24 times as many.
const MAX_HEADER_BYTES: usize = 1 << 20;

/// The parser reads to the end for each multipart whose boundary is missing.
const MAX_SCANNED_BYTES: usize = 8 << 30;

const QUOTED: &str = "Quoted";

/// A message, and where its parts are.
pub(super) struct Mail<'a> {
    bytes: &'a [u8],
    /// Holds only the structure.
    structure: Message<'a>,
}

/// A file of a message.
pub(super) struct Attachment<'a> {
    pub(super) name: String,
    /// Unknown until its content is seen.
    pub(super) format: Option<FileFormat>,
    pub(super) content: Cow<'a, [u8]>,
}

/// Returns a copy of a message in which no part is a message, for [`Mail::new`]: the parser nests
/// messages without limit, and drops them by recursion.
pub(super) fn without_messages(bytes: &[u8]) -> Result<Vec<u8>, ReadError> {
    check_cost(bytes)?;
    let mut masked = bytes.to_vec();
    for word in MESSAGES {
        for place in places(bytes, word) {
            if let Some(end) = masked.get_mut(place + word.len() - 1) {
                *end = b'x';
            }
        }
    }
    Ok(masked)
}

impl<'a> Mail<'a> {
    pub(super) fn new(bytes: &'a [u8], masked: &'a [u8]) -> Result<Self, ReadError> {
        let parser = MessageParser::new()
            .header_content_type(HeaderName::ContentType)
            .header_content_type(HeaderName::ContentDisposition)
            .default_header_ignore();
        let structure =
            parser.parse(masked).ok_or_else(|| ReadError::damaged("it has no headers"))?;
        Ok(Self { bytes, structure })
    }

    /// Reads the subject as name, the main headers, and the text. Text is preferred to HTML.
    pub(super) fn read(
        &self,
        limits: &ReadLimits,
        document: &mut Document,
    ) -> Result<(), ReadError> {
        document.format = DocumentFormat::PlainText;
        let root = self.structure.root_part();
        let subject = self.header(root, &HeaderName::Subject);
        let subject = subject.and_then(|mut value| value.parse_unstructured().into_text());
        let subject =
            subject.map(|subject| one_line(&subject)).filter(|subject| !subject.is_empty());
        document.name = document.name.take().or(subject);
        let from = self.addresses(&HeaderName::From);
        let author = from.as_ref().and_then(Address::first);
        let author = author.and_then(|author| author.name().or(author.address()));
        document.facts.take("author", author.unwrap_or_default());
        let date = self.header(root, &HeaderName::Date);
        let date = date.and_then(|mut value| value.parse_date().into_datetime());
        let date = date.map(|date| date.to_rfc3339()).unwrap_or_default();
        document.facts.take("date", &date);
        push_header(document, "From", &from.as_ref().map(list).unwrap_or_default());
        for name in [HeaderName::To, HeaderName::Cc] {
            let addresses = self.addresses(&name).as_ref().map(list);
            push_header(document, name.as_str(), &addresses.unwrap_or_default());
        }
        push_header(document, "Date", &date);
        document.text.push('\n');
        let mut bodies = Vec::new();
        for part in self.structure.text_bodies() {
            bodies.extend(self.body(part, &document.id)?);
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
    pub(super) fn attachments(&self) -> impl Iterator<Item = Attachment<'a>> {
        let mut names = HashSet::new();
        let attachments = self.structure.attachments().filter(|part| may_hold_text(part));
        attachments.enumerate().filter_map(move |(index, part)| {
            let kind = self.content_type(part, &HeaderName::ContentType);
            let is_message = kind.as_ref().is_some_and(|kind| {
                kind.ctype() == "message"
                    && kind.subtype().is_some_and(|name| MESSAGES.contains(&name))
            });
            let (content, format, unnamed) = match &part.body {
                PartType::Multipart(_) => return None,
                _ if is_message => (self.content(part), Some(FileFormat::Mail), "message.eml"),
                PartType::Text(_) => (self.text(part), None, "text.txt"),
                PartType::Html(_) => (self.text(part), None, "page.html"),
                _ => (self.content(part), None, "file"),
            };
            let disposition = self.content_type(part, &HeaderName::ContentDisposition);
            let name = disposition.as_ref().and_then(|value| value.attribute("filename"));
            let name = name.or_else(|| kind.as_ref()?.attribute("name"));
            let name = name.map(one_line).filter(|name| !name.is_empty());
            let mut name = name.unwrap_or_else(|| unnamed.to_owned());
            if !names.insert(name.clone()) {
                name = format!("{}-{name}", index + 1);
            }
            Some(Attachment { name, format, content })
        })
    }

    /// Returns the text of a part; `None` for an image.
    fn body(&self, part: &MessagePart<'_>, id: &str) -> Result<Option<String>, ReadError> {
        let text = || String::from_utf8_lossy(&self.text(part)).into_owned();
        Ok(match &part.body {
            PartType::Text(_) => Some(text().trim().to_owned()),
            PartType::Html(_) => {
                let page = html::extract(id, &text()).map_err(ReadError::damaged)?;
                Some(page.text.trim().to_owned())
            }
            _ => None,
        })
    }

    /// Returns the content of a text in UTF-8, if the part names its encoding.
    fn text(&self, part: &MessagePart<'_>) -> Cow<'a, [u8]> {
        let bytes = self.content(part);
        let kind = self.content_type(part, &HeaderName::ContentType);
        let charset = kind.as_ref().and_then(|kind| kind.attribute("charset"));
        match charset.and_then(|charset| charset_decoder(charset.as_bytes())) {
            Some(decode) => decode(&bytes).into_bytes().into(),
            None => bytes,
        }
    }

    /// Returns the content of a part, which stays as it is if its encoding is wrong.
    fn content(&self, part: &MessagePart<'_>) -> Cow<'a, [u8]> {
        let range = part.offset_body as usize..part.offset_end as usize;
        let bytes = self.bytes.get(range).unwrap_or_default();
        let encoding = self.content_type(part, &HeaderName::ContentTransferEncoding);
        let decoded = match encoding.as_ref().map(ContentType::ctype) {
            Some("base64") => base64_decode(bytes),
            Some("quoted-printable") => quoted_printable_decode(bytes),
            _ => None,
        };
        decoded.map_or(Cow::Borrowed(bytes), Cow::Owned)
    }

    fn addresses(&self, name: &HeaderName<'_>) -> Option<Address<'a>> {
        self.header(self.structure.root_part(), name)?.parse_address().into_address()
    }

    /// Returns the value of a header with attributes.
    fn content_type(
        &self,
        part: &MessagePart<'_>,
        name: &HeaderName<'_>,
    ) -> Option<ContentType<'a>> {
        self.header(part, name)?.parse_content_type().into_content_type()
    }

    fn header(&self, part: &MessagePart<'_>, name: &HeaderName<'_>) -> Option<MessageStream<'a>> {
        let header = part.headers.iter().rfind(|header| header.name == *name)?;
        let range = header.offset_start as usize..header.offset_end as usize;
        self.bytes.get(range).map(MessageStream::new)
    }
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

/// Refuses a message that takes much more memory or time than its bytes. Headers are at the start and
/// after a boundary, up to a blank line.
fn check_cost(bytes: &[u8]) -> Result<(), ReadError> {
    let mut headers = 0;
    let mut header_bytes = 0;
    let mut may_be_header = true;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        // The parser finds boundaries anywhere in a line.
        may_be_header |= line.windows(2).any(|signs| signs == b"--");
        if line.trim_ascii().is_empty() && !line.starts_with(b" ") && !line.starts_with(b"\t") {
            may_be_header = false;
        }
        if !may_be_header {
            header_bytes = 0;
            continue;
        }
        let is_folded = line.starts_with(b" ") || line.starts_with(b"\t");
        let has_name = line.contains(&b':');
        headers += usize::from(has_name);
        header_bytes = match is_folded && header_bytes > 0 || has_name {
            true if is_folded => header_bytes + line.len(),
            true => line.len(),
            false => 0,
        };
        if header_bytes > MAX_HEADER_BYTES {
            return Err(ReadError::above(MAX_HEADER_BYTES, "bytes in a header"));
        }
    }
    if headers > MAX_HEADERS {
        return Err(ReadError::above(MAX_HEADERS, "headers"));
    }
    let limit = MAX_SCANNED_BYTES / bytes.len().max(1);
    if places(bytes, "multipart").count() > limit {
        return Err(ReadError::above(limit, "multiparts"));
    }
    Ok(())
}

/// Returns where `word` is, in upper or lower case.
fn places(bytes: &[u8], word: &str) -> impl Iterator<Item = usize> {
    let windows = bytes.windows(word.len()).enumerate();
    windows.filter(|(_, bytes)| bytes.eq_ignore_ascii_case(word.as_bytes())).map(|(place, _)| place)
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
