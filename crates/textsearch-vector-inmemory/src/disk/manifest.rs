//! The file that says which files a collection consists of. It is replaced, never changed.

use std::{
    collections::BTreeMap,
    fs::{self, File, Metadata},
    io::{ErrorKind, Read as _, Write as _},
    path::Path,
    time::SystemTime,
};

use serde::{Deserialize, Serialize};
use textsearch_core::{Error, Result, text_analysis::Analyzer, vector::RecordDefinition};

use super::file::{damaged, is_sound, open_regular, unreadable, unwritable};
use crate::{error::CONNECTOR, terms::Statistics};

pub(super) const NAME: &str = "manifest";

/// The name of the manifest of a collection that is being removed.
pub(super) const REMOVED: &str = "removed";

const TEMPORARY: &str = "manifest.tmp";

/// The first line; the checksum of the rest follows as 8 hexadecimal digits, and a line end.
const TITLE: &str = "textsearch store 1 ";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// Chosen at random when the collection was created.
    pub(super) id: u64,
    /// The version of the text analysis that made the terms.
    pub(super) analysis: u32,
    pub(super) definition: RecordDefinition,
    /// In the order of their rows.
    pub(super) segments: Vec<SegmentEntry>,
    pub(super) log: String,
    /// The number of the next file.
    pub(super) next: u64,
    /// Records that have any term.
    pub(super) documents: u64,
    /// Of each full-text field.
    pub(super) statistics: Vec<Statistics>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SegmentEntry {
    pub(super) file: String,
    pub(super) length: u64,
    /// The rows without a record, by chunk.
    pub(super) free: BTreeMap<usize, Vec<u16>>,
}

impl Manifest {
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let mut text = Vec::new();
        let read = open_regular(&path)?.read_to_end(&mut text);
        read.map_err(|error| unreadable(&path, error))?;
        let rest = text.strip_prefix(TITLE.as_bytes());
        let rest = rest.ok_or_else(|| damaged(&path, 0, "it is of another program or version"))?;
        let line = TITLE.len() + 9;
        let (checksum, body) = rest.split_at(rest.len().min(9));
        let checksum = std::str::from_utf8(checksum).ok().and_then(|line| line.strip_suffix('\n'));
        let checksum = checksum.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if !checksum.is_some_and(|checksum| is_sound(body, &checksum.to_le_bytes())) {
            return Err(damaged(&path, 0, "its checksum does not match"));
        }
        let manifest: Self = serde_json::from_slice(body)
            .map_err(|error| damaged(&path, line as u64, &error.to_string()))?;
        let files = manifest.segments.iter().map(|segment| &segment.file).chain([&manifest.log]);
        // A name must not lead out of the folder.
        if files.into_iter().all(|file| is_name(file)) {
            Ok(manifest)
        } else {
            Err(damaged(&path, line as u64, "a file name is invalid"))
        }
    }

    /// Refuses terms that this program would not find.
    pub(super) fn check_analysis(&self, folder: &Path) -> Result<()> {
        let current = Analyzer::VERSION;
        let version = self.analysis;
        if version == current || self.definition.full_text_fields().next().is_none() {
            return Ok(());
        }
        let folder = folder.display();
        let message = format!(
            "the collection in `{folder}` cannot be read: its texts were analysed by version \
             {version}, and this program has version {current}; delete the collection and index again"
        );
        Err(Error::new(textsearch_core::ErrorKind::Undecodable, CONNECTOR, message))
    }

    /// Replaces the manifest of `folder`: after a crash, the old or the new one is there.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(TEMPORARY);
        let write = || {
            let body = serde_json::to_vec(self)?;
            // One that a killed process left, or a link that leads elsewhere.
            super::log::remove(&path);
            let mut file = File::create_new(&path)?;
            file.write_all(format!("{TITLE}{:08x}\n", crc32fast::hash(&body)).as_bytes())?;
            file.write_all(&body)?;
            file.sync_all()?;
            // First, so that the files that it names are there after a power failure.
            crate::snapshot::sync_folder(folder)?;
            fs::rename(&path, folder.join(NAME))?;
            crate::snapshot::sync_folder(folder)
        };
        write().map_err(|error| unwritable(&path, error))
    }

    /// The names of the segments and the log.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let segments = self.segments.iter().map(|segment| segment.file.as_str());
        segments.chain([self.log.as_str()])
    }
}

/// Segments and logs are named `segment-1` and `log-2`.
pub(super) fn is_name(file: &str) -> bool {
    let number = file.strip_prefix("segment-").or_else(|| file.strip_prefix("log-"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Differs after the manifest was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stamp {
    /// Returns `None` if there is no manifest.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(NAME);
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(&path, error)),
        };
        let modified = metadata.modified().ok();
        Ok(Some(Self { length: metadata.len(), modified, inode: inode(&metadata) }))
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}
