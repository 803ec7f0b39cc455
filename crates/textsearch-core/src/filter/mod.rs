//! Filters: one expression over the fields of a record, for web searches and vector stores alike.
//!
//! A [`Filter`] is built with functions, read from its short text form, or deserialised; the three
//! make the same values.
//!
//! ```
//! use textsearch_core::Filter;
//!
//! let built = Filter::eq("site", "devblogs.microsoft.com").and(Filter::ge("year", 2020));
//! let read: Filter = r#"site = "devblogs.microsoft.com" and year >= 2020"#.parse()?;
//! assert_eq!(built, read);
//!
//! let page = serde_json::json!({ "site": "devblogs.microsoft.com", "year": 2024 });
//! assert!(built.matches(&page));
//! # Ok::<(), textsearch_core::filter::ParseFilterError>(())
//! ```
//!
//! # Semantics
//!
//! Every store evaluates a filter as [`Filter::matches`] does:
//!
//! - [`Ne`](Comparison::Ne) is the negation of [`Eq`](Comparison::Eq): true if the field is
//!   missing, null or of another type. Every other comparison is false in those cases.
//! - Numbers compare by value, exactly (`1` equals `1.0`); strings by code point. Booleans have no
//!   order. A number that is not finite equals nothing and is neither less nor greater.
//! - [`Contains`](Comparison::Contains) is a case-sensitive substring of a string, and membership
//!   of an array. [`StartsWith`](Comparison::StartsWith) is for strings alone.
//! - An array equals a list of the same length whose values are equal pairwise; arrays have no
//!   order.
//! - [`Filter::Exists`] means present and not null.
//! - [`Filter::In`] of nothing is false, [`Filter::And`] of nothing true, [`Filter::Or`] of nothing
//!   false.
//! - A date compares as an instant only if the filter's value is a [`FilterValue::DateTime`]. A
//!   field that [`DateTime::parse`] rejects is then of another type.
//! - A field is the key of that exact name or else a dotted path into objects: see [`lookup`].
//!
//! # Nesting
//!
//! Filters read as text or by serde are at most [`Filter::MAX_DEPTH`] levels deep, so that
//! untrusted input cannot exhaust the stack.

mod builder;
mod date_time;
mod evaluate;
mod field;
mod operator;
mod text;
mod value;
mod walk;
mod wire;

#[cfg(test)]
mod tests;

pub use self::{
    date_time::{DateTime, ParseDateTimeError},
    evaluate::lookup,
    field::FilterableField,
    operator::{Comparison, FilterOperator},
    text::ParseFilterError,
    value::FilterValue,
};

/// A condition on the fields of a record.
///
/// `==` on filters compares their form, not their meaning: `year = 1` and `year = 1.0` are
/// different filters that match the same records.
///
/// # Text form
///
/// `Display` prints it and `FromStr` reads it:
///
/// ```text
/// name = "x" and year >= 2020
/// (site = "a.com" or site = "b.com") and not (author exists)
/// tag in ["rust", 2] or title contains "search" or `odd name` starts_with "a"
/// updated >= date "2024-08-14T00:00:00Z"
/// ```
///
/// - Operators are `=`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `contains`, `starts_with` and the postfix
///   `exists`. `not` binds tighter than `and`, `and` tighter than `or`; keywords ignore case.
/// - A field is a bare word (a letter or `_`, then letters, digits, `_`, `.` and `-`) that is no
///   keyword, or any text in backquotes.
/// - A value is a string in double quotes, an integer, a number with a point or an exponent, `true`,
///   `false`, `date "…"`, or a list in brackets. Quoted text takes the escapes of JSON, and the
///   backslash before a backquote in a field.
/// - `true` is an `And` of nothing and `false` an `Or` of nothing; `all(x)` is an `And` and `any(x)`
///   an `Or` of one filter.
///
/// Parentheses keep their nesting, so every filter whose numbers are finite and that is not deeper
/// than [`Filter::MAX_DEPTH`] is read back exactly as it was printed.
///
/// # Serde form
///
/// `{"field":"year","operator":"ge","value":2020}`, `{"field":"tag","operator":"in","values":["a"]}`,
/// `{"field":"author","operator":"exists"}`, `{"and":[…]}`, `{"or":[…]}` and `{"not":{…}}`.
/// Anything else, including an unknown key, is an error that names what is allowed. Numbers that
/// are not finite are refused both ways.
///
/// ```
/// use textsearch_core::Filter;
///
/// let filter: Filter = serde_json::from_str(r#"{"field":"year","operator":"ge","value":2020}"#)?;
/// assert_eq!(filter, Filter::ge("year", 2020));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Filter {
    /// One field compared with one value.
    Compare {
        /// The field's name; see [`lookup`] for how it is found in a record.
        field: String,
        /// The comparison.
        operator: Comparison,
        /// The value to compare with.
        value: FilterValue,
    },
    /// Matches if the field equals any of the values.
    In {
        /// The field's name.
        field: String,
        /// The values; an empty list matches nothing.
        values: Vec<FilterValue>,
    },
    /// The field is present and not null.
    Exists {
        /// The field's name.
        field: String,
    },
    /// Matches if all the filters match.
    And(Vec<Filter>),
    /// Matches if any of the filters matches.
    Or(Vec<Filter>),
    /// The filter does not match.
    Not(Box<Filter>),
}

impl Filter {
    /// The maximum depth of a filter read as text or by serde.
    ///
    /// A comparison is one level. `And`, `Or`, `Not`, and a list inside a value each add one level.
    /// Filters built in code have no such limit, but evaluating, printing and dropping them takes
    /// stack space for each level.
    pub const MAX_DEPTH: usize = 64;
}
