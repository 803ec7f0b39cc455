//! What an answer cites, and whether that was retrieved.

use serde::Serialize;
use textsearch_kernel::citations::{CitationKind, Source, Sources, check_citations};

use crate::{messages, output::excerpt};

/// How much of a link or a name is shown to people, in characters.
const EXCERPT_LENGTH: usize = 200;

/// A citation and what it refers to, for programs.
#[derive(Debug, Serialize)]
pub(super) struct CheckedCitation {
    kind: &'static str,
    target: String,
    /// Where it is in the answer, in bytes: the first, and the one behind the last.
    range: [usize; 2],
    supported: bool,
    /// The number of the source.
    source: Option<usize>,
}

/// Something that was retrieved, for programs.
#[derive(Debug, Serialize)]
pub(super) struct Retrieved {
    number: usize,
    name: Option<String>,
    link: Option<String>,
}

/// Every citation of the answer.
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

/// Everything that an answer may refer to.
pub(super) fn retrieved(sources: &Sources) -> Vec<Retrieved> {
    let all = sources.iter().cloned();
    all.map(|Source { number, name, link, .. }| Retrieved { number, name, link }).collect()
}

/// Says on standard error of each citation whether it is supported.
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

/// Whether all of them refer to something that was retrieved.
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
