//! Comparisons in the type of a column, so that Postgres can use an index on it.

use textsearch_core::{
    Filter,
    filter::{Comparison, DateTime, FilterValue, PushDown as _, Pushed},
};

use super::{Column, ColumnKind};
use crate::sql::{SqlColumn, SqlCondition};

/// The first date of records, and the first one after them. Types without a time zone ignore the
/// offset.
const FIRST: &str = "0001-01-01 00:00:00+00";
const END: &str = "10000-01-01 00:00:00+00";

const DAY: i128 = 86_400_000_000_000;
const MICROSECOND: i128 = 1_000;

/// Characters of `2024-05-01`, and of `2024-05-01T10:00:00.000001`.
const DAY_LENGTH: usize = 10;
const MICROSECOND_LENGTH: usize = 26;

impl Column {
    /// Compares UUIDs, labels and dates; `None` if texts or records must be compared instead.
    pub(crate) fn compare(
        &self,
        operator: Comparison,
        value: &FilterValue,
    ) -> Option<Pushed<SqlCondition>> {
        match value {
            FilterValue::DateTime(date) if self.kind.is_date() => {
                Some(self.compare_dates(operator, *date))
            }
            FilterValue::String(text) if self.reads(operator, text) => {
                Some(self.typed().compare("", operator, value))
            }
            _ => None,
        }
    }

    /// Compares with a list; `None` if texts or records must be compared instead.
    pub(crate) fn is_in(&self, values: &[FilterValue]) -> Option<Pushed<SqlCondition>> {
        let mut texts = Vec::new();
        for value in values {
            match value {
                FilterValue::DateTime(date) if self.kind.is_date() => {
                    texts.extend(self.equal_date(*date));
                }
                FilterValue::String(text) if self.reads(Comparison::Eq, text) => {
                    texts.push(text.clone());
                }
                _ => return None,
            }
        }
        let texts: Vec<FilterValue> = texts.into_iter().map(FilterValue::String).collect();
        Some(self.typed().is_in("", &texts))
    }

    /// Whether the type reads the text, and compares it as a text.
    fn reads(&self, operator: Comparison, text: &str) -> bool {
        use Comparison::{Eq, Ge, Gt, Le, Lt};
        match self.kind {
            ColumnKind::Uuid => matches!(operator, Eq | Lt | Le | Gt | Ge) && is_uuid(text),
            // An enumeration orders its labels as it was declared.
            ColumnKind::Label => operator == Eq && self.labels.iter().any(|label| label == text),
            _ => false,
        }
    }

    /// Rows with other years hold no date of a record.
    fn compare_dates(&self, operator: Comparison, date: DateTime) -> Pushed<SqlCondition> {
        let (text, is_whole) = self.rounded_down(date);
        let is_too_early = text.starts_with("0000");
        let before = Filter::ge("", FIRST);
        let after = Filter::lt("", END);
        let filter = match operator {
            Comparison::Eq => match self.equal_date(date) {
                Some(text) => Filter::eq("", text),
                None => return Pushed::Never,
            },
            Comparison::Lt | Comparison::Le if is_too_early => return Pushed::Never,
            Comparison::Gt | Comparison::Ge if is_too_early => before.and(after),
            Comparison::Lt if is_whole => before.and(Filter::lt("", text)),
            Comparison::Lt | Comparison::Le => before.and(Filter::le("", text)),
            Comparison::Ge if is_whole => after.and(Filter::ge("", text)),
            Comparison::Gt | Comparison::Ge => after.and(Filter::gt("", text)),
            _ => return Pushed::Unknown,
        };
        filter.push_down(&self.typed())
    }

    fn equal_date(&self, date: DateTime) -> Option<String> {
        let (text, is_whole) = self.rounded_down(date);
        (is_whole && !text.starts_with("0000")).then_some(text)
    }

    /// Returns the last value of the type at or before the date, and whether it is the date.
    fn rounded_down(&self, date: DateTime) -> (String, bool) {
        let (unit, length) = match self.kind {
            ColumnKind::Date => (DAY, DAY_LENGTH),
            _ => (MICROSECOND, MICROSECOND_LENGTH),
        };
        // In UTC.
        let text = date.to_string();
        let text: String = text.trim_end_matches('Z').chars().take(length).collect();
        let zone = if self.kind == ColumnKind::TimestampTz { "Z" } else { "" };
        (format!("{text}{zone}"), date.unix_nanoseconds() % unit == 0)
    }

    fn typed(&self) -> SqlColumn {
        SqlColumn::typed(&self.name, &self.type_sql)
    }
}

/// Returns whether the text is a UUID as Postgres writes it.
fn is_uuid(text: &str) -> bool {
    let fits = |(place, byte)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    text.len() == 36 && text.bytes().enumerate().all(fits)
}
