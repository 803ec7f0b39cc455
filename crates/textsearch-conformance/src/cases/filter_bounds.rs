//! Two bounds of one field: `>=` and `<=`, or one operator twice.

use std::rc::Rc;

use textsearch_core::{
    Filter,
    filter::{Comparison, DateTime, FilterOperator, FilterValue},
};

use super::wire::{Asked, Sent, Wire, assert_differs, sent_filters, shown, words};
use crate::{Subject, case::skipped};

/// Of two bounds by one operator, the narrower one holds in either order, or both are refused.
pub(crate) async fn the_narrower_of_two_bounds_holds(subject: Subject) {
    assert_narrower(&subject, Joined::ByAnd).await;
}

/// A fixed bound holds, whether the caller's is wider or narrower.
pub(crate) async fn another_bound_does_not_widen_a_fixed_filter(subject: Subject) {
    assert_narrower(&subject, Joined::ByFixing).await;
}

/// A lower and an upper bound are both sent, in either order.
pub(crate) async fn both_ends_of_a_range_are_sent(subject: Subject) {
    assert_both_ends(&subject, Joined::ByAnd).await;
}

/// The request carries both a fixed bound at one end and the caller's bound at the other.
pub(crate) async fn a_callers_bound_adds_to_a_fixed_one(subject: Subject) {
    assert_both_ends(&subject, Joined::ByFixing).await;
}

/// Spellings of one instant send one request, and no fraction is rounded into a wider bound, or they
/// are refused.
pub(crate) async fn a_date_means_its_instant(subject: Subject) {
    let wire = Wire::new(&subject).await;
    let filters = sent_filters(&subject);
    let is_date = |bound: &&Bound<'_>| match bound.value {
        FilterValue::String(text) => DateTime::parse(text).is_ok(),
        other => matches!(other, FilterValue::DateTime(_)),
    };
    let bounds = bounds(&filters);
    let dates: Vec<&Bound<'_>> = bounds.iter().filter(is_date).collect();
    if dates.is_empty() {
        return skipped("filters on dates by `<`, `<=`, `>` or `>=`");
    }
    for bound in dates {
        let at = |text: &str| Filter::compare(bound.field, bound.comparison, text);
        let mut known = None;
        for (day, time) in
            [("31", ""), ("31", "T00:00:00Z"), ("31", "T02:00:00+02:00"), ("30", "T22:00:00-02:00")]
        {
            let filter = at(&format!("2025-03-{day}{time}"));
            let Some(sent) = wire.first(filter.clone()).await.essence() else { continue };
            let (other, expected) = known.get_or_insert_with(|| (filter.clone(), sent.clone()));
            assert_eq!(&sent, expected, "`{filter}` and `{other}` are one instant");
        }
        // `>= 0.5 s` and `< 0.5 s` round up, the others down.
        let rounds_up = matches!(bound.comparison, Comparison::Ge | Comparison::Lt);
        let other = at(&format!("2025-03-31T00:00:0{}Z", u8::from(!rounds_up)));
        assert_differs(&wire, &at("2025-03-31T00:00:00.5Z"), &[other]).await;
    }
}

/// How two filters get into one search.
#[derive(Clone, Copy, PartialEq)]
enum Joined {
    ByAnd,
    ByFixing,
}

async fn assert_narrower(subject: &Subject, joined: Joined) {
    let wire = Wire::new(subject).await;
    let filters = sent_filters(subject);
    let bounds = bounds(&filters);
    if bounds.is_empty() || (joined == Joined::ByFixing && !wire.accepts_fixed()) {
        return skipped("filters by `<`, `<=`, `>` or `>=`");
    }
    for bound in &bounds {
        let declared = bound.declared;
        for wider in bound.accepted(&wire, !bound.is_lower).await {
            for (both, asked) in both_orders(&wire, declared.filter, &wider, joined).await {
                declared.assert_in(asked.accepted_or_refused(&both), &both);
            }
        }
        for narrower in bound.accepted(&wire, bound.is_lower).await {
            let orders = both_orders(&wire, declared.filter, &narrower, joined).await;
            // A narrower bound may empty a declared range.
            if matches!(declared.filter, Filter::Compare { .. }) {
                assert_found(&orders);
            }
            assert_adds(&wire, &orders, &[declared.filter], joined).await;
        }
    }
}

async fn assert_both_ends(subject: &Subject, joined: Joined) {
    let wire = Wire::new(subject).await;
    let filters = sent_filters(subject);
    let mut are_ranges = false;
    if joined == Joined::ByAnd || wire.accepts_fixed() {
        for bound in bounds(&filters) {
            for other in bound.opposites(&wire).await {
                let orders = both_orders(&wire, &bound.part, &other, joined).await;
                assert_found(&orders);
                assert_adds(&wire, &orders, &[&bound.part, &other], joined).await;
                are_ranges = true;
            }
        }
        for declared in &filters {
            let Filter::And(parts) = declared.filter else { continue };
            let [first, second] = parts.as_slice() else { continue };
            for (both, asked) in both_orders(&wire, first, second, joined).await {
                declared.assert_in(asked.requests(), both);
            }
        }
    }
    if !are_ranges {
        skipped("fields with a lower and an upper bound");
    }
}

/// Two filters in either order, and their searches.
type Orders = [(String, Rc<Asked>); 2];

fn assert_found(orders: &Orders) {
    for (both, asked) in orders {
        asked.accepted_or_refused(both);
    }
}

/// Fails if the order changes the request, or if one of `parts` alone sends the same request.
async fn assert_adds(wire: &Wire, orders: &Orders, parts: &[&Filter], joined: Joined) {
    let [(both, asked), (_, swapped)] = orders;
    let Some(request) = asked.first().or(swapped.first()) else { return };
    let sent = asked.first().map(words);
    assert!(
        sent == swapped.first().map(words),
        "`{both}` is sent differently in the other order: {}",
        shown(request)
    );
    for part in parts {
        let alone = match joined {
            Joined::ByAnd => wire.first((*part).clone()).await,
            Joined::ByFixing => wire.first_fixed(part, &Filter::all([])).await,
        };
        let is_alone = alone.first().map(words) == sent;
        assert!(!is_alone, "`{both}` is sent as `{part}`: {}", shown(request));
    }
}

async fn both_orders(wire: &Wire, first: &Filter, second: &Filter, joined: Joined) -> Orders {
    let ask = async |first: &Filter, second: &Filter| match joined {
        Joined::ByAnd => {
            let both = first.clone().and(second.clone());
            (both.to_string(), wire.first(both).await)
        }
        Joined::ByFixing => {
            (format!("{first} (fixed) and {second}"), wire.first_fixed(first, second).await)
        }
    };
    [ask(first, second).await, ask(second, first).await]
}

/// One end of the values of a field, in a declared filter.
pub(super) struct Bound<'a> {
    declared: &'a Sent<'a>,
    part: Filter,
    field: &'a str,
    comparison: Comparison,
    value: &'a FilterValue,
    is_lower: bool,
}

/// Returns the bounds in declared filters.
pub(super) fn bounds<'a>(filters: &'a [Sent<'a>]) -> Vec<Bound<'a>> {
    let mut bounds = Vec::new();
    for declared in filters {
        let parts = match declared.filter {
            Filter::And(parts) => parts.as_slice(),
            filter => std::slice::from_ref(filter),
        };
        bounds.extend(parts.iter().filter_map(|part| {
            let Filter::Compare { field, operator, value } = part else { return None };
            let is_lower = matches!(operator, Comparison::Gt | Comparison::Ge);
            let is_upper = matches!(operator, Comparison::Lt | Comparison::Le);
            (is_lower || is_upper).then(|| Bound {
                declared,
                part: part.clone(),
                field,
                comparison: *operator,
                value,
                is_lower,
            })
        }));
    }
    bounds
}

impl Bound<'_> {
    /// Fails if the request for another value is this bound's.
    pub(super) async fn assert_differs_by_value(&self, wire: &Wire) {
        for is_later in [false, true] {
            for other in self.accepted(wire, is_later).await {
                assert_differs(wire, &other, std::slice::from_ref(&self.part)).await;
                let asked = wire.first(other.clone()).await;
                self.declared.assert_not_in(asked.requests(), other);
            }
        }
    }

    /// Earlier or later bounds by the same operator that the search accepts.
    async fn accepted(&self, wire: &Wire, is_later: bool) -> Vec<Filter> {
        self.sent(wire, &[self.comparison], is_later).await
    }

    /// Bounds at the other end that the search accepts.
    async fn opposites(&self, wire: &Wire) -> Vec<Filter> {
        let opposite = if self.is_lower {
            [Comparison::Le, Comparison::Lt]
        } else {
            [Comparison::Ge, Comparison::Gt]
        };
        let fields = wire.running.search.fields();
        let offered = fields.iter().find(|field| field.name == self.field);
        let offered = offered.map(|field| field.operators.as_slice()).unwrap_or_default();
        let is_offered = |it: &Comparison| offered.contains(&FilterOperator::from(*it));
        let comparisons: Vec<Comparison> = opposite.into_iter().filter(is_offered).collect();
        self.sent(wire, &comparisons, self.is_lower).await
    }

    async fn sent(&self, wire: &Wire, comparisons: &[Comparison], is_later: bool) -> Vec<Filter> {
        let mut sent = Vec::new();
        for value in moved(self.value, is_later) {
            for comparison in comparisons {
                let filter = Filter::compare(self.field, *comparison, value.clone());
                if matches!(*wire.first(filter.clone()).await, Asked::Sent(_)) {
                    sent.push(filter);
                }
            }
        }
        sent
    }
}

/// Earlier or later values.
fn moved(value: &FilterValue, is_later: bool) -> Vec<FilterValue> {
    let step: i64 = if is_later { 1 } else { -1 };
    match value {
        FilterValue::Integer(number) => vec![number.saturating_add(step).into()],
        FilterValue::Float(number) if is_later => vec![(number + 1.0).into()],
        FilterValue::Float(number) => vec![(number - 1.0).into()],
        FilterValue::String(text) => {
            moved_texts(text, step).into_iter().map(FilterValue::from).collect()
        }
        FilterValue::DateTime(instant) => {
            let texts = moved_texts(&instant.to_string(), step);
            texts.into_iter().map(FilterValue::from).collect()
        }
        _ => Vec::new(),
    }
}

/// Moves the year, the day or the number that a text is.
fn moved_texts(text: &str, step: i64) -> Vec<String> {
    let moved = |range: std::ops::Range<usize>| {
        let digits = text.get(range.clone()).filter(|digits| !digits.starts_with(['+', '-']))?;
        let number = digits.parse::<i64>().ok()?.checked_add(step).filter(|moved| *moved > 0)?;
        let width = digits.len();
        Some(format!("{}{number:0width$}{}", &text[..range.start], &text[range.end..]))
    };
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return moved(0..text.len()).into_iter().collect();
    }
    let is_date = text.as_bytes().get(4) == Some(&b'-');
    [0..4, 8..10].into_iter().filter(|_| is_date).filter_map(moved).collect()
}
