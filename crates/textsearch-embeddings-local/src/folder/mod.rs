//! Parses and validates the files of a model's folder.

mod classifier;
mod fields;
mod late_interaction;
mod layouts;
mod model_config;
mod modules;
mod sentences;
mod weights;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use textsearch_core::{BoxError, Error, Result};

pub(crate) use classifier::ScoreActivation;
pub(crate) use fields::Fields;
pub(crate) use late_interaction::LateInteractionSettings;
pub(crate) use layouts::{NormKind, NormNames, Positions};
#[cfg(test)]
pub(crate) use model_config::shape_of_bert;
pub(crate) use model_config::{LayerKind, ModelConfig};
pub(crate) use modules::{Modules, PoolingMode, Source};
pub(crate) use sentences::Sentences;
pub(crate) use weights::Weights;

use crate::task::Task;

#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
    task: Task,
}

impl Folder {
    pub(crate) fn open(path: &Path, task: Task) -> Result<Self> {
        if path.is_dir() {
            Ok(Self { path: path.to_owned(), task })
        } else {
            Err(task.in_file(
                path,
                "isn't a folder; a model is a folder with `config.json`, `tokenizer.json` and \
                 `model.safetensors`",
            ))
        }
    }

    /// The folder's own name, without its path.
    pub(crate) fn name(&self) -> String {
        let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        path.file_name()
            .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// Returns the folder of a module, whose files have the usual names.
    pub(crate) fn module(&self, path: &str) -> Self {
        Self { path: self.path.join(path), task: self.task }
    }

    pub(crate) fn task(&self) -> Task {
        self.task
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        std::fs::read(self.path(name))
            .map_err(|error| self.unreadable(name, "cannot be read", error))
    }

    pub(crate) fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let bytes = self.bytes(name)?;
        serde_json::from_slice(&bytes).map_err(|error| self.invalid_file(name, &error))
    }

    /// Returns `None` if the file doesn't exist.
    pub(crate) fn optional_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        if self.path(name).exists() { self.json(name).map(Some) } else { Ok(None) }
    }

    pub(crate) fn error(&self, name: &str, what: impl std::fmt::Display) -> Error {
        self.task.in_file(&self.path(name), what)
    }

    pub(crate) fn unreadable(&self, name: &str, what: &str, cause: impl Into<BoxError>) -> Error {
        self.task.unreadable(&self.path(name), what, cause)
    }

    fn invalid_file(&self, name: &str, error: &serde_json::Error) -> Error {
        self.error(name, format_args!("has an unexpected form: {error}"))
    }
}
