//! Writes paragraphs and tables as text.

use crate::{
    Document, DocumentFormat, Locator,
    read::{ReadError, ReadLimits},
};

/// Further cells of a row are part of the last.
const MAX_CELLS: usize = 1000;

pub(super) struct Body<'a> {
    document: &'a mut Document,
    limits: &'a ReadLimits,
    /// A text box is inside a paragraph.
    open: Vec<Paragraph>,
    /// In open paragraphs and in the row.
    bytes: usize,
    tables: usize,
    /// Of the outermost table: inner ones are part of a cell.
    row: Vec<String>,
    /// Level of the paragraphs that follow, if they are titles.
    pub(super) title: Option<usize>,
}

#[derive(Default)]
struct Paragraph {
    level: usize,
    text: String,
}

impl<'a> Body<'a> {
    pub(super) fn new(document: &'a mut Document, limits: &'a ReadLimits) -> Self {
        document.format = DocumentFormat::PlainText;
        Self {
            document,
            limits,
            open: Vec::new(),
            bytes: 0,
            tables: 0,
            row: Vec::new(),
            title: None,
        }
    }

    /// Begins a slide, from 1.
    pub(super) fn begin_page(&mut self, number: usize) -> Result<(), ReadError> {
        self.limits.check_pages(number, "slides")?;
        let separator = if self.document.text.is_empty() { "" } else { "\n" };
        self.document.push_section(Locator::Fragment(format!("slide={number}")), separator);
        Ok(())
    }

    /// Begins a paragraph, or a heading if the level isn't 0.
    pub(super) fn begin(&mut self, level: usize) {
        let level = self.title.unwrap_or(level);
        self.open.push(Paragraph { level, text: String::new() });
    }

    pub(super) fn set_level(&mut self, level: usize) {
        if let Some(paragraph) = self.open.last_mut() {
            paragraph.level = level;
        }
    }

    pub(super) fn push(&mut self, text: &str) -> Result<(), ReadError> {
        let Some(paragraph) = self.open.last_mut() else { return Ok(()) };
        self.bytes += text.len();
        self.limits.check_text(self.document.text.len() + self.bytes)?;
        paragraph.text.push_str(text);
        Ok(())
    }

    pub(super) fn end(&mut self) {
        let Paragraph { level, text } = self.open.pop().unwrap_or_default();
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if self.tables > 0 {
            if let Some(cell) = self.row.last_mut() {
                if !cell.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(text);
            }
            return;
        }
        self.bytes = self.bytes.saturating_sub(text.len());
        if level > 0 {
            self.document.push_heading(level, text);
        } else {
            self.break_paragraph();
            self.document.text.push_str(text);
            self.document.text.push('\n');
        }
    }

    pub(super) fn begin_table(&mut self) {
        if self.tables == 0 {
            self.break_paragraph();
        }
        self.tables += 1;
    }

    pub(super) fn begin_cell(&mut self) {
        if self.tables == 1 && self.row.len() < MAX_CELLS {
            self.row.push(String::new());
        }
    }

    pub(super) fn end_row(&mut self) {
        if self.tables == 1 {
            let row = std::mem::take(&mut self.row);
            self.bytes = 0;
            if row.iter().any(|cell| !cell.is_empty()) {
                self.document.push_row(row.iter().map(String::as_str));
            }
        }
    }

    pub(super) fn end_table(&mut self) {
        self.tables = self.tables.saturating_sub(1);
    }

    fn break_paragraph(&mut self) {
        if !self.document.text.is_empty() {
            self.document.text.push('\n');
        }
    }
}
