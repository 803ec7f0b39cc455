//! The parts of an answer, whole and streamed.

use textsearch_core::{
    Error, ErrorKind,
    chat::{
        ChatMessage, ChatOptions, ChatResponse, ChatRole, ChatUpdate, FinishReason, MessageBuilder,
        MessagePart, ToolCall, Usage,
    },
    http::HttpSettings,
};

use super::{TEXT, saying};
use crate::{
    Response,
    chat::suite::{
        ChatSubject,
        subject::{finished, question},
    },
    endpoint,
    server::Action,
};

/// One is longer than any buffer.
pub(crate) async fn a_text_comes_back_whole(subject: ChatSubject) {
    for text in [TEXT.to_owned(), TEXT.repeat(2_000)] {
        for answer in subject.answering(saying(&text)).await.both().await {
            assert_eq!(answer.message.role, ChatRole::Assistant);
            assert!(answer.message.text() == text, "another text: {:.200}", answer.message.text());
            assert_eq!(answer.finish_reason, FinishReason::Stop);
        }
    }
}

/// No reason that the provider tells is an error.
pub(crate) async fn finish_reasons_are_kept(subject: ChatSubject) {
    for reason in [
        FinishReason::Stop,
        FinishReason::ToolCalls,
        FinishReason::Length,
        FinishReason::ContentFilter,
        FinishReason::Refusal,
        FinishReason::Other("conformance".to_owned()),
    ] {
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

/// Sent and received tokens. A stream may omit them.
pub(crate) async fn the_usage_is_passed_on(subject: ChatSubject) {
    let usage = Usage::new(1_234, 56);
    let mut answer = saying(TEXT);
    answer.usage = Some(usage);
    let [whole, streamed] = subject.answering(answer).await.both().await;
    assert_eq!(whole.usage, Some(usage));
    assert!(streamed.usage.is_none_or(|streamed| streamed == usage), "{:?}", streamed.usage);
}

/// The last piece is the whole answer. No text ends the stream.
pub(crate) async fn the_pieces_of_a_stream_are_its_answer(subject: ChatSubject) {
    for text in [TEXT, "[DONE]", "data: {}\n\n", "event: error\n"] {
        check_pieces(&subject, text).await;
    }
}

async fn check_pieces(subject: &ChatSubject, text: &str) {
    let running = subject.answering(saying(text)).await;
    let heard = running.listen(&question(), &ChatOptions::new()).await;
    let (pieces, error) = heard.expect("the model streams");
    assert!(error.is_none(), "{error:?}");
    let is_end = |piece: &ChatUpdate| matches!(piece, ChatUpdate::Finished(_));
    assert_eq!(pieces.iter().position(is_end), pieces.len().checked_sub(1), "{pieces:?}");
    let mut message = MessageBuilder::new();
    pieces.iter().for_each(|piece| message.push(piece));
    let whole = finished(&pieces).expect("the last piece is the answer");
    assert_eq!(message.build(), whole.message);
    assert_eq!(whole.message.text(), text);
    assert_eq!(whole.finish_reason, FinishReason::Stop);
}

async fn broken(
    subject: &ChatSubject,
    settings: HttpSettings,
    script: impl Fn(Response) -> Action + Send + Sync + 'static,
) -> Error {
    let long = saying("a long answer ".repeat(200));
    let running = subject.scripted(settings, move |_| long.clone(), script).await;
    match running.listen(&question(), &ChatOptions::new()).await {
        Err(error) => error,
        Ok((pieces, error)) => {
            assert!(finished(&pieces).is_none(), "half of an answer is taken for a whole one");
            error.expect("the stream ends as if the answer were complete")
        }
    }
}

/// The connection is reset, is silent for longer than the idle timeout, or ends in order, in the
/// middle of the answer.
pub(crate) async fn a_broken_stream_ends_with_an_error(subject: ChatSubject) {
    let reset = broken(&subject, endpoint::patient(), |answer| Action::Reset(answer.half())).await;
    assert_eq!(reset.kind(), &ErrorKind::Unavailable, "{reset}");
    let stall = |answer: Response| Action::Stall(answer.half());
    let silent = broken(&subject, endpoint::impatient(), stall).await;
    assert_eq!(silent.kind(), &ErrorKind::Timeout, "{silent}");
    let cut = |answer: Response| Action::Answer(answer.cut());
    let cut = broken(&subject, endpoint::patient(), cut).await;
    assert!([ErrorKind::Unavailable, ErrorKind::Undecodable].contains(cut.kind()), "{cut:?}");
}
