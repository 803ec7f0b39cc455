//! Word documents and slides, as [Office Open XML](https://ecma-international.org/publications-and-standards/standards/ecma-376/).

use std::{
    collections::HashMap,
    io::{Read, Seek},
};

use super::{
    body::Body,
    package::{Package, targets},
    styles::{levels, outline_level},
    xml::{Element, Skip, Tag},
};
use crate::{Document, read::ReadError};

type Levels = HashMap<String, usize>;

/// Reads the text, then notes and comments. Headers and footers are left out.
pub(super) fn read_text(
    package: &mut Package<'_, impl Read + Seek>,
    main: &str,
    document: &mut Document,
) -> Result<(), ReadError> {
    let relations = package.relations(main)?;
    let styles = relations.iter().find(|relation| relation.kind == "styles");
    let levels = match styles {
        Some(styles) => levels(package, &styles.target)?,
        None => Levels::new(),
    };
    read_part(package, main, &levels, document)?;
    for relation in &relations {
        if matches!(relation.kind.as_str(), "footnotes" | "endnotes" | "comments") {
            read_part(package, &relation.target, &levels, document)?;
        }
    }
    Ok(())
}

/// Reads each slide, then its notes and comments.
pub(super) fn read_slides(
    package: &mut Package<'_, impl Read + Seek>,
    main: &str,
    document: &mut Document,
) -> Result<(), ReadError> {
    let relations = package.relations(main)?;
    let mut ids = Vec::new();
    package.walk(main, &mut |tag, _| {
        if let Tag::Open(element) = tag
            && element.name == "sldId"
        {
            ids.extend(element.prefixed_attribute("r:id"));
        }
        Ok(())
    })?;
    let slides = targets(&relations);
    for (index, id) in ids.iter().enumerate() {
        let Some(slide) = slides.get(id.as_str()) else { continue };
        Body::new(document, package.limits).begin_page(index + 1)?;
        read_part(package, slide, &Levels::new(), document)?;
        for relation in package.relations(slide)? {
            if matches!(relation.kind.as_str(), "notesSlide" | "comments" | "diagramData") {
                read_part(package, &relation.target, &Levels::new(), document)?;
            }
        }
    }
    Ok(())
}

fn read_part(
    package: &mut Package<'_, impl Read + Seek>,
    part: &str,
    levels: &Levels,
    document: &mut Document,
) -> Result<(), ReadError> {
    let limits = package.limits;
    let mut reader =
        Reader { body: Body::new(document, limits), levels, skip: Skip::default(), is_text: false };
    package.walk(part, &mut |tag, depth| reader.take(tag, depth))
}

struct Reader<'a> {
    body: Body<'a>,
    levels: &'a Levels,
    skip: Skip,
    is_text: bool,
}

impl Reader<'_> {
    fn take(&mut self, tag: Tag<'_>, depth: usize) -> Result<(), ReadError> {
        if self.skip.covers(&tag, depth) {
            return Ok(());
        }
        match tag {
            Tag::Open(element) => self.open(&element, depth),
            Tag::Close(name) => {
                self.close(name);
                Ok(())
            }
            Tag::Text(text) if self.is_text => self.body.push(text),
            Tag::Text(_) => Ok(()),
        }
    }

    fn open(&mut self, element: &Element<'_>, depth: usize) -> Result<(), ReadError> {
        match element.name {
            // Text boxes again for old programs, and deleted or moved text.
            "Fallback" | "del" | "moveFrom" => self.skip.begin(depth),
            // Placeholders of a slide.
            "ph" => match element.attribute("type").as_deref() {
                Some("title" | "ctrTitle") => self.body.title = Some(1),
                Some("sldNum" | "dt" | "ftr" | "hdr") => self.skip.begin(depth.saturating_sub(3)),
                _ => {}
            },
            "p" => self.body.begin(0),
            "pStyle" => {
                let style = element.attribute("val").unwrap_or_default();
                self.body.set_level(self.levels.get(&style).copied().unwrap_or(0));
            }
            "outlineLvl" => {
                let level = element.attribute("val").and_then(|value| outline_level(&value));
                self.body.set_level(level.unwrap_or(0));
            }
            "t" => self.is_text = true,
            // A tab stop in the settings of a paragraph has attributes.
            "tab" if element.attribute("pos").is_none() => return self.body.push("\t"),
            "br" | "cr" => return self.body.push("\n"),
            "noBreakHyphen" => return self.body.push("-"),
            "tbl" => self.body.begin_table(),
            "tc" => self.body.begin_cell(),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str) {
        match name {
            "p" => self.body.end(),
            "t" => self.is_text = false,
            "tr" => self.body.end_row(),
            "tbl" => self.body.end_table(),
            "sp" => self.body.title = None,
            _ => {}
        }
    }
}
