//! A value with the text of another filter adds no such filter.

use textsearch_core::{
    Filter,
    filter::{Comparison, FilterValue},
};

use super::{
    queries::outside_quotes,
    wire::{Asked, Wire, sent_filters, shown},
};
use crate::{RecordedRequest, Subject, case::skipped};

/// A value that holds a separator and another filter's text is one value, or refused.
pub(crate) async fn a_value_adds_no_other_filter(subject: Subject) {
    let wire = Wire::new(&subject).await;
    let filters: Vec<Filter> = sent_filters(&subject)
        .iter()
        .flat_map(|declared| match declared.filter {
            Filter::And(parts) => parts.clone(),
            filter => vec![filter.clone()],
        })
        .collect();
    let written = written(&wire, &filters).await;
    let separators = separators(&wire, &written).await;
    let mut are_joined = false;
    for Written { filter, name, .. } in &written {
        let Filter::Compare { field, operator, value: FilterValue::String(value) } = filter else {
            continue;
        };
        if *operator == Comparison::Ne {
            continue;
        }
        let benign = wire.first(filter.clone()).await;
        for other in written.iter().filter(|other| other.name == *name) {
            for (_, separator) in separators.iter().filter(|(known, _)| known == name) {
                let added = format!("{separator}{}", other.text);
                let hostile = Filter::compare(field, *operator, format!("{value}{added}"));
                let asked = wire.first(hostile.clone()).await;
                are_joined = true;
                for request in asked.requests() {
                    let known = benign.first().map_or(0, |benign| unescaped(benign, name, &added));
                    assert!(
                        unescaped(request, name, &added) <= known,
                        "`{hostile}` adds `{}`: {}",
                        other.text,
                        shown(request)
                    );
                }
            }
        }
    }
    if !are_joined {
        skipped("filters that share a parameter");
    }
}

/// A filter, and the text that it adds to a parameter of the request.
struct Written {
    filter: Filter,
    name: String,
    text: String,
}

async fn written(wire: &Wire, filters: &[Filter]) -> Vec<Written> {
    let plain = wire.plain().await;
    let plain = plain.first().map(RecordedRequest::texts).unwrap_or_default();
    let mut written = Vec::new();
    for filter in filters {
        let asked = wire.first(filter.clone()).await;
        let Asked::Sent(requests) = &*asked else { continue };
        let texts = requests.first().map(RecordedRequest::texts).unwrap_or_default();
        for (name, text) in texts {
            let known = plain.iter().filter(|(other, _)| *other == name).map(|(_, text)| text);
            let text = known.fold(text, |text, known| text.replacen(known.as_str(), "", 1));
            let text = text.trim().to_owned();
            if !text.is_empty() {
                written.push(Written { filter: filter.clone(), name, text });
            }
        }
    }
    written
}

/// The separators of each parameter, found between the texts of two filters.
async fn separators(wire: &Wire, written: &[Written]) -> Vec<(String, String)> {
    let mut separators: Vec<(String, String)> = Vec::new();
    for (number, first) in written.iter().enumerate() {
        let later = written.iter().skip(number + 1);
        for second in later.filter(|second| second.name == first.name) {
            let both = first.filter.clone().and(second.filter.clone());
            let asked = wire.first(both).await;
            let texts = asked.first().map(RecordedRequest::texts).unwrap_or_default();
            for (name, text) in texts.into_iter().filter(|(name, _)| *name == first.name) {
                let separator = between(&text, &first.text, &second.text)
                    .or_else(|| between(&text, &second.text, &first.text));
                let separator = separator.map(|separator| (name, separator.to_owned()));
                separators.extend(separator.filter(|separator| !separators.contains(separator)));
            }
        }
    }
    separators
}

fn between<'a>(text: &'a str, first: &str, last: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(first)?;
    rest.split_once(last).map(|(between, _)| between).filter(|between| is_separator(between))
}

/// Rejects longer text, which is a third filter.
fn is_separator(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= 5
}

/// Counts `added` outside quotes, without a backslash before it.
fn unescaped(request: &RecordedRequest, name: &str, added: &str) -> usize {
    let added = outside_quotes(added);
    let texts = request.texts().into_iter().filter(|(other, _)| other == name);
    let count = |text: String| {
        let text = outside_quotes(&text);
        let starts = text.match_indices(&added);
        starts.filter(|(start, _)| !text[..*start].ends_with('\\')).count()
    };
    texts.map(|(_, text)| count(text)).sum()
}
