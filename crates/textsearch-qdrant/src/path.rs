//! Paths of fields in a payload.

use textsearch_core::vector::{DataField, DataKind};

use crate::conversion::Json;

/// The payload field for this crate's data about the record.
pub(crate) const RESERVED: &str = "_textsearch";

/// The sparse vector of the full-text terms.
pub(crate) const TERMS: &str = "_textsearch_terms";

/// The field name of a vector without a name, as in collections of other programs. It can be
/// searched, read and written; no collection is created with it.
pub const UNNAMED_VECTOR: &str = "_textsearch_unnamed";

/// In the reserved field: names of the fields that filters read in columns.
pub(crate) const COLUMN_FIELDS: &str = "odd";

/// In the reserved field: the values that payloads can't represent unchanged, as JSON text.
pub(crate) const MOVED: &str = "moved";

/// In the reserved field: the columns of each filterable field.
pub(crate) const FIELDS: &str = "fields";

pub(crate) fn column_fields() -> String {
    format!("{RESERVED}.{COLUMN_FIELDS}")
}

/// Returns the server's name of a vector: empty for the one without a name.
pub(crate) fn vector(field: &str) -> &str {
    if field == UNNAMED_VECTOR { "" } else { field }
}

pub(crate) fn native(field: &str) -> String {
    quoted(field)
}

pub(crate) fn column(field: &str, column: &str) -> String {
    format!("{RESERVED}.{FIELDS}.{}.{column}", quoted(field))
}

/// A name with a dot may also be a path into objects, so its value is resolved when the record is
/// written.
pub(crate) fn is_plain(field: &str) -> bool {
    !field.contains('.')
}

/// The kind that conditions on a field assume: `Json`, which assumes nothing, for a value resolved
/// by path.
pub(crate) fn kind(field: &DataField) -> DataKind {
    if is_plain(&field.name) { field.kind } else { DataKind::Json }
}

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
    fn quotes_names_that_are_not_bare_words() {
        assert_eq!(native("year"), "year");
        assert_eq!(native("due date"), "\"due date\"");
        assert_eq!(column("a.b", "text"), "_textsearch.fields.\"a.b\".text");
    }
}
