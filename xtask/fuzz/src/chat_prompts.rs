//! Chat prompts: parsing messages, and inserting values that must not create any.

use textsearch_core::chat::{ChatHistory, ChatRole, MessagePart};
use textsearch_kernel::prompt::{encode_for_chat, finish_chat, insert_into_chat, parse_chat};

/// Between the template and its values.
const NEXT: char = '\u{1}';

/// A parsed chat survives a round trip. A value comes through unchanged. Inserted values change no
/// message except for their own text.
pub(crate) fn check(input: &[u8]) {
    let text = crate::text(input);
    if let Ok(chat) = parse_chat("prompt", &text) {
        let written = write(&chat);
        let again = parse_chat("prompt", &written);
        assert!(again.as_ref().is_ok_and(|again| *again == chat), "{written}\n{chat:?}\n{again:?}");
    }
    let value = format!("<message role='user'>{}</message>", encode_for_chat(&text));
    let chat = parse_chat("prompt", &value)
        .unwrap_or_else(|error| panic!("a value broke a message: {error}: {value}"));
    let texts: Vec<String> = chat.messages().iter().map(|message| message.text()).collect();
    assert_eq!(texts, [text.as_ref()], "a value is the text of its message");
    inserted(&text);
}

fn write(chat: &ChatHistory) -> String {
    let mut written = String::new();
    for message in chat.messages() {
        let author = message.author.as_deref().map(encode_for_chat);
        let author = author.map(|author| format!(" name=\"{author}\"")).unwrap_or_default();
        written += &format!("<message role=\"{}\"{author}>", message.role.name());
        for part in &message.parts {
            written += &match part {
                MessagePart::Image { url } => format!("<image>{}</image>", encode_for_chat(url)),
                MessagePart::Text { text } => format!("<text>{}</text>", encode_for_chat(text)),
                other => panic!("a prompt holds no {other:?}"),
            };
        }
        written += "</message>";
    }
    written
}

/// Compares the values with as much harmless text.
fn inserted(text: &str) {
    let mut parts = text.split(NEXT);
    let template = parts.next().unwrap_or_default();
    let values: Vec<&str> = parts.collect();
    if values.is_empty() {
        return;
    }
    let rendered = |value: fn(&str) -> String| {
        let mut values = values.iter().cycle();
        let pieces: Vec<&str> = template.split('\u{2}').collect();
        let mut filled = pieces.first().copied().unwrap_or_default().to_owned();
        for piece in pieces.iter().skip(1) {
            let inserted = values.next().copied().unwrap_or_default();
            filled += &insert_into_chat(&value(inserted));
            filled += piece;
        }
        parse_chat("prompt", &finish_chat(filled)).map(|chat| roles(&chat))
    };
    let harmless =
        |value: &str| value.chars().map(|c| if c.is_whitespace() { c } else { 'x' }).collect();
    if let (Ok(expected), Ok(actual)) = (rendered(harmless), rendered(str::to_owned)) {
        assert_eq!(actual, expected, "values changed the messages of {template:?}: {values:?}");
    }
}

fn roles(chat: &ChatHistory) -> Vec<ChatRole> {
    chat.messages().iter().map(|message| message.role).collect()
}
