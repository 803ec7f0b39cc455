//! Documents in a ZIP package: Office Open XML, OpenDocument and EPUB.

mod body;
mod epub;
mod ooxml;
mod opendocument;
mod package;
mod spreadsheet;
mod styles;
mod xml;

use std::{
    cell::Cell,
    io::{Read, Seek},
    rc::Rc,
};

use zip::ZipArchive;

use self::package::Package;
use super::{ReadError, ReadLimits};
use crate::Document;

/// Properties of OpenDocument: who changed it last, when, and what it is about, as free text.
const OTHER_PROPERTIES: [&str; 3] = ["creator", "date", "subject"];

/// `bytes_left` counts down what an archive may have in all its files.
pub(super) fn read<R: Read + Seek>(
    zip: ZipArchive<R>,
    limits: &ReadLimits,
    bytes_left: &Rc<Cell<u64>>,
    document: &mut Document,
) -> Result<(), ReadError> {
    let mut package = Package::new(zip, limits, bytes_left);
    let media_type = package.text("mimetype")?.unwrap_or_default();
    if media_type.starts_with("application/vnd.oasis.opendocument.") {
        let kinds = [(".text", "odt"), (".spreadsheet", "ods"), (".presentation", "odp")];
        let kind = kinds.iter().find(|(name, _)| media_type.contains(name));
        let kind = kind.map_or("odg", |(_, kind)| *kind);
        document.facts.kind = Some(kind.to_owned());
        package.take_facts("meta.xml", &OTHER_PROPERTIES, &mut document.facts)?;
        return opendocument::read(&mut package, &media_type, document);
    }
    if media_type.starts_with("application/epub+zip") || package.has("META-INF/container.xml") {
        document.facts.kind = Some("epub".to_owned());
        return epub::read(&mut package, document);
    }
    let relations = package.relations("")?;
    let target = |kind| relations.iter().find(|relation| relation.kind == kind);
    let main = target("officeDocument").ok_or(ReadError::NoReader { format: "ZIP".into() })?;
    if let Some(properties) = target("core-properties") {
        package.take_facts(&properties.target, &[], &mut document.facts)?;
    }
    let main = &main.target;
    let (kind, read): (_, fn(&mut Package<'_, R>, &str, &mut Document) -> _) =
        match main.split('/').next() {
            Some("ppt") => ("pptx", ooxml::read_slides),
            Some("xl") => ("xlsx", spreadsheet::read),
            _ => ("docx", ooxml::read_text),
        };
    document.facts.kind = Some(kind.to_owned());
    read(&mut package, main, document)
}
