//! What becomes of markup, and of what only looks like it.

use proptest::prelude::*;

use super::*;

fn check(html: &str, expected: &str) {
    assert_eq!(clean(html).as_deref(), Ok(expected), "{html}");
}

#[test]
fn what_is_hidden_goes_with_all_that_is_in_it() {
    check("a<script>if (a < b) </p></script>b<style>p{}</style>c", "abc");
    check("<p>a<span hidden>x<b>y</b></span>b</p>", "<p>ab</p>");
    check("<div style='display: none'><div>x</div></div>b", "b");
    check("<div><p hidden>x<p>y</div>z", "<div><p>y</p></div>z");
    check("a<template><p>x</template>b<noscript>y</noscript>", "ab");
    check("<input hidden>seen<b hidden>not</b>", "seen");
    check("<div hidden>never closed <p>x", "");
    check("a<style>never closed <p>x", "a");
    check("a<script></scripts>x</script >b", "ab");
}

#[test]
fn popovers_and_styles_in_references_are_hidden() {
    check("a<div popover>x</div>b<div popover=manual>y</div>c", "abc");
    check("<p style='display&colon;&#110;one'>x</p>b", "b");
}

#[test]
fn inline_markup_goes_and_its_text_stays() {
    check("<b>a<i>b</b>c</i>", "abc");
    check("<a href='/x'>a <a href=y>b</a> c</a>", "<a href=\"/x\">a b</a> c");
    check("<a name=top>a</a>", "a");
}

#[test]
fn end_tags_that_were_left_out_are_put_in() {
    check("<p>a<p>b<div>c", "<p>a</p><p>b</p><div>c</div>");
    check(
        "<ul><li>a<li>b<ul><li>c</ul></ul>",
        "<ul><li>- a</li><li>- b<ul><li>- c</li></ul></li></ul>",
    );
    check(
        "<table><tr><td>a<td>b<tr><td>c</div></table>",
        "<table><tr><td>a</td><td>| b</td></tr><tr><td>c</td></tr></table>",
    );
    check("<h2>a<h3>b</h2>", "<h2>a</h2><h3>b</h3>");
}

#[test]
fn attributes_cannot_leave_their_quotes() {
    check(
        "<div class='a\" onclick=\"b' onclick=x>c</div>",
        "<div class=\"a&quot; onclick=&quot;b\">c</div>",
    );
}

#[test]
fn linked_data_and_title_are_kept_as_they_are() {
    let html = "<title>a &amp; b</title><script type=\"application/ld+json\">{\"<p>\": 1}</script>";
    check(html, html);
}

#[test]
fn depth_and_number_of_elements_are_limited() {
    assert_eq!(clean(&"<div>".repeat(MAX_DEPTH)).map(|_| ()), Ok(()));
    assert_eq!(clean(&"<div>".repeat(MAX_DEPTH + 1)), Err(Excess::Depth));
    assert_eq!(clean(&"<span><table><td></span>".repeat(MAX_DEPTH)), Err(Excess::Depth));
    assert_eq!(clean(&"<p>".repeat(MAX_ELEMENTS + 1)), Err(Excess::Elements));
    let deep = "<div>".repeat(MAX_DEPTH);
    assert_eq!(clean(&format!("{deep}{}", "</p>".repeat(MAX_ELEMENTS))), Err(Excess::Work));
    assert_eq!(clean(&format!("{deep}{}", "<br>".repeat(MAX_ELEMENTS / 2))), Err(Excess::Work));
}

/// Whether each end tag ends the element that was opened last, and none is left open.
fn is_well_nested(html: &str) -> bool {
    let mut open = Vec::new();
    for (position, _) in html.match_indices('<') {
        let Markup::Tag(tag) = tag::read(&html[position..]) else { return false };
        if matches!(tag.name.as_str(), "br" | "hr" | "meta" | "html" | "body") {
            continue;
        }
        match tag.is_end {
            false => open.push(tag.name),
            true if open.pop() == Some(tag.name) => {}
            true => return false,
        }
    }
    open.is_empty()
}

proptest! {
    #[test]
    fn a_soup_of_tags_comes_out_well_nested(
        soup in "(</?(div|p|ul|li|table|tr|td|span|a|b|h2|svg|template|style|script|br|body)( href=x| hidden| class='\"')?/?>|a|<|<!--|-->| |\\PC){0,60}",
    ) {
        let cleaned = clean(&soup).unwrap();
        prop_assert!(is_well_nested(&cleaned), "{}", cleaned);
    }

    #[test]
    fn what_is_hidden_stays_hidden_whatever_is_in_it(
        soup in "(</?(p|ul|li|td|a|b|h2|svg|br)( href=x)?>|a| ){0,30}",
    ) {
        let cleaned = clean(&format!("<div hidden>{soup}<i>secret</i></div>")).unwrap();
        prop_assert!(!cleaned.contains("secret"), "{}", cleaned);
    }
}
