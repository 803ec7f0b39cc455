//! Builds filters.

use std::ops::Not;

use super::{Comparison, Filter, FilterValue};

impl Filter {
    /// Matches if the field equals the value.
    ///
    /// ```
    /// use textsearch_core::Filter;
    ///
    /// assert_eq!(Filter::eq("site", "docs.rs").to_string(), r#"site = "docs.rs""#);
    /// ```
    pub fn eq(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Eq, value)
    }

    /// Matches if the field does not equal the value, or is missing, null or of another type.
    pub fn ne(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Ne, value)
    }

    /// Matches if the field is less than the value.
    pub fn lt(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Lt, value)
    }

    /// Matches if the field is less than or equal to the value.
    pub fn le(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Le, value)
    }

    /// Matches if the field is greater than the value.
    pub fn gt(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Gt, value)
    }

    /// Matches if the field is greater than or equal to the value.
    pub fn ge(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Ge, value)
    }

    /// Matches if the field is a string that contains the value, or an array with such an element.
    pub fn contains(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Contains, value)
    }

    /// Matches if the field is a string that begins with the value.
    pub fn starts_with(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::StartsWith, value)
    }

    /// Compares the field with the value by `operator`.
    pub fn compare(
        field: impl Into<String>,
        operator: Comparison,
        value: impl Into<FilterValue>,
    ) -> Self {
        Self::Compare { field: field.into(), operator, value: value.into() }
    }

    /// Matches if the field equals any of the values.
    ///
    /// ```
    /// use textsearch_core::Filter;
    ///
    /// assert_eq!(Filter::is_in("tag", ["a", "b"]).to_string(), r#"tag in ["a", "b"]"#);
    /// ```
    pub fn is_in<Values>(field: impl Into<String>, values: Values) -> Self
    where
        Values: IntoIterator<Item: Into<FilterValue>>,
    {
        Self::In { field: field.into(), values: values.into_iter().map(Into::into).collect() }
    }

    /// Matches if the field is present and not null.
    pub fn exists(field: impl Into<String>) -> Self {
        Self::Exists { field: field.into() }
    }

    /// Matches if all filters match; true for an empty list.
    pub fn all(filters: impl IntoIterator<Item = Filter>) -> Self {
        Self::And(filters.into_iter().collect())
    }

    /// Matches if any filter matches; false for an empty list.
    pub fn any(filters: impl IntoIterator<Item = Filter>) -> Self {
        Self::Or(filters.into_iter().collect())
    }

    /// Matches if both filters match. An `And` is extended instead of nested.
    ///
    /// ```
    /// use textsearch_core::Filter;
    ///
    /// let (a, b, c) = (Filter::exists("a"), Filter::exists("b"), Filter::exists("c"));
    /// assert_eq!(a.clone().and(b.clone()).and(c.clone()), Filter::all([a, b, c]));
    /// ```
    #[must_use]
    pub fn and(self, other: Filter) -> Self {
        match self {
            Self::And(mut filters) => {
                filters.push(other);
                Self::And(filters)
            }
            first => Self::And(vec![first, other]),
        }
    }

    /// Matches if either filter matches. An `Or` is extended instead of nested.
    #[must_use]
    pub fn or(self, other: Filter) -> Self {
        match self {
            Self::Or(mut filters) => {
                filters.push(other);
                Self::Or(filters)
            }
            first => Self::Or(vec![first, other]),
        }
    }
}

/// Matches if the filter does not. Negating twice returns the original.
///
/// ```
/// use textsearch_core::Filter;
///
/// let anonymous = !Filter::exists("author");
/// assert_eq!(anonymous.to_string(), "not (author exists)");
/// assert_eq!(!anonymous, Filter::exists("author"));
/// ```
impl Not for Filter {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            filter => Self::Not(Box::new(filter)),
        }
    }
}
