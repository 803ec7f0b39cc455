use std::{future::poll_fn, num::NonZero, task::Poll, time::Instant};

use textsearch_embeddings_local::{LocalReranker, Reranker};

use super::{config, load, score};
use crate::tiny::Tiny;

fn many(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("w{} ", number % 60).repeat(18)).collect()
}

#[tokio::test(flavor = "current_thread")]
async fn the_runtimes_only_thread_is_free_while_texts_are_scored() {
    let model = load(&Tiny::cross_encoder());
    let texts = many(150);
    let mut work = std::pin::pin!(model.rerank("w1", &texts));
    let mut turns = 0;
    loop {
        tokio::select! {
            biased;
            done = &mut work => {
                assert_eq!(done.unwrap().len(), texts.len());
                break;
            }
            () = tokio::task::yield_now() => turns += 1,
        }
    }
    assert!(turns > 10, "{turns}");
}

#[tokio::test]
async fn a_dropped_call_makes_room_for_the_next() {
    let tiny = Tiny::cross_encoder();
    let mut config = config(&tiny);
    config.threads = Some(NonZero::<usize>::MIN);
    let model = LocalReranker::new(config).unwrap();
    let texts = many(150);
    // Other programs may slow down one round.
    for round in 1.. {
        let start = Instant::now();
        model.rerank("w1", &texts).await.unwrap();
        let whole = start.elapsed();
        let start = Instant::now();
        for _ in 0..20 {
            let mut call = std::pin::pin!(model.rerank("w1", &texts));
            let begun = poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_pending()));
            assert!(begun.await);
        }
        score(&model, "w1", &["w2"]).await;
        let dropped = start.elapsed();
        if dropped < whole * 10 {
            return;
        }
        assert!(round < 4, "20 dropped calls: {dropped:?}; a whole one: {whole:?}");
    }
}

#[tokio::test]
async fn clones_share_a_model_and_calls_run_side_by_side() {
    let tiny = Tiny::cross_encoder();
    let mut config = config(&tiny);
    config.model_id = Some("tiny".to_owned());
    let model = LocalReranker::new(config).unwrap();
    let other = model.clone();
    let (first, second) = tokio::join!(score(&model, "w1", &["w2"]), score(&other, "w1", &["w2"]));
    assert_eq!(first, second);
    assert_eq!(other.name(), "tiny");
    let expected = r#"LocalReranker { model_id: "tiny", max_tokens: 24, threads: 2 }"#;
    assert_eq!(format!("{other:?}"), expected);
}
