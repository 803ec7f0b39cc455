//! Prints a filter so that it reads back exactly.

use std::fmt::{self, Display, Formatter, Write};

use super::{DATE, EXISTS, Group, IN, NEGATION, begins_word, continues_word, is_keyword, symbol};
use crate::filter::{Filter, FilterValue};

impl Display for Filter {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare { field, operator, value } => {
                write!(formatter, "{} {} {value}", Field(field), symbol(*operator))
            }
            Self::In { field, values } => {
                write!(formatter, "{} {IN} {}", Field(field), List(values))
            }
            Self::Exists { field } => write!(formatter, "{} {EXISTS}", Field(field)),
            Self::And(filters) => write_group(formatter, Group::And, filters),
            Self::Or(filters) => write_group(formatter, Group::Or, filters),
            Self::Not(filter) if reads_alone(filter) => write!(formatter, "{NEGATION} {filter}"),
            Self::Not(filter) => write!(formatter, "{NEGATION} ({filter})"),
        }
    }
}

fn write_group(formatter: &mut Formatter<'_>, group: Group, filters: &[Filter]) -> fmt::Result {
    let (first, others) = match filters {
        [] => return formatter.write_str(group.of_none()),
        [only] => return write!(formatter, "{}({only})", group.of_one()),
        [first, others @ ..] => (first, others),
    };
    write_member(formatter, group, first)?;
    for filter in others {
        write!(formatter, " {} ", group.keyword())?;
        write_member(formatter, group, filter)?;
    }
    Ok(())
}

/// Adds parentheses if the filter would otherwise be read as part of the group.
fn write_member(formatter: &mut Formatter<'_>, group: Group, filter: &Filter) -> fmt::Result {
    let is_inside = match filter {
        Filter::Or(filters) => filters.len() > 1,
        Filter::And(filters) => filters.len() > 1 && group == Group::And,
        _ => false,
    };
    if is_inside { write!(formatter, "({filter})") } else { write!(formatter, "{filter}") }
}

/// Returns whether a preceding `not` is clear without parentheses.
fn reads_alone(filter: &Filter) -> bool {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => filters.len() < 2,
        Filter::Not(_) => true,
        Filter::Compare { .. } | Filter::In { .. } | Filter::Exists { .. } => false,
    }
}

/// Prints the text form, such as `"x"`, `1.0` or `date "2024-08-14T00:00:00Z"`. Numbers that are
/// not finite print as `NaN` and `inf`, which no filter accepts.
impl Display for FilterValue {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(formatter, "{value}"),
            Self::Integer(value) => write!(formatter, "{value}"),
            // `Debug` prints a point or an exponent, and the fewest digits that read back exactly.
            Self::Float(value) => write!(formatter, "{value:?}"),
            Self::String(value) => write_quoted(formatter, '"', value),
            Self::DateTime(value) => write!(formatter, "{DATE} \"{value}\""),
            Self::List(values) => List(values).fmt(formatter),
        }
    }
}

struct List<'filter>(&'filter [FilterValue]);

impl Display for List<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_char('[')?;
        for (index, value) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(formatter, "{separator}{value}")?;
        }
        formatter.write_char(']')
    }
}

struct Field<'filter>(&'filter str);

impl Display for Field<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let is_bare = self.0.starts_with(begins_word)
            && self.0.chars().all(continues_word)
            && !is_keyword(self.0);
        if is_bare { formatter.write_str(self.0) } else { write_quoted(formatter, '`', self.0) }
    }
}

/// Escapes control characters, so that a filter stays on one line.
fn write_quoted(formatter: &mut Formatter<'_>, quote: char, text: &str) -> fmt::Result {
    formatter.write_char(quote)?;
    for character in text.chars() {
        match character {
            '\n' => formatter.write_str(r"\n")?,
            '\r' => formatter.write_str(r"\r")?,
            '\t' => formatter.write_str(r"\t")?,
            '\\' => formatter.write_str(r"\\")?,
            special if special == quote => write!(formatter, "\\{quote}")?,
            // Control characters are below U+0100, so four digits are enough.
            control if control.is_control() => write!(formatter, "\\u{:04x}", u32::from(control))?,
            other => formatter.write_char(other)?,
        }
    }
    formatter.write_char(quote)
}
