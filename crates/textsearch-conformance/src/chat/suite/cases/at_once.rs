//! Concurrent, abandoned and blocking calls.

use std::{sync::Arc, time::Duration};

use textsearch_core::chat::{ChatHistory, ChatMessage, ChatOptions};
use tokio::task::JoinSet;

use super::{TEXT, saying};
use crate::{
    RecordedRequest, Response,
    chat::suite::{
        ChatSubject,
        subject::{RunningChat, question},
    },
    endpoint,
    server::Action,
    stalls,
};

/// Half of them stream.
pub async fn thirty_two_chats_at_once(subject: ChatSubject) {
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

async fn assert_ended(running: &RunningChat) {
    let hung_up = running.server.wait_for_disconnects(1);
    let hung_up = tokio::time::timeout(Duration::from_secs(5), hung_up).await;
    assert!(hung_up.is_ok(), "the connection stays open");
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(running.server.count(), 1, "it is tried again");
}

/// No background work or retry follows.
pub async fn a_dropped_chat_ends_its_request(subject: ChatSubject) {
    let running = stalled(&subject).await;
    let chat = Arc::clone(&running.chat);
    let call = async move { chat.complete(&question(), &ChatOptions::new()).await.map(drop) };
    let task = tokio::spawn(call);
    running.server.until_asked(1).await;
    assert!(!task.is_finished(), "half of an answer is taken for one");
    task.abort();
    assert_ended(&running).await;
}

/// After its first piece, if it has one.
pub async fn a_dropped_stream_ends_its_request(subject: ChatSubject) {
    let running = stalled(&subject).await;
    let stream = running.chat.stream(&question(), &ChatOptions::new()).await;
    let mut stream = stream.expect("the stream begins");
    let _ = tokio::time::timeout(Duration::from_millis(100), stream.next()).await;
    drop(stream);
    assert_ended(&running).await;
}

/// It waits for the network asynchronously.
pub async fn no_chat_blocks_its_thread(subject: ChatSubject) {
    let running = subject.answering(saying("Yes.")).await;
    let (history, options) = (question(), ChatOptions::new());
    stalls::assert_free("complete", async || drop(running.whole(&history, &options).await)).await;
    stalls::assert_free("stream", async || drop(running.listen(&history, &options).await)).await;
}
