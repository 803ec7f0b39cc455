//! Checks an answer's citations against the retrieved sources.

use serde::Serialize;
use textsearch_kernel::citations::{CitationKind, Source, Sources, check_citations};

use crate::{messages, output::excerpt};

/// Longest excerpt of a link or a name shown to people, in characters.
const EXCERPT_LENGTH: usize = 200;

/// A citation and its source, for JSON output.
#[derive(Debug, Serialize)]
pub(super) struct CheckedCitation {
    kind: &'static str,
    target: String,
    /// Byte range in the answer: start and exclusive end.
    range: [usize; 2],
    supported: bool,
    /// The number of the source.
    source: Option<usize>,
}

/// A retrieved source, for JSON output.
#[derive(Debug, Serialize)]
pub(super) struct Retrieved {
    number: usize,
    name: Option<String>,
    link: Option<String>,
}

/// Returns every citation of the answer, checked against `sources`.
pub(super) fn check(answer: &str, sources: &Sources) -> Vec<CheckedCitation> {
    let checked = check_citations(answer, sources).into_iter();
    let checked = checked.map(|citation| CheckedCitation {
        kind: name_of(citation.kind),
        supported: citation.is_supported(),
        range: [citation.range.start, citation.range.end],
        source: citation.source,
        target: citation.target,
    });
    checked.collect()
}

/// Returns every source that an answer may cite.
pub(super) fn retrieved(sources: &Sources) -> Vec<Retrieved> {
    let all = sources.iter().cloned();
    all.map(|Source { number, name, link, .. }| Retrieved { number, name, link }).collect()
}

/// Prints on standard error whether each citation is supported.
pub(super) fn show(citations: &[CheckedCitation], sources: &Sources) {
    if citations.is_empty() {
        messages::warn("the answer cites nothing");
    }
    for citation in citations {
        let target = excerpt(&citation.target, EXCERPT_LENGTH);
        let kind = citation.kind;
        let source = citation.source.and_then(|number| sources.get(number));
        let verdict = source.map(describe);
        let verdict = verdict.unwrap_or_else(|| "NOT AMONG WHAT WAS RETRIEVED".to_owned());
        messages::say(&format!("{kind} {target}: {verdict}"));
    }
}

/// Returns whether every citation refers to a retrieved source.
pub(super) fn are_supported(citations: &[CheckedCitation]) -> bool {
    citations.iter().all(|citation| citation.supported)
}

fn describe(source: &Source) -> String {
    let known = [&source.name, &source.link].into_iter().flatten();
    let known: Vec<String> = known.map(|text| excerpt(text, EXCERPT_LENGTH)).collect();
    format!("supported by [{}] {}", source.number, known.join(", "))
}

const fn name_of(kind: CitationKind) -> &'static str {
    match kind {
        CitationKind::Link => "link",
        CitationKind::Image => "image",
        CitationKind::Url => "url",
        CitationKind::Html => "html",
        CitationKind::Footnote => "footnote",
        CitationKind::Number => "number",
        _ => "citation",
    }
}
