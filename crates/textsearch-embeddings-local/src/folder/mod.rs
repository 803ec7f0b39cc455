//! Parses and validates the files of a model's folder.

mod model_config;
mod modules;
mod sentences;
mod weights;

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use textsearch_core::{Error, Result};

pub(crate) use model_config::{Layout, ModelConfig};
pub(crate) use modules::{Modules, PoolingMode};
pub(crate) use sentences::Sentences;
pub(crate) use weights::Weights;

use crate::failure;

#[derive(Debug, Clone)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        match path.is_dir() {
            true => Ok(Self(path.to_owned())),
            false => Err(failure::in_file(
                path,
                "isn't a folder; a model is a folder with `config.json`, `tokenizer.json` and \
                 `model.safetensors`",
            )),
        }
    }

    /// The folder's own name, without its path.
    pub(crate) fn name(&self) -> String {
        let path = self.0.canonicalize().unwrap_or_else(|_| self.0.clone());
        path.file_name()
            .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.path(name);
        std::fs::read(&path).map_err(|error| failure::unreadable(&path, "cannot be read", error))
    }

    pub(crate) fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let bytes = self.bytes(name)?;
        serde_json::from_slice(&bytes).map_err(|error| self.invalid_file(name, &error))
    }

    /// Returns `None` if the file doesn't exist.
    pub(crate) fn optional_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        match self.path(name).exists() {
            true => self.json(name).map(Some),
            false => Ok(None),
        }
    }

    pub(crate) fn error(&self, name: &str, what: impl std::fmt::Display) -> Error {
        failure::in_file(&self.path(name), what)
    }

    fn invalid_file(&self, name: &str, error: &serde_json::Error) -> Error {
        self.error(name, format_args!("has an unexpected form: {error}"))
    }
}
