//! Texts, slides and sheets, as [OpenDocument](https://docs.oasis-open.org/office/OpenDocument/v1.3/).

use std::io::{Read, Seek};

use super::{
    body::Body,
    package::Package,
    spreadsheet::{Cells, Rows},
    xml::{Element, Skip, Tag},
};
use crate::{Document, read::ReadError};

const CONTENT: &str = "content.xml";

const MAX_SPACES: usize = 100;

pub(super) fn read(
    package: &mut Package<'_, impl Read + Seek>,
    media_type: &str,
    document: &mut Document,
) -> Result<(), ReadError> {
    let limits = package.limits;
    if media_type.contains(".spreadsheet") {
        let mut reader = SheetReader::new(Rows::new(document, limits));
        package.walk(CONTENT, &mut |tag, depth| reader.take(tag, depth))?;
        reader.rows.end_sheet();
        return Ok(());
    }
    let mut reader =
        TextReader { body: Body::new(document, limits), skip: Skip::default(), pages: 0 };
    package.walk(CONTENT, &mut |tag, depth| reader.take(tag, depth))
}

struct TextReader<'a> {
    body: Body<'a>,
    skip: Skip,
    pages: usize,
}

impl TextReader<'_> {
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
            Tag::Text(text) => self.body.push(text),
        }
    }

    fn open(&mut self, element: &Element<'_>, depth: usize) -> Result<(), ReadError> {
        match element.name {
            // Deleted text, and who wrote a comment when.
            "tracked-changes" | "note-citation" | "change-info" => self.skip.begin(depth),
            "creator" | "date" if element.full_name().starts_with("dc:") => self.skip.begin(depth),
            "creator-initials" => self.skip.begin(depth),
            "page" if element.full_name() == "draw:page" => {
                self.pages += 1;
                return self.body.begin_page(self.pages);
            }
            "frame" => {
                let is_title = element.attribute("class").as_deref() == Some("title");
                self.body.title = is_title.then_some(1);
            }
            "h" => self.body.begin(element.number("outline-level").unwrap_or(1)),
            "p" => self.body.begin(0),
            "table" if element.full_name() == "table:table" => self.body.begin_table(),
            "table-cell" => self.body.begin_cell(),
            _ => return push_space(element, &mut |text| self.body.push(text)),
        }
        Ok(())
    }

    fn close(&mut self, name: &str) {
        match name {
            "h" | "p" => self.body.end(),
            "frame" => self.body.title = None,
            "table-row" => self.body.end_row(),
            "table" => self.body.end_table(),
            _ => {}
        }
    }
}

struct SheetReader<'a> {
    rows: Rows<'a>,
    cells: Cells,
    /// Of the next cell, from 0.
    column: usize,
    row: usize,
    /// How often the file repeats the current row.
    repeats: usize,
    is_cell: bool,
    skip: Skip,
}

impl<'a> SheetReader<'a> {
    fn new(rows: Rows<'a>) -> Self {
        let cells = Cells::new();
        let column = 0;
        let row = 0;
        Self { rows, cells, column, row, repeats: 1, is_cell: false, skip: Skip::default() }
    }

    fn take(&mut self, tag: Tag<'_>, depth: usize) -> Result<(), ReadError> {
        if self.skip.covers(&tag, depth) {
            return Ok(());
        }
        match tag {
            Tag::Open(element) => self.open(&element, depth),
            Tag::Close("table-cell") => {
                self.is_cell = false;
                Ok(())
            }
            Tag::Close("table-row") => {
                let row = self.row + 1;
                self.row = self.row.saturating_add(self.repeats);
                self.column = 0;
                self.rows.push(row, std::mem::take(&mut self.cells))
            }
            Tag::Text(text) if self.is_cell => self.push(text),
            _ => Ok(()),
        }
    }

    fn open(&mut self, element: &Element<'_>, depth: usize) -> Result<(), ReadError> {
        match element.name {
            "annotation" => self.skip.begin(depth),
            "table" if element.full_name() == "table:table" => {
                self.row = 0;
                return self.rows.begin_sheet(element.attribute("name").unwrap_or_default());
            }
            "table-row" => self.repeats = element.number("number-rows-repeated").unwrap_or(1),
            // The text of a repeated cell is written once.
            "table-cell" | "covered-table-cell" => {
                self.is_cell = element.name == "table-cell";
                self.cells.push((self.column, String::new()));
                let repeats = element.number("number-columns-repeated").unwrap_or(1);
                self.column = self.column.saturating_add(repeats);
            }
            "p" if self.is_cell => return self.push(" "),
            _ => return push_space(element, &mut |text| self.push(text)),
        }
        Ok(())
    }

    fn push(&mut self, text: &str) -> Result<(), ReadError> {
        match self.cells.last_mut() {
            Some((_, cell)) if self.is_cell => self.rows.push_to_cell(cell, text),
            _ => Ok(()),
        }
    }
}

fn push_space(
    element: &Element<'_>,
    push: &mut dyn FnMut(&str) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    match element.name {
        "s" => push(&" ".repeat(element.number("c").unwrap_or(1).min(MAX_SPACES))),
        "tab" => push("\t"),
        "line-break" => push("\n"),
        _ => Ok(()),
    }
}
