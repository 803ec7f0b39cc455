//! HTML reduced to well-formed blocks without attributes: what is left is safe to lay out.
//!
//! Inline markup, scripts and hidden elements go; end tags that were left out are put in. So the depth is known
//! exactly, and the parser that follows can do nothing unexpected with tags that overlap.

use super::{
    HEADING_MARK, MAX_HTML_DEPTH,
    elements::{self, Element, element},
    tag::{self, Markup, Tag},
};

/// What is left of a page.
#[derive(Debug, Default)]
pub(super) struct Cleaned {
    /// What the `<title>` holds, character references included.
    pub(super) title: Option<String>,
    pub(super) html: String,
}

/// Cleans a page; `None` where its blocks are nested too deeply.
pub(super) fn clean(html: &str) -> Option<Cleaned> {
    let mut cleaner = Cleaner { rest: html, ..Cleaner::default() };
    while let Some(position) = cleaner.rest.find('<') {
        let (text, markup) = cleaner.rest.split_at(position);
        cleaner.rest = markup;
        cleaner.text(text);
        match tag::read(markup) {
            Markup::Text => {
                cleaner.output.html.push_str("&lt;");
                cleaner.advance(1);
            }
            Markup::Skip(length) => cleaner.advance(length),
            Markup::Tag(tag) => cleaner.tag(&tag),
        }
        if cleaner.open.len() > MAX_HTML_DEPTH {
            return None;
        }
    }
    cleaner.text(cleaner.rest);
    cleaner.close_from(0);
    Some(cleaner.output)
}

/// An element whose end tag has not come yet.
#[derive(Debug)]
struct Open {
    /// What it is called in the page.
    name: String,
    /// What it is called in the output.
    output: &'static str,
    /// How many cells the row has had.
    cells: usize,
}

#[derive(Default)]
struct Cleaner<'html> {
    rest: &'html str,
    open: Vec<Open>,
    output: Cleaned,
    /// Hidden elements whose end was looked for in vain: looking again each time would take quadratic time.
    unclosed: Vec<String>,
}

impl Cleaner<'_> {
    fn advance(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    fn text(&mut self, text: &str) {
        self.output.html.extend(text.split(HEADING_MARK));
    }

    fn tag(&mut self, tag: &Tag) {
        self.advance(tag.length);
        match (element(&tag.name), tag.is_end) {
            (Element::Hidden, false) => {
                self.take_content(&tag.name);
            }
            (Element::Title, false) => {
                let title = self.take_content(&tag.name);
                self.output.title = self.output.title.take().or(title);
            }
            (Element::LineBreak, _) => self.line_break(),
            (Element::Cell, false) => self.start_cell(),
            (Element::Hidden | Element::Title | Element::Inline | Element::Cell, _) => {}
            (_, _) if self.is_in("pre") && !is_preformatted(&tag.name) => self.text("\n"),
            (element, false) => self.start(&tag.name, element),
            (_, true) => self.end(&tag.name),
        }
    }

    /// Skips to behind the end tag of the element that has just begun, if there is one.
    fn take_content(&mut self, name: &str) -> Option<String> {
        if self.unclosed.iter().any(|unclosed| unclosed == name) {
            return None;
        }
        let ends = self.rest.match_indices("</").find(|(position, _)| {
            let found = self.rest.get(position + 2..position + 2 + name.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(name))
        });
        let Some((position, _)) = ends else {
            self.unclosed.push(name.to_owned());
            return None;
        };
        let content = self.rest.get(..position).map(str::to_owned);
        self.advance(position);
        if let Markup::Tag(end) = tag::read(self.rest) {
            self.advance(end.length);
        }
        content
    }

    fn start(&mut self, name: &str, element: Element) {
        if self.is_in_heading() && matches!(name, "div" | "p" | "center") {
            // A heading is one line.
            return self.text(" ");
        }
        self.close_implied(name);
        let output = match element {
            Element::Heading(level) => heading_name(level),
            Element::Preformatted => "pre",
            Element::Block(output) if self.has_parent(name) => output,
            _ => "div",
        };
        self.output.html.extend(["<", output, ">"]);
        if matches!(element, Element::Heading(_)) {
            self.output.html.push(HEADING_MARK);
        }
        self.open.push(Open { name: name.to_owned(), output, cells: 0 });
    }

    fn close_implied(&mut self, name: &str) {
        let closed_by_any_block = |open: &Open| open.output == "p" || is_heading(open);
        if self.open.last().is_some_and(closed_by_any_block) {
            self.close_from(self.open.len() - 1);
        }
        let (ends, barriers) = elements::implied_ends(name);
        let reached = self.open.iter().rposition(|open| barriers.contains(&open.name.as_str()));
        let end = self.open.iter().rposition(|open| ends.contains(&open.name.as_str()));
        if let Some(position) =
            end.filter(|position| reached.is_none_or(|barrier| barrier < *position))
        {
            self.close_from(position);
        }
    }

    fn has_parent(&self, name: &str) -> bool {
        let parents = elements::needed_parents(name);
        let is_parent = |open: &Open| parents.contains(&open.name.as_str());
        // Directly: a list item in a block of a list would be laid out as text of the list.
        parents.is_empty() || self.open.last().is_some_and(is_parent)
    }

    fn end(&mut self, name: &str) {
        let is_same =
            |open: &Open| open.name == name || (is_heading_name(name) && is_heading(open));
        if let Some(position) = self.open.iter().rposition(is_same) {
            self.close_from(position);
        }
    }

    fn close_from(&mut self, position: usize) {
        for open in self.open.drain(position..).rev() {
            self.output.html.extend(["</", open.output, ">"]);
        }
    }

    fn line_break(&mut self) {
        let text = match () {
            () if self.is_in_heading() => " ",
            () if self.is_in("pre") => "\n",
            () => "<br>",
        };
        self.output.html.push_str(text);
    }

    /// Cells of a row go on one line, so that what belongs together stays together.
    fn start_cell(&mut self) {
        let Some(position) = self.open.iter().rposition(|open| open.name == "tr") else { return };
        self.close_from(position + 1);
        if let Some(row) = self.open.last_mut() {
            row.cells += 1;
            self.output.html.push_str(if row.cells > 1 { " | " } else { "" });
        }
    }

    fn is_in(&self, output: &str) -> bool {
        self.open.last().is_some_and(|open| open.output == output)
    }

    fn is_in_heading(&self) -> bool {
        self.open.last().is_some_and(is_heading)
    }
}

fn heading_name(level: usize) -> &'static str {
    ["h1", "h2", "h3", "h4", "h5", "h6"].get(level - 1).copied().unwrap_or("h6")
}

fn is_heading_name(name: &str) -> bool {
    matches!(element(name), Element::Heading(_))
}

fn is_heading(open: &Open) -> bool {
    is_heading_name(open.output)
}

fn is_preformatted(name: &str) -> bool {
    element(name) == Element::Preformatted
}
