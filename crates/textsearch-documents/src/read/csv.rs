//! Tables of separated values.

use super::ReadError;
use crate::{Document, DocumentFormat, Locator};

/// Writes each record in one line, so that a chunk holds whole records. The first one names the
/// columns.
pub(super) fn read(delimiter: u8, text: &str, document: &mut Document) -> Result<(), ReadError> {
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(delimiter).has_headers(false).flexible(true);
    let mut reader = reader.from_reader(text.as_bytes());
    document.format = DocumentFormat::Lines;
    let mut columns = 0;
    for record in reader.records() {
        let record = record.map_err(ReadError::damaged)?;
        columns = columns.max(record.len());
        document.push_row(record.iter());
    }
    document.locate(Locator::Rows { sheet: None, first: 1, columns });
    Ok(())
}
