//! [EPUB](https://www.w3.org/TR/epub-33/) books.

use std::io::{Read, Seek};

use super::{
    package::{MAX_NAME_BYTES, Package, resolved},
    xml::Tag,
};
use crate::{Document, DocumentFormat, Locator, Section, SectionHeading, html, read::ReadError};

/// Reads the chapters in reading order. A link names the file of a chapter.
pub(super) fn read(
    package: &mut Package<'_, impl Read + Seek>,
    document: &mut Document,
) -> Result<(), ReadError> {
    document.format = DocumentFormat::PlainText;
    let main = main_part(package)?;
    package.take_facts(&main, &[], &mut document.facts)?;
    let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
    for chapter in &chapters(package, &main, document)? {
        let part = resolved(folder, chapter);
        let Some(page) = package.text(&part)? else { continue };
        let page = html::extract(&document.id, &page).map_err(ReadError::damaged)?;
        package.limits.check_text(document.text.len() + page.text.len())?;
        let start = document.text.len();
        document.push_section(Locator::Fragment(part), &page.text);
        document.sections.extend(page.headings.into_iter().map(|heading| Section {
            start: start + heading.range.start,
            heading: Some(SectionHeading { level: heading.level, text: heading.text }),
            locator: None,
        }));
        document.text.push('\n');
    }
    Ok(())
}

fn main_part(package: &mut Package<'_, impl Read + Seek>) -> Result<String, ReadError> {
    let mut main = None;
    package.walk("META-INF/container.xml", &mut |tag, _| {
        if let Tag::Open(element) = tag
            && element.name == "rootfile"
        {
            main = main.take().or_else(|| element.attribute("full-path"));
        }
        Ok(())
    })?;
    if package.has("META-INF/encryption.xml") && package.has("META-INF/rights.xml") {
        return Err(ReadError::Encrypted);
    }
    main.ok_or_else(|| ReadError::damaged("its container names no package"))
}

/// Returns the names of the chapters, and sets the title.
fn chapters(
    package: &mut Package<'_, impl Read + Seek>,
    main: &str,
    document: &mut Document,
) -> Result<Vec<String>, ReadError> {
    let limits = package.limits;
    let mut items = Vec::new();
    let mut chapters = Vec::new();
    let mut is_title = false;
    package.walk(main, &mut |tag, _| {
        match tag {
            Tag::Open(element) => match element.name {
                "title" => is_title = true,
                "item" => items.extend(element.attribute("id").zip(element.attribute("href"))),
                "itemref" => {
                    let id = element.attribute("idref");
                    let item = items.iter().find(|(item, _)| Some(item) == id.as_ref());
                    limits.check_pages(chapters.len() + 1, "chapters")?;
                    let item = item.filter(|(_, href)| href.len() <= MAX_NAME_BYTES);
                    chapters.extend(item.map(|(_, href)| decoded(href)));
                }
                _ => {}
            },
            Tag::Text(text) if is_title && document.name.is_none() && !text.trim().is_empty() => {
                document.name = Some(text.trim().to_owned());
            }
            Tag::Close("title") => is_title = false,
            _ => {}
        }
        Ok(())
    })?;
    Ok(chapters)
}

fn decoded(href: &str) -> String {
    percent_encoding::percent_decode_str(href).decode_utf8_lossy().into_owned()
}
