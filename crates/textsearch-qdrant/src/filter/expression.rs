//! Combined conditions, with constant parts simplified away.

use qdrant_client::qdrant::{Condition, Filter};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression {
    True,
    False,
    Condition(Box<Condition>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Not(Box<Expression>),
}

impl Expression {
    pub(super) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(parts, Self::True, Self::False, true)
    }

    pub(super) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(parts, Self::False, Self::True, false)
    }

    /// A `decisive` part decides alone; a `neutral` one changes nothing.
    fn joined(
        parts: impl IntoIterator<Item = Self>,
        neutral: Self,
        decisive: Self,
        is_all: bool,
    ) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                part if part == decisive => return decisive,
                part if part == neutral => {}
                Self::All(inner) if is_all => kept.extend(inner),
                Self::Any(inner) if !is_all => kept.extend(inner),
                part => kept.push(part),
            }
        }
        match kept.len() {
            0 | 1 => kept.pop().unwrap_or(neutral),
            _ if is_all => Self::All(kept),
            _ => Self::Any(kept),
        }
    }

    pub(super) fn negated(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Not(inner) => *inner,
            part => Self::Not(Box::new(part)),
        }
    }

    pub(super) fn into_filter(self) -> Filter {
        match self {
            Self::True => Filter::default(),
            // An empty list of identifiers matches no point.
            Self::False => Filter::must([Condition::has_id(std::iter::empty::<u64>())]),
            Self::Condition(condition) => Filter::must([*condition]),
            Self::All(parts) => {
                // Put negated parts into `must_not` directly, which saves a nesting level.
                let (negated, parts): (Vec<_>, Vec<_>) =
                    parts.into_iter().partition(|part| matches!(part, Self::Not(_)));
                Filter {
                    must: parts.into_iter().map(Self::into_condition).collect(),
                    must_not: negated
                        .into_iter()
                        .map(|part| part.negated().into_condition())
                        .collect(),
                    ..Filter::default()
                }
            }
            Self::Any(parts) => Filter::should(parts.into_iter().map(Self::into_condition)),
            Self::Not(part) => Filter::must_not([part.into_condition()]),
        }
    }

    fn into_condition(self) -> Condition {
        match self {
            Self::Condition(condition) => *condition,
            part => part.into_filter().into(),
        }
    }
}

impl From<Condition> for Expression {
    fn from(condition: Condition) -> Self {
        Self::Condition(Box::new(condition))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(name: &str) -> Expression {
        Condition::matches(name, true).into()
    }

    #[test]
    fn folds_constant_parts() {
        assert_eq!(Expression::all([Expression::True, leaf("a")]), leaf("a"));
        assert_eq!(Expression::all([Expression::False, leaf("a")]), Expression::False);
        assert_eq!(Expression::any([Expression::True, leaf("a")]), Expression::True);
        assert_eq!(Expression::any([]), Expression::False);
        assert_eq!(leaf("a").negated().negated(), leaf("a"));
    }

    #[test]
    fn negated_parts_become_must_not() {
        let filter = Expression::all([leaf("a"), leaf("b").negated()]).into_filter();
        assert_eq!((filter.must.len(), filter.must_not.len()), (1, 1));
    }
}
