//! Hands a filter to a backend, as far as the backend can express it.

use super::{Comparison, Filter, FilterValue};

/// A backend's conditions, for a store that lets its database preselect records.
///
/// # Contract
///
/// A condition never loses a match: it is true for each record that matches, and may be true for
/// others. [`Pushed::is_exact`] tells whether it may. Then the store evaluates
/// [`Filter::matches_object`] on each preselected record, and applies `top` and `skip` after that.
///
/// ```
/// use textsearch_core::{Filter, filter::{Comparison, FilterValue, PushDown, Pushed}};
///
/// /// A database that compares texts and knows no other condition.
/// struct Texts;
///
/// impl PushDown for Texts {
///     type Condition = String;
///
///     fn compare(&self, field: &str, operator: Comparison, value: &FilterValue) -> Pushed<String> {
///         match (operator, value) {
///             (Comparison::Eq, FilterValue::String(text)) => Pushed::Exact(format!("{field}:{text:?}")),
///             _ => Pushed::Unknown,
///         }
///     }
///
///     fn exists(&self, _: &str) -> Pushed<String> {
///         Pushed::Unknown
///     }
///
///     fn all(&self, conditions: Vec<String>) -> String {
///         format!("({})", conditions.join(" AND "))
///     }
///
///     fn any(&self, conditions: Vec<String>) -> String {
///         format!("({})", conditions.join(" OR "))
///     }
///
///     fn not(&self, condition: String) -> String {
///         format!("NOT {condition}")
///     }
/// }
///
/// let filter: Filter = r#"not (tenant = "b" or level < 3) and tag != "x""#.parse()?;
/// let expected = r#"(NOT tenant:"b" AND NOT tag:"x")"#.to_owned();
/// assert_eq!(filter.push_down(&Texts), Pushed::Superset(expected));
/// # Ok::<(), textsearch_core::filter::ParseError>(())
/// ```
pub trait PushDown {
    /// A condition in the backend's language.
    type Condition;

    /// Returns the condition for one comparison of [`Filter::Compare`]. Never called for
    /// [`Ne`](Comparison::Ne), the negation of [`Eq`](Comparison::Eq).
    fn compare(
        &self,
        field: &str,
        operator: Comparison,
        value: &FilterValue,
    ) -> Pushed<Self::Condition>;

    /// Returns the condition for [`Filter::Exists`].
    fn exists(&self, field: &str) -> Pushed<Self::Condition>;

    /// Returns the condition for [`Filter::In`]. Default: [`any_equal`].
    fn is_in(&self, field: &str, values: &[FilterValue]) -> Pushed<Self::Condition> {
        any_equal(self, field, values)
    }

    /// Combines two or more conditions: all must hold.
    fn all(&self, conditions: Vec<Self::Condition>) -> Self::Condition;

    /// Combines two or more conditions: one must hold.
    fn any(&self, conditions: Vec<Self::Condition>) -> Self::Condition;

    /// Negates a condition. It must be true wherever `condition` isn't, missing fields included.
    fn not(&self, condition: Self::Condition) -> Self::Condition;
}

/// A backend's answer to a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a store that overlooks a case loses or adds records")]
pub enum Pushed<C> {
    /// No record matches.
    Never,
    /// Every record matches.
    Always,
    /// The condition is true for exactly the matching records.
    Exact(C),
    /// The condition is true for all matching records, and maybe for others.
    Superset(C),
    /// Nothing: any record may match.
    Unknown,
}

impl<C> Pushed<C> {
    /// Returns whether the backend's answer needs no further check.
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Never | Self::Always | Self::Exact(_))
    }

    /// Returns the condition, if there is one.
    pub fn into_condition(self) -> Option<C> {
        match self {
            Self::Exact(condition) | Self::Superset(condition) => Some(condition),
            Self::Never | Self::Always | Self::Unknown => None,
        }
    }

    fn negated(self, backend: &(impl PushDown<Condition = C> + ?Sized)) -> Self {
        match self {
            Self::Never => Self::Always,
            Self::Always => Self::Never,
            Self::Exact(condition) => Self::Exact(backend.not(condition)),
            // A record that meets the condition may match or not.
            Self::Superset(_) | Self::Unknown => Self::Unknown,
        }
    }
}

/// Returns the condition that `field` equals any of `values`: one comparison a value, joined by `or`.
/// Backends with a list operator call it in [`PushDown::is_in`] for values that a list can't hold.
pub fn any_equal<B: PushDown + ?Sized>(
    backend: &B,
    field: &str,
    values: &[FilterValue],
) -> Pushed<B::Condition> {
    any_of(backend, values.iter().map(|value| backend.compare(field, Comparison::Eq, value)))
}

impl Filter {
    /// Returns the filter in a backend's language, or as much of it as the backend can express.
    pub fn push_down<B: PushDown + ?Sized>(&self, backend: &B) -> Pushed<B::Condition> {
        pushed(self, false, backend)
    }
}

/// Moves negations down to the comparisons: below a `not`, an unknown part says nothing of the whole.
fn pushed<B: PushDown + ?Sized>(
    filter: &Filter,
    negated: bool,
    backend: &B,
) -> Pushed<B::Condition> {
    let (leaf, negated) = match filter {
        Filter::Not(inner) => return pushed(inner, !negated, backend),
        Filter::And(parts) | Filter::Or(parts) => {
            let is_and = matches!(filter, Filter::And(_)) != negated;
            let parts = parts.iter().map(|part| pushed(part, negated, backend));
            return if is_and { all_of(backend, parts) } else { any_of(backend, parts) };
        }
        Filter::Compare { field, operator: Comparison::Ne, value } => {
            (backend.compare(field, Comparison::Eq, value), !negated)
        }
        Filter::Compare { field, operator, value } => {
            (backend.compare(field, *operator, value), negated)
        }
        Filter::In { field, values } => (backend.is_in(field, values), negated),
        Filter::Exists { field } => (backend.exists(field), negated),
    };
    if negated { leaf.negated(backend) } else { leaf }
}

fn all_of<B: PushDown + ?Sized>(
    backend: &B,
    parts: impl Iterator<Item = Pushed<B::Condition>>,
) -> Pushed<B::Condition> {
    let mut conditions = Vec::new();
    let mut is_exact = true;
    for part in parts {
        is_exact &= part.is_exact();
        match part {
            Pushed::Never => return Pushed::Never,
            Pushed::Exact(condition) | Pushed::Superset(condition) => conditions.push(condition),
            Pushed::Always | Pushed::Unknown => {}
        }
    }
    match (one_of(conditions, |conditions| backend.all(conditions)), is_exact) {
        (Some(condition), true) => Pushed::Exact(condition),
        (Some(condition), false) => Pushed::Superset(condition),
        (None, true) => Pushed::Always,
        (None, false) => Pushed::Unknown,
    }
}

fn any_of<B: PushDown + ?Sized>(
    backend: &B,
    parts: impl Iterator<Item = Pushed<B::Condition>>,
) -> Pushed<B::Condition> {
    let mut conditions = Vec::new();
    let mut is_exact = true;
    let mut is_known = true;
    for part in parts {
        is_exact &= part.is_exact();
        match part {
            Pushed::Always => return Pushed::Always,
            Pushed::Exact(condition) | Pushed::Superset(condition) => conditions.push(condition),
            Pushed::Unknown => is_known = false,
            Pushed::Never => {}
        }
    }
    if !is_known {
        return Pushed::Unknown;
    }
    match (one_of(conditions, |conditions| backend.any(conditions)), is_exact) {
        (Some(condition), true) => Pushed::Exact(condition),
        (Some(condition), false) => Pushed::Superset(condition),
        (None, _) => Pushed::Never,
    }
}

fn one_of<C>(mut conditions: Vec<C>, combine: impl FnOnce(Vec<C>) -> C) -> Option<C> {
    if conditions.len() > 1 { Some(combine(conditions)) } else { conditions.pop() }
}
