//! Parts of a package.

use std::{
    cell::Cell,
    collections::HashMap,
    io::{Read, Seek},
    rc::Rc,
    time::Instant,
};

use zip::{ZipArchive, result::ZipError};

use super::xml::{Tag, walk};
use crate::{
    Facts,
    read::{ReadError, ReadLimits, metered::Metered},
};

/// Of a part, which each of its relations or places repeats.
pub(super) const MAX_NAME_BYTES: usize = 1024;

/// Of a property. Longer values are no facts.
const MAX_PROPERTY_BYTES: usize = 4096;

/// How many times `max_bytes` all parts may have, unpacked: XML is larger than its text.
const UNPACKED_FACTOR: u64 = 8;

pub(super) struct Package<'a, R> {
    zip: ZipArchive<R>,
    pub(super) limits: &'a ReadLimits,
    bytes_left: Rc<Cell<u64>>,
    /// Of the archive with the package and other files.
    archive_bytes_left: Rc<Cell<u64>>,
    deadline: Instant,
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
    pub(super) fn new(
        zip: ZipArchive<R>,
        limits: &'a ReadLimits,
        archive_bytes_left: &Rc<Cell<u64>>,
    ) -> Self {
        let bytes_left = Rc::new(Cell::new(Self::max_bytes(limits)));
        let archive_bytes_left = Rc::clone(archive_bytes_left);
        let deadline = Instant::now() + limits.timeout;
        Self { zip, limits, bytes_left, archive_bytes_left, deadline }
    }

    fn max_bytes(limits: &ReadLimits) -> u64 {
        (limits.max_bytes as u64).saturating_mul(UNPACKED_FACTOR)
    }

    pub(super) fn has(&self, part: &str) -> bool {
        self.zip.index_for_name(part).is_some()
    }

    /// Returns a small part as text; `None` if there is none.
    pub(super) fn text(&mut self, part: &str) -> Result<Option<String>, ReadError> {
        let limit = self.limits.max_text_bytes as u64;
        let mut text = Vec::new();
        let read = self.open(part, |content| {
            content.take(limit.saturating_add(1)).read_to_end(&mut text).map_err(ReadError::damaged)
        })?;
        self.limits.check_text(text.len())?;
        Ok(read.map(|_| String::from_utf8_lossy(&text).into_owned()))
    }

    /// Walks through a part. Does nothing if there is none.
    pub(super) fn walk(
        &mut self,
        part: &str,
        see: &mut dyn FnMut(Tag<'_>, usize) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let deadline = self.deadline;
        self.open(part, |content| walk(content, deadline, see)).map(drop)
    }

    /// Returns the relations of a part; empty for the package's own.
    pub(super) fn relations(&mut self, part: &str) -> Result<Vec<Relation>, ReadError> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = resolved(folder, &format!("_rels/{file}.rels"));
        let mut relations = Vec::new();
        self.walk(&name, &mut |tag, _| {
            if let Tag::Open(element) = tag
                && element.name == "Relationship"
                && part.len() <= MAX_NAME_BYTES
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

    /// Takes the facts in a part whose elements are properties.
    pub(super) fn take_facts(
        &mut self,
        part: &str,
        ignored: &[&str],
        facts: &mut Facts,
    ) -> Result<(), ReadError> {
        let mut value = String::new();
        self.walk(part, &mut |tag, _| {
            match tag {
                Tag::Open(_) => value.clear(),
                Tag::Text(text) if value.len() + text.len() <= MAX_PROPERTY_BYTES => {
                    value.push_str(text);
                }
                Tag::Text(_) => {}
                Tag::Close(property) => {
                    if !ignored.contains(&property) {
                        facts.take(property, &value);
                    }
                    value.clear();
                }
            }
            Ok(())
        })
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
        let content = Metered::new(content, &self.archive_bytes_left);
        match read(&mut Metered::new(content, &self.bytes_left)) {
            Err(_) if self.bytes_left.get() == 0 => {
                let limit = Self::max_bytes(self.limits);
                let unit = "bytes, unpacked".into();
                Err(ReadError::AboveLimit { limit, unit })
            }
            result => result.map(Some),
        }
    }
}

/// Returns the targets by the ids of their relations.
pub(super) fn targets(relations: &[Relation]) -> HashMap<&str, &str> {
    relations.iter().map(|relation| (relation.id.as_str(), relation.target.as_str())).collect()
}

/// Returns the name of the part that `target` leads to from `folder`.
pub(super) fn resolved(folder: &str, target: &str) -> String {
    let mut steps: Vec<&str> =
        if target.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
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
