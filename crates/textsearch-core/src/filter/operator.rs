//! The operators of filters.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How [`Filter::Compare`](super::Filter::Compare) compares a field with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a store applies or refuses each comparison")]
pub enum Comparison {
    /// Equal.
    Eq,
    /// Not equal, so true for a missing field.
    Ne,
    /// Less than.
    Lt,
    /// Less than or equal.
    Le,
    /// Greater than.
    Gt,
    /// Greater than or equal.
    Ge,
    /// A string contains the value, or an array has such an element.
    Contains,
    /// A string begins with the value.
    StartsWith,
}

impl Comparison {
    /// All comparisons.
    pub const ALL: &'static [Self] = &[
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
        Self::Contains,
        Self::StartsWith,
    ];
}

/// An operator without its operands.
///
/// ```
/// use textsearch_core::filter::FilterOperator;
///
/// assert_eq!(FilterOperator::StartsWith.name(), "starts_with");
/// assert_eq!(FilterOperator::StartsWith.to_string(), "starts_with");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "a store applies or refuses each operator")]
pub enum FilterOperator {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less than.
    Lt,
    /// Less than or equal.
    Le,
    /// Greater than.
    Gt,
    /// Greater than or equal.
    Ge,
    /// Equal to one of several values.
    In,
    /// A string contains the value, or an array has such an element.
    Contains,
    /// A string begins with the value.
    StartsWith,
    /// Present and not null.
    Exists,
    /// All of several filters.
    And,
    /// Any of several filters.
    Or,
    /// Not the filter.
    Not,
}

impl FilterOperator {
    /// All operators but `And`, `Or` and `Not`.
    pub const ALL_COMPARISONS: &'static [Self] = &[
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
        Self::In,
        Self::Contains,
        Self::StartsWith,
        Self::Exists,
    ];

    /// The operators that need an order of values.
    pub const ORDERING: &'static [Self] = &[Self::Lt, Self::Le, Self::Gt, Self::Ge];

    /// Returns the name in `Display` and serde, such as `starts_with`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Lt => "lt",
            Self::Le => "le",
            Self::Gt => "gt",
            Self::Ge => "ge",
            Self::In => "in",
            Self::Contains => "contains",
            Self::StartsWith => "starts_with",
            Self::Exists => "exists",
            Self::And => "and",
            Self::Or => "or",
            Self::Not => "not",
        }
    }
}

impl From<Comparison> for FilterOperator {
    fn from(comparison: Comparison) -> Self {
        match comparison {
            Comparison::Eq => Self::Eq,
            Comparison::Ne => Self::Ne,
            Comparison::Lt => Self::Lt,
            Comparison::Le => Self::Le,
            Comparison::Gt => Self::Gt,
            Comparison::Ge => Self::Ge,
            Comparison::Contains => Self::Contains,
            Comparison::StartsWith => Self::StartsWith,
        }
    }
}

impl fmt::Display for FilterOperator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
