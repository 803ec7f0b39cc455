//! Errors of records.

/// Why a line isn't a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The line isn't JSON. Holds the reason and the column.
    #[error("this isn't JSON: {0}")]
    NotJson(String),
    /// The JSON goes on after the end of the line.
    #[error("the JSON does not end on its line: try one object a line, as `jq -c .` writes them")]
    Unfinished,
    /// The line is another JSON value.
    #[error("a line must hold one JSON object, such as {{\"text\": \"…\"}}")]
    NotAnObject,
    /// The line isn't CSV. Holds the reason.
    #[error("this isn't CSV: {0}")]
    NotCsv(String),
    /// Two columns of CSV have the same name.
    #[error("two columns are called `{0}`")]
    DuplicateColumn(String),
    /// A row of CSV has more cells than there are columns.
    #[error("the row has more cells than the {0} of the first row")]
    TooManyCells(usize),
    /// No field holds a text.
    #[error("there is no text in any of the fields {0}")]
    NoText(String),
    /// A configured field is missing.
    #[error("there is no field `{field}`; the fields are {}", known.join(", "))]
    MissingField {
        /// The role of the field.
        role: FieldRole,
        /// The configured name.
        field: String,
        /// The fields of the record.
        known: Vec<String>,
    },
    /// The configured text field holds something else.
    #[error("the field `{field}` must hold a text, found {kind}")]
    TextIsNoText {
        /// The configured name.
        field: String,
        /// The kind of value that the field holds.
        kind: &'static str,
    },
    /// The id is neither a text nor a number.
    #[error("the id must be a text or a number, found {0}")]
    InvalidId(&'static str),
    /// Two lines have the same id.
    #[error("the id `{0}` is that of another line")]
    DuplicateId(String),
    /// The records have too many different fields.
    #[error(
        "there are more than {0} different fields: try to put those that differ from record to record into an object or \
         a list"
    )]
    TooManyFields(usize),
}

/// The role of a field in a JSON record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldRole {
    /// The id of the record.
    Id,
    /// The searched text.
    Text,
    /// The name of a result.
    Name,
    /// The link of a result.
    Link,
}
