//! The time to check an answer grows linearly with its length.

use textsearch_conformance::assert_linear;
use textsearch_kernel::{
    citations::{Sources, check_citations},
    textsearch_core::TextSearchResult,
};

fn sources(count: usize) -> Sources {
    let results: Vec<_> = (0..count)
        .map(|number| TextSearchResult::new("x").with_link(format!("https://a.example/{number}")))
        .collect();
    results.iter().collect()
}

#[track_caller]
fn assert_linear_check(size: usize, answer: impl Fn(usize) -> String) {
    let sources = sources(3);
    assert_linear(size, |size| drop(check_citations(&answer(size), &sources)));
}

#[test]
fn many_references_to_a_long_footnote() {
    assert_linear_check(4_000, |size| {
        format!("{}\n\n[^1]: {}", "[^1] ".repeat(size), "abc ".repeat(size))
    });
}

#[test]
fn many_numbers() {
    assert_linear_check(16_000, |size| "[1]\n".repeat(size));
}

#[test]
fn many_links_in_text() {
    assert_linear_check(16_000, |size| "https://a.example ".repeat(size));
}

#[test]
fn many_links_without_spaces() {
    for link in ["http://", "www.a[", "www.a\"", "https://a\"", "(//", "www.", "www.a "] {
        assert_linear_check(6_000, |size| link.repeat(size));
        assert_linear_check(6_000, |size| format!("<p>{}</p>", link.repeat(size)));
    }
}

#[test]
fn many_addresses_in_html() {
    assert_linear_check(16_000, |size| "<a href=https://a.example/x>\n".repeat(size));
}

#[test]
fn many_tags_in_one_block() {
    assert_linear_check(60_000, |size| "<div>".repeat(size));
}

#[test]
fn ranges_do_not_multiply() {
    let sources = sources(99);
    for answer in
        [format!("[{}] ", vec!["1-99"; 39].join(",")).repeat(1_600), "[1-99]".repeat(40_000)]
    {
        let citations = check_citations(&answer, &sources);
        assert!(citations.len() < answer.len() / 4, "{}", citations.len());
        assert!(!citations.last().unwrap().is_supported());
    }
}

#[test]
fn many_links_that_go_on() {
    for piece in ["https://a.example/x*b*", "https://a.example/x`b`", "https://a.example/x\"[1]"] {
        assert_linear_check(4_000, |size| piece.repeat(size));
    }
}

#[test]
fn many_definitions_and_many_sources() {
    textsearch_conformance::assert_linear(200, |size| {
        let results: Vec<_> = (0..size)
            .map(|number| TextSearchResult::new("x").with_name(format!("a {number}")))
            .collect();
        let definitions = (0..size).map(|number| format!("[^a{number}]: x\n"));
        check_citations(&definitions.collect::<String>(), &results.iter().collect());
    });
}
