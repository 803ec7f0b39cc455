//! Parts of a package.

use std::io::{self, Read, Seek};

use zip::{ZipArchive, result::ZipError};

use super::xml::{Tag, walk};
use crate::read::{ReadError, ReadLimits};

/// XML is larger than its text.
const UNPACKED: u64 = 8;

pub(super) struct Package<'a, R> {
    zip: ZipArchive<R>,
    pub(super) limits: &'a ReadLimits,
    bytes_left: u64,
}

/// See [Open Packaging Conventions](https://ecma-international.org/publications-and-standards/standards/ecma-376/).
pub(super) struct Relation {
    pub(super) id: String,
    /// The last word of the type.
    pub(super) kind: String,
    /// The name of a part.
    pub(super) target: String,
}

impl<'a, R: Read + Seek> Package<'a, R> {
    pub(super) fn new(zip: ZipArchive<R>, limits: &'a ReadLimits) -> Self {
        Self { zip, limits, bytes_left: (limits.max_bytes as u64).saturating_mul(UNPACKED) }
    }

    pub(super) fn has(&self, part: &str) -> bool {
        self.zip.index_for_name(part).is_some()
    }

    /// Returns a small part as text; `None` if there is none.
    pub(super) fn text(&mut self, part: &str) -> Result<Option<String>, ReadError> {
        let limit = self.limits.max_text_bytes as u64;
        let mut text = Vec::new();
        let found = self.open(part, |content| {
            content.take(limit.saturating_add(1)).read_to_end(&mut text).map_err(ReadError::damaged)
        })?;
        if text.len() as u64 > limit {
            return Err(ReadError::above(self.limits.max_text_bytes, "bytes of text"));
        }
        Ok(found.map(|_| String::from_utf8_lossy(&text).into_owned()))
    }

    /// Walks through a part. Does nothing if there is none.
    pub(super) fn walk(
        &mut self,
        part: &str,
        see: &mut dyn FnMut(Tag<'_>, usize) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        self.open(part, |content| walk(content, see)).map(drop)
    }

    /// Returns the relations of a part; empty for the package's own.
    pub(super) fn relations(&mut self, part: &str) -> Result<Vec<Relation>, ReadError> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = resolved(folder, &format!("_rels/{file}.rels"));
        let mut relations = Vec::new();
        self.walk(&name, &mut |tag, _| {
            if let Tag::Open(element) = tag
                && element.name == "Relationship"
                && element.attribute("TargetMode").as_deref() != Some("External")
                && let (Some(id), Some(kind), Some(target)) = (
                    element.attribute("Id"),
                    element.attribute("Type"),
                    element.attribute("Target"),
                )
            {
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                relations.push(Relation { id, kind, target: resolved(folder, &target) });
            }
            Ok(())
        })?;
        Ok(relations)
    }

    fn open<T>(
        &mut self,
        part: &str,
        read: impl FnOnce(&mut dyn Read) -> Result<T, ReadError>,
    ) -> Result<Option<T>, ReadError> {
        let content = match self.zip.by_name(part) {
            Ok(content) => content,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(ReadError::damaged(error)),
        };
        if content.encrypted() {
            return Err(ReadError::Encrypted);
        }
        let mut content = Counted { content, bytes_left: &mut self.bytes_left };
        read(&mut content).map(Some)
    }
}

/// Fails once all parts together are too large.
struct Counted<'a, R> {
    content: R,
    bytes_left: &'a mut u64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.content.read(buffer)?;
        let left = self.bytes_left.checked_sub(count as u64);
        *self.bytes_left =
            left.ok_or_else(|| io::Error::other("its parts unpack to too many bytes"))?;
        Ok(count)
    }
}

/// Returns the name of the part that `target` leads to from `folder`.
pub(super) fn resolved(folder: &str, target: &str) -> String {
    let mut steps: Vec<&str> = match target.starts_with('/') {
        true => Vec::new(),
        false => folder.split('/').collect(),
    };
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.retain(|step| !step.is_empty());
    steps.join("/")
}
