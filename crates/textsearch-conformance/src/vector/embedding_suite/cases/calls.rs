//! Concurrent, abandoned and blocking calls.

use std::{sync::Arc, time::Duration};

use futures_util::future::poll_fn;
use textsearch_core::vector::EmbeddingSettings;
use tokio::task::JoinSet;

use super::{is_near, some};
use crate::{endpoint, server::Action, stalls, vector::EmbeddingSubject};

/// Each of other texts.
pub async fn sixteen_calls_at_once(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let texts = |number: usize| -> Vec<String> {
        (0..=number % 4).map(|place| format!("text {place} of call {number}")).collect()
    };
    let mut calls = JoinSet::new();
    for number in 0..16 {
        let (generator, texts) = (Arc::clone(&running.generator), texts(number));
        calls.spawn(async move {
            let made = generator.generate(&texts, &EmbeddingSettings::default()).await;
            made.map(|made| (number, made.vectors))
        });
    }
    while let Some(result) = calls.join_next().await {
        let (number, vectors) = result.expect("no call panics").expect("each call succeeds");
        let expected = running.embed(&texts(number)).await;
        let is_same = vectors.iter().zip(&expected).all(|(one, other)| is_near(one, other));
        assert!(is_same && vectors.len() == expected.len(), "call {number} has other vectors");
    }
}

/// The next call works.
pub async fn dropped_calls_do_no_harm(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let (texts, settings) = (some(), EmbeddingSettings::default());
    let expected = running.embed(&texts).await;
    for polls in 1..6 {
        let mut call = Box::pin(running.generator.generate(&texts, &settings));
        for _ in 0..polls {
            let is_ready =
                poll_fn(|context| std::task::Poll::Ready(call.as_mut().poll(context).is_ready()));
            if is_ready.await {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    let vectors = running.embed(&texts).await;
    assert!(vectors.iter().zip(&expected).all(|(one, other)| is_near(one, other)));
}

/// No background work or retry follows.
pub async fn a_dropped_embedding_ends_its_request(subject: EmbeddingSubject) {
    let running =
        subject.scripted(endpoint::patient(), |answer| Action::Stall(answer.half())).await;
    let generator = Arc::clone(&running.generator);
    let call =
        async move { generator.generate(&some(), &EmbeddingSettings::default()).await.map(drop) };
    let task = tokio::spawn(call);
    running.server().until_asked(1).await;
    assert!(!task.is_finished(), "half of an answer is taken for one");
    task.abort();
    let hung_up = running.server().wait_for_disconnects(1);
    let hung_up = tokio::time::timeout(Duration::from_secs(5), hung_up).await;
    assert!(hung_up.is_ok(), "the connection stays open");
    tokio::time::sleep(Duration::from_millis(60)).await;
    assert_eq!(running.server().count(), 1, "it is tried again");
}

/// It waits for the network, or for its own threads.
pub async fn no_embedding_blocks_its_thread(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let texts = some();
    stalls::assert_free("generate", async || drop(running.embed(&texts).await)).await;
}
