//! Plain text from HTML, with its headings.

mod blocks;

use textsearch_core::{Error, ErrorKind, Result};
use textsearch_html::{Limits, Piece, Tag, one_line, visible};

use crate::{
    CONNECTOR, Facts,
    chunk::{Frame, Heading},
};

/// Maximum bytes of an HTML document. Reading takes several times the memory.
pub const MAX_HTML_BYTES: usize = 64 << 20;

/// Maximum nesting depth of elements. Layout time grows with its square.
pub const MAX_HTML_DEPTH: usize = 512;

/// A noncharacter that distinguishes headings from similar text.
const HEADING_MARK: char = '\u{fdd0}';

/// Before a cell that is the head of a column or row.
const HEADER_MARK: char = '\u{fdd1}';

/// Before another cell.
const ROW_MARK: char = '\u{fdd2}';

const MARKS: [char; 3] = [HEADING_MARK, HEADER_MARK, ROW_MARK];

/// Where `<meta>` elements are looked for.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// Of names of properties.
const PREFIXES: [&str; 3] = ["dc.", "dcterms.", "article:"];

/// No line is broken.
const WIDTH: usize = i32::MAX as usize;

#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) title: Option<String>,
    pub(crate) text: String,
    pub(crate) headings: Vec<Heading>,
    /// Tables with a header.
    pub(crate) tables: Vec<Frame>,
}

pub(crate) fn extract(id: &str, html: &str) -> Result<Page> {
    if html.len() > MAX_HTML_BYTES {
        let message =
            format!("`{id}` has {} bytes of HTML; expected at most {MAX_HTML_BYTES}", html.len());
        return Err(refused(id, message));
    }
    let blocks = blocks::blocks(html)
        .map_err(|excess| refused(id, format!("`{id}` is HTML with {excess}")))?;
    let title = blocks.title.map(|title| one_line(&title));
    let title = title.filter(|title| !title.is_empty());
    let marked = lay_out(id, &blocks.html)?;
    let mut page = Page { title, text: String::with_capacity(marked.len()), ..Page::default() };
    marked.lines().for_each(|line| page.push(line));
    Ok(page)
}

/// Takes the facts in the head of a page.
pub(crate) fn take_facts(html: &str, facts: &mut Facts) {
    let mut ends = (0..=html.len().min(MAX_HEAD_BYTES)).rev();
    let head = ends.find_map(|end| html.get(..end)).unwrap_or_default();
    let end = ["<body", "</head", "<BODY", "</HEAD"].iter().filter_map(|tag| head.find(tag)).min();
    let head = head.get(..end.unwrap_or(head.len())).unwrap_or_default();
    // A page that can't be parsed has no facts.
    let _excess = textsearch_html::clean(head, &Limits::default(), &mut |piece| match piece {
        Piece::Void("html", tag) => facts.take("lang", &attribute(tag, "lang")),
        Piece::Void("meta", tag) => {
            let name = attribute(tag, "name") + &attribute(tag, "property");
            let name = name.to_ascii_lowercase();
            let property = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
            facts.take(property.unwrap_or(&name), &attribute(tag, "content"));
        }
        _ => {}
    });
}

fn attribute(tag: Tag<'_>, name: &str) -> String {
    let value = tag.attributes().find(|(attribute, _)| *attribute == name);
    value.map(|(_, value)| value.to_owned()).unwrap_or_default()
}

fn refused(id: &str, message: String) -> Error {
    Error::new(ErrorKind::invalid_record(id), CONNECTOR, message)
}

fn lay_out(id: &str, html: &str) -> Result<String> {
    let config = html2text::config::plain_no_decorate().link_footnotes(false);
    config.string_from_read(html.as_bytes(), WIDTH).map_err(|error| {
        refused(id, format!("`{id}` has HTML that cannot be laid out: {error}")).with_source(error)
    })
}

impl Page {
    /// Takes the marks out of a line.
    fn push(&mut self, line: &str) {
        let start = self.text.len();
        let shown = |text| visible(text).filter(|c| !MARKS.contains(c));
        match line.split_once(HEADING_MARK) {
            None => {
                // The layout keeps the space between the mark and the text.
                let cells = line.strip_prefix([HEADER_MARK, ROW_MARK]).map(str::trim_start);
                self.text.extend(shown(cells.unwrap_or(line).trim_end()));
            }
            Some((prefix, heading)) => {
                let heading: String = shown(heading).collect();
                self.text.extend(shown(prefix));
                self.text.push_str(heading.trim_end());
                let range = start..self.text.len();
                self.headings.extend(heading_at(range, prefix, heading.trim()));
            }
        }
        let end = self.text.len();
        self.text.push('\n');
        if line.contains(ROW_MARK) {
            let table = self.tables.last_mut().filter(|table| table.range.end + 1 == start);
            if let Some(table) = table {
                table.range.end = end;
                table.body.end = end;
            }
        } else if line.contains(HEADER_MARK) {
            self.tables.push(Frame { range: start..end, body: end + 1..end });
        }
    }
}

/// A heading in a quotation begins no section.
fn heading_at(range: std::ops::Range<usize>, prefix: &str, text: &str) -> Option<Heading> {
    let signs = prefix.trim();
    let is_heading = !signs.is_empty() && signs.chars().all(|sign| sign == '#');
    let heading = Heading { range, level: signs.len(), text: text.to_owned(), anchor: None };
    (is_heading && !text.is_empty()).then_some(heading)
}
