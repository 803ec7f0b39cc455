//! Paths of fields in a payload.

use textsearch_core::vector::{DataField, DataKind};

use crate::conversion::Json;

/// The payload field for this crate's own data about the record.
pub(crate) const RESERVED: &str = "_textsearch";

/// The sparse vector with the terms of a record's full-text fields.
pub(crate) const TERMS: &str = "_textsearch_terms";

/// In the reserved field: names of the fields whose values don't have the plain form of their kind,
/// so that filters read their columns.
pub(crate) const COLUMN_FIELDS: &str = "odd";

/// In the reserved field: the values that payloads can't represent unchanged, as JSON text.
pub(crate) const MOVED: &str = "moved";

/// In the reserved field: the columns of each filterable field.
pub(crate) const FIELDS: &str = "fields";

/// Returns the path of the list of fields that filters read in columns.
pub(crate) fn column_fields() -> String {
    format!("{RESERVED}.{COLUMN_FIELDS}")
}

/// Returns the path of a field in the payload.
pub(crate) fn native(field: &str) -> String {
    quoted(field)
}

/// Returns the path of a column of a field.
pub(crate) fn column(field: &str, column: &str) -> String {
    format!("{RESERVED}.{FIELDS}.{}.{column}", quoted(field))
}

/// Returns whether filters can read the field at the top level of the payload. A name with a dot
/// may also be a path into objects, so its value is resolved when the record is written.
pub(crate) fn is_plain(field: &str) -> bool {
    !field.contains('.')
}

/// Returns the kind that conditions on a field assume. It is `Json`, which assumes nothing, if the
/// value must be resolved by path.
pub(crate) fn kind(field: &DataField) -> DataKind {
    if is_plain(&field.name) { field.kind } else { DataKind::Json }
}

/// Returns the fault in the name of a field, if it has one.
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

/// Removes this crate's own part from a payload and returns it.
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
