//! HTML reduced to well-nested elements that are seen.
//!
//! Scripts, hidden elements and inline markup go; missing end tags are added. Parsers take time that grows with the square
//! of the depth, and repair overlapping elements by copying them. Behind this pass the depth is known, and nothing
//! overlaps.

use crate::{
    elements::{Element, element, implied_ends, is_hidden, is_of_table},
    tag::{self, Markup, Tag},
};

/// Cleans a page and hands `sink` what is left of it, piece by piece.
///
/// Starts and ends are well nested, and each start has an end. So a parser behind the sink has nothing to repair.
/// Time and memory grow linearly with the page, within `limits`.
///
/// # Errors
///
/// The [`Excess`] that says which limit the page breaks. The sink may have got pieces before.
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

/// What is left of a page, in its order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Piece<'page> {
    /// An element begins.
    Start(Start<'page>),
    /// The element that began last ends.
    End(&'static str),
    /// An element without content and end: `br`, `hr`, `meta`, or the tags of `html` and `body`.
    Void(&'static str, &'page Tag<'page>),
    /// An element whose content is no markup: `title`, with its character references, or a `script` of linked data.
    Raw(&'static str, &'page Tag<'page>, &'page str),
    /// Text, with its character references.
    Text(&'page str),
}

/// An element that begins.
#[derive(Debug)]
#[non_exhaustive]
pub struct Start<'page> {
    /// The element that carries the structure: `p` for `figcaption`, `ul` for `menu`.
    pub name: &'static str,
    /// The tag as the page has it.
    pub tag: &'page Tag<'page>,
    /// How many cells the row has before this one; 0 for other elements.
    pub cells: usize,
}

/// What a page may have. A page over a limit is refused.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// The most elements that may lie in one another; 512 by default.
    pub max_depth: usize,
    /// The most elements; 100,000 by default.
    pub max_elements: usize,
    /// The most that the depths of all tags may add up to; 4,000,000 by default. It limits the time of parsers that look
    /// at an element from all those around it.
    pub max_work: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_depth: 512, max_elements: 100_000, max_work: 4_000_000 }
    }
}

impl Limits {
    /// Sets how many elements may lie in one another.
    #[must_use]
    pub fn with_max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }

    /// Sets how many elements a page may have.
    #[must_use]
    pub fn with_max_elements(mut self, elements: usize) -> Self {
        self.max_elements = elements;
        self
    }

    /// Sets what the depths of all tags may add up to.
    #[must_use]
    pub fn with_max_work(mut self, work: usize) -> Self {
        self.max_work = work;
        self
    }
}

/// The limit that a page breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Excess {
    /// Elements lie too deeply in one another.
    #[error("elements nested too deeply: allowed is {0}")]
    Depth(usize),
    /// There are too many elements.
    #[error("too many elements: allowed is {0}")]
    Elements(usize),
    /// The depths of all tags add up to too much.
    #[error("too many elements nested too deeply: their depths may add up to {0}")]
    Work(usize),
}

/// An element whose end tag has not come yet.
struct Open {
    /// What it is called in the page.
    name: String,
    /// What it is called in the output.
    output: &'static str,
    /// How many cells the row has had.
    cells: usize,
}

struct Cleaner<'html, S> {
    rest: &'html str,
    limits: &'html Limits,
    sink: &'html mut S,
    open: Vec<Open>,
    /// How many of the open elements are seen, where one is hidden; none of those inside it is.
    hidden_from: Option<usize>,
    elements: usize,
    /// The depths of all tags together.
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
            // Written as an end tag it is a line break all the same.
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

    /// Takes everything up to the end tag of the element that has just begun: to the end of the page where there is
    /// none, as browsers do.
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
            // Links in links are what a parser repairs by copying.
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

/// Whether what stands behind `</` is this name and not a longer one.
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

/// Whether an element that is not kept never has an end tag.
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
