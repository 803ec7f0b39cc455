//! A column of a table that another program created.

use serde_json::Value;
use textsearch_core::{
    filter::DateTime,
    vector::{DataKind, KeyKind},
};

use crate::{
    columns::{fits, integer, microseconds, quoted},
    sql::SqlColumn,
};

/// Kinds of column types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Text,
    /// An enumeration.
    Label,
    Uuid,
    Integer,
    Double,
    /// Numbers that Postgres compares in another precision than filters do.
    OtherNumber,
    Boolean,
    TimestampTz,
    Timestamp,
    Date,
    Texts,
    Json,
    TsVector,
    Vector,
    Halfvec,
    Bit,
    Other,
}

/// A column as the catalog describes it.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
    /// Schema and name of the type, in quotes.
    pub(crate) type_sql: String,
    /// The labels of an enumeration.
    pub(crate) labels: Vec<String>,
    /// The type as users write it.
    pub(crate) shown: String,
    /// The number of elements of a vector, if the type limits it.
    pub(crate) dimensions: Option<usize>,
    /// Whether each new row needs a value.
    pub(crate) is_required: bool,
    /// Whether the database computes the values.
    pub(crate) is_computed: bool,
    /// Whether equal texts are the same bytes.
    pub(crate) deterministic: bool,
    pub(crate) is_unique: bool,
    pub(crate) is_primary: bool,
}

impl ColumnKind {
    pub(crate) fn new(name: &str, class: &str) -> Self {
        match (class, name) {
            ("e", _) => Self::Label,
            ("b", "text" | "varchar") => Self::Text,
            ("b", "uuid") => Self::Uuid,
            ("b", "int2" | "int4" | "int8") => Self::Integer,
            ("b", "float8") => Self::Double,
            ("b", "float4" | "numeric") => Self::OtherNumber,
            ("b", "bool") => Self::Boolean,
            ("b", "timestamptz") => Self::TimestampTz,
            ("b", "timestamp") => Self::Timestamp,
            ("b", "date") => Self::Date,
            ("b", "_text" | "_varchar") => Self::Texts,
            ("b", "json" | "jsonb") => Self::Json,
            ("b", "tsvector") => Self::TsVector,
            ("b", "vector") => Self::Vector,
            ("b", "halfvec") => Self::Halfvec,
            ("b", "bit") => Self::Bit,
            _ => Self::Other,
        }
    }

    /// Returns whether fields of the kind can be in such a column.
    pub(crate) fn holds(self, kind: DataKind) -> bool {
        match kind {
            DataKind::String => matches!(self, Self::Text | Self::Label | Self::Uuid),
            DataKind::Integer => self == Self::Integer,
            DataKind::Number => matches!(self, Self::Integer | Self::Double | Self::OtherNumber),
            DataKind::Boolean => self == Self::Boolean,
            DataKind::DateTime => matches!(self, Self::TimestampTz | Self::Timestamp | Self::Date),
            DataKind::Strings => matches!(self, Self::Texts | Self::Json),
            DataKind::Json => self == Self::Json,
            _ => false,
        }
    }

    pub(crate) fn holds_key(self, kind: KeyKind) -> bool {
        match kind {
            KeyKind::String => self == Self::Text,
            KeyKind::Integer => self == Self::Integer,
            KeyKind::Uuid => self == Self::Uuid,
        }
    }

    /// Returns the kind of fields for the column, if one can be in it.
    pub(crate) fn data_kind(self) -> Option<DataKind> {
        Some(match self {
            Self::Text | Self::Label | Self::Uuid => DataKind::String,
            Self::Integer => DataKind::Integer,
            Self::Double | Self::OtherNumber => DataKind::Number,
            Self::Boolean => DataKind::Boolean,
            Self::TimestampTz | Self::Timestamp | Self::Date => DataKind::DateTime,
            Self::Texts => DataKind::Strings,
            Self::Json => DataKind::Json,
            _ => return None,
        })
    }

    pub(crate) fn is_date(self) -> bool {
        matches!(self, Self::TimestampTz | Self::Timestamp | Self::Date)
    }
}

impl Column {
    pub(crate) fn sql(&self) -> String {
        quoted(&self.name)
    }

    /// The value as JSON. Dates don't depend on the time zone of the session, whose old offsets may
    /// have seconds.
    pub(crate) fn selected(&self) -> String {
        let zone = if self.kind == ColumnKind::TimestampTz { " AT TIME ZONE 'UTC'" } else { "" };
        format!("to_json({}{zone})", self.sql())
    }

    /// The column for comparisons, with the kind of its values; `None` if records are compared
    /// instead.
    pub(crate) fn compared(&self) -> Option<SqlColumn> {
        let sql = self.sql();
        Some(match self.kind {
            // Without a function, so that indexes can be used.
            ColumnKind::Text if self.deterministic => SqlColumn::new(&self.name, DataKind::String),
            ColumnKind::Text => {
                SqlColumn::computed(&format!("{sql} COLLATE \"C\""), DataKind::String)
            }
            ColumnKind::Label | ColumnKind::Uuid => {
                SqlColumn::computed(&format!("{sql}::text COLLATE \"C\""), DataKind::String)
            }
            ColumnKind::Integer => SqlColumn::new(&self.name, DataKind::Integer),
            // JSON has neither.
            ColumnKind::Double => SqlColumn::computed(
                &format!("NULLIF(NULLIF(NULLIF({sql}, 'NaN'), 'Infinity'), '-Infinity')"),
                DataKind::Number,
            ),
            ColumnKind::Boolean => SqlColumn::new(&self.name, DataKind::Boolean),
            _ => return None,
        })
    }

    /// The column for `ORDER BY`; `None` if the client orders the records.
    pub(crate) fn ordered(&self) -> Option<String> {
        match self.kind {
            ColumnKind::Text => Some(format!("{} COLLATE \"C\"", self.sql())),
            ColumnKind::Label => Some(format!("{}::text COLLATE \"C\"", self.sql())),
            ColumnKind::Integer | ColumnKind::Boolean | ColumnKind::Uuid => Some(self.sql()),
            _ => None,
        }
    }

    /// The value of the column for a text parameter.
    pub(crate) fn written(&self, name: &str) -> String {
        match self.kind {
            ColumnKind::Text => name.to_owned(),
            // A cast to a limited type would cut; assignments check.
            ColumnKind::Integer => format!("{name}::bigint"),
            ColumnKind::OtherNumber => format!("{name}::numeric"),
            ColumnKind::Timestamp => format!("({name}::timestamptz AT TIME ZONE 'UTC')"),
            ColumnKind::Texts => format!(
                "CASE WHEN {name} IS NOT NULL \
                 THEN ARRAY(SELECT json_array_elements_text({name}::json)) END"
            ),
            _ => format!("{name}::{}", self.type_sql),
        }
    }

    /// The parameter for a value that [`holds`](Self::holds) accepts.
    pub(crate) fn parameter(&self, value: &Value) -> Option<String> {
        match value {
            Value::Null => None,
            Value::String(text) if self.kind.is_date() => {
                Some(DateTime::parse(text).map_or_else(|_| text.clone(), |date| date.to_string()))
            }
            // 3.0 is whole, and Postgres doesn't read it as such.
            Value::Number(number) if self.kind == ColumnKind::Integer => {
                integer(number).map(|number| number.to_string())
            }
            Value::String(text) if self.kind != ColumnKind::Json => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }

    /// Returns whether the column can hold the value of a field of this kind.
    pub(crate) fn holds(&self, value: &Value, kind: DataKind) -> bool {
        match (kind, value) {
            (_, Value::Null) => true,
            (DataKind::Json, _) => true,
            (DataKind::Strings, Value::Array(texts)) => {
                texts.iter().all(|text| text.is_string() && fits(text, DataKind::String))
            }
            (DataKind::DateTime, Value::String(text)) => {
                DateTime::parse(text).is_ok_and(|date| self.holds_date(date))
            }
            (DataKind::Number, Value::Number(number)) if self.kind == ColumnKind::Integer => {
                integer(number).is_some()
            }
            _ => fits(value, kind),
        }
    }

    fn holds_date(&self, date: DateTime) -> bool {
        const DAY: i64 = 86_400_000_000;
        /// Postgres has no year 0.
        const YEAR_1: i64 = -62_135_596_800_000_000;
        let microseconds = microseconds(date);
        let is_whole = date.unix_nanoseconds() % 1_000 == 0;
        let is_known = is_whole && microseconds >= YEAR_1;
        is_known && (self.kind != ColumnKind::Date || microseconds % DAY == 0)
    }

    /// Returns a value as the record holds it. Dates have one spelling.
    pub(crate) fn read(&self, value: Value) -> Value {
        match value {
            Value::String(text) if self.kind.is_date() => {
                let date = DateTime::parse(&text);
                Value::String(date.map_or(text, |date| date.to_string()))
            }
            other => other,
        }
    }
}
