//! Streamed answers.

use textsearch_core::{
    Error, ErrorKind,
    chat::{ChatOptions, ChatUpdate, MessageBuilder},
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

/// The last piece is the whole answer. No text ends the stream.
pub async fn the_pieces_of_a_stream_are_its_answer(subject: ChatSubject) {
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
}

/// Its message and the reason why it ended.
pub async fn a_streamed_answer_is_the_whole_one(subject: ChatSubject) {
    let [whole, streamed] = subject.answering(saying(TEXT.repeat(20))).await.both().await;
    assert_eq!(streamed.message, whole.message);
    assert_eq!(streamed.finish_reason, whole.finish_reason);
    assert_eq!(streamed.model, whole.model);
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

/// A retry may succeed.
pub async fn a_reset_ends_a_stream_with_an_error(subject: ChatSubject) {
    let error = broken(&subject, endpoint::patient(), |answer| Action::Reset(answer.half())).await;
    assert_eq!(error.kind(), &ErrorKind::Unavailable, "{error}");
}

/// The connection ends in order, in the middle of the answer.
pub async fn a_stream_that_ends_early_is_an_error(subject: ChatSubject) {
    let cut = |mut answer: Response| {
        answer.body.truncate(answer.body.len() / 2);
        Action::Answer(answer)
    };
    let error = broken(&subject, endpoint::patient(), cut).await;
    let kinds = [ErrorKind::Unavailable, ErrorKind::Undecodable];
    assert!(kinds.contains(error.kind()), "{error:?}");
}

/// Nothing arrives for longer than the idle timeout.
pub async fn a_silent_stream_is_a_timeout(subject: ChatSubject) {
    let stall = |answer: Response| Action::Stall(answer.half());
    let error = broken(&subject, endpoint::impatient(), stall).await;
    assert_eq!(error.kind(), &ErrorKind::Timeout, "{error}");
}
