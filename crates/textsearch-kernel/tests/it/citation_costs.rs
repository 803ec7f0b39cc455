//! That a long answer takes no longer to check than its length warrants.

use std::time::{Duration, Instant};

use textsearch_kernel::{
    citations::{Sources, check_citations},
    textsearch_core::TextSearchResult,
};

fn sources(count: usize) -> Sources {
    let found: Vec<_> = (0..count)
        .map(|number| TextSearchResult::new("x").with_link(format!("https://a.example/{number}")))
        .collect();
    found.iter().collect()
}

fn fastest(answer: &str) -> Duration {
    let sources = sources(3);
    let runs = (0..3).map(|_| {
        let start = Instant::now();
        let _ = check_citations(answer, &sources);
        start.elapsed()
    });
    runs.min().unwrap()
}

/// Compares `size` with four times as much, with room for a machine that has other things to do.
#[track_caller]
fn assert_linear(answer: impl Fn(usize) -> String, size: usize) {
    let (small, large) = (fastest(&answer(size)), fastest(&answer(size * 4)));
    assert!(
        large < small * 8 + Duration::from_millis(200),
        "{small:?}, and {large:?} for 4 times as much"
    );
}

#[test]
fn many_references_to_a_long_footnote() {
    assert_linear(
        |size| format!("{}\n\n[^1]: {}", "[^1] ".repeat(size), "abc ".repeat(size)),
        2_000,
    );
}

#[test]
fn many_numbers() {
    assert_linear(|size| "[1]\n".repeat(size), 8_000);
}

#[test]
fn many_links_in_text() {
    assert_linear(|size| "https://a.example ".repeat(size), 8_000);
}

#[test]
fn many_links_without_spaces() {
    for link in ["http://", "www.a[", "www.a\"", "https://a\"", "(//", "www.", "www.a "] {
        assert_linear(|size| link.repeat(size), 3_000);
        assert_linear(|size| format!("<p>{}</p>", link.repeat(size)), 3_000);
    }
}

#[test]
fn many_addresses_in_html() {
    assert_linear(|size| "<a href=https://a.example/x>\n".repeat(size), 8_000);
}

#[test]
fn many_addresses_within_each_other() {
    for attribute in ["href=", "href='", "href=\"'", "href = "] {
        assert_linear(|size| format!("<p>{}</p>", attribute.repeat(size)), 8_000);
    }
}

#[test]
fn ranges_do_not_multiply() {
    let sources = sources(99);
    for answer in
        [format!("[{}] ", vec!["1-99"; 39].join(",")).repeat(1_600), "[1-99]".repeat(40_000)]
    {
        let citations = check_citations(&answer, &sources);
        assert!(citations.len() < 10_000 + answer.len() / 4, "{}", citations.len());
        assert!(!citations.last().unwrap().is_supported());
    }
}

#[test]
fn many_styles_and_references() {
    for piece in [
        "url(",
        "url('",
        "image-set(",
        "@import'",
        "&#",
        "&#0",
        "&amp",
        "\\",
        "\\75rl(",
        "onx='",
        "onx=",
    ] {
        assert_linear(|size| format!("<p>{}</p>", piece.repeat(size)), 3_000);
    }
}

#[test]
fn many_hosts_in_emphasis() {
    assert_linear(|size| "https://a.example*b*".repeat(size), 2_000);
    assert_linear(|size| format!("so <style>{}", "url(//a*b*".repeat(size)), 2_000);
}

#[test]
fn many_definitions_and_many_sources() {
    textsearch_conformance::assert_linear(200, |size| {
        let found: Vec<_> = (0..size)
            .map(|number| TextSearchResult::new("x").with_name(format!("a {number}")))
            .collect();
        let definitions = (0..size).map(|number| format!("[^a{number}]: x\n"));
        check_citations(&definitions.collect::<String>(), &found.iter().collect());
    });
}
