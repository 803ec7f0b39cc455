//! Walks over a filter.

use super::{Filter, FilterOperator, FilterValue};

impl Filter {
    /// Returns the field of each comparison, in text order.
    ///
    /// ```
    /// use textsearch_core::Filter;
    ///
    /// let filter = Filter::ge("year", 2020).and(!Filter::exists("author"));
    /// assert_eq!(filter.fields().collect::<Vec<_>>(), ["year", "author"]);
    /// ```
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.comparisons().map(|(field, _)| field)
    }

    pub(super) fn comparisons(&self) -> Comparisons<'_> {
        Comparisons { pending: vec![self] }
    }

    /// Counts as [`Filter::MAX_DEPTH`] does.
    pub(super) fn depth(&self) -> usize {
        let below = match self {
            Self::Compare { value, .. } => value.depth(),
            Self::In { values, .. } => deepest(values, FilterValue::depth),
            Self::Exists { .. } => 0,
            Self::And(filters) | Self::Or(filters) => deepest(filters, Self::depth),
            Self::Not(filter) => filter.depth(),
        };
        1 + below
    }
}

impl FilterValue {
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::List(values) => 1 + deepest(values, Self::depth),
            _ => 0,
        }
    }
}

fn deepest<Item>(items: &[Item], depth: fn(&Item) -> usize) -> usize {
    items.iter().map(depth).max().unwrap_or(0)
}

#[derive(Debug)]
pub(super) struct Comparisons<'filter> {
    /// The filters not yet visited, the next one last.
    pending: Vec<&'filter Filter>,
}

impl<'filter> Iterator for Comparisons<'filter> {
    type Item = (&'filter str, FilterOperator);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.pending.pop()? {
                Filter::Compare { field, operator, .. } => {
                    return Some((field, (*operator).into()));
                }
                Filter::In { field, .. } => return Some((field, FilterOperator::In)),
                Filter::Exists { field } => return Some((field, FilterOperator::Exists)),
                Filter::And(filters) | Filter::Or(filters) => {
                    self.pending.extend(filters.iter().rev());
                }
                Filter::Not(filter) => self.pending.push(filter),
            }
        }
    }
}
