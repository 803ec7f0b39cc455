//! What the elements of HTML mean for the text of a page.

use crate::{style, tag::Tag};

/// What becomes of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    /// Kept, under this name.
    Kept(&'static str),
    /// Kept; it has no content and no end tag.
    Void(&'static str),
    /// Its tags say something of the page as a whole; the parser merges them.
    Page(&'static str),
    /// Its content is no markup, and is kept as it is.
    RawKept(&'static str),
    /// Its content is no markup, and is left out.
    RawHidden,
    /// Left out with all that is in it.
    Hidden,
    /// Left out, while what is in it stays.
    Inline,
}

/// What becomes of the element that begins with `tag`.
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

/// The elements that carry the structure. Inline markup says nothing in plain text; and because the parser opens it
/// again in each block that follows when it was left open, a short page could become a huge one.
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
        // What is laid out as a block of its own, but not by the library.
        "address" | "center" | "dd" | "dialog" | "dt" | "figcaption" | "legend" | "option"
        | "search" | "summary" => Element::Kept("p"),
        "menu" | "dir" => Element::Kept("ul"),
        "listing" | "plaintext" => Element::Kept("pre"),
        custom if custom.contains('-') => Element::Kept("div"),
        _ => Element::Inline,
    }
}

/// Whether nobody who looks at the page sees the element. What pops up is not seen until somebody asks for it.
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

/// The elements that a start tag ends where their end tags were left out, and those that this does not reach out of.
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

/// Whether the element belongs to a table, so that its end tag may end cells.
pub(crate) fn is_of_table(name: &str) -> bool {
    matches!(name, "table" | "caption" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr")
}
