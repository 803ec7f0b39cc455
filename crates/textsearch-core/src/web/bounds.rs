//! The two ends of a range.

use std::cmp::Ordering;

use super::Condition;
use crate::{
    Result,
    filter::{DateTime, FilterOperator},
};

/// The lowest and the highest allowed value of a field, for requests that take both ends of a range.
///
/// The caller and a fixed filter can each set bounds. The narrower one holds.
///
/// ```
/// use textsearch_core::{Filter, FilterableField, filter::FilterOperator::{Ge, Le}, web::{Bounds, Conditions}};
///
/// let field = FilterableField::day("published", "The day of publication").with_operators([Ge, Le]);
/// let fixed = Filter::ge("published", "2020-01-01");
/// let filter = fixed.and(Filter::ge("published", "2010-01-01")).and(Filter::le("published", "2025-03-31"));
/// let mut days = Bounds::default();
/// for condition in Conditions::of("example", &filter, &[field])?.all {
///     days.narrow(&condition)?;
/// }
/// assert_eq!((days.lowest.as_deref(), days.highest.as_deref()), (Some("2020-01-01"), Some("2025-03-31")));
/// # Ok::<(), textsearch_core::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounds {
    /// The lowest value. `None`: no limit.
    pub lowest: Option<String>,
    /// The highest value. `None`: no limit.
    pub highest: Option<String>,
}

impl Bounds {
    /// Adds a condition with `>=` or `<=`. Numbers and instants compare by value, other texts by code
    /// point.
    ///
    /// # Errors
    /// [`UnsupportedFilter`](crate::ErrorKind::UnsupportedFilter) for another operator, a negation, and
    /// several values.
    pub fn narrow(&mut self, condition: &Condition) -> Result<()> {
        let (operator, value) = condition.compared()?;
        let (bound, narrower) = match operator {
            FilterOperator::Ge => (&mut self.lowest, Ordering::Greater),
            FilterOperator::Le => (&mut self.highest, Ordering::Less),
            other => return Err(condition.unsupported(other)),
        };
        if bound.as_deref().is_none_or(|known| order(value, known) == narrower) {
            *bound = Some(value.to_owned());
        }
        Ok(())
    }

    /// Returns whether the range ends before it begins, so that nothing can match.
    pub fn are_never_met(&self) -> bool {
        let both = self.lowest.as_deref().zip(self.highest.as_deref());
        both.is_some_and(|(lowest, highest)| order(lowest, highest) == Ordering::Greater)
    }
}

fn order(left: &str, right: &str) -> Ordering {
    if let (Ok(left), Ok(right)) = (left.parse::<f64>(), right.parse::<f64>()) {
        return left.total_cmp(&right);
    }
    match (DateTime::parse(left), DateTime::parse(right)) {
        (Ok(left), Ok(right)) => left.cmp(&right),
        _ => left.cmp(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FilterableField, web::Conditions};

    fn bounds(filter: &str) -> Result<Bounds> {
        let fields = [
            FilterableField::day("day", "A day").with_all_operators(),
            FilterableField::integer("year", "A year").with_all_operators(),
            FilterableField::date_time("seen", "An instant").with_all_operators(),
        ];
        let mut bounds = Bounds::default();
        for condition in Conditions::of("example", &filter.parse().unwrap(), &fields)?.all {
            bounds.narrow(&condition)?;
        }
        Ok(bounds)
    }

    fn shown(filter: &str) -> (String, String) {
        let Bounds { lowest, highest } = bounds(filter).unwrap();
        (lowest.unwrap_or_default(), highest.unwrap_or_default())
    }

    #[test]
    fn the_narrower_bound_holds_in_any_order() {
        let wide = r#"day >= "2010-01-01""#;
        let narrow = r#"day >= "2020-01-01""#;
        for filter in [format!("{wide} and {narrow}"), format!("{narrow} and {wide}")] {
            assert_eq!(shown(&filter), ("2020-01-01".to_owned(), String::new()), "{filter}");
        }
        let both = "year >= 9 and year >= 10 and year <= 100 and year <= 99";
        assert_eq!(shown(both), ("10".to_owned(), "99".to_owned()));
        let instants =
            r#"seen >= "2025-03-31T08:00:00.5Z" and seen >= "2025-03-31T10:00:00+02:00""#;
        assert_eq!(shown(instants).0, "2025-03-31T08:00:00.5Z");
    }

    #[test]
    fn a_range_that_ends_before_it_begins_is_never_met() {
        assert!(bounds("year >= 10 and year <= 9").unwrap().are_never_met());
        for filter in ["year >= 9 and year <= 10", "year >= 9 and year <= 9", "year >= 9"] {
            assert!(!bounds(filter).unwrap().are_never_met(), "{filter}");
        }
    }

    #[test]
    fn other_comparisons_are_refused() {
        for filter in ["year > 9", "year = 9", "not (year >= 9)", "year in [1, 2]"] {
            assert!(bounds(filter).is_err(), "{filter}");
        }
    }

    #[test]
    fn a_day_is_checked_and_written_as_a_day() {
        assert_eq!(shown(r#"day >= date "2020-01-01T00:00:00Z""#).0, "2020-01-01");
        for value in ["yesterday", "2020-01-01,to:2030-01-01", "2020-01-01T12:00:00Z"] {
            assert!(bounds(&format!("day >= {value:?}")).is_err(), "{value}");
        }
    }
}
