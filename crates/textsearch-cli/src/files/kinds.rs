//! Which files are read, and how: by the endings of their names and what the user says of them.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::Arc,
};

use textsearch_documents::ExternalLoader;

use super::FileKind;
use crate::arguments::ReadingArguments;

/// The ways to read files, by the endings of their names.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    loaders: HashMap<String, Arc<ExternalLoader>>,
    text_extensions: HashSet<String>,
}

impl Kinds {
    /// Returns the ways that this program knows and those that `reading` adds.
    pub(super) fn new(reading: &ReadingArguments) -> Self {
        let loaders = reading.loaders.iter().cloned();
        let text_extensions = reading.text_extensions.iter().cloned();
        Self {
            loaders: loaders.map(|(extension, loader)| (extension, Arc::new(loader))).collect(),
            text_extensions: text_extensions.collect(),
        }
    }

    /// Returns how the file at `path` is read, and the program that makes text of it, if one does. `None` for a kind that
    /// nothing reads.
    pub(super) fn of(&self, path: &Path) -> Option<(FileKind, Option<Arc<ExternalLoader>>)> {
        let extension = extension_of(path);
        if let Some(loader) = self.loaders.get(&extension) {
            return Some((FileKind::PlainText, Some(Arc::clone(loader))));
        }
        if self.text_extensions.contains(&extension) {
            return Some((FileKind::PlainText, None));
        }
        FileKind::of(&extension).map(|kind| (kind, None))
    }
}

/// Returns the ending of a file's name in lower case, without its dot; empty for a name without one.
pub(super) fn extension_of(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}
