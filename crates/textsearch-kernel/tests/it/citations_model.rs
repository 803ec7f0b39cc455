//! Citations that a provider returns beside the text.

use textsearch_kernel::{
    citations::{CitationKind, Sources, check_message},
    textsearch_core::{
        TextSearchResult,
        chat::{ChatMessage, ModelCitation},
    },
};

const TEXT: &str = "Tides follow the moon. See [2].";

/// The second has no link.
fn sources() -> Sources {
    let results = [
        TextSearchResult::new("The moon\ncauses tides.").with_link("https://example.com/tides"),
        TextSearchResult::new("Storms raise them.").with_id("storms#1"),
        TextSearchResult::new("The moon is far.").with_link("https://example.com/moon"),
    ];
    results.iter().collect()
}

fn source_of(citation: ModelCitation, sources: &Sources) -> Option<usize> {
    let mut message = ChatMessage::assistant("Tides follow the moon.");
    message.citations.push(citation);
    let citations = check_message(&message, sources);
    assert_eq!(citations[0].kind, CitationKind::Model);
    citations[0].source
}

#[test]
fn both_kinds_of_citations_come_in_order() {
    let mut message = ChatMessage::assistant(TEXT);
    message.citations.push(ModelCitation::new(0..22, "https://example.com/tides"));
    let citations = check_message(&message, &sources());
    let seen: Vec<_> = citations
        .iter()
        .map(|citation| (citation.kind.name(), citation.target.as_str(), citation.source))
        .collect();
    assert_eq!(seen, [("model", "https://example.com/tides", Some(1)), ("number", "2", Some(2))]);
    assert_eq!(&TEXT[citations[0].range.clone()], "Tides follow the moon.");
}

#[test]
fn a_source_is_named_by_link_identifier_or_number() {
    for (name, expected) in [
        ("HTTPS://example.com/tides/", Some(1)),
        ("storms#1", Some(2)),
        ("[3]", Some(3)),
        ("[4]", None),
        ("https://evil.example/tides", None),
        ("", None),
    ] {
        assert_eq!(source_of(ModelCitation::new(0..5, name), &sources()), expected, "{name}");
    }
}

#[test]
fn a_quote_must_stand_in_the_text_of_its_source() {
    let quoted = |quote: &str| {
        let citation = ModelCitation::new(0..5, "https://example.com/tides").with_quote(quote);
        source_of(citation, &sources())
    };
    assert_eq!(quoted("The moon causes tides."), Some(1));
    assert_eq!(quoted("The moon causes…"), Some(1));
    assert_eq!(quoted("The moon is far."), None);
}

#[test]
fn the_quote_decides_between_sources_of_one_name() {
    let results = [
        TextSearchResult::new("A").with_id("1"),
        TextSearchResult::new("B").with_id("1"),
        TextSearchResult::new("C").with_link("http://a.example"),
        TextSearchResult::new("D").with_link("https://a.example/"),
        TextSearchResult::new("E").with_link("./docs/e.md"),
        TextSearchResult::new("F").with_id("docs/e.md"),
    ];
    let sources: Sources = results.iter().collect();
    for (name, quote, expected) in [
        ("1", "A", Some(1)),
        ("1", "B", Some(2)),
        ("1", "C", None),
        ("https://a.example", "C", Some(3)),
        ("https://a.example", "D", Some(4)),
        ("docs/e.md", "F", Some(6)),
    ] {
        let citation = ModelCitation::new(0..5, name).with_quote(quote);
        assert_eq!(source_of(citation, &sources), expected, "{name} {quote}");
    }
}

#[test]
fn a_quote_may_stand_beyond_the_limit_of_a_text() {
    let texts = (0..20).map(|number| format!("{number} {}", "word ".repeat(200)));
    let results: Vec<_> =
        texts.map(|text| TextSearchResult::new(text).with_link("https://example.com/a")).collect();
    let sources: Sources = results.iter().collect();
    let citation = ModelCitation::new(0..5, "https://example.com/a");
    assert_eq!(source_of(citation.clone().with_quote("19 word"), &sources), Some(1));
    assert_eq!(source_of(citation.with_quote("20 word"), &sources), None);
}

#[test]
fn a_range_outside_the_text_becomes_its_end() {
    let mut message = ChatMessage::assistant("é");
    message.citations = [0..9, 1..2, usize::MAX..usize::MAX]
        .map(|range| ModelCitation::new(range, "https://example.com/tides"))
        .into();
    for citation in check_message(&message, &sources()) {
        assert_eq!(citation.range, 2..2);
    }
}
