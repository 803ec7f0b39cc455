//! The parts of an answer.

use textsearch_core::chat::{
    ChatMessage, ChatResponse, ChatRole, FinishReason, MessagePart, ToolCall, Usage,
};

use super::{TEXT, saying};
use crate::{chat::suite::ChatSubject, report::skipped};

/// Neither is empty.
pub async fn the_provider_and_the_model_have_names(subject: ChatSubject) {
    let running = subject.answering(saying(TEXT)).await;
    for name in [running.chat.name(), running.chat.model_id()] {
        assert!(!name.trim().is_empty(), "a name is empty");
    }
}

/// Whole and streamed.
pub async fn a_text_comes_back_whole(subject: ChatSubject) {
    assert_text(&subject, TEXT).await;
}

/// Longer than any buffer.
pub async fn a_long_text_comes_back_whole(subject: ChatSubject) {
    assert_text(&subject, &TEXT.repeat(2_000)).await;
}

async fn assert_text(subject: &ChatSubject, text: &str) {
    for answer in subject.answering(saying(text)).await.both().await {
        assert_eq!(answer.message.role, ChatRole::Assistant);
        assert!(answer.message.text() == text, "another text: {:.200}", answer.message.text());
        assert_eq!(answer.finish_reason, FinishReason::Stop);
    }
}

/// No reason that the provider tells is an error.
pub async fn finish_reasons_are_kept(subject: ChatSubject) {
    for reason in subject.capabilities.finish_reasons.clone() {
        let part = match reason {
            FinishReason::Refusal => MessagePart::Refusal { text: "No.".to_owned() },
            FinishReason::ToolCalls => MessagePart::ToolCall(ToolCall::new("call_1", "Look", "{}")),
            _ => MessagePart::Text { text: "It is".to_owned() },
        };
        let message = ChatMessage::new(ChatRole::Assistant, vec![part.clone()]);
        let response = ChatResponse::new(message).with_finish_reason(reason.clone());
        for answer in subject.answering(response).await.both().await {
            assert_eq!(answer.finish_reason, reason);
            assert_eq!(
                answer.message.parts,
                std::slice::from_ref(&part),
                "an answer that ended by {reason:?}"
            );
        }
    }
}

/// The message says why the model refuses.
pub async fn a_refusal_is_no_text(subject: ChatSubject) {
    if !subject.capabilities.finish_reasons.contains(&FinishReason::Refusal) {
        return skipped("finish_reasons: refusal");
    }
    let part = MessagePart::Refusal { text: TEXT.to_owned() };
    let message = ChatMessage::new(ChatRole::Assistant, vec![part]);
    let response = ChatResponse::new(message).with_finish_reason(FinishReason::Refusal);
    for answer in subject.answering(response).await.both().await {
        assert_eq!(answer.message.refusal(), Some(TEXT));
        assert_eq!(answer.message.text(), "");
    }
}

/// Sent and received tokens. A stream may omit them.
pub async fn the_usage_is_passed_on(subject: ChatSubject) {
    if !subject.capabilities.usage {
        return skipped("usage");
    }
    let usage = Usage::new(1_234, 56);
    let [whole, streamed] = subject.answering(saying(TEXT).with_usage(usage)).await.both().await;
    assert_eq!(whole.usage, Some(usage));
    assert!(streamed.usage.is_none_or(|streamed| streamed == usage), "{:?}", streamed.usage);
}
