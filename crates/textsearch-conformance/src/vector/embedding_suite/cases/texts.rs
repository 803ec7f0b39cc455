//! Odd texts, settings and costs.

use textsearch_core::{ErrorKind, vector::EmbeddingSettings};

use super::{is_near, many, some};
use crate::{report::skipped, vector::EmbeddingSubject};

/// It shifts no other vector.
pub async fn an_empty_text_has_a_vector_or_fails_the_call(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    for empty in ["", " \n"] {
        let texts = ["apple", empty, "river bank"].map(str::to_owned);
        match running.try_embed(&texts, &EmbeddingSettings::default()).await {
            Ok(made) => {
                assert_eq!(made.vectors.len(), 3, "vectors with {empty:?}");
                let alone = running.embed(&["river bank".to_owned()]).await;
                let pair = made.vectors.last().zip(alone.first());
                assert!(pair.is_some_and(|(one, other)| is_near(one, other)), "after {empty:?}");
            }
            Err(error) => {
                assert_eq!(error.kind(), &ErrorKind::Embedding, "for {empty:?}: {error}");
            }
        }
    }
}

/// Control characters, marks of tokenizers, and a very long text.
pub async fn odd_texts_do_no_harm(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let long = "long ".repeat(20_000);
    for odd in [
        "\u{0}\u{1}\u{7f}\u{feff}",
        "[CLS] [SEP] <s> </s> <|endoftext|>",
        "e\u{301}\u{202e}",
        &long,
    ] {
        let texts = ["apple", odd, "river bank"].map(str::to_owned);
        match running.try_embed(&texts, &EmbeddingSettings::default()).await {
            Ok(made) => assert_eq!(made.vectors.len(), 3, "vectors with {odd:.40?}"),
            Err(error) => {
                assert_eq!(error.kind(), &ErrorKind::Embedding, "for {odd:.40?}: {error}");
            }
        }
    }
}

/// Neither trimmed nor cut.
pub async fn texts_are_sent_unchanged(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let text = " Größe: \"東京\" 🌍\n\ta\\b </p> {\"not\": \"read\"} \n".to_owned();
    running.embed(std::slice::from_ref(&text)).await;
    let sent: Vec<(String, String)> =
        running.server().requests().iter().flat_map(|request| request.texts()).collect();
    assert!(sent.iter().any(|(_, sent)| *sent == text), "{text:?} is not sent: {sent:?}");
}

/// None is ignored.
pub async fn extra_settings_are_sent_or_refused(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let mut settings = EmbeddingSettings::default();
    settings.extra.insert("conformance".to_owned(), "a setting".into());
    match running.try_embed(&some(), &settings).await {
        Ok(_) => {
            let is_sent = running
                .server()
                .requests()
                .iter()
                .all(|request| request.texts().iter().any(|(_, text)| text == "a setting"));
            assert!(is_sent, "the setting is ignored");
        }
        Err(error) => {
            let is_option = matches!(error.kind(), ErrorKind::InvalidOptions { .. });
            assert!(is_option, "the setting is refused as another error: {error:?}");
        }
    }
}

/// A call of several requests counts all of them.
pub async fn more_texts_have_more_tokens(subject: EmbeddingSubject) {
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
