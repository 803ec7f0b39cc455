//! Classifies elements by their role in the text of a page.

use html5ever::{Attribute, QualName, local_name, ns};

use crate::style;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Keep under this name.
    Kept(&'static str),
    /// Keep. Has no content.
    Void(&'static str),
    /// Keep the attributes of `html` and `body`. They are never hidden: scripts reveal such pages.
    Page(&'static str),
    /// Keep the content unchanged: it isn't markup.
    Raw(&'static str),
    /// Drop with its content.
    Hidden,
    /// Drop, but keep its content.
    Inline,
}

/// Of these attributes, only the verdict of [`is_hidden`] is kept.
const HIDING: &[&str] = &["aria-hidden", "hidden", "popover", "role", "style"];

/// Needed by the tree builder, by [`role`] or by users of this crate.
const KEPT: &[&str] = &[
    "class",
    "color",
    "content",
    "datetime",
    "dir",
    "encoding",
    "face",
    "href",
    "id",
    "itemprop",
    "itemscope",
    "itemtype",
    "lang",
    "name",
    "open",
    "property",
    "rel",
    "role",
    "size",
    "type",
];

/// Returns the constant name of an attribute that matters, and whether the tree needs it.
pub(crate) fn attribute(name: &str) -> Option<(&'static str, bool)> {
    let kept = KEPT.iter().find(|kept| **kept == name).map(|name| (*name, true));
    kept.or_else(|| HIDING.iter().find(|hiding| **hiding == name).map(|name| (*name, false)))
}

/// Popovers are hidden until opened, and `hidden=until-found` until the browser's search finds
/// them.
pub(crate) fn is_hidden<'a>(attributes: impl Iterator<Item = (&'static str, &'a str)>) -> bool {
    let mut attributes = attributes;
    attributes.any(|(name, value)| match name {
        "hidden" | "popover" => true,
        "aria-hidden" => value.trim().eq_ignore_ascii_case("true"),
        "role" => value.trim().eq_ignore_ascii_case("navigation"),
        "style" => style::is_hiding(value),
        _ => false,
    })
}

/// Whether browsers reopen an unclosed element in the next block.
pub(crate) fn is_formatting(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt",
        "u",
    ];
    NAMES.contains(&name)
}

/// The attribute `hidden` means any way of hiding: see [`hidden_mark`].
pub(crate) fn role(name: &QualName, attributes: &[Attribute]) -> Role {
    let attribute = |name: &str| attributes.iter().find(|own| *own.name.local == *name);
    if name.ns != ns!(html) {
        return Role::Hidden;
    }
    match &*name.local {
        "html" => Role::Page("html"),
        "body" => Role::Page("body"),
        "title" => Role::Raw("title"),
        "script" if attribute("type").is_some_and(is_linked_data) => Role::Raw("script"),
        "meta" => Role::Void("meta"),
        _ if attribute("hidden").is_some() => Role::Hidden,
        "br" => Role::Void("br"),
        "hr" => Role::Void("hr"),
        "dialog" if attribute("open").is_none() => Role::Hidden,
        // Their content is a fallback for browsers that can't show them.
        "audio" | "canvas" | "iframe" | "meter" | "noembed" | "noframes" | "noscript"
        | "object" | "progress" | "video" => Role::Hidden,
        "datalist" | "frameset" | "nav" | "rp" | "rt" | "script" | "select" | "style"
        | "template" | "textarea" | "xmp" => Role::Hidden,
        "a" if attribute("href").is_some() => Role::Kept("a"),
        name => kept(name),
    }
}

fn is_linked_data(kind: &Attribute) -> bool {
    kind.value.trim().eq_ignore_ascii_case("application/ld+json")
}

/// Inline markup has no meaning in plain text.
fn kept(name: &str) -> Role {
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
        return Role::Kept(known);
    }
    match name {
        // The next parser doesn't treat these as blocks.
        "address" | "center" | "dd" | "dialog" | "dt" | "figcaption" | "legend" | "option"
        | "search" | "summary" => Role::Kept("p"),
        "menu" | "dir" => Role::Kept("ul"),
        "listing" | "plaintext" => Role::Kept("pre"),
        custom if custom.contains('-') => Role::Kept("div"),
        _ => Role::Inline,
    }
}

pub(crate) fn hidden_mark() -> Attribute {
    Attribute {
        name: QualName::new(None, ns!(), local_name!("hidden")),
        value: html5ever::tendril::StrTendril::new(),
    }
}
