//! Errors of providers and connections; concurrent, abandoned and blocking calls.

use std::{sync::Arc, time::Duration};

use textsearch_core::{
    ErrorKind,
    chat::{ChatHistory, ChatMessage, ChatOptions},
};
use tokio::task::JoinSet;

use super::{TEXT, saying};
use crate::{
    Endpoint, RecordedRequest, Response,
    chat::suite::{
        ChatSubject,
        subject::{RunningChat, question},
    },
    endpoint,
    failures::{STATUSES, UNREADABLE},
    server::{Action, Server},
    stalls,
};

async fn failing(subject: &ChatSubject, response: Response) -> RunningChat {
    let script = move |_| Action::Answer(response.clone());
    subject.scripted(endpoint::patient(), |_| saying("Yes."), script).await
}

/// The key is wrong or lacks permission, requests are too frequent, or the provider is down. The caller
/// decides about a long wait.
pub(crate) async fn statuses_have_their_kinds(subject: ChatSubject) {
    for (status, kind) in &STATUSES {
        let response = Response::new(*status, "text/plain", "because");
        let running = failing(&subject, response.with_header("Retry-After", "3600")).await;
        let whole = running.whole(&question(), &ChatOptions::new()).await;
        let streamed = running.listen(&question(), &ChatOptions::new()).await;
        let streamed = streamed.expect_err("`stream` itself fails");
        for error in [whole.expect_err("the call fails"), streamed] {
            assert_eq!(error.kind(), kind, "after {status}");
            let is_wait_known = error.retry_after() == Some(Duration::from_secs(3600));
            assert!(is_wait_known || *status != 429, "{error:?}");
        }
    }
}

/// No server listens on the port, or it accepts the request and sends nothing.
pub(crate) async fn failed_connections_have_their_kinds(subject: ChatSubject) {
    let chat = subject.pointed_at(Endpoint::new(Server::nowhere().await, endpoint::patient()));
    let whole = chat.complete(&question(), &ChatOptions::new()).await;
    assert_eq!(whole.expect_err("the call fails").kind(), &ErrorKind::Unavailable);
    let streamed = chat.stream(&question(), &ChatOptions::new()).await;
    assert_eq!(streamed.expect_err("`stream` itself fails").kind(), &ErrorKind::Unavailable);
    let stall = |_| Action::Stall(Vec::new());
    let running = subject.scripted(endpoint::impatient(), |_| saying("Yes."), stall).await;
    for error in running.both_fail().await {
        assert_eq!(error.kind(), &ErrorKind::Timeout, "{error}");
    }
}

/// Half an answer, a login page, an empty body, or JSON of another shape, with a success status.
pub(crate) async fn an_unreadable_answer_is_undecodable(subject: ChatSubject) {
    let cut = |answer: Response| Action::Answer(answer.cut());
    let cut = subject.scripted(endpoint::patient(), |_| saying("Yes, it is."), cut).await;
    let whole = cut.whole(&question(), &ChatOptions::new()).await;
    assert_eq!(whole.expect_err("half an answer is an error").kind(), &ErrorKind::Undecodable);
    for (content_type, body) in UNREADABLE {
        let running = failing(&subject, Response::new(200, content_type, body)).await;
        let [whole, streamed] = running.both_fail().await;
        assert_eq!(whole.kind(), &ErrorKind::Undecodable, "{content_type} {body:?}: {whole}");
        let kinds = [ErrorKind::Undecodable, ErrorKind::Unavailable];
        assert!(kinds.contains(streamed.kind()), "{content_type} {body:?}: {streamed:?}");
    }
}

/// The provider echoes the key wherever a service may look for a message.
pub(crate) async fn an_echoed_key_stays_out_of_errors(subject: ChatSubject) {
    for status in [200, 400, 401, 404, 429, 500] {
        let echo = Response::echoing(status, Endpoint::KEY, &Endpoint::KEY.into());
        // `both_fail` searches the errors, the runner searches the logs.
        failing(&subject, echo).await.both_fail().await;
    }
}

/// Half of them stream.
pub(crate) async fn thirty_two_chats_at_once(subject: ChatSubject) {
    let echo = |request: &RecordedRequest| {
        let texts = request.texts();
        let question = texts.iter().find(|(_, text)| text.starts_with("question "));
        saying(question.map_or(String::new(), |(_, text)| format!("the answer to {text}")))
    };
    let slow = |answer| Action::AnswerAfter(Duration::from_millis(10), answer);
    let running = subject.scripted(endpoint::patient(), echo, slow).await;
    let mut chats = JoinSet::new();
    for number in 0..32 {
        let chat = Arc::clone(&running.chat);
        chats.spawn(async move {
            let question = format!("question {number}");
            let history = ChatHistory::from(vec![ChatMessage::user(&question)]);
            let options = ChatOptions::new();
            let answer = match number % 2 {
                0 => chat.complete(&history, &options).await?,
                _ => chat.stream(&history, &options).await?.into_response().await?,
            };
            Ok::<_, textsearch_core::Error>((question, answer.message.text()))
        });
    }
    while let Some(result) = chats.join_next().await {
        let (question, text) = result.expect("no chat panics").expect("each chat succeeds");
        assert_eq!(text, format!("the answer to {question}"));
    }
}

async fn stalled(subject: &ChatSubject) -> RunningChat {
    let stall = |answer: Response| Action::Stall(answer.half());
    subject.scripted(endpoint::patient(), |_| saying(TEXT.repeat(50)), stall).await
}

/// No background work or retry follows.
pub(crate) async fn a_dropped_chat_ends_its_request(subject: ChatSubject) {
    let running = stalled(&subject).await;
    let chat = Arc::clone(&running.chat);
    let call = async move { drop(chat.complete(&question(), &ChatOptions::new()).await) };
    running.server.assert_aborted(call).await;
}

/// After its first piece, if it has one.
pub(crate) async fn a_dropped_stream_ends_its_request(subject: ChatSubject) {
    let running = stalled(&subject).await;
    let stream = running.chat.stream(&question(), &ChatOptions::new()).await;
    let mut stream = stream.expect("the stream begins");
    let _ = tokio::time::timeout(Duration::from_millis(100), stream.next()).await;
    drop(stream);
    running.server.assert_abandoned().await;
}

/// It waits for the network asynchronously.
pub(crate) async fn no_chat_blocks_its_thread(subject: ChatSubject) {
    let running = subject.answering(saying("Yes.")).await;
    let history = question();
    let options = ChatOptions::new();
    stalls::assert_free("complete", async || drop(running.whole(&history, &options).await)).await;
    stalls::assert_free("stream", async || drop(running.listen(&history, &options).await)).await;
}
