//! The request differs for each operator of a field.

use textsearch_core::{
    Filter,
    filter::{Comparison, FilterOperator},
};

use super::{
    filter_values::{compared, two_values},
    wire::{Wire, sent_filters},
};
use crate::{Subject, report::skipped};

/// Each declared operator makes its own request, or is refused.
pub(crate) async fn declared_operators_differ_on_the_wire(subject: Subject) {
    let filters = sent_filters(&subject);
    if filters.is_empty() {
        return skipped("filters");
    }
    let wire = Wire::of(&subject).await;
    let pairs = two_values(&subject, &wire).await;
    for field in wire.running().search.fields() {
        let values = filters.iter().filter_map(|declared| compared(declared.filter));
        let Some((_, value)) = values.into_iter().find(|(name, _)| *name == field.name) else {
            continue;
        };
        let other =
            pairs.iter().find(|[one, _]| compared(one).is_some_and(|it| it.0 == field.name));
        let other = other.and_then(|[_, other]| compared(other)).map(|(_, value)| value.clone());
        let mut seen = vec![("no filter".to_owned(), wire.plain().await.essence())];
        for operator in &field.operators {
            let comparison =
                Comparison::ALL.iter().find(|it| FilterOperator::from(**it) == *operator);
            let filter = match (comparison, &other) {
                (Some(comparison), _) => Filter::compare(&field.name, *comparison, value.clone()),
                (None, _) if *operator == FilterOperator::Exists => Filter::exists(&field.name),
                // A list of one value is equality.
                (None, Some(other)) => Filter::is_in(&field.name, [value.clone(), other.clone()]),
                (None, None) => continue,
            };
            let asked = wire.first(filter.clone()).await;
            if asked.first().is_none() {
                continue;
            }
            for (known, essence) in &seen {
                assert!(*essence != asked.essence(), "`{filter}` is sent as {known}: {essence:?}");
            }
            seen.push((format!("`{filter}`"), asked.essence()));
        }
    }
}

/// A field whose words the backend matches offers no equality.
pub(crate) async fn approximate_fields_offer_contains_alone(subject: Subject) {
    if subject.capabilities.approximate_fields.is_empty() {
        return skipped("fields whose words the backend matches: say which with_approximate_field");
    }
    let running = subject.holding(Vec::new()).await;
    for name in &subject.capabilities.approximate_fields {
        let fields = running.search.fields();
        let field = fields.iter().find(|field| field.name == *name);
        let offered = field.map(|field| field.operators.as_slice()).unwrap_or_default();
        assert_eq!(offered, [FilterOperator::Contains], "operators of `{name}`");
    }
}
