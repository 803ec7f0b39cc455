//! Sheets of Excel, as [Office Open XML](https://ecma-international.org/publications-and-standards/standards/ecma-376/).

use std::{
    borrow::Cow,
    collections::HashSet,
    io::{Read, Seek},
};

use jiff::{
    Span,
    civil::{Date, Time},
};

use super::{
    package::{Package, targets},
    xml::Tag,
};
use crate::{
    Document, DocumentFormat, Locator, Section, SectionHeading,
    read::{ReadError, ReadLimits, is_header},
};

/// Day 0 of the numbers in cells.
const FIRST_DAY: Date = Date::constant(1899, 12, 30);

/// The same for files of old Macs.
const FIRST_DAY_SINCE_1904: Date = Date::constant(1904, 1, 1);

/// Empty rows that are written as empty lines.
const MAX_EMPTY_ROWS: usize = 8;

/// Of a sheet, whose name each place repeats.
const MAX_NAME_CHARACTERS: usize = 100;

/// Excel allows as many.
const MAX_CELLS: usize = 16_384;

/// Empty cells in a row that are written.
const MAX_EMPTY_CELLS: usize = 16;

/// Cells by their columns, from 0.
pub(super) type Cells = Vec<(usize, String)>;

/// The rows of sheets, each in one line.
pub(super) struct Rows<'a> {
    document: &'a mut Document,
    limits: &'a ReadLimits,
    sheet: String,
    heading: Option<SectionHeading>,
    /// The index of the sheet's first section.
    first_section: usize,
    sheets: usize,
    next_row: usize,
    columns: usize,
    /// Of the cells of the current row.
    row_bytes: usize,
}

impl<'a> Rows<'a> {
    pub(super) fn new(document: &'a mut Document, limits: &'a ReadLimits) -> Self {
        document.format = DocumentFormat::Lines;
        let sheet = String::new();
        let heading = None;
        Self {
            document,
            limits,
            sheet,
            heading,
            first_section: 0,
            sheets: 0,
            next_row: 0,
            columns: 0,
            row_bytes: 0,
        }
    }

    pub(super) fn begin_sheet(&mut self, name: String) -> Result<(), ReadError> {
        self.end_sheet();
        self.sheets += 1;
        self.limits.check_pages(self.sheets, "sheets")?;
        // As many as Excel allows, and more.
        let name: String = name.chars().take(MAX_NAME_CHARACTERS).collect();
        self.heading = Some(SectionHeading { level: 1, text: name.clone() });
        self.first_section = self.document.sections.len();
        (self.sheet, self.next_row, self.columns) = (name, 0, 0);
        Ok(())
    }

    /// Rows are counted from 1.
    pub(super) fn push(&mut self, row: usize, mut cells: Cells) -> Result<(), ReadError> {
        self.row_bytes = 0;
        if cells.len() > MAX_CELLS {
            return Err(ReadError::above(MAX_CELLS, "cells in a row"));
        }
        cells.retain(|(_, text)| !text.trim().is_empty());
        let Some((last, _)) = cells.last() else { return Ok(()) };
        self.columns = self.columns.max(last.saturating_add(1));
        let mut texts = Vec::new();
        let mut next_column = 0;
        for (column, text) in &cells {
            let skipped = column.saturating_sub(next_column).min(MAX_EMPTY_CELLS);
            texts.extend(std::iter::repeat_n("", skipped));
            texts.push(text.as_str());
            next_column = column.saturating_add(1);
        }
        match row.checked_sub(self.next_row) {
            Some(skipped) if self.next_row > 0 && skipped <= MAX_EMPTY_ROWS => {
                self.document.text.push_str(&"\n".repeat(skipped));
            }
            _ => self.begin_range(row, is_header(texts.iter().copied()))?,
        }
        self.document.push_row(texts.into_iter());
        self.next_row = row.saturating_add(1);
        self.limits.check_text(self.document.text.len())
    }

    pub(super) fn push_to_cell(&mut self, cell: &mut String, text: &str) -> Result<(), ReadError> {
        self.row_bytes += text.len();
        self.limits.check_text(self.document.text.len() + self.row_bytes)?;
        cell.push_str(text);
        Ok(())
    }

    /// The number of columns is known at the end.
    pub(super) fn end_sheet(&mut self) {
        for section in self.document.sections.iter_mut().skip(self.first_section) {
            if let Some(Locator::Rows { columns, .. }) = &mut section.locator {
                *columns = self.columns;
            }
        }
    }

    fn begin_range(&mut self, row: usize, header: bool) -> Result<(), ReadError> {
        self.limits.check_pages(self.document.sections.len(), "ranges of rows")?;
        let sheet = Some(self.sheet.clone());
        self.document.sections.push(Section {
            start: self.document.text.len(),
            heading: self.heading.take(),
            locator: Some(Locator::Rows { sheet, first: row, columns: 0, header }),
        });
        Ok(())
    }
}

pub(super) fn read(
    package: &mut Package<'_, impl Read + Seek>,
    main: &str,
    document: &mut Document,
) -> Result<(), ReadError> {
    let relations = package.relations(main)?;
    let part = |kind: &str| relations.iter().find(|relation| relation.kind == kind);
    let texts = match part("sharedStrings") {
        Some(part) => shared_texts(package, &part.target)?,
        None => Vec::new(),
    };
    let dates = match part("styles") {
        Some(part) => date_styles(package, &part.target)?,
        None => Vec::new(),
    };
    let mut sheets = Vec::new();
    let mut first_day = FIRST_DAY;
    package.walk(main, &mut |tag, _| {
        let Tag::Open(element) = tag else { return Ok(()) };
        let is_since_1904 = element.attribute("date1904");
        if is_since_1904.is_some_and(|value| matches!(value.as_str(), "1" | "true")) {
            first_day = FIRST_DAY_SINCE_1904;
        }
        if element.name == "sheet"
            && let (Some(name), Some(id)) =
                (element.attribute("name"), element.prefixed_attribute("r:id"))
        {
            sheets.push((name, id));
        }
        Ok(())
    })?;
    let parts = targets(&relations);
    let mut rows = Rows::new(document, package.limits);
    for (name, id) in sheets {
        let Some(part) = parts.get(id.as_str()) else { continue };
        rows.begin_sheet(name)?;
        let cells = Cells::new();
        let row = 0;
        let cell = Cell::default();
        let mut sheet =
            Sheet { texts: &texts, dates: &dates, first_day, rows: &mut rows, cells, row, cell };
        package.walk(part, &mut |tag, _| sheet.take(&tag))?;
    }
    rows.end_sheet();
    Ok(())
}

struct Sheet<'a, 'rows> {
    texts: &'a [String],
    dates: &'a [bool],
    first_day: Date,
    rows: &'a mut Rows<'rows>,
    cells: Cells,
    row: usize,
    cell: Cell,
}

#[derive(Default)]
struct Cell {
    column: usize,
    kind: String,
    style: usize,
    text: String,
    is_value: bool,
}

impl Sheet<'_, '_> {
    fn take(&mut self, tag: &Tag<'_>) -> Result<(), ReadError> {
        match tag {
            Tag::Open(element) => match element.name {
                "row" => self.row = element.number("r").unwrap_or(self.row + 1),
                "c" => {
                    let kind = element.attribute("t").unwrap_or_default();
                    let style = element.number("s").unwrap_or(0);
                    let next = self.cells.last().map_or(0, |(column, _)| column + 1);
                    let column = element.attribute("r").and_then(|name| column_of(&name));
                    let column = column.unwrap_or(next);
                    self.cell = Cell { column, kind, style, ..Cell::default() };
                }
                "v" | "t" => self.cell.is_value = true,
                _ => {}
            },
            Tag::Text(text) if self.cell.is_value => {
                self.rows.push_to_cell(&mut self.cell.text, text)?;
            }
            Tag::Text(_) => {}
            Tag::Close("v" | "t") => self.cell.is_value = false,
            Tag::Close("c") => {
                let cell = std::mem::take(&mut self.cell);
                let column = cell.column;
                let mut text = String::new();
                let shown = text_of(self.texts, self.dates, self.first_day, &cell);
                self.rows.push_to_cell(&mut text, &shown)?;
                self.cells.push((column, text));
            }
            Tag::Close("row") => self.rows.push(self.row, std::mem::take(&mut self.cells))?,
            Tag::Close(_) => {}
        }
        Ok(())
    }
}

fn text_of<'text>(
    texts: &'text [String],
    dates: &[bool],
    first_day: Date,
    cell: &'text Cell,
) -> Cow<'text, str> {
    match cell.kind.as_str() {
        "s" => {
            let index: Option<usize> = cell.text.trim().parse().ok();
            index.and_then(|index| texts.get(index)).map(String::as_str).unwrap_or_default().into()
        }
        "b" => if cell.text == "1" { "true" } else { "false" }.into(),
        "" | "n" if dates.get(cell.style) == Some(&true) => {
            date(first_day, &cell.text).map_or(Cow::Borrowed(&*cell.text), Cow::Owned)
        }
        _ => Cow::Borrowed(&cell.text),
    }
}

/// Texts that cells refer to, without the readings of Japanese ones.
fn shared_texts(
    package: &mut Package<'_, impl Read + Seek>,
    part: &str,
) -> Result<Vec<String>, ReadError> {
    let limit = package.limits.max_text_bytes;
    let mut texts = Vec::new();
    let mut bytes = 0;
    let mut is_text = false;
    let mut is_reading = false;
    package.walk(part, &mut |tag, _| {
        match tag {
            Tag::Open(element) => match element.name {
                "si" => texts.push(String::new()),
                "t" => is_text = true,
                "rPh" => is_reading = true,
                _ => {}
            },
            Tag::Close("t") => is_text = false,
            Tag::Close("rPh") => is_reading = false,
            Tag::Close(_) => {}
            Tag::Text(text) => {
                if let Some(last) = texts.last_mut().filter(|_| is_text && !is_reading) {
                    bytes += text.len();
                    last.push_str(text);
                }
            }
        }
        // An empty text takes memory, too.
        if bytes + texts.len() * size_of::<String>() > limit {
            return Err(ReadError::above(limit, "bytes of text"));
        }
        Ok(())
    })?;
    Ok(texts)
}

/// Whether the numbers in cells of each style are dates.
fn date_styles(
    package: &mut Package<'_, impl Read + Seek>,
    part: &str,
) -> Result<Vec<bool>, ReadError> {
    let mut own = HashSet::new();
    let mut styles = Vec::new();
    let mut is_cell_style = false;
    package.walk(part, &mut |tag, _| {
        match tag {
            Tag::Open(element) => match element.name {
                "numFmt" => {
                    let code = element.attribute("formatCode").unwrap_or_default();
                    if is_date_format(&code) {
                        own.extend(element.number("numFmtId"));
                    }
                }
                "cellXfs" => is_cell_style = true,
                "xf" if is_cell_style => {
                    let format = element.number("numFmtId").unwrap_or(0);
                    styles.push(
                        matches!(format, 14..=17 | 22 | 27..=36 | 50..=58) || own.contains(&format),
                    );
                }
                _ => {}
            },
            Tag::Close("cellXfs") => is_cell_style = false,
            _ => {}
        }
        Ok(())
    })?;
    Ok(styles)
}

/// Years and days outside of quotes and brackets, such as `yyyy-mm-dd` but not `"days" 0`.
fn is_date_format(code: &str) -> bool {
    let mut is_quoted = false;
    let mut is_bracketed = false;
    code.chars().any(|c| {
        match c {
            '"' => is_quoted = !is_quoted,
            '[' => is_bracketed = true,
            ']' => is_bracketed = false,
            _ => {}
        }
        !is_quoted && !is_bracketed && matches!(c, 'y' | 'Y' | 'd' | 'D')
    })
}

/// Takes days since the first one. The part of a day is its time.
fn date(first_day: Date, number: &str) -> Option<String> {
    let number: f64 = number.trim().parse().ok()?;
    if !(1.0..2_958_466.0).contains(&number) {
        return None;
    }
    // Small enough to be exact.
    let seconds = (number * 86_400.0).round() as i64;
    let time =
        first_day.to_datetime(Time::midnight()).checked_add(Span::new().seconds(seconds)).ok()?;
    let format = if seconds % 86_400 == 0 { "%Y-%m-%d" } else { "%Y-%m-%d %H:%M" };
    Some(time.strftime(format).to_string())
}

/// From 0, of a name such as `C3`.
fn column_of(name: &str) -> Option<usize> {
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).take(3);
    let number = letters.fold(0, |number, letter| {
        number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1
    });
    number.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_numbers_are_dates() {
        assert_eq!(date(FIRST_DAY, "45292").as_deref(), Some("2024-01-01"));
        assert_eq!(date(FIRST_DAY, "36586.75").as_deref(), Some("2000-03-01 18:00"));
        assert_eq!(date(FIRST_DAY, "1.999999").as_deref(), Some("1900-01-01"));
        assert_eq!(date(FIRST_DAY_SINCE_1904, "1").as_deref(), Some("1904-01-02"));
        assert_eq!(date(FIRST_DAY, "-1"), None);
        assert_eq!(column_of("AB12"), Some(27));
        assert!(is_date_format("dd/mm/yyyy") && !is_date_format("0.00\" days\"[Red]"));
    }
}
