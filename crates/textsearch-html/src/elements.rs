//! Classifies HTML elements by their role in the text of a page.

use crate::{style, tag::Tag};

/// Treatment of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    /// Keep under this name.
    Kept(&'static str),
    /// Keep. Has no content and no end tag.
    Void(&'static str),
    /// Keep. Its tags describe the whole page, and the parser merges them.
    Page(&'static str),
    /// Keep the content unchanged: it isn't markup.
    RawKept(&'static str),
    /// Drop with its content, which isn't markup.
    RawHidden,
    /// Drop with its content.
    Hidden,
    /// Drop, but keep its content.
    Inline,
}

/// Returns the treatment of the element that starts with `tag`.
pub(crate) fn element(tag: &Tag<'_>) -> Element {
    match tag.name.as_str() {
        "script" if is_linked_data(tag) => Element::RawKept("script"),
        "title" => Element::RawKept("title"),
        "iframe" | "noembed" | "noframes" | "script" | "style" | "textarea" | "xmp" => {
            Element::RawHidden
        }
        "audio" | "canvas" | "datalist" | "math" | "nav" | "noscript" | "rp" | "rt" | "select"
        | "svg" | "template" | "video" => Element::Hidden,
        "dialog" if tag.attribute("open").is_none() => Element::Hidden,
        "html" => Element::Page("html"),
        "body" => Element::Page("body"),
        "br" => Element::Void("br"),
        "hr" => Element::Void("hr"),
        "meta" => Element::Void("meta"),
        "a" if tag.is_end || tag.attribute("href").is_some() => Element::Kept("a"),
        name => kept(name),
    }
}

fn is_linked_data(tag: &Tag<'_>) -> bool {
    tag.attribute("type")
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"))
}

/// Keeps structural elements.
///
/// Inline markup has no meaning in plain text. Parsers also reopen unclosed inline markup in each
/// following block, so a short page could become huge.
fn kept(name: &str) -> Element {
    const NAMES: &[&str] = &[
        "article",
        "aside",
        "blockquote",
        "caption",
        "dl",
        "details",
        "div",
        "fieldset",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "span",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "time",
        "tr",
        "ul",
    ];
    if let Some(known) = NAMES.iter().find(|known| **known == name) {
        return Element::Kept(known);
    }
    match name {
        // The parser doesn't treat these as blocks.
        "address" | "center" | "dd" | "dialog" | "dt" | "figcaption" | "legend" | "option"
        | "search" | "summary" => Element::Kept("p"),
        "menu" | "dir" => Element::Kept("ul"),
        "listing" | "plaintext" => Element::Kept("pre"),
        custom if custom.contains('-') => Element::Kept("div"),
        _ => Element::Inline,
    }
}

/// Whether the element is invisible to readers. Popovers are hidden until opened.
pub(crate) fn is_hidden(tag: &Tag<'_>) -> bool {
    let is_hidden =
        tag.attribute("hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found"));
    let is_decoration = tag
        .attribute("aria-hidden")
        .is_some_and(|value| style::decode(value).trim().eq_ignore_ascii_case("true"));
    let is_navigation = tag
        .attribute("role")
        .is_some_and(|value| style::decode(value).trim().eq_ignore_ascii_case("navigation"));
    is_hidden
        || is_decoration
        || is_navigation
        || tag.attribute("popover").is_some()
        || tag.attribute("style").is_some_and(|value| style::is_hiding(&style::decode(value)))
}

/// Returns the elements that a start tag implicitly ends, and the elements that stop this.
pub(crate) fn implied_ends(name: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match name {
        "li" => (&["li"], &["ul", "ol", "menu", "dir", "table"]),
        "dt" | "dd" => (&["dt", "dd"], &["dl", "table"]),
        "td" | "th" => (&["td", "th"], &["tr", "table"]),
        "tr" => (&["tr"], &["table"]),
        "thead" | "tbody" | "tfoot" => (&["thead", "tbody", "tfoot"], &["table"]),
        _ => (&[], &[]),
    }
}

/// Whether the element is part of a table, so its end tag may end cells.
pub(crate) fn is_of_table(name: &str) -> bool {
    matches!(name, "table" | "caption" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr")
}
