//! Filters over the fields of a record, for web searches and vector stores.
//!
//! A [`Filter`] is built with functions, read from text, or deserialised.
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
//! # Ok::<(), textsearch_core::filter::ParseError>(())
//! ```
//!
//! # Semantics
//!
//! Every store evaluates a filter as [`Filter::matches`] does:
//!
//! - [`Ne`](Comparison::Ne) negates [`Eq`](Comparison::Eq): it is true for a field that is missing,
//!   null or of another type. Every other comparison is then false.
//! - Numbers compare exactly by value (`1` equals `1.0`), strings by code point. Booleans and
//!   arrays have no order. A number that is not finite equals nothing and has no order.
//! - [`Contains`](Comparison::Contains) is a case-sensitive substring of a string, or membership of
//!   an array. [`StartsWith`](Comparison::StartsWith) is for strings only.
//! - An array equals a list of the same length with pairwise equal values.
//! - [`Filter::Exists`] means present and not null.
//! - An empty [`Filter::In`] or [`Filter::Or`] is false, an empty [`Filter::And`] true.
//! - A date compares as an instant only with a [`FilterValue::DateTime`]. A field that
//!   [`DateTime::parse`] rejects is then of another type.
//! - [`lookup`] finds a field by its exact name or a dotted path.
//!
//! # Nesting
//!
//! Filters read as text or by serde are at most [`Filter::MAX_DEPTH`] levels deep, so that
//! untrusted input cannot exhaust the stack. With serde, use a format that limits its own depth too,
//! as `serde_json` does.

mod builder;
mod date_time;
mod evaluate;
mod field;
mod number_bound;
mod operator;
mod parse_error;
mod push_down;
mod text;
mod value;
mod walk;
mod wire;

#[cfg(test)]
mod tests;

pub use self::{
    date_time::DateTime,
    evaluate::lookup,
    field::FilterableField,
    number_bound::{FloatBound, IntegerBound},
    operator::{Comparison, FilterOperator},
    parse_error::ParseError,
    push_down::{PushDown, Pushed, any_equal},
    value::FilterValue,
};

/// A condition on the fields of a record.
///
/// `==` compares the form: `year = 1` and `year = 1.0` differ but match the same records.
///
/// # Text form
///
/// `Display` prints it, `FromStr` reads it:
///
/// ```text
/// name = "x" and year >= 2020
/// (site = "a.com" or site = "b.com") and not (author exists)
/// tag in ["rust", 2] or title contains "search" or `odd name` starts_with "a"
/// updated >= date "2024-08-14T00:00:00Z"
/// ```
///
/// - Operators are `=`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `contains`, `starts_with` and the postfix
///   `exists`. `not` binds tighter than `and`, and `and` tighter than `or`. Keywords ignore case.
/// - A field is a bare word (a letter or `_`, then letters, digits, `_`, `.` and `-`) that is no
///   keyword, or any text in backquotes.
/// - A value is a string in double quotes, an integer, a number with a point or an exponent,
///   `true`, `false`, `date "…"`, or a list in brackets. Quoted text has the escapes of JSON, and
///   in a field a backslash before a backquote.
/// - `true` is an empty `And`, `false` an empty `Or`; `all(x)` is an `And` and `any(x)` an `Or` of
///   one filter.
///
/// A printed filter reads back exactly if its numbers are finite and it is not deeper than
/// [`Filter::MAX_DEPTH`].
///
/// # Serde form
///
/// `{"field":"year","operator":"ge","value":2020}`, `{"field":"tag","operator":"in","values":["a"]}`,
/// `{"field":"author","operator":"exists"}`, `{"and":[…]}`, `{"or":[…]}` and `{"not":{…}}`.
/// Anything else, such as an unknown key, is an error that names what is allowed. Numbers that are
/// not finite are refused both ways.
///
/// ```
/// use textsearch_core::Filter;
///
/// let filter: Filter = serde_json::from_str(r#"{"field":"year","operator":"ge","value":2020}"#)?;
/// assert_eq!(filter, Filter::ge("year", 2020));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a store applies or refuses each form")]
pub enum Filter {
    /// Compares a field with a value.
    Compare {
        /// The field's name: see [`lookup`].
        field: String,
        /// The comparison.
        operator: Comparison,
        /// The value to compare with.
        value: FilterValue,
    },
    /// Matches if the field equals any value.
    In {
        /// The field's name.
        field: String,
        /// The values; no values match nothing.
        values: Vec<FilterValue>,
    },
    /// Matches if the field is present and not null.
    Exists {
        /// The field's name.
        field: String,
    },
    /// Matches if all filters match.
    And(Vec<Filter>),
    /// Matches if any filter matches.
    Or(Vec<Filter>),
    /// Matches if the filter does not.
    Not(Box<Filter>),
}

impl Filter {
    /// The maximum depth of a filter read as text or by serde. Each comparison, `And`, `Or`, `Not`
    /// and list inside a value is one level.
    ///
    /// Filters built in code have no limit, but evaluating, printing and dropping them takes stack
    /// space for each level.
    pub const MAX_DEPTH: usize = 64;
}
