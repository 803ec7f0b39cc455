//! Where things stand in a payload.

use textsearch_core::vector::{DataField, DataKind};

use crate::conversion::Json;

/// The field of a payload in which this crate keeps what it needs beside the record's own fields.
pub(crate) const RESERVED: &str = "_textsearch";

/// The sparse vector with the terms of a record's full-text fields.
pub(crate) const TERMS: &str = "_textsearch_terms";

/// In the reserved field: the names of the fields whose values are not of the plain form of their kind, so that filters
/// read their columns.
pub(crate) const COLUMN_FIELDS: &str = "odd";

/// In the reserved field: the values that payloads cannot hold as they are, as JSON text.
pub(crate) const MOVED: &str = "moved";

/// In the reserved field: what filters need of each filterable field.
pub(crate) const FIELDS: &str = "fields";

/// The path of the names of the fields that filters read in columns.
pub(crate) fn column_fields() -> String {
    format!("{RESERVED}.{COLUMN_FIELDS}")
}

/// The path of a field in the payload.
pub(crate) fn native(field: &str) -> String {
    quoted(field)
}

/// The path of what filters need of a field.
pub(crate) fn column(field: &str, column: &str) -> String {
    format!("{RESERVED}.{FIELDS}.{}.{column}", quoted(field))
}

/// Whether filters find the field at the top of the payload: a name with a point may be a path into objects as well, so
/// its value is looked up when the record is written.
pub(crate) fn is_plain(field: &str) -> bool {
    !field.contains('.')
}

/// The kind that conditions on a field take for granted: none in particular where its value has to be looked up.
pub(crate) fn kind(field: &DataField) -> DataKind {
    if is_plain(&field.name) { field.kind } else { DataKind::Json }
}

/// What is wrong with the name of a field.
pub(crate) fn fault(field: &str) -> Option<&'static str> {
    if field.contains('"') {
        return Some("a name without double quotes");
    }
    (field == RESERVED || field == TERMS).then_some("a name that this connector does not use")
}

fn quoted(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.chars().all(is_bare) { name.to_owned() } else { format!("\"{name}\"") }
}

/// The part of a payload that is this crate's own.
pub(crate) fn take_reserved(payload: &mut Json) -> Json {
    match payload.remove(RESERVED) {
        Some(serde_json::Value::Object(reserved)) => reserved,
        _ => Json::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_no_bare_word_is_quoted() {
        assert_eq!(native("year"), "year");
        assert_eq!(native("due date"), "\"due date\"");
        assert_eq!(column("a.b", "text"), "_textsearch.fields.\"a.b\".text");
    }
}
