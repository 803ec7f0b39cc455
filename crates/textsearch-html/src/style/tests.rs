//! Styles that hide, and ordinary ones.

use super::*;

const HIDING: &str = include_str!("hiding.txt");
const VISIBLE: &str = include_str!("visible.txt");

#[test]
fn hiding_styles_are_detected_in_every_spelling() {
    for style in HIDING.lines() {
        assert!(is_hiding(style), "{style}");
    }
}

#[test]
fn ordinary_styles_are_visible() {
    assert!(!is_hiding(""));
    for style in VISIBLE.lines() {
        assert!(!is_hiding(style), "{style}");
    }
}

#[test]
fn styles_are_parsed_in_linear_time() {
    textsearch_conformance::assert_linear(10_000, |parts| {
        let parts = ["a:b(c;d:e", "a:((", "a:b{c};", "a:}];", "color:red;", "font:a b c"]
            .map(|part| part.repeat(parts));
        let style = parts.iter().rev().map(String::as_str).collect::<String>();
        assert!(!is_hiding(&style));
    });
}
