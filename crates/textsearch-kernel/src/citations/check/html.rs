//! Raw HTML in an answer. Only complete tags for formatting, links and images pass: browsers repair
//! HTML in more ways than a checker can follow.

use std::{borrow::Cow, ops::Range};

use super::reference::character_reference;

/// They load, run or submit something, or change how a browser reads the text after them.
const REFUSED_ELEMENTS: &[&str] = &[
    "animate",
    "animatemotion",
    "animatetransform",
    "applet",
    "audio",
    "base",
    "body",
    "button",
    "dialog",
    "embed",
    "fencedframe",
    "foreignobject",
    "form",
    "frame",
    "frameset",
    "head",
    "html",
    "iframe",
    "input",
    "link",
    "math",
    "meta",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "option",
    "param",
    "plaintext",
    "portal",
    "script",
    "select",
    "set",
    "source",
    "style",
    "svg",
    "template",
    "textarea",
    "title",
    "track",
    "video",
    "xmp",
];

/// They only describe or lay out an element.
const PLAIN_ATTRIBUTES: &[&str] = &[
    "abbr", "align", "alt", "border", "class", "colspan", "dir", "height", "id", "lang", "name",
    "open", "rel", "rowspan", "scope", "start", "target", "title", "valign", "width",
];

pub(super) enum Part {
    Text(Range<usize>),
    Break(Range<usize>),
    Url { url: String, range: Range<usize> },
    Refused(Range<usize>),
}

/// Omits harmless tags and comments. Refuses everything after an incomplete tag.
pub(super) fn parts(html: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut text, mut position) = (0, 0);
    while let Some(start) = html.get(position..).and_then(|rest| rest.find('<')) {
        let start = position + start;
        let rest = html.get(start..).unwrap_or_default();
        position = start + 1;
        let is_markup = |one: char| one.is_ascii_alphabetic() || matches!(one, '/' | '!' | '?');
        if !rest.get(1..).is_some_and(|after| after.starts_with(is_markup)) {
            continue;
        }
        parts.push(Part::Text(text..start));
        let Some(length) = comment(rest).or_else(|| tag(rest, start, &mut parts)) else {
            parts.push(Part::Refused(start..html.len()));
            return parts;
        };
        position = start + length;
        text = position;
    }
    parts.push(Part::Text(text..html.len()));
    parts.retain(|part| !matches!(part, Part::Text(range) if range.is_empty()));
    parts
}

pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let (mut plain, mut position) = (String::with_capacity(text.len()), 0);
    while let Some(start) = text.get(position..).and_then(|rest| rest.find('&')) {
        let start = position + start;
        plain.push_str(text.get(position..start).unwrap_or_default());
        let rest = text.get(start..).unwrap_or_default();
        let (character, length) = character_reference(rest).unwrap_or(('&', 1));
        plain.push(character);
        position = start + length;
    }
    plain.push_str(text.get(position..).unwrap_or_default());
    Cow::Owned(plain)
}

/// The length of a comment without markup: browsers end other comments early.
fn comment(html: &str) -> Option<usize> {
    let inside = html.strip_prefix("<!--")?.split_inclusive('>').next()?.strip_suffix("-->")?;
    let is_plain =
        !inside.contains(['<', '>']) && !inside.contains("--") && !inside.starts_with('-');
    (is_plain && !inside.is_empty()).then_some(inside.len() + "<!---->".len())
}

/// `html` starts at `offset`. Returns the tag's length, or `None` if it is incomplete.
fn tag(html: &str, offset: usize, parts: &mut Vec<Part>) -> Option<usize> {
    let is_end_tag = html.starts_with("</");
    let name_start = 1 + usize::from(is_end_tag);
    let name = name_at(html.get(name_start..)?, |one| one.is_ascii_alphanumeric() || one == b'-')?;
    let name = name.to_ascii_lowercase();
    let mut is_harmless = !REFUSED_ELEMENTS.contains(&name.as_str());
    let (first, mut position) = (parts.len(), name_start + name.len());
    loop {
        let rest = html.get(position..)?;
        let next = rest.trim_ascii_start();
        let blank = rest.len() - next.len();
        position += blank;
        let end = if next.starts_with('>') { 1 } else { 2 };
        if end == 1 || next.starts_with("/>") {
            position += end;
            break;
        }
        // Browsers also read attributes without a space between them, and attributes of end tags.
        let attribute = attribute(next).filter(|_| blank > 0 && !is_end_tag)?;
        let range = position + attribute.value.start..position + attribute.value.end;
        let is_url =
            matches!((name.as_str(), attribute.name.as_str()), ("a", "href") | ("img", "src"));
        if is_url {
            let url = decoded(html.get(range.clone())?).into_owned();
            parts.push(Part::Url { url, range: offset + range.start..offset + range.end });
        } else {
            is_harmless &= PLAIN_ATTRIBUTES.contains(&attribute.name.as_str());
        }
        position += attribute.length;
    }
    let range = offset..offset + position;
    if !is_harmless {
        parts.truncate(first);
        parts.push(Part::Refused(range));
    } else if name == "br" {
        parts.push(Part::Break(range));
    }
    Some(position)
}

struct Attribute {
    name: String,
    value: Range<usize>,
    length: usize,
}

/// By the grammar that CommonMark and browsers share.
fn attribute(text: &str) -> Option<Attribute> {
    let name = name_at(text, |one| one.is_ascii_alphanumeric() || b"_:.-".contains(&one))?;
    let after = text.get(name.len()..)?.trim_ascii_start();
    let name = name.to_ascii_lowercase();
    let Some(value) = after.strip_prefix('=').map(str::trim_ascii_start) else {
        return Some(Attribute { value: name.len()..name.len(), length: name.len(), name });
    };
    let start = text.len() - value.len();
    let (start, length, end) = match value.bytes().next()? {
        quote @ (b'"' | b'\'') => {
            let length = value.get(1..)?.find(char::from(quote))?;
            (start + 1, length, start + length + 2)
        }
        _ => {
            let length = value.find(|one: char| one.is_ascii_whitespace() || one == '>')?;
            (start, length, start + length)
        }
    };
    let value = text.get(start..start + length)?;
    // A renderer that reads the quotes differently must not find a tag in the value.
    let is_plain = !value.contains(['<', '>', '`'])
        && (end > start + length || !value.contains(['"', '\'', '=']));
    is_plain.then(|| Attribute { name, value: start..start + length, length: end })
}

fn name_at(text: &str, is_inside: impl Fn(u8) -> bool) -> Option<&str> {
    let length = text.bytes().take_while(|one| is_inside(*one)).count();
    text.get(..length).filter(|name| name.starts_with(|one: char| one.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_refused(html: &str, expected: bool) {
        let is_refused = parts(html).iter().any(|part| matches!(part, Part::Refused(_)));
        assert_eq!(is_refused, expected, "{html}");
    }

    #[test]
    fn formatting_links_images_and_plain_comments_pass() {
        for html in [
            "<b>a</b>",
            "<p class=\"x\" lang=en>a</p>",
            "<a href='/x' title=\"y\">a</a>",
            "<img src=/x alt=''/>",
            "<br>",
            "<T>",
            "a < b && c <3",
            "<!-- a note -->",
            "<details open><summary>a</summary></details>",
        ] {
            assert_refused(html, false);
        }
    }

    #[test]
    fn other_elements_and_attributes_are_refused() {
        for html in [
            "<script>",
            "<STYLE>a</STYLE>",
            "<svg>",
            "<b style=''>",
            "<b onclick=x>",
            "<b data-src=x>",
            "<img srcset=x>",
            "<p href=x>",
            "<video poster=x>",
            "<meta content=x>",
            "<base href=x>",
        ] {
            assert_refused(html, true);
        }
    }

    #[test]
    fn incomplete_and_ambiguous_markup_is_refused() {
        for html in [
            "<div title='\n",
            "<div title=",
            "<div",
            "<a/href=x>",
            "<a href='x'title='y'>",
            "</p class=x>",
            "<a title='<img>'>",
            "<b title=`x`>",
            "<!-->x-->",
            "<!--->",
            "<!-- a --!> -->",
            "<!-- <b> -->",
            "<!-- a",
            "<!DOCTYPE html>",
            "<?php ?>",
            "<![CDATA[x]]>",
        ] {
            assert_refused(html, true);
        }
    }
}
