//! The cases, each for a promise of `EmbeddingGenerator`.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::FutureExt as _;
use textsearch_core::{Error, ErrorKind, vector::EmbeddingSettings};
use tokio::task::JoinSet;

use crate::{
    Endpoint, Response,
    case::skipped,
    endpoint,
    failures::{STATUSES, UNREADABLE},
    server::{Action, Server},
    stalls,
    vector::EmbeddingSubject,
};

/// No texts have no vectors. A repeated text has a vector each time.
pub(crate) async fn each_text_has_a_vector(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    for count in [0, 1, 2, 5] {
        let texts: Vec<String> = some().into_iter().take(count).collect();
        assert_eq!(running.embed(&texts).await.len(), count, "vectors for {count} texts");
    }
    let repeated = vec!["apple".to_owned(); 3];
    assert_eq!(running.embed(&repeated).await.len(), 3, "vectors for the same text three times");
}

/// It has more texts than any request or batch takes.
pub(crate) async fn a_large_call_is_complete_and_in_order(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let vectors = running.embed(&many()).await;
    assert_eq!(vectors.len(), many().len());
    for place in [0, 1, 1_000, many().len() - 1] {
        let alone = running.embed(many().get(place..=place).unwrap_or_default()).await;
        let pair = vectors.get(place).zip(alone.first());
        assert!(pair.is_some_and(|(left, right)| is_near(left, right)), "text {place} has another");
    }
}

/// Other orders of the texts give the same vectors in those orders.
pub(crate) async fn vectors_have_the_order_of_their_texts(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let expected = running.embed(&some()).await;
    for shift in 0..some().len() {
        let mut texts = some();
        texts.rotate_left(shift);
        texts.reverse();
        let mut vectors = running.embed(&texts).await;
        vectors.reverse();
        vectors.rotate_right(shift);
        let is_same = vectors.iter().zip(&expected).all(|(left, right)| is_near(left, right));
        assert!(is_same, "vectors in another order than {texts:?}");
    }
}

/// Alone, among others, and again.
pub(crate) async fn a_vector_depends_on_its_text_alone(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let together = running.embed(&some()).await;
    for (text, expected) in some().into_iter().zip(&together) {
        for texts in [vec![text.clone()], vec![text.clone(), text.clone()]] {
            for vector in running.embed(&texts).await {
                assert!(is_near(&vector, expected), "{text:?} has another vector alone");
            }
        }
    }
}

/// A model that returns one vector for everything finds nothing.
pub(crate) async fn different_texts_have_different_vectors(subject: EmbeddingSubject) {
    let vectors = subject.generator().await.embed(&some()).await;
    let (first, others) = vectors.split_first().expect("there are vectors");
    for (other, text) in others.iter().zip(some().iter().skip(1)) {
        assert!(!is_near(first, other), "{text:?} has the vector of another text");
    }
}

/// All are of one length if none is reported. A model with one length refuses others. Zero makes no
/// sense.
pub(crate) async fn vectors_have_the_reported_or_requested_length(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let vectors = running.embed(&some()).await;
    let own = vectors.first().map_or(0, |vector| vector.len());
    let expected = running.generator.dimensions().unwrap_or(own);
    assert!(vectors.iter().all(|vector| vector.len() == expected), "not {expected} elements");
    for dimensions in [0, (own / 2).max(1), own] {
        let mut settings = EmbeddingSettings::default();
        settings.dimensions = Some(dimensions);
        match running.try_embed(&some(), &settings).await {
            Ok(made) => {
                assert!(dimensions > 0, "vectors without elements are made");
                let is_right = made.vectors.iter().all(|vector| vector.len() == dimensions);
                assert!(is_right, "{dimensions} elements are requested, and others made");
            }
            Err(error) => {
                let is_option = matches!(error.kind(), ErrorKind::InvalidOptions { .. });
                assert!(is_option, "{dimensions} elements are another error: {error:?}");
            }
        }
    }
}

/// Not even of one character or of symbols alone.
pub(crate) async fn vectors_are_finite_and_not_zero(subject: EmbeddingSubject) {
    let texts = ["a", "?!", "42", "日本語", "🦀", "a b c d e f g"].map(str::to_owned);
    for (vector, text) in subject.generator().await.embed(&texts).await.iter().zip(&texts) {
        assert!(vector.iter().all(|element| element.is_finite()), "{text:?}: {vector:?}");
        assert!(vector.iter().any(|element| *element != 0.0), "{text:?} has a vector of zeros");
    }
}

/// Nothing, white space, control characters, marks of tokenizers, or a very long text. It shifts no
/// other vector.
pub(crate) async fn an_odd_text_has_a_vector_or_fails_the_call(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let long = "long ".repeat(20_000);
    for odd in [
        "",
        " \n",
        "\u{0}\u{1}\u{7f}\u{feff}",
        "[CLS] [SEP] <s> </s> <|endoftext|>",
        "e\u{301}\u{202e}",
        &long,
    ] {
        let texts = ["apple", odd, "river bank"].map(str::to_owned);
        match running.try_embed(&texts, &EmbeddingSettings::default()).await {
            Ok(made) => {
                assert_eq!(made.vectors.len(), 3, "vectors with {odd:.40?}");
                let alone = running.embed(&["river bank".to_owned()]).await;
                let pair = made.vectors.last().zip(alone.first());
                assert!(pair.is_some_and(|(left, right)| is_near(left, right)), "after {odd:.40?}");
            }
            Err(error) => {
                assert_eq!(error.kind(), &ErrorKind::Embedding, "for {odd:.40?}: {error}");
            }
        }
    }
}

/// Neither trimmed nor cut.
pub(crate) async fn texts_are_sent_unchanged(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let text = " Größe: \"東京\" 🌍\n\ta\\b </p> {\"not\": \"read\"} \n".to_owned();
    running.embed(std::slice::from_ref(&text)).await;
    let sent: Vec<(String, String)> =
        running.server().requests().iter().flat_map(|request| request.texts()).collect();
    assert!(sent.iter().any(|(_, sent)| *sent == text), "{text:?} is not sent: {sent:?}");
}

/// None is ignored.
pub(crate) async fn extra_settings_are_sent_or_refused(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let mut settings = EmbeddingSettings::default();
    settings.extra.insert("conformance".to_owned(), "a setting".into());
    match running.try_embed(&some(), &settings).await {
        Ok(_) => {
            let requests = running.server().requests();
            let has_setting = |text: &(String, String)| text.1 == "a setting";
            let is_sent = requests.iter().all(|request| request.texts().iter().any(has_setting));
            assert!(is_sent, "the setting is ignored");
        }
        Err(error) => {
            let is_option = matches!(error.kind(), ErrorKind::InvalidOptions { .. });
            assert!(is_option, "the setting is refused as another error: {error:?}");
        }
    }
}

/// A call of several requests counts all of them.
pub(crate) async fn more_texts_have_more_tokens(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let tokens = async |count| {
        let texts: Vec<String> = many().into_iter().take(count).collect();
        let made = running.try_embed(&texts, &EmbeddingSettings::default()).await;
        made.expect("the texts are embedded").tokens
    };
    let Some(few) = tokens(10).await else { return skipped("tokens") };
    let all = tokens(usize::MAX).await.unwrap_or_default();
    let times = many().len() as u64 / 10;
    assert!(
        all > few * times * 9 / 10,
        "{few} tokens for 10 texts, {all} for {times} times as many"
    );
}

/// Each of other texts.
pub(crate) async fn sixteen_calls_at_once(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let texts = |number: usize| -> Vec<String> {
        (0..=number % 4).map(|place| format!("text {place} of call {number}")).collect()
    };
    let mut calls = JoinSet::new();
    for number in 0..16 {
        let generator = Arc::clone(&running.generator);
        let texts = texts(number);
        calls.spawn(async move {
            let made = generator.generate(&texts, &EmbeddingSettings::default()).await;
            made.map(|made| (number, made.vectors))
        });
    }
    while let Some(result) = calls.join_next().await {
        let (number, vectors) = result.expect("no call panics").expect("each call succeeds");
        let expected = running.embed(&texts(number)).await;
        let is_same = vectors.iter().zip(&expected).all(|(left, right)| is_near(left, right));
        assert!(is_same && vectors.len() == expected.len(), "call {number} has other vectors");
    }
}

/// The next call works.
pub(crate) async fn dropped_calls_do_no_harm(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let texts = some();
    let settings = EmbeddingSettings::default();
    let expected = running.embed(&texts).await;
    for polls in 1..6 {
        let mut call = Box::pin(running.generator.generate(&texts, &settings));
        for _ in 0..polls {
            if call.as_mut().now_or_never().is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    let vectors = running.embed(&texts).await;
    assert!(vectors.iter().zip(&expected).all(|(left, right)| is_near(left, right)));
}

/// No background work or retry follows.
pub(crate) async fn a_dropped_embedding_ends_its_request(subject: EmbeddingSubject) {
    let running =
        subject.scripted(endpoint::patient(), |answer| Action::Stall(answer.half())).await;
    let generator = Arc::clone(&running.generator);
    let call =
        async move { drop(generator.generate(&some(), &EmbeddingSettings::default()).await) };
    running.server().assert_aborted(call).await;
}

/// It waits for the network, or for its own threads.
pub(crate) async fn no_embedding_blocks_its_thread(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let texts = some();
    stalls::assert_free("generate", async || drop(running.embed(&texts).await)).await;
}

async fn failure(subject: &EmbeddingSubject, response: Response) -> Error {
    let answer = move |_| Action::Answer(response.clone());
    let running = subject.scripted(endpoint::patient(), answer).await;
    let made = running.try_embed(&some(), &EmbeddingSettings::default()).await;
    made.expect_err("the call fails")
}

/// The provider answers two texts with the vector of one.
pub(crate) async fn too_few_vectors_are_an_error(subject: EmbeddingSubject) {
    let first = Mutex::new(None);
    let repeat = move |answer: Response| {
        let mut first = first.lock().expect("no case panics here");
        Action::Answer(first.get_or_insert(answer).clone())
    };
    let running = subject.scripted(endpoint::patient(), repeat).await;
    assert_eq!(running.embed(&["apple".to_owned()]).await.len(), 1);
    let texts = ["apple", "river bank"].map(str::to_owned);
    let made = running.try_embed(&texts, &EmbeddingSettings::default()).await;
    let error = made.expect_err("a vector is missing");
    let kinds = [ErrorKind::Undecodable, ErrorKind::Embedding];
    assert!(kinds.contains(error.kind()), "a missing vector is another error: {error:?}");
}

/// The key is wrong, requests are too frequent, or the provider is down. The caller decides about a
/// long wait.
pub(crate) async fn statuses_have_their_kinds(subject: EmbeddingSubject) {
    for (status, kind) in &STATUSES {
        let response = Response::new(*status, "text/plain", "because");
        let error = failure(&subject, response.with_header("Retry-After", "3600")).await;
        assert_eq!(error.kind(), kind, "after {status}: {error}");
        let is_wait_known = error.retry_after() == Some(Duration::from_secs(3600));
        assert!(is_wait_known || *status != 429, "{error:?}");
    }
}

/// No server listens on the port, or it accepts the request and sends nothing.
pub(crate) async fn failed_connections_have_their_kinds(subject: EmbeddingSubject) {
    let generator = subject.pointed_at(Endpoint::new(Server::nowhere().await, endpoint::patient()));
    let made = generator.generate(&some(), &EmbeddingSettings::default()).await;
    assert_eq!(made.expect_err("the call fails").kind(), &ErrorKind::Unavailable);
    let stall = |_| Action::Stall(Vec::new());
    let running = subject.scripted(endpoint::impatient(), stall).await;
    let made = running.try_embed(&some(), &EmbeddingSettings::default()).await;
    assert_eq!(made.expect_err("the call fails").kind(), &ErrorKind::Timeout);
}

/// A login page, an empty body, or JSON of another shape, with a success status.
pub(crate) async fn an_unreadable_embedding_is_undecodable(subject: EmbeddingSubject) {
    for (content_type, body) in UNREADABLE {
        let error = failure(&subject, Response::new(200, content_type, body)).await;
        assert_eq!(error.kind(), &ErrorKind::Undecodable, "{content_type} {body:?}: {error}");
    }
}

/// The provider echoes the key wherever a generator may look for a message.
pub(crate) async fn an_echoed_key_stays_out_of_errors(subject: EmbeddingSubject) {
    for status in [200, 400, 401, 404, 429, 500] {
        // `failure` searches the error, the runner searches the logs.
        let echo = Response::echoing(status, Endpoint::KEY, &Endpoint::KEY.into());
        failure(&subject, echo).await;
    }
}

/// No two have the same number of words: small models know few words, and batches by length change
/// the order.
fn some() -> Vec<String> {
    let texts = [
        "A connector answers a query.",
        "apple",
        "The quick brown fox jumps over the lazy dog, and then it jumps back over the dog again.",
        "Filters are applied or refused by each store.",
        "river bank",
    ];
    texts.map(str::to_owned).into()
}

/// More than any request takes, of about the same length.
fn many() -> Vec<String> {
    (1_000..3_500).map(|number| format!("text {number}")).collect()
}

/// Rounding may differ between batches.
fn is_near(left: &[f32], right: &[f32]) -> bool {
    let largest =
        left.iter().chain(right).fold(0.0_f32, |largest, element| largest.max(element.abs()));
    let is_near = |(left, right): (&f32, &f32)| (left - right).abs() <= 1e-3 * largest;
    left.len() == right.len() && left.iter().zip(right).all(is_near)
}
