//! Checks the citations that a provider returns beside the text.

use std::collections::HashMap;

use textsearch_core::chat::ModelCitation;

use super::{Citation, CitationKind, Sources, link::KnownLinks};

/// Ends a text that was cut before the model read it.
const ELLIPSIS: char = '…';

pub(super) fn read(citations: &[ModelCitation], text: &str, sources: &Sources) -> Vec<Citation> {
    if citations.is_empty() {
        return Vec::new();
    }
    let links = KnownLinks::new(sources);
    let ids: HashMap<&str, usize> =
        sources.iter().filter_map(|source| Some((source.id.as_deref()?, source.number))).collect();
    let check = |citation: &ModelCitation| {
        let target = citation.source.as_str();
        let source = links
            .source_of(target)
            .or_else(|| ids.get(target).copied())
            .or_else(|| sources.number_of_label(target))
            .filter(|number| is_quoted(citation.quote.as_deref(), *number, sources));
        let range = citation.range.clone();
        let range = if text.get(range.clone()).is_some() { range } else { text.len()..text.len() };
        Citation { kind: CitationKind::Model, target: target.to_owned(), range, source }
    };
    citations.iter().map(check).collect()
}

fn is_quoted(quote: Option<&str>, number: usize, sources: &Sources) -> bool {
    let quote = normal_form(quote.unwrap_or_default());
    let quote = quote.trim_end_matches(ELLIPSIS);
    quote.is_empty() || sources.texts_of(number).any(|text| normal_form(text).contains(quote))
}

/// Providers may change white space.
fn normal_form(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
