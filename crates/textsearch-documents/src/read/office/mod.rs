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
        return opendocument::read(&mut package, &media_type, document);
    }
    if media_type.starts_with("application/epub+zip") || package.has("META-INF/container.xml") {
        return epub::read(&mut package, document);
    }
    let mut relations = package.relations("")?.into_iter();
    let main = relations.find(|relation| relation.kind == "officeDocument");
    let main = main.ok_or(ReadError::NoReader { format: "ZIP".into() })?.target;
    match main.split('/').next() {
        Some("ppt") => ooxml::read_slides(&mut package, &main, document),
        Some("xl") => spreadsheet::read(&mut package, &main, document),
        _ => ooxml::read_text(&mut package, &main, document),
    }
}
