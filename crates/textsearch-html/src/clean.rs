//! Reduces HTML to well-nested, visible elements.
//!
//! Scripts, hidden elements and inline markup are removed, and missing end tags are added. Parsers
//! take quadratic time in the depth and copy overlapping elements to repair them. This pass bounds
//! the depth and removes all overlaps.

use crate::{
    elements::{Element, element, implied_ends, is_hidden, is_of_table},
    tag::{self, Markup, Tag},
};

/// Cleans a page and passes the rest to `sink`, piece by piece.
///
/// Starts and ends are well nested, and each start has an end, so a parser has nothing to repair.
/// Time and memory grow linearly with the page, within `limits`.
///
/// # Errors
///
/// Returns the [`Excess`] with the limit that the page exceeds. The sink may have received pieces
/// before.
pub fn clean(html: &str, limits: &Limits, sink: &mut impl FnMut(Piece<'_>)) -> Result<(), Excess> {
    let mut cleaner = Cleaner {
        rest: html,
        limits,
        sink,
        open: Vec::new(),
        hidden_from: None,
        elements: 0,
        work: 0,
    };
    while let Some(position) = cleaner.rest.find('<') {
        let (text, markup) = cleaner.rest.split_at(position);
        cleaner.rest = markup;
        cleaner.text(text);
        match tag::read(markup) {
            Markup::Text => {
                cleaner.text("&lt;");
                cleaner.advance(1);
            }
            Markup::Skip(length) => cleaner.advance(length),
            Markup::Tag(tag) => cleaner.tag(&tag),
        }
        cleaner.check()?;
    }
    cleaner.text(cleaner.rest);
    cleaner.close_from(0);
    Ok(())
}

/// A piece of a cleaned page, in document order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Piece<'page> {
    /// Start of an element.
    Start(Start<'page>),
    /// End of the innermost open element.
    End(&'static str),
    /// An element without content and end: `br`, `hr`, `meta`, or the tags of `html` and `body`.
    Void(&'static str, &'page Tag<'page>),
    /// An element whose content isn't markup: `title`, with character references, or a `script` of
    /// linked data.
    Raw(&'static str, &'page Tag<'page>, &'page str),
    /// Text, with character references.
    Text(&'page str),
}

/// Start of an element.
#[derive(Debug)]
#[non_exhaustive]
pub struct Start<'page> {
    /// Name of the structural element: `p` for `figcaption`, `ul` for `menu`.
    pub name: &'static str,
    /// Tag as written in the page.
    pub tag: &'page Tag<'page>,
    /// Number of earlier cells in its row; 0 for other elements.
    pub cells: usize,
}

/// Limits of a page. A page that exceeds one is rejected.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum nesting depth of elements. Default: 512.
    pub max_depth: usize,
    /// Maximum number of elements. Default: 100,000.
    pub max_elements: usize,
    /// Maximum sum of the depths of all tags. Default: 4,000,000. It bounds the time of parsers
    /// that visit all ancestors of an element.
    pub max_work: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_depth: 512, max_elements: 100_000, max_work: 4_000_000 }
    }
}

impl Limits {
    /// Sets the maximum nesting depth of elements. Default: 512.
    #[must_use]
    pub fn with_max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }

    /// Sets the maximum number of elements. Default: 100,000.
    #[must_use]
    pub fn with_max_elements(mut self, elements: usize) -> Self {
        self.max_elements = elements;
        self
    }

    /// Sets the maximum sum of the depths of all tags. Default: 4,000,000.
    #[must_use]
    pub fn with_max_work(mut self, work: usize) -> Self {
        self.max_work = work;
        self
    }
}

/// The limit that a page exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Excess {
    /// Elements are nested too deeply.
    #[error("elements nested too deeply: allowed is {0}")]
    Depth(usize),
    /// There are too many elements.
    #[error("too many elements: allowed is {0}")]
    Elements(usize),
    /// The sum of the depths of all tags is too large.
    #[error("too many elements nested too deeply: their depths may add up to {0}")]
    Work(usize),
}

/// An element whose end tag hasn't been read yet.
struct Open {
    /// Name in the page.
    name: String,
    /// Name in the output.
    output: &'static str,
    /// Number of cells in the row so far.
    cells: usize,
}

struct Cleaner<'html, S> {
    rest: &'html str,
    limits: &'html Limits,
    sink: &'html mut S,
    open: Vec<Open>,
    /// Index of the outermost hidden open element. All elements inside it are hidden too.
    hidden_from: Option<usize>,
    elements: usize,
    /// Sum of the depths of all tags.
    work: usize,
}

impl<'html, S: FnMut(Piece<'_>)> Cleaner<'html, S> {
    fn check(&self) -> Result<(), Excess> {
        let Limits { max_depth, max_elements, max_work } = *self.limits;
        match () {
            () if self.open.len() > max_depth => Err(Excess::Depth(max_depth)),
            () if self.elements > max_elements => Err(Excess::Elements(max_elements)),
            () if self.work > max_work => Err(Excess::Work(max_work)),
            () => Ok(()),
        }
    }

    fn advance(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    fn text(&mut self, text: &str) {
        if self.hidden_from.is_none() && !text.is_empty() {
            (self.sink)(Piece::Text(text));
        }
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        self.advance(tag.length);
        self.work += self.open.len();
        match (element(tag), tag.is_end) {
            (Element::RawKept(output), false) => self.raw(tag, Some(output)),
            (Element::RawHidden, false) => self.raw(tag, None),
            (Element::Page(output) | Element::Void(output), false) => self.alone(tag, output),
            // Browsers read an end tag `br` as a line break.
            (Element::Void("br"), true) => self.alone(tag, "br"),
            (Element::Kept(output), false) => self.start(tag, output, is_hidden(tag)),
            (Element::Hidden, false) => self.start(tag, "div", true),
            (Element::Inline, false) if is_hidden(tag) && !is_void(&tag.name) => {
                self.start(tag, "span", true);
            }
            (_, true) => self.end(&tag.name),
            (Element::Inline, false) => {}
        }
    }

    /// Takes everything up to the end tag of a raw element, or up to the end of the page if it's
    /// missing, like browsers do.
    fn raw(&mut self, tag: &Tag<'_>, output: Option<&'static str>) {
        let content = self.take_content(&tag.name);
        if let Some(output) = output.filter(|_| self.hidden_from.is_none()) {
            self.elements += 1;
            (self.sink)(Piece::Raw(output, tag, content));
        }
    }

    fn take_content(&mut self, name: &str) -> &'html str {
        let rest = self.rest;
        let mut ends = rest.match_indices("</").map(|(position, _)| position);
        let end = ends.find(|position| begins_with_end_of(rest.get(position + 2..), name));
        let (content, end) = rest.split_at(end.unwrap_or(rest.len()));
        self.rest = end;
        if let Markup::Tag(end) = tag::read(end) {
            self.advance(end.length);
        }
        content
    }

    fn alone(&mut self, tag: &Tag<'_>, output: &'static str) {
        if self.hidden_from.is_none() {
            self.elements += 1;
            (self.sink)(Piece::Void(output, tag));
        }
    }

    fn start(&mut self, tag: &Tag<'_>, output: &'static str, is_hidden: bool) {
        if output == "a" && self.open.iter().any(|open| open.name == "a") {
            // Parsers repair nested links by copying, so drop them.
            return;
        }
        self.close_implied(&tag.name, output);
        if is_hidden && self.hidden_from.is_none() {
            self.hidden_from = Some(self.open.len());
        }
        let cells = self.cells_before(output);
        if self.hidden_from.is_none() {
            self.elements += 1;
            (self.sink)(Piece::Start(Start { name: output, tag, cells }));
        }
        self.open.push(Open { name: tag.name.clone(), output, cells: 0 });
    }

    fn cells_before(&mut self, output: &str) -> usize {
        let row = self.open.last_mut().filter(|_| matches!(output, "td" | "th"));
        row.map_or(0, |row| {
            row.cells += 1;
            row.cells - 1
        })
    }

    fn close_implied(&mut self, name: &str, output: &str) {
        if !matches!(output, "a" | "span" | "time") {
            let is_block = |open: &Open| !matches!(open.output, "a" | "span" | "time");
            let block = self.open.iter().rposition(is_block);
            let is_closed =
                |open: &Open| open.output == "p" || (is_heading(open.output) && is_heading(output));
            if let Some(position) =
                block.filter(|block| self.open.get(*block).is_some_and(is_closed))
            {
                self.close_from(position);
            }
        }
        let (ends, barriers) = implied_ends(name);
        let reached = self.open.iter().rposition(|open| barriers.contains(&open.name.as_str()));
        let end = self.open.iter().rposition(|open| ends.contains(&open.name.as_str()));
        if let Some(position) = end.filter(|end| reached.is_none_or(|barrier| barrier < *end)) {
            self.close_from(position);
        }
    }

    fn end(&mut self, name: &str) {
        let same = self
            .open
            .iter()
            .rposition(|open| open.name == name || (is_heading(name) && is_heading(&open.name)));
        let is_barrier = |open: &Open| matches!(open.name.as_str(), "table" | "td" | "th");
        let barrier = self.open.iter().rposition(is_barrier).filter(|_| !is_of_table(name));
        if let Some(position) = same.filter(|same| barrier.is_none_or(|barrier| barrier < *same)) {
            self.close_from(position);
        }
    }

    fn close_from(&mut self, position: usize) {
        let is_seen = |index: usize| self.hidden_from.is_none_or(|hidden| index < hidden);
        for (index, open) in self.open.iter().enumerate().skip(position).rev() {
            if is_seen(index) {
                (self.sink)(Piece::End(open.output));
            }
        }
        self.open.truncate(position);
        self.hidden_from = self.hidden_from.filter(|hidden| *hidden < position);
    }
}

/// Whether the text after `</` is this name and not a longer one.
fn begins_with_end_of(text: Option<&str>, name: &str) -> bool {
    let Some((found, after)) = text.and_then(|text| text.split_at_checked(name.len())) else {
        return false;
    };
    let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
    found.eq_ignore_ascii_case(name) && after.chars().next().is_none_or(ends)
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Whether a dropped element never has an end tag.
fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "col"
            | "embed"
            | "img"
            | "input"
            | "link"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

#[cfg(test)]
mod tests;
