//! Styles that hide, and ordinary ones.

use super::*;

const HIDING: &str = include_str!("hiding.txt");
const VISIBLE: &str = include_str!("visible.txt");

#[test]
fn hiding_styles_are_detected_in_every_spelling() {
    for style in HIDING.lines().filter(|line| !line.is_empty()) {
        assert!(is_hiding(style), "{style}");
    }
}

#[test]
fn ordinary_styles_are_visible() {
    assert!(!is_hiding(""));
    for style in VISIBLE.lines().filter(|line| !line.is_empty()) {
        assert!(!is_hiding(style), "{style}");
    }
}

#[test]
fn a_value_that_browsers_ignore_masks_nothing() {
    for (hiding, ignored) in [
        ("display:none", "display:a b"),
        ("display:none", "display:block block"),
        ("display:none", "display:list-item flex"),
        ("display:none", "display:-ms-flexbox"),
        ("opacity:0", "opacity:1 1"),
        ("opacity:0", "opacity:1px"),
        ("opacity:0", "opacity:calc(1"),
        ("color:transparent", "color:bogus"),
        ("color:#0000", "color:#12"),
        ("font-size:0", "font-size:10"),
        ("font-size:0", "font:12px"),
        ("height:0;overflow:hidden", "height:-5px"),
        ("height:0;overflow:hidden", "height:calc(1px -2px)"),
        ("height:0;overflow:hidden", "overflow:visible x"),
        ("transform:scale(0)", "transform:scale(1) x"),
        ("transform:scale(0)", "transform:bogus(1)"),
        ("filter:opacity(0)", "filter:opacity(1) bogus(1)"),
        ("clip-path:inset(50%)", "clip-path:inset()"),
        ("position:absolute;left:-9999px", "left:5foo"),
        ("position:absolute;left:-9999px", "inset:0 0 0 0 0"),
    ] {
        assert!(is_hiding(hiding), "{hiding}");
        assert!(
            is_hiding(&format!("{hiding};{ignored}")) || ignored.ends_with("(1"),
            "{hiding};{ignored}"
        );
    }
}

#[test]
fn styles_are_parsed_in_linear_time() {
    textsearch_conformance::assert_linear(10_000, |parts| {
        let parts = [
            "a:b(c;d:e",
            "a:((",
            "a:b{c};",
            "a:}];",
            "color:red;",
            "--a:var(--a)var(--a);",
            "width:calc((1px + 2px)*2);",
            "transform:scale(1)scale(1);",
        ]
        .map(|part| part.repeat(parts));
        let style = parts.iter().rev().map(String::as_str).collect::<String>();
        assert!(!is_hiding(&style));
    });
}

#[test]
fn circular_variables_terminate() {
    let mut style = "--a0:none;display:var(--a30)".to_owned();
    for number in 1..=30 {
        let before = number - 1;
        style.push_str(&format!(";--a{number}:var(--a{before})var(--a{before})"));
    }
    style.push_str(";--x:var(--y);--y:var(--x);color:var(--x)");
    assert!(!is_hiding(&style));
}
