//! HTML reduced to well-nested elements that are seen.
//!
//! Scripts, hidden elements and inline markup go; end tags that were left out are put in. So the depth is known
//! exactly before a parser, whose time grows with its square, sees the page; and the parser, which repairs what
//! overlaps by copying elements, finds nothing to repair.

use super::{
    MAX_DEPTH, MAX_ELEMENTS, MAX_WORK,
    elements::{Element, element, implied_ends, is_hidden, is_of_table},
    tag::{self, Markup, Tag},
};

/// The attributes by which main content is told from the rest, and metadata found.
const ATTRIBUTES: &[&str] = &[
    "class",
    "content",
    "datetime",
    "dir",
    "href",
    "id",
    "itemprop",
    "itemscope",
    "itemtype",
    "lang",
    "name",
    "property",
    "rel",
    "role",
    "type",
];

/// Why a page is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excess {
    Depth,
    Elements,
    Work,
}

/// Cleans a page.
pub(super) fn clean(html: &str) -> Result<String, Excess> {
    let mut cleaner = Cleaner { rest: html, ..Cleaner::default() };
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
    Ok(cleaner.output)
}

/// An element whose end tag has not come yet.
struct Open {
    /// What it is called in the page.
    name: String,
    /// What it is called in the output.
    output: &'static str,
    has_cells: bool,
}

#[derive(Default)]
struct Cleaner<'html> {
    rest: &'html str,
    open: Vec<Open>,
    /// How many of the open elements are seen, where one is hidden; none of those inside it is.
    hidden_from: Option<usize>,
    elements: usize,
    /// The depths of all tags together.
    work: usize,
    output: String,
}

impl<'html> Cleaner<'html> {
    fn check(&self) -> Result<(), Excess> {
        match () {
            () if self.open.len() > MAX_DEPTH => Err(Excess::Depth),
            () if self.elements > MAX_ELEMENTS => Err(Excess::Elements),
            () if self.work > MAX_WORK => Err(Excess::Work),
            () => Ok(()),
        }
    }

    fn advance(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    fn text(&mut self, text: &str) {
        if self.hidden_from.is_none() {
            self.output.push_str(text);
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
            (Element::Void("br"), true) => self.text("<br>"),
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
            self.write_start(tag, output);
            self.output.extend([content, "</", output, ">"]);
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
            self.write_start(tag, output);
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
        let mark = self.mark(output);
        if self.hidden_from.is_none() {
            self.write_start(tag, output);
            self.output.push_str(mark);
        }
        self.open.push(Open { name: tag.name.clone(), output, has_cells: false });
    }

    /// What tells list items and cells apart in plain text.
    fn mark(&mut self, output: &str) -> &'static str {
        match output {
            "li" => "- ",
            "td" | "th" => {
                let row = self.open.last_mut();
                let has_cells = row.is_some_and(|row| std::mem::replace(&mut row.has_cells, true));
                if has_cells { "| " } else { "" }
            }
            _ => "",
        }
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
                self.output.extend(["</", open.output, ">"]);
            }
        }
        self.open.truncate(position);
        self.hidden_from = self.hidden_from.filter(|hidden| *hidden < position);
    }

    fn write_start(&mut self, tag: &Tag<'_>, output: &str) {
        self.elements += 1;
        self.output.extend(["<", output]);
        for (name, value) in &tag.attributes {
            if ATTRIBUTES.contains(&name.as_str()) {
                let value = value.replace('"', "&quot;");
                self.output.extend([" ", name, "=\"", &value, "\""]);
            }
        }
        self.output.push('>');
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
