//! The spans of writes and embeddings.

use std::pin::Pin;

use tracing::{Instrument, Span, field};

use super::{IS_ON, Operation, Timer, metrics, signed};
use crate::{
    Result,
    vector::{EmbeddingGenerator, EmbeddingSettings, Embeddings, VectorCollection},
};

/// The conventions have no operation for a write, so it is named `$name`.
macro_rules! write_span {
    ($name:literal, $collection:expr, $records:expr) => {
        tracing::info_span!(
            $name,
            otel.name = field::Empty,
            otel.kind = "client",
            gen_ai.operation.name = $name,
            gen_ai.provider.name = $collection.store_name(),
            gen_ai.data_source.id = $collection.name(),
            textsearch.record_count = $records,
            error.type = field::Empty,
        )
    };
}

pub(crate) async fn upsert(
    collection: &dyn VectorCollection,
    records: usize,
    work: Pin<&mut impl Future<Output = Result<()>>>,
) -> Result<()> {
    let span = write_span!("upsert", collection, signed(records));
    write(span, "upsert", collection, work).await
}

/// `records` is `None` if a filter chooses them.
pub(crate) async fn delete(
    collection: &dyn VectorCollection,
    records: Option<usize>,
    work: Pin<&mut impl Future<Output = Result<()>>>,
) -> Result<()> {
    let span = write_span!("delete", collection, records.map(signed));
    write(span, "delete", collection, work).await
}

async fn write(
    span: Span,
    name: &str,
    collection: &dyn VectorCollection,
    work: Pin<&mut impl Future<Output = Result<()>>>,
) -> Result<()> {
    if span.is_disabled() {
        return work.await;
    }
    span.record("otel.name", field::display(format_args!("{name} {}", collection.name())));
    let done = work.instrument(span.clone()).await;
    done.inspect_err(|error| {
        span.record("error.type", error.kind().name());
    })
}

pub(crate) async fn embed(
    generator: &dyn EmbeddingGenerator,
    texts: &[String],
    settings: &EmbeddingSettings,
) -> Result<Embeddings> {
    let work = generator.generate(texts, settings);
    let model = generator.model_id();
    let span = tracing::info_span!(
        "embeddings",
        otel.name = field::Empty,
        otel.kind = "client",
        gen_ai.operation.name = "embeddings",
        gen_ai.provider.name = generator.provider(),
        gen_ai.request.model = model,
        gen_ai.embeddings.dimension.count = field::Empty,
        gen_ai.usage.input_tokens = field::Empty,
        textsearch.text_count = signed(texts.len()),
        error.type = field::Empty,
    );
    if span.is_disabled() && !IS_ON {
        return work.await;
    }
    span.record("otel.name", field::display(format_args!("embeddings {model}")));
    let timer = Timer::new();
    let made = work.instrument(span.clone()).await;
    describe(&span, &made);
    if IS_ON {
        measure(timer, generator, &made);
    }
    made
}

fn describe(span: &Span, made: &Result<Embeddings>) {
    match made {
        Ok(Embeddings { vectors, tokens }) => {
            if let Some(vector) = vectors.first() {
                span.record("gen_ai.embeddings.dimension.count", signed(vector.len()));
            }
            if let Some(tokens) = tokens {
                let tokens = i64::try_from(*tokens).unwrap_or(i64::MAX);
                span.record("gen_ai.usage.input_tokens", tokens);
            }
        }
        Err(error) => {
            span.record("error.type", error.kind().name());
        }
    }
}

fn measure(timer: Timer, generator: &dyn EmbeddingGenerator, made: &Result<Embeddings>) {
    let mut attributes = vec![("gen_ai.request.model", generator.model_id())];
    attributes.extend(generator.provider().map(|provider| ("gen_ai.provider.name", provider)));
    let error = made.as_ref().err().map(|error| error.kind().name());
    timer.record(Operation::Embeddings, &attributes, error);
    if let Ok(Embeddings { tokens: Some(count), .. }) = made {
        metrics::record_embedding_tokens(*count, &attributes);
    }
}
