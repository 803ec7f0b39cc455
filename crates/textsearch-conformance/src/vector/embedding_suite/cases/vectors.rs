//! Number, order and elements of vectors.

use textsearch_core::{ErrorKind, vector::EmbeddingSettings};

use super::{is_near, many, some};
use crate::vector::EmbeddingSubject;

/// It is not empty, and stays the same.
pub async fn the_model_has_a_name(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let name = running.generator.model_id().to_owned();
    assert!(!name.trim().is_empty(), "the name is empty");
    running.embed(&some()).await;
    assert_eq!(running.generator.model_id(), name);
}

/// No texts have no vectors. A repeated text has a vector each time.
pub async fn each_text_has_a_vector(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    for count in [0, 1, 2, 5] {
        let texts: Vec<String> = some().into_iter().take(count).collect();
        assert_eq!(running.embed(&texts).await.len(), count, "vectors for {count} texts");
    }
    let repeated = vec!["apple".to_owned(); 3];
    assert_eq!(running.embed(&repeated).await.len(), 3, "vectors for the same text three times");
}

/// It has more texts than any request or batch takes.
pub async fn a_large_call_is_complete(subject: EmbeddingSubject) {
    assert_eq!(subject.generator().await.embed(&many()).await.len(), many().len());
}

/// Across its requests or batches.
pub async fn a_large_call_keeps_its_order(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let vectors = running.embed(&many()).await;
    for place in [0, 1, 1_000, many().len() - 1] {
        let alone = running.embed(many().get(place..=place).unwrap_or_default()).await;
        let pair = vectors.get(place).zip(alone.first());
        assert!(pair.is_some_and(|(one, other)| is_near(one, other)), "text {place} has another");
    }
}

/// Other orders of the texts give the same vectors in those orders.
pub async fn vectors_have_the_order_of_their_texts(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let expected = running.embed(&some()).await;
    for shift in 0..some().len() {
        let mut texts = some();
        texts.rotate_left(shift);
        texts.reverse();
        let mut vectors = running.embed(&texts).await;
        vectors.reverse();
        vectors.rotate_right(shift);
        let is_same = vectors.iter().zip(&expected).all(|(one, other)| is_near(one, other));
        assert!(is_same, "vectors in another order than {texts:?}");
    }
}

/// Alone, among others, and again.
pub async fn a_vector_depends_on_its_text_alone(subject: EmbeddingSubject) {
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
pub async fn different_texts_have_different_vectors(subject: EmbeddingSubject) {
    let vectors = subject.generator().await.embed(&some()).await;
    let (first, others) = vectors.split_first().expect("there are vectors");
    for (other, text) in others.iter().zip(some().iter().skip(1)) {
        assert!(!is_near(first, other), "{text:?} has the vector of another text");
    }
}

/// All are of one length if none is reported.
pub async fn vectors_have_the_reported_length(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let vectors = running.embed(&some()).await;
    let first = vectors.first().map(|vector| vector.len());
    let expected = running.generator.dimensions().or(first);
    for vector in vectors {
        assert_eq!(Some(vector.len()), expected, "the length of a vector");
    }
}

/// A model with one length refuses others. Zero makes no sense.
pub async fn other_dimensions_are_made_or_refused(subject: EmbeddingSubject) {
    let running = subject.generator().await;
    let own = running.embed(&some()).await.first().map_or(0, |vector| vector.len());
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
pub async fn vectors_are_finite_and_not_zero(subject: EmbeddingSubject) {
    let texts = ["a", "?!", "42", "日本語", "🦀", "a b c d e f g"].map(str::to_owned);
    for (vector, text) in subject.generator().await.embed(&texts).await.iter().zip(&texts) {
        assert!(vector.iter().all(|element| element.is_finite()), "{text:?}: {vector:?}");
        assert!(vector.iter().any(|element| *element != 0.0), "{text:?} has a vector of zeros");
    }
}
