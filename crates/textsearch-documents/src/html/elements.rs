//! What the elements of HTML mean for plain text.

/// What becomes of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    /// A block that is laid out as the element called so.
    Block(&'static str),
    /// A row of a table: a line.
    Row,
    /// A cell of a table.
    Cell,
    Heading(usize),
    Preformatted,
    LineBreak,
    Title,
    /// Left out with all that is in it.
    Hidden,
    /// Left out, while what is in it stays.
    Inline,
}

/// What becomes of the element `name`, which is in lower case.
pub(super) fn element(name: &str) -> Element {
    match name {
        "p" => Element::Block("p"),
        "ul" | "menu" | "dir" => Element::Block("ul"),
        "ol" => Element::Block("ol"),
        "li" => Element::Block("li"),
        "dl" => Element::Block("dl"),
        "dt" => Element::Block("dt"),
        "dd" => Element::Block("dd"),
        "blockquote" => Element::Block("blockquote"),
        "address" | "article" | "aside" | "caption" | "center" | "details" | "dialog" | "div"
        | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "header" | "hgroup"
        | "legend" | "main" | "nav" | "option" | "search" | "section" | "summary" | "table" => {
            Element::Block("div")
        }
        "tr" => Element::Row,
        "td" | "th" => Element::Cell,
        "h1" => Element::Heading(1),
        "h2" => Element::Heading(2),
        "h3" => Element::Heading(3),
        "h4" => Element::Heading(4),
        "h5" => Element::Heading(5),
        "h6" => Element::Heading(6),
        "pre" | "listing" | "xmp" => Element::Preformatted,
        "br" | "hr" => Element::LineBreak,
        "title" => Element::Title,
        "iframe" | "math" | "noembed" | "noframes" | "noscript" | "script" | "style" | "svg"
        | "template" | "textarea" => Element::Hidden,
        _ => Element::Inline,
    }
}

/// The elements that a start tag closes where their end tags were left out, and the elements that this does not
/// reach out of.
pub(super) fn implied_ends(name: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match name {
        "li" => (&["li"], &["ul", "ol", "menu", "dir"]),
        "dt" | "dd" => (&["dt", "dd"], &["dl"]),
        "tr" => (&["tr"], &["table"]),
        "option" => (&["option"], &["table"]),
        _ => (&[], &[]),
    }
}

/// The elements that give `name` its meaning; elsewhere it is a block like any other.
pub(super) fn needed_parents(name: &str) -> &'static [&'static str] {
    match name {
        "li" => &["ul", "ol", "menu", "dir"],
        "dt" | "dd" => &["dl"],
        _ => &[],
    }
}
