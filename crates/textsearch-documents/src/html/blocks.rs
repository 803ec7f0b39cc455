//! Reduces a page to blocks for the layout.

use textsearch_html::{Excess, Limits, Piece, Start, escape};

use super::{HEADER_MARK, HEADING_MARK, MARKS, MAX_HTML_DEPTH, ROW_MARK};

#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) title: Option<String>,
    pub(super) html: String,
    open: Vec<Open>,
}

/// An element that hasn't ended yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// An element of the output, perhaps inside an added list entry.
    Block { name: &'static str, entry: Option<&'static str> },
    /// Line breaks in preformatted text.
    Line,
    /// Only its content is in the output.
    Content,
}

pub(super) fn blocks(html: &str) -> Result<Blocks, Excess> {
    // The caller limits the bytes. The shortest tag has three bytes, so only the copies that
    // browsers make of unclosed markup can exceed the number of elements.
    let mut limits = Limits::default();
    limits.max_depth = MAX_HTML_DEPTH;
    limits.max_elements = html.len() / 2 + 1000;
    limits.max_work = limits.max_work.max(html.len().saturating_mul(64));
    let mut blocks = Blocks::default();
    textsearch_html::clean(html, &limits, &mut |piece| blocks.push(&piece))?;
    Ok(blocks)
}

impl Blocks {
    fn push(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Start(start) => self.start(start),
            Piece::End(_) => self.end(),
            Piece::Void("br" | "hr", _) => self.html.push_str(match self.block() {
                Some("pre") => "\n",
                Some(name) if is_heading(name) => " ",
                _ => "<br>",
            }),
            Piece::Raw("title", _, title) => {
                self.title.get_or_insert_with(|| (*title).to_owned());
            }
            Piece::Text(text) => self.text(text),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let entry = self.entry().filter(|_| !text.trim().is_empty());
        self.open_tag(entry);
        self.html.extend(escape(text).split(MARKS));
        self.end_tag(entry);
    }

    /// The layout drops list content outside entries.
    fn entry(&self) -> Option<&'static str> {
        match self.block() {
            Some("dl") => Some("dd"),
            Some("ol") => Some("li"),
            _ => None,
        }
    }

    fn open_tag(&mut self, name: Option<&str>) {
        if let Some(name) = name {
            self.html.extend(["<", name, ">"]);
        }
    }

    fn end_tag(&mut self, name: Option<&str>) {
        if let Some(name) = name {
            self.html.extend(["</", name, ">"]);
        }
    }

    fn start(&mut self, start: &Start<'_>) {
        let opened = match (self.block(), self.output(start)) {
            (_, None) => Open::Content,
            (Some("pre"), Some(output)) if output != "pre" => Open::Line,
            // A heading is one line.
            (Some(heading), Some("div" | "p")) if is_heading(heading) => {
                self.text(" ");
                Open::Content
            }
            (_, Some(output)) => self.block_start(output),
        };
        if opened == Open::Line {
            self.text("\n");
        }
        let is_next = start.cells > 0;
        if is_next {
            self.text(" |");
        }
        match start.tag.name {
            "td" => self.html.push(ROW_MARK),
            "th" => self.html.push(HEADER_MARK),
            _ => {}
        }
        // The layout joins it with the space of the cell.
        if is_next {
            self.text(" ");
        }
        self.open.push(opened);
    }

    fn block_start(&mut self, output: &'static str) -> Open {
        // Any other block ends a heading whose end tag is missing.
        if let Some(open) = self.open.iter_mut().rfind(|open| matches!(open, Open::Block { .. }))
            && let Open::Block { name, entry } = *open
            && is_heading(name)
        {
            *open = Open::Content;
            self.end_tag(Some(name));
            self.end_tag(entry);
        }
        let entry = self.entry().filter(|_| !matches!(output, "dd" | "dt" | "li"));
        self.open_tag(entry);
        self.open_tag(Some(output));
        if is_heading(output) {
            self.html.push(HEADING_MARK);
        }
        Open::Block { name: output, entry }
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::Block { name, entry }) => {
                self.end_tag(Some(name));
                self.end_tag(entry);
            }
            Some(Open::Line) => self.text("\n"),
            Some(Open::Content) | None => {}
        }
    }

    /// The innermost block of the output.
    fn block(&self) -> Option<&'static str> {
        let blocks = self.open.iter().rev();
        blocks
            .filter_map(|open| if let Open::Block { name, .. } = open { Some(*name) } else { None })
            .next()
    }

    /// Returns `None` if the element is no block of the output.
    fn output(&self, start: &Start<'_>) -> Option<&'static str> {
        // The layout supports entries only directly inside their list.
        let parent = match self.open.last() {
            Some(Open::Block { name, .. }) => *name,
            _ => "",
        };
        Some(match (start.name, start.tag.name) {
            ("a" | "span" | "time" | "td" | "th", _) => return None,
            (_, "dt") if parent == "dl" => "dt",
            (_, "dd") if parent == "dl" => "dd",
            ("li", _) if !matches!(parent, "ul" | "ol") => "div",
            ("p", "p") => "p",
            (
                name @ ("blockquote" | "dl" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li" | "ol"
                | "pre" | "ul"),
                _,
            ) => name,
            _ => "div",
        })
    }
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}
