//! Cleaning of markup.

use textsearch_html::Limits;

use super::*;

fn clean(html: &str) -> Result<String, Excess> {
    super::clean(html, &Limits::default())
}

fn check(html: &str, expected: &str) {
    assert_eq!(clean(html).as_deref(), Ok(expected), "{html}");
}

#[test]
fn hidden_elements_are_dropped_with_their_content() {
    check("a<script>if (a < b) </p></script>b<style>p{}</style>c", "abc");
    check("<p>a<span hidden>x<b>y</b></span>b</p>", "<p>ab</p>");
    check("<div style='display: none'><div>x</div></div>b", "b");
    check("<nav><ul><li>x</ul></nav>a<ul role=navigation><li>x</ul>b", "ab");
    check("<div><p hidden>x<p>y</div>z", "<div><p>y</p></div>z");
    check("a<template><p>x</template>b<noscript>y</noscript>", "ab");
    check("<input hidden>seen<b hidden>not</b>", "seen");
    check("<div hidden>never closed <p>x", "");
    check("a<style>never closed <p>x", "a");
    check("a<script></scripts>x</script >b", "ab");
}

#[test]
fn popovers_and_escaped_hiding_styles_are_dropped() {
    check("a<div popover>x</div>b<div popover=manual>y</div>c", "abc");
    check("<p style='display&colon;&#110;one'>x</p>b", "b");
}

#[test]
fn inline_markup_is_dropped_but_its_text_stays() {
    check("<b>a<i>b</b>c</i>", "abc");
    check("<a href='/x'>a <a href=y>b</a> c</a>", "<a href=\"/x\">a </a><a href=\"y\">b</a> c");
    check("<a name=top>a</a>", "a");
}

#[test]
fn missing_end_tags_are_added() {
    check("<p>a<p>b<div>c", "<p>a</p><p>b</p><div>c</div>");
    check(
        "<ul><li>a<li>b<ul><li>c</ul></ul>",
        "<ul><li>- a</li><li>- b<ul><li>- c</li></ul></li></ul>",
    );
    check("<ul><li> <p>a<p>b</ul><p>c", "<ul><li> <p>- a</p><p>b</p></li></ul><p>c</p>");
    check(
        "<table><tr><td>a<td>b<tr><td>c</div></table>",
        "<table><tbody><tr><td>a</td><td>| b</td></tr><tr><td>c</td></tr></tbody></table>",
    );
    check("<h2>a<h3>b</h2>", "<h2>a</h2><h3>b</h3>");
}

#[test]
fn attributes_cannot_escape_their_quotes() {
    check(
        "<div class='a\" onclick=\"b' onclick=x>c</div>",
        "<div class=\"a&quot; onclick=&quot;b\">c</div>",
    );
}

#[test]
fn text_is_escaped_again() {
    check("a &lt;b&gt; &amp;amp; c", "a &lt;b&gt; &amp;amp; c");
}

#[test]
fn title_and_linked_data_never_become_text() {
    check("<p>a<title>b</title>c", "<title>b</title><p>ac</p>");
    let data = "<script type=\"application/ld+json\">1</script>";
    check(&format!("a{data}b"), &format!("{data}ab"));
    check("a<script type='application/ld+json'><!--<script></script>b--></script>c", "ac");
}

#[test]
fn only_metadata_about_author_and_date_is_kept() {
    let author = "<meta content=\"Ada\" name=\"author\">";
    check(author, author);
    for name in ["og:title", "description", "og:title article:author", "DC.Title"] {
        check(&format!("<meta content=x property='{name}'>"), "");
        check(&format!("<meta content=x name=author property='{name}'>"), "");
    }
}

#[test]
fn linked_data_and_title_are_unchanged() {
    let html = "<title>a &amp; b</title><script type=\"application/ld+json\">{\"<p>\": 1}</script>";
    check(html, html);
}
