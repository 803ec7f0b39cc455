//! Command-line advice for errors of the documents library.

use textsearch_documents::ingest::{IngestError, ModelMismatch};

use super::skipped::warn_of;
use crate::{corpus::store::rebuilding, errors::usage};

/// Adds advice to `error`. A model other than the store's is a usage error.
pub(crate) fn explain(error: IngestError, location: &str) -> anyhow::Error {
    let error = match error {
        // Callers downcast to the error of a model or store, so keep it unwrapped.
        IngestError::Backend(error) => return error.into(),
        error => error,
    };
    match &error {
        IngestError::Model(mismatch) => usage(of_model(mismatch, location)),
        IngestError::Schema(cause) => usage(format!(
            "the store `{location}` was made for other documents: {}: try {}",
            cause.message(),
            rebuilding(location, " [--embeddings MODEL]")
        )),
        IngestError::OtherProgram => {
            anyhow::anyhow!("it was not made by `textsearch index`: try another --store")
        }
        IngestError::OtherVersion(_) => {
            anyhow::Error::from(error).context("it was made by another version of `textsearch`")
        }
        IngestError::NoText { skipped } => {
            warn_of(skipped);
            anyhow::anyhow!(
                "there is no text in what was named, and --rebuild replaces no store by an empty one: try another PATH"
            )
        }
        _ => error.into(),
    }
}

fn of_model(mismatch: &ModelMismatch, location: &str) -> String {
    let rebuilding = |arguments| rebuilding(location, arguments);
    match mismatch {
        ModelMismatch::NotEmbedded => format!(
            "the store has no embeddings: try without --embeddings, or {}",
            rebuilding(" --embeddings MODEL")
        ),
        ModelMismatch::NoModel { model } => format!(
            "the store has embeddings of `{model}`: try --embeddings with that model, or {}",
            rebuilding("")
        ),
        ModelMismatch::OtherModel { model, dimensions, requested, requested_dimensions } => {
            format!(
                "the store has embeddings of `{model}` with {dimensions} dimensions, and --embeddings names `{requested}` with \
             {requested_dimensions}: try --embeddings with the model of the store, or {}",
                rebuilding(" --embeddings MODEL")
            )
        }
        ModelMismatch::OtherPrefix { stored } => {
            let known = match stored {
                Some(prefix) => format!("with --passage-prefix '{prefix}'"),
                None => "without --passage-prefix".to_owned(),
            };
            format!(
                "the documents of the store were embedded {known}: try it so, or {}",
                rebuilding(" --embeddings MODEL --passage-prefix TEXT")
            )
        }
        _ => mismatch.to_string(),
    }
}
