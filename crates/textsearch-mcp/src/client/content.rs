//! Results and errors of tools.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use super::secrets::Secrets;
use crate::text::{clean, cut};

/// Structured content without the wrapper that some servers put around a value, or else the text.
pub(super) fn value(result: CallToolResult) -> Value {
    match result.structured_content {
        Some(Value::Object(mut fields)) if fields.len() == 1 && fields.contains_key("result") => {
            fields.remove("result").unwrap_or_default()
        }
        Some(value) => value,
        None => Value::String(text(&result.content)),
    }
}

pub(super) fn error_text(content: &[ContentBlock], secrets: &Secrets) -> String {
    match secrets.shorten(&text(content)) {
        text if text.trim().is_empty() => "the tool failed without a message".to_owned(),
        text => text,
    }
}

/// Names images and sounds, which no text can hold.
fn text(content: &[ContentBlock]) -> String {
    let blocks = content.iter().map(|block| match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => format!("[image: {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[audio: {}]", audio.mime_type),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            ResourceContents::BlobResourceContents { uri, .. } => format!("[file: {uri}]"),
            _ => "[unknown content]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("{}: {}", link.name, link.uri),
        _ => "[unknown content]".to_owned(),
    });
    blocks.collect::<Vec<_>>().join("\n")
}

pub(super) fn shorten(text: &str) -> String {
    cut(&clean(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn structured(content: Value) -> Value {
        let mut result = CallToolResult::success(vec![ContentBlock::text("as text")]);
        result.structured_content = Some(content);
        value(result)
    }

    #[test]
    fn structured_content_wins_over_text() {
        assert_eq!(structured(json!({ "a": 1, "result": 2 })), json!({ "a": 1, "result": 2 }));
        assert_eq!(structured(json!({ "result": [1] })), json!([1]));
        assert_eq!(value(CallToolResult::success(vec![])), json!(""));
    }

    #[test]
    fn other_content_is_named() {
        let content = vec![
            ContentBlock::text("one"),
            ContentBlock::image("AAAA", "image/png"),
            ContentBlock::embedded_text("file:///a", "two"),
        ];
        let named = value(CallToolResult::success(content));
        assert_eq!(named, json!("one\n[image: image/png]\ntwo"));
    }

    #[test]
    fn error_texts_are_short_and_clean() {
        let secrets = Secrets::default();
        let long = error_text(&[ContentBlock::text("\u{1b}[1mx".repeat(2_000))], &secrets);
        assert_eq!(long.chars().count(), crate::text::LONGEST_TEXT + 1);
        assert!(!long.contains('\u{1b}'));
        assert_eq!(error_text(&[], &secrets), "the tool failed without a message");
    }
}
