//! A filter's value arrives as one value.

use textsearch_core::{
    Filter, FilterableField,
    filter::{Comparison, FilterOperator, FilterValue},
};

use super::{
    filter_bounds::bounds,
    queries::{bare, has_open_quote},
    wire::{Asked, Wire, assert_differs, sent_filters},
};
use crate::{RecordedRequest, Subject, case::skipped};

/// Operators of common query languages, for hostile values. A value must not add a declared one.
const OPERATORS: &[&str] = &["OR", "AND", "NOT", "-", "|", "site:", "inurl:"];

/// Separators of lists: in a value, they must not make two values of it.
const SEPARATORS: &[&str] = &[
    ",", ", ", "|", "||", "&", ";", " ", "+", " OR ", "\" OR \"", "\",\"", "') or ('", "\n", "\t",
    "\0", "%2C",
];

/// Each value makes another request, and the alternatives of two another still.
pub(crate) async fn another_value_makes_another_request(subject: Subject) {
    let wire = Wire::new(&subject).await;
    let fields = two_values(&subject, &wire).await;
    let filters = sent_filters(&subject);
    let bounds = bounds(&filters);
    if fields.is_empty() && bounds.is_empty() {
        return skipped("fields with several values");
    }
    for bound in &bounds {
        bound.assert_differs_by_value(&wire).await;
    }
    for [first, second] in &fields {
        let parts = [first.clone(), second.clone()];
        assert_differs(&wire, first, &[second.clone(), !first.clone()]).await;
        let listed = in_both(first, second);
        for several in [first.clone().or(second.clone()), listed.clone()] {
            assert_differs(&wire, &several, &parts).await;
        }
        let both = first.clone().and(second.clone());
        assert_differs(&wire, &both, &[first.clone().or(second.clone()), listed]).await;
        let asked = wire.first(second.clone()).await;
        for declared in filters.iter().filter(|declared| declared.filter == first) {
            declared.assert_not_in(asked.requests(), second);
        }
    }
}

/// Neither quotes nor operators in a value leave it, and no value is dropped.
pub(crate) async fn hostile_values_add_no_operator(subject: Subject) {
    let wire = Wire::new(&subject).await;
    let texts = text_filters(&subject, &wire);
    if texts.is_empty() {
        return skipped("filters on texts");
    }
    let declared = subject.capabilities.query_operators.as_deref();
    let known = declared.unwrap_or_default().iter().map(String::as_str);
    let operators: Vec<&str> = OPERATORS.iter().copied().chain(known).collect();
    for (field, comparison, value) in texts {
        let filter = |value: &str| Filter::compare(&field, comparison, value);
        let Some(benign) = wire.first(filter(&value)).await.first().cloned() else { continue };
        let mut values = hostile_values(&field, &value, &operators);
        if comparison == Comparison::Eq {
            // Every text contains an empty one, but few equal it.
            values.push(String::new());
        }
        for hostile in values {
            let filter = filter(&hostile);
            let fixed = if wire.accepts_fixed() {
                Some(wire.first_fixed(&filter, &Filter::all([])).await)
            } else {
                None
            };
            for asked in [wire.first(filter.clone()).await].into_iter().chain(fixed) {
                let Some(request) = asked.first() else { continue };
                assert_no_operator(request, &benign, &hostile, declared, &filter);
                let is_ignored = asked.essence() == wire.plain().await.essence();
                assert!(!is_ignored, "`{filter}` is ignored");
            }
        }
    }
}

fn assert_no_operator(
    request: &RecordedRequest,
    benign: &RecordedRequest,
    value: &str,
    operators: Option<&[String]>,
    filter: &Filter,
) {
    let (texts, harmless) = (request.texts(), benign.texts());
    let names = |texts: &[(String, String)]| {
        let mut names: Vec<String> = texts.iter().map(|(name, _)| name.clone()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&texts), names(&harmless), "`{filter}` changes the parameters");
    // A parameter that holds only the value has no syntax to break.
    let is_syntax = |text: &str| !letters(text).eq(letters(value));
    for (name, text) in texts.iter().filter(|(_, text)| is_syntax(text)) {
        let same_name = harmless.iter().filter(|(other, _)| other == name);
        let known = |operator: &str| {
            same_name.clone().map(|(_, text)| bare(text, operator)).max().unwrap_or_default()
        };
        for operator in operators.unwrap_or_default() {
            let is_added = bare(text, operator) > known(operator);
            assert!(!is_added, "`{filter}` adds the operator `{operator}`: {name}={text}");
        }
        // Engines without operators read quotes only where the connector writes some.
        let has_quotes = same_name.clone().any(|(_, text)| text.contains('"'));
        let are_quotes_syntax = has_quotes || operators.is_none_or(|all| !all.is_empty());
        let opens = are_quotes_syntax && has_open_quote(text);
        assert!(!opens, "`{filter}` opens a quote: {name}={text}");
    }
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric())
}

fn hostile_values(field: &str, value: &str, operators: &[&str]) -> Vec<String> {
    let mut values: Vec<String> = [
        "\" OR \"x",
        " OR x",
        ") OR (x",
        "' OR '1'='1",
        " -x",
        "|x",
        "&x=y",
        "\"",
        "\\",
        "\\\" OR x OR \\\"",
        "\n-x",
        "\u{201d} OR \u{201c}x",
        "\" x \"",
    ]
    .map(|rest| format!("{value}{rest}"))
    .to_vec();
    for operator in operators {
        values.push(format!("{value} {operator}x"));
        values.push(format!("{value}\" {operator}x \""));
        values.push(format!("{value} {operator} x"));
    }
    values.push(format!("{value}&{field}=x"));
    values.push(format!("{value}\" {field}:\"x"));
    values
}

/// A value's end, case and sign change the request.
pub(crate) async fn values_arrive_whole(subject: Subject) {
    let wire = Wire::new(&subject).await;
    let fields = two_values(&subject, &wire).await;
    if fields.is_empty() {
        return skipped("fields with several values");
    }
    for [filter, _] in &fields {
        let Some((_, value)) = compared(filter) else { continue };
        let pairs = match value {
            FilterValue::String(value) => {
                let long = format!("{value}{}", "m".repeat(300));
                vec![[with_value(filter, format!("{long}n")), with_value(filter, long)]]
            }
            FilterValue::Integer(_) => [(-7, 7), (i64::MAX, i64::MAX - 1), (1_i64 << 33, 0)]
                .map(|(left, right)| [with_value(filter, left), with_value(filter, right)])
                .to_vec(),
            _ => Vec::new(),
        };
        for [left, right] in pairs {
            assert_differs(&wire, &left, &[right]).await;
        }
    }
}

/// A separator in a value makes no list of it.
pub(crate) async fn separators_do_not_split_a_value(subject: Subject) {
    let wire = Wire::new(&subject).await;
    let mut are_lists = false;
    for [left, right] in two_values(&subject, &wire).await {
        let (Some((field, FilterValue::String(first))), Some((_, FilterValue::String(second)))) =
            (compared(&left), compared(&right))
        else {
            continue;
        };
        let lists = [in_both(&left, &right), left.clone().or(right.clone())];
        for separator in SEPARATORS {
            let joined = with_value(&left, format!("{first}{separator}{second}"));
            let listed = Filter::is_in(field, [format!("{first}{separator}{second}")]);
            for single in [joined, listed] {
                assert_differs(&wire, &single, &lists).await;
            }
        }
        are_lists = true;
    }
    if !are_lists {
        skipped("texts of which a field may have several");
    }
}

/// Two filters per field by equality, `contains` or `starts_with`, with values that the connector
/// accepts. Bounds are different: either of two may be the narrower one.
pub(super) async fn two_values(subject: &Subject, wire: &Wire) -> Vec<[Filter; 2]> {
    let fields = wire.running.search.fields();
    let mut pairs: Vec<[Filter; 2]> = Vec::new();
    for declared in sent_filters(subject) {
        let Some((field, value)) = compared(declared.filter) else { continue };
        let Some(schema) = fields.iter().find(|known| known.name == field) else { continue };
        for comparison in [Comparison::Eq, Comparison::Contains, Comparison::StartsWith] {
            let is_offered = schema.operators.contains(&comparison.into());
            let is_known = pairs.iter().any(|[filter, _]| is_by(filter, field, comparison));
            if !is_offered || is_known {
                continue;
            }
            for other in other_values(value, schema) {
                let pair =
                    [value, &other].map(|value| Filter::compare(field, comparison, value.clone()));
                let [first, second] = &pair;
                let asked = [wire.first(first.clone()).await, wire.first(second.clone()).await];
                if asked.iter().all(|asked| matches!(**asked, Asked::Sent(_))) {
                    pairs.push(pair);
                    break;
                }
            }
        }
    }
    pairs
}

fn is_by(filter: &Filter, name: &str, comparison: Comparison) -> bool {
    matches!(filter, Filter::Compare { field, operator, .. } if field == name && *operator == comparison)
}

/// The same comparison with another value.
fn with_value(filter: &Filter, value: impl Into<FilterValue>) -> Filter {
    match filter {
        Filter::Compare { field, operator, .. } => Filter::compare(field, *operator, value),
        other => other.clone(),
    }
}

/// The field and the first value that a filter compares with.
pub(super) fn compared(filter: &Filter) -> Option<(&str, &FilterValue)> {
    match filter {
        Filter::Compare { field, value, .. } => Some((field, value)),
        Filter::In { field, values } => Some((field, values.first()?)),
        Filter::Not(inner) => compared(inner),
        Filter::And(parts) | Filter::Or(parts) => parts.iter().find_map(compared),
        _ => None,
    }
}

pub(super) fn in_both(first: &Filter, second: &Filter) -> Filter {
    let values = [first, second].into_iter().filter_map(compared);
    let field = values.clone().map(|(field, _)| field).next().unwrap_or_default().to_owned();
    Filter::is_in(field, values.map(|(_, value)| value.clone()).collect::<Vec<_>>())
}

/// Returns similar values: from the schema's list, or with a changed last letter.
fn other_values(value: &FilterValue, field: &FilterableField) -> Vec<FilterValue> {
    let listed = field.schema.get("enum").and_then(|values| values.as_array());
    match value {
        FilterValue::String(text) => match listed {
            Some(values) => {
                let others = values.iter().filter_map(|other| other.as_str());
                others.filter(|other| other != text).map(FilterValue::from).collect()
            }
            None => similar_texts(text).into_iter().map(FilterValue::from).collect(),
        },
        FilterValue::Integer(number) => {
            vec![FilterValue::Integer(number + 1), FilterValue::Integer(number - 1)]
        }
        FilterValue::Bool(value) => vec![FilterValue::Bool(!value)],
        _ => Vec::new(),
    }
}

fn similar_texts(text: &str) -> Vec<String> {
    let mut start = text.to_owned();
    let last = start.pop().unwrap_or('x');
    let ends = ["m", "n", "5", "8"].into_iter().filter(|end| *end != last.to_string());
    let mut texts: Vec<String> = ends.map(|end| format!("{start}{end}")).collect();
    texts.extend(["en", "de", "week", "month", "pdf", "doc"].map(str::to_owned));
    texts.retain(|other| other != text);
    texts
}

/// The comparisons with texts on each field of free texts, with a value that works.
fn text_filters(subject: &Subject, wire: &Wire) -> Vec<(String, Comparison, String)> {
    let fields = wire.running.search.fields();
    let mut texts: Vec<(String, Comparison, String)> = Vec::new();
    for declared in sent_filters(subject) {
        let Some((name, FilterValue::String(value))) = compared(declared.filter) else { continue };
        let field = fields.iter().find(|field| field.name == name);
        let Some(field) = field.filter(|field| field.schema.get("enum").is_none()) else {
            continue;
        };
        for comparison in Comparison::ALL.iter().copied().filter(|it| *it != Comparison::Ne) {
            let is_known = texts.iter().any(|(known, it, _)| known == name && *it == comparison);
            let is_offered = field.operators.contains(&FilterOperator::from(comparison));
            if is_offered && !is_known {
                texts.push((name.to_owned(), comparison, value.clone()));
            }
        }
    }
    texts
}
