//! Databases, and the columns of fields.

use crate::vector::DataKind;

/// The SQL of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive] // Other databases follow.
pub enum SqlDialect {
    /// Postgres: parameters are `$1`, `$2`, ….
    Postgres,
    /// SQLite: parameters are `?1`, `?2`, ….
    Sqlite,
}

/// The column that holds the values of a field.
///
/// The column must hold every value of the field, and null only for a missing or null one: a record
/// with a value that does not fit must be refused. An [`Integer`](DataKind::Integer) column holds
/// signed 64-bit integers; a [`Number`](DataKind::Number) column holds 64-bit floats and may round large
/// integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlColumn {
    pub(super) sql: String,
    pub(super) kind: DataKind,
    /// The type that values are cast to.
    pub(super) cast: Option<String>,
}

impl SqlColumn {
    /// Describes the column called `name`, in quotes.
    pub fn new(name: &str, kind: DataKind) -> Self {
        Self { sql: format!("\"{}\"", name.replace('"', "\"\"")), kind, cast: None }
    }

    /// Describes the column called `name`, whose type reads texts, such as `uuid`. Values are cast to
    /// `sql_type`, so that the database can use an index on the column.
    ///
    /// The type must read each compared text, and order its values as filters order the texts.
    /// `contains` and `starts_with` are [`Unknown`](crate::filter::Pushed::Unknown). `sql_type` is not quoted: text
    /// from outside must not be part of it.
    pub fn typed(name: &str, sql_type: &str) -> Self {
        Self { cast: Some(sql_type.to_owned()), ..Self::new(name, DataKind::String) }
    }

    /// Describes an SQL expression. It is not quoted: text from outside must not be part of it.
    ///
    /// Beware of paths into JSON columns: SQLite reads some very small and very large floats
    /// inexactly, and integers that do not fit a float as integers. Keep numbers in columns of their
    /// own.
    pub fn computed(expression: &str, kind: DataKind) -> Self {
        Self { sql: format!("({expression})"), kind, cast: None }
    }
}
