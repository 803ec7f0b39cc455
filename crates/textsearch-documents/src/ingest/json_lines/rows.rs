//! Rows of CSV as records.

use std::{collections::HashSet, fs::File, path::Path};

use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord};
use serde_json::{Map, Value};

use super::lines::unreadable;
use crate::ingest::{
    error::{IngestError, Result},
    record_error::RecordError,
};

/// The rows of a file as objects. The first row names the fields.
#[derive(Debug)]
pub(in crate::ingest) struct Rows<'a> {
    reader: Reader<File>,
    path: &'a str,
    columns: Vec<Column>,
    row: StringRecord,
}

/// A column, whose cells that aren't blank have one kind.
#[derive(Debug, Default)]
struct Column {
    name: String,
    /// `None` while all cells are blank.
    kind: Option<CellKind>,
    /// The number of digits after the point of the last cell.
    decimals: Option<usize>,
    /// Whether the cells have different numbers of decimals.
    is_uneven: bool,
    /// Whether a cell ends with a zero that JSON leaves out.
    is_padded: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellKind {
    Boolean,
    Number,
    Text,
}

impl<'a> Rows<'a> {
    /// Reads all rows once, to know the kinds of the columns.
    pub(super) fn open(location: &Path, path: &'a str, delimiter: u8) -> Result<Self> {
        let open = || -> csv::Result<Reader<File>> {
            let mut reader = ReaderBuilder::new();
            reader.delimiter(delimiter).flexible(true).from_path(location)
        };
        let mut reader = open().map_err(|error| named(path, 0, error))?;
        let header = reader.headers().map_err(|error| named(path, 1, error))?.clone();
        let mut rows =
            Self { reader, path, columns: columns(&header, path)?, row: StringRecord::new() };
        while rows.advance()? {
            for (column, cell) in rows.columns.iter_mut().zip(&rows.row) {
                column.note(cell);
            }
        }
        rows.reader = open().map_err(|error| named(path, 0, error))?;
        Ok(rows)
    }

    /// Passes the next row and its number to `read`. Returns `None` at the end.
    pub(super) fn read<T>(
        &mut self,
        read: impl FnOnce(Map<String, Value>, u64) -> Result<T, RecordError>,
    ) -> Result<Option<T>> {
        if !self.advance()? {
            return Ok(None);
        }
        let line = number_of(&self.row);
        let mut cells = self.row.iter();
        let fields = self.columns.iter().map(|column| {
            let cell = cells.next().unwrap_or_default();
            (column.name.clone(), column.value(cell))
        });
        let fields = fields.collect();
        let excess = cells.any(|cell| !is_blank(cell));
        let fields =
            if excess { Err(RecordError::TooManyCells(self.columns.len())) } else { Ok(fields) };
        let record = fields.and_then(|fields| read(fields, line));
        record.map(Some).map_err(|reason| self.invalid(line, reason))
    }

    /// Returns the number of bytes up to the end of the last row.
    pub(super) fn bytes_read(&self) -> u64 {
        self.reader.position().byte()
    }

    fn advance(&mut self) -> Result<bool> {
        let line = number_of(&self.row);
        self.reader.read_record(&mut self.row).map_err(|error| named(self.path, line, error))
    }

    fn invalid(&self, line: u64, reason: RecordError) -> IngestError {
        IngestError::Record { path: self.path.to_owned(), line, reason }
    }
}

impl Column {
    fn note(&mut self, cell: &str) {
        if is_blank(cell) {
            return;
        }
        let kind = match parsed(cell) {
            Some(Value::Bool(_)) => CellKind::Boolean,
            Some(_) => CellKind::Number,
            None => CellKind::Text,
        };
        let known = self.kind.unwrap_or(kind);
        self.kind = Some(if known == kind { kind } else { CellKind::Text });
        let decimals = decimals(cell);
        let known = self.decimals.replace(decimals.len());
        self.is_uneven |= known.is_some_and(|known| known != decimals.len());
        self.is_padded |= decimals.len() > 1 && decimals.ends_with('0');
    }

    /// A blank cell is a field without a value.
    fn value(&self, cell: &str) -> Value {
        match self.kind {
            _ if is_blank(cell) => Value::Null,
            // Prices are numbers, and versions such as `1.9` and `1.10` aren't.
            Some(CellKind::Number) if self.is_padded && self.is_uneven => cell.into(),
            Some(CellKind::Boolean | CellKind::Number) => parsed(cell).unwrap_or(Value::Null),
            Some(CellKind::Text) | None => cell.into(),
        }
    }
}

/// Numbers its columns without a name.
fn columns(header: &StringRecord, path: &str) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    let mut names = HashSet::new();
    for (index, name) in header.iter().enumerate() {
        let name = match name.trim() {
            "" => format!("column {}", index + 1),
            name => name.to_owned(),
        };
        if !names.insert(name.clone()) {
            let reason = RecordError::DuplicateColumn(name);
            return Err(IngestError::Record { path: path.to_owned(), line: 1, reason });
        }
        columns.push(Column { name, ..Column::default() });
    }
    Ok(columns)
}

/// Returns a boolean, or a number that is written as in the cell but for zeros at its end. `007` and
/// numbers that JSON rounds are texts.
fn parsed(cell: &str) -> Option<Value> {
    let cell = cell.trim().to_ascii_lowercase();
    let value: Option<Value> = serde_json::from_str(&cell).ok();
    let padding = decimals(&cell).get(1..).unwrap_or_default();
    let padding = padding.len() - padding.trim_end_matches('0').len();
    value.filter(|value| match value {
        Value::Bool(_) => true,
        Value::Number(number) => {
            Some(number.to_string().as_str()) == cell.get(..cell.len() - padding)
        }
        _ => false,
    })
}

/// Returns the digits after the point.
fn decimals(cell: &str) -> &str {
    cell.trim().split_once('.').map_or("", |(_, decimals)| decimals)
}

fn is_blank(cell: &str) -> bool {
    cell.trim().is_empty()
}

/// Counts the header as 1. The library's lines are too few after a blank line or `\r\n`.
fn number_of(row: &StringRecord) -> u64 {
    row.position().map_or(0, |position| position.record() + 1)
}

fn named(path: &str, line: u64, error: csv::Error) -> IngestError {
    let line = error.position().map_or(line, |position| position.record() + 1);
    let reason = error.to_string();
    match error.into_kind() {
        ErrorKind::Io(error) => unreadable(path, error),
        _ => {
            IngestError::Record { path: path.to_owned(), line, reason: RecordError::NotCsv(reason) }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::json;

    use super::*;
    use crate::ingest::error::single_line;

    fn read(text: &[u8]) -> Result<Vec<(u64, Value)>> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text).unwrap();
        let mut rows = Rows::open(file.path(), "a.csv", b',')?;
        let mut read = Vec::new();
        while let Some(row) = rows.read(|fields, line| Ok((line, Value::Object(fields))))? {
            read.push(row);
        }
        Ok(read)
    }

    #[test]
    fn columns_have_one_kind_and_blank_cells_are_null() {
        let text = b"\xEF\xBB\xBFname,price,new,code,zip\n\"a\nb\",1.5,TRUE,7,007\nc, 2 ,false,x\n";
        let rows = [
            (2, json!({ "name": "a\nb", "price": 1.5, "new": true, "code": "7", "zip": "007" })),
            (3, json!({ "name": "c", "price": 2, "new": false, "code": "x", "zip": null })),
        ];
        assert_eq!(read(text).unwrap(), rows);
    }

    #[test]
    fn number_that_json_writes_otherwise_is_a_text() {
        for cell in ["18446744073709551616", "1.10", "1e5", "-0", "0.12345678901234567890"] {
            let text = format!("a,b\n{cell},1\n2,2\n");
            let rows = [(2, json!({ "a": cell, "b": 1 })), (3, json!({ "a": "2", "b": 2 }))];
            assert_eq!(read(text.as_bytes()).unwrap(), rows);
        }
        let rows = [(2, json!({ "a": u64::MAX, "b": -0.5 }))];
        assert_eq!(read(b"a,b\n18446744073709551615,-0.5\n").unwrap(), rows);
    }

    #[test]
    fn prices_are_numbers_and_versions_are_texts() {
        let rows = [(2, json!({ "a": 1.5, "b": "1.9" })), (3, json!({ "a": 2.0, "b": "1.10" }))];
        assert_eq!(read(b"a,b\n1.50,1.9\n2.00,1.10\n").unwrap(), rows);
    }

    #[test]
    fn rows_are_counted_without_blank_lines() {
        let rows = [(2, json!({ "a": 1 })), (3, json!({ "a": 2 }))];
        for text in ["a\n1\n2\n", "a\r\n1\r\n2\r\n", "\na\n\n1\n\n\n2", "a\r1\r2"] {
            assert_eq!(read(text.as_bytes()).unwrap(), rows, "{text:?}");
        }
    }

    #[test]
    fn wide_header_takes_linear_time() {
        let text = ",".repeat(200_000);
        assert_eq!(read(text.as_bytes()).unwrap(), []);
    }

    #[test]
    fn columns_without_name_are_numbered() {
        assert_eq!(read(b"a,\n1,2\n").unwrap(), [(2, json!({ "a": 1, "column 2": 2 }))]);
        assert_eq!(read(b"").unwrap(), []);
    }

    #[test]
    fn invalid_row_is_named_by_its_line() {
        for (text, message) in [
            (&b"a,a\n"[..], "line 1: two columns are called `a`"),
            (b"a\n1\n2,3\n", "line 3: the row has more cells than the 1 of the first row"),
            (b"a\n1\n\xFF\n", "line 3: this isn't CSV: "),
        ] {
            let error = single_line(&read(text).unwrap_err());
            assert!(error.starts_with(&format!("`a.csv` {message}")), "{error}");
        }
    }
}
