//! The file.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use textsearch_core::{Error, ErrorKind, Result};

use crate::{
    CONNECTOR, EmbeddingsSection, IndexSection,
    yaml::{self, MAX_BYTES},
};

/// The file's name in the folder of an asset.
const FILE_NAME: &str = "MLIndex";

/// An index as an MLIndex file describes it: where the records are, and which model embedded them.
///
/// `Debug`, errors and logs contain no key, because a file with one is rejected.
///
/// ```
/// use textsearch_mlindex::MlIndex;
///
/// let index = MlIndex::from_yaml("
/// embeddings:
///   kind: open_ai
///   model: text-embedding-3-small
///   dimension: 1536
/// index:
///   kind: qdrant
///   endpoint: http://localhost:6334
///   collection: docs
///   field_mapping: { content: text, title: name, url: link, embedding: embedding }
/// ")?;
/// assert_eq!(index.index.required_index()?, "docs");
/// assert_eq!(index.embeddings.dimension, Some(1536));
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MlIndex {
    /// The model that embedded the records.
    pub embeddings: EmbeddingsSection,
    /// Where the records are.
    pub index: IndexSection,
    /// The folder of the file; `None` if it was read from a text. Paths in the file are relative
    /// to it.
    pub folder: Option<PathBuf>,
}

impl MlIndex {
    /// Reads an MLIndex file from YAML of at most 64 KiB.
    ///
    /// Unknown settings are kept for constructors, in
    /// [`OtherSettings`](crate::OtherSettings).
    ///
    /// # Errors
    ///
    /// No error repeats a value that may be a secret.
    ///
    /// - [`Undecodable`](ErrorKind::Undecodable), with the line, if the text isn't YAML, exceeds a
    ///   limit, or has a repeated setting, a merge key or an unknown tag.
    /// - [`InvalidOptions`](ErrorKind::InvalidOptions), with the setting's path and line, if a
    ///   section or kind is missing, a value has the wrong form, an address has a user, a password,
    ///   a query or a fragment, or a setting holds a key.
    pub fn from_yaml(yaml: &str) -> Result<Self> {
        let sections = yaml::read(yaml)?;
        let index = IndexSection::read(sections.index)?;
        let embeddings = EmbeddingsSection::read(sections.embeddings)?;
        Ok(Self { embeddings, index, folder: None })
    }

    /// Reads the file at `path`, or the file `MLIndex` in the folder at `path`.
    ///
    /// # Errors
    ///
    /// Returns [`Backend`](ErrorKind::Backend) if the file can't be read, or an error of
    /// [`from_yaml`](Self::from_yaml).
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let path = if path.is_dir() { path.join(FILE_NAME) } else { path.to_owned() };
        let unreadable = |error: std::io::Error| {
            let message = format!("the file `{}` can't be read: {error}", path.display());
            Error::new(ErrorKind::Backend, CONNECTOR, message).with_source(error)
        };
        let mut text = Vec::new();
        let file = File::open(&path).map_err(unreadable)?;
        file.take(MAX_BYTES as u64 + 1).read_to_end(&mut text).map_err(unreadable)?;
        if text.len() > MAX_BYTES {
            return Err(yaml::too_large());
        }
        let text = String::from_utf8(text).map_err(|_| {
            let message = format!("the file `{}` can't be read: it isn't UTF-8", path.display());
            Error::new(ErrorKind::Undecodable, CONNECTOR, message)
        })?;
        let folder = path.parent().map(Path::to_owned);
        Ok(Self { folder, ..Self::from_yaml(&text)? })
    }
}
