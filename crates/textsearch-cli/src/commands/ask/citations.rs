//! Checks an answer's citations against the retrieved sources.

use serde::Serialize;
use textsearch_core::chat::ChatMessage;
use textsearch_kernel::citations::{Source, Sources, check_message};

use crate::{messages, output::excerpt};

/// In characters.
const EXCERPT_LENGTH: usize = 200;

const NOT_RETRIEVED: &str = "NOT AMONG WHAT WAS RETRIEVED";

/// A citation in the JSON output.
#[derive(Debug, Serialize)]
pub(crate) struct CheckedCitation {
    kind: &'static str,
    target: String,
    /// Bytes of the answer: start and exclusive end.
    range: [usize; 2],
    supported: bool,
    /// The number of the source.
    source: Option<usize>,
}

/// A source in the JSON output.
#[derive(Debug, Serialize)]
pub(super) struct Retrieved {
    number: usize,
    name: Option<String>,
    link: Option<String>,
}

pub(crate) fn check(message: &ChatMessage, sources: &Sources) -> Vec<CheckedCitation> {
    let checked = check_message(message, sources).into_iter();
    let checked = checked.map(|citation| CheckedCitation {
        kind: citation.kind.name(),
        supported: citation.is_supported(),
        range: [citation.range.start, citation.range.end],
        source: citation.source,
        target: citation.target,
    });
    checked.collect()
}

pub(super) fn retrieved(sources: &Sources) -> Vec<Retrieved> {
    let all = sources.iter().cloned();
    all.map(|Source { number, name, link, .. }| Retrieved { number, name, link }).collect()
}

pub(super) fn show(citations: &[CheckedCitation], sources: &Sources) {
    if citations.is_empty() {
        messages::warn("the answer cites nothing");
    }
    for citation in citations {
        let target = excerpt(&citation.target, EXCERPT_LENGTH);
        let kind = citation.kind;
        let source = citation.source.and_then(|number| sources.get(number));
        let verdict = source.map(describe);
        let verdict = verdict.unwrap_or_else(|| NOT_RETRIEVED.to_owned());
        messages::say(&format!("{kind} {target}: {verdict}"));
    }
}

pub(crate) fn warn_of_unsupported(citations: &[CheckedCitation]) {
    for citation in citations.iter().filter(|citation| !citation.supported) {
        let target = excerpt(&citation.target, EXCERPT_LENGTH);
        messages::warn(&format!("{} {target}: {NOT_RETRIEVED}", citation.kind));
    }
}

pub(super) fn are_supported(citations: &[CheckedCitation]) -> bool {
    citations.iter().all(|citation| citation.supported)
}

fn describe(source: &Source) -> String {
    let known = [&source.name, &source.link].into_iter().flatten();
    let known: Vec<String> = known.map(|text| excerpt(text, EXCERPT_LENGTH)).collect();
    format!("supported by [{}] {}", source.number, known.join(", "))
}
