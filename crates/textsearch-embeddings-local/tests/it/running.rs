use std::{future::poll_fn, num::NonZero, task::Poll, time::Instant};

use textsearch_embeddings_local::{EmbeddingGenerator, EmbeddingSettings, LocalEmbeddings};

use crate::tiny::{Tiny, embed};

fn many() -> Vec<String> {
    (0..150).map(|number| format!("w{} ", number % 60).repeat(20)).collect()
}

#[tokio::test(flavor = "current_thread")]
async fn the_runtimes_only_thread_is_free_while_texts_are_embedded() {
    let model = Tiny::bert().load();
    let texts = many();
    let settings = EmbeddingSettings::default();
    let mut work = std::pin::pin!(model.generate(&texts, &settings));
    let mut turns = 0;
    loop {
        tokio::select! {
            biased;
            done = &mut work => {
                assert_eq!(done.unwrap().vectors.len(), texts.len());
                break;
            }
            () = tokio::task::yield_now() => turns += 1,
        }
    }
    assert!(turns > 10, "{turns}");
}

#[tokio::test]
async fn a_dropped_call_makes_room_for_the_next() {
    let tiny = Tiny::bert();
    let mut config = tiny.config();
    config.threads = Some(NonZero::<usize>::MIN);
    let model = LocalEmbeddings::new(config).unwrap();
    let texts = many();
    let settings = EmbeddingSettings::default();
    // Other programs may slow down one round.
    for round in 1.. {
        let start = Instant::now();
        model.generate(&texts, &settings).await.unwrap();
        let whole = start.elapsed();
        let start = Instant::now();
        for _ in 0..20 {
            let mut call = std::pin::pin!(model.generate(&texts, &settings));
            let begun = poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_pending()));
            assert!(begun.await);
        }
        embed(&model, &["w1"]).await;
        let dropped = start.elapsed();
        if dropped < whole * 10 {
            return;
        }
        assert!(round < 4, "20 dropped calls: {dropped:?}; a whole one: {whole:?}");
    }
}

#[tokio::test]
async fn clones_share_a_model_and_calls_run_side_by_side() {
    let model = Tiny::bert().load();
    let other = model.clone();
    let (first, second) = tokio::join!(embed(&model, &["w1"]), embed(&other, &["w1"]));
    assert_eq!(first, second);
    assert_eq!(model.fingerprint(), other.fingerprint());
}

#[test]
fn fingerprint_depends_on_weights_and_not_on_the_folder() {
    let tiny = Tiny::bert();
    let same = Tiny::bert();
    let mut other = Tiny::bert();
    other.tensors.get_mut("embeddings.LayerNorm.bias").unwrap().1[0] += 1.0;
    other.write_weights(safetensors::Dtype::F32);
    assert_eq!(tiny.load().fingerprint(), same.load().fingerprint());
    assert_ne!(tiny.load().fingerprint(), other.load().fingerprint());
    assert_eq!(tiny.load().fingerprint().len(), 32);
    let name = tiny.path().file_name().unwrap().to_str().unwrap();
    let id = format!("{name}@{}", &tiny.load().fingerprint()[..8]);
    assert_eq!(tiny.load().model_id(), id);
    let mut config = tiny.config();
    config.model_id = Some("tiny".to_owned());
    let named = LocalEmbeddings::new(config).unwrap();
    assert_eq!(named.model_id(), "tiny");
    assert_eq!(
        format!("{named:?}"),
        r#"LocalEmbeddings { model_id: "tiny", dimensions: 32, threads: 2 }"#
    );
}
