//! Tables of separated values.

use super::{ReadError, ReadLimits, is_header};
use crate::{Document, DocumentFormat, Locator};

/// Writes each record in one line, so that a chunk holds whole records.
pub(super) fn read(
    delimiter: u8,
    text: &str,
    limits: &ReadLimits,
    document: &mut Document,
) -> Result<(), ReadError> {
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(delimiter).has_headers(false).flexible(true);
    let mut reader = reader.from_reader(text.as_bytes());
    document.format = DocumentFormat::Lines;
    let mut columns = 0;
    let mut header = false;
    for record in reader.records() {
        let record = record.map_err(ReadError::damaged)?;
        columns = columns.max(record.len());
        if document.text.is_empty() {
            header = is_header(record.iter());
        }
        document.push_row(record.iter());
        limits.check_text(document.text.len())?;
    }
    document.locate(Locator::Rows { sheet: None, first: 1, columns, header });
    Ok(())
}
