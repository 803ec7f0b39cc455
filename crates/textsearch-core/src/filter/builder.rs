//! The functions that build filters.

use std::ops::Not;

use super::{Comparison, Filter, FilterValue};

impl Filter {
    /// The field equals the value.
    ///
    /// ```
    /// use textsearch_core::Filter;
    ///
    /// assert_eq!(Filter::eq("site", "docs.rs").to_string(), r#"site = "docs.rs""#);
    /// ```
    pub fn eq(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Eq, value)
    }

    /// The field does not equal the value: true where it is missing, null or of another type.
    pub fn ne(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Ne, value)
    }

    /// The field is less than the value.
    pub fn lt(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Lt, value)
    }

    /// The field is less than the value or equal to it.
    pub fn le(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Le, value)
    }

    /// The field is greater than the value.
    pub fn gt(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Gt, value)
    }

    /// The field is greater than the value or equal to it.
    pub fn ge(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Ge, value)
    }

    /// The field is a string with the value in it, or an array with the value among its elements.
    pub fn contains(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::Contains, value)
    }

    /// The field is a string that begins with the value.
    pub fn starts_with(field: impl Into<String>, value: impl Into<FilterValue>) -> Self {
        Self::compare(field, Comparison::StartsWith, value)
    }

    /// The field compared with the value by `operator`: what the eight functions above are short for.
    pub fn compare(
        field: impl Into<String>,
        operator: Comparison,
        value: impl Into<FilterValue>,
    ) -> Self {
        Self::Compare { field: field.into(), operator, value: value.into() }
    }

    /// The field equals one of the values.
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

    /// The field is present and not null.
    pub fn exists(field: impl Into<String>) -> Self {
        Self::Exists { field: field.into() }
    }

    /// Every one of the filters matches; true where there are none.
    pub fn all(filters: impl IntoIterator<Item = Filter>) -> Self {
        Self::And(filters.into_iter().collect())
    }

    /// At least one of the filters matches; false where there are none.
    pub fn any(filters: impl IntoIterator<Item = Filter>) -> Self {
        Self::Or(filters.into_iter().collect())
    }

    /// Both match. An `And` grows by `other` instead of being nested.
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

    /// At least one of the two matches. An `Or` grows by `other` instead of being nested.
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

    /// The filter does not match; also written `!filter`. Negating twice gives the filter back.
    ///
    /// ```
    /// use textsearch_core::Filter;
    ///
    /// let anonymous = !Filter::exists("author");
    /// assert_eq!(anonymous.to_string(), "not (author exists)");
    /// assert_eq!(anonymous.negate(), Filter::exists("author"));
    /// ```
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            filter => Self::Not(Box::new(filter)),
        }
    }
}

impl Not for Filter {
    type Output = Self;

    fn not(self) -> Self {
        self.negate()
    }
}
