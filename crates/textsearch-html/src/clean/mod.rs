//! Reduces HTML to well-nested, visible elements.
//!
//! Parsers take quadratic time in the depth and copy overlapping elements to repair them. This pass
//! bounds the depth and leaves no overlaps.

use std::borrow::Cow;

use html5ever::Attribute;

use crate::{
    elements::Role,
    limits::{Excess, Limits},
    parse::parse,
    tree::{Content, DOCUMENT, Tree},
};

/// Cleans a page and passes the rest to `sink`, piece by piece.
///
/// Starts and ends are well nested. Time and memory grow linearly with the page, within `limits`.
///
/// # Errors
///
/// Returns the [`Excess`] with the limit that the page exceeds. Then the sink receives nothing.
pub fn clean(html: &str, limits: &Limits, sink: &mut impl FnMut(Piece<'_>)) -> Result<(), Excess> {
    let tree = parse(html, limits)?;
    let mut cleaner = Cleaner { tree: &tree, sink, open: Vec::new(), has_title: false };
    cleaner.walk();
    Ok(())
}

/// Escapes text for HTML, in elements and in quoted attributes.
pub fn escape(text: &str) -> Cow<'_, str> {
    let special = ['&', '<', '>', '"'];
    if !text.contains(special) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
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
    Void(&'static str, Tag<'page>),
    /// An element whose content isn't text of the page: the first `title`, or a `script` of linked
    /// data.
    Raw(&'static str, Tag<'page>, &'page str),
    /// Text, without character references: see [`escape`].
    Text(&'page str),
}

/// Start of an element.
#[derive(Debug)]
#[non_exhaustive]
pub struct Start<'page> {
    /// Name of the structural element: `p` for `figcaption`, `ul` for `menu`.
    pub name: &'static str,
    /// Tag in the page.
    pub tag: Tag<'page>,
    /// Number of earlier visible cells in its row; 0 for other elements.
    pub cells: usize,
}

/// A start tag of the page.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Tag<'page> {
    /// Name, in lower case. Names that HTML doesn't know aren't kept.
    pub name: &'page str,
    attributes: &'page [Attribute],
}

impl<'page> Tag<'page> {
    /// Returns the names and values of the attributes that describe the content, such as `class`,
    /// `href` or `lang`. Others aren't kept. Values have no character references.
    pub fn attributes(&self) -> impl Iterator<Item = (&'page str, &'page str)> + use<'page> {
        self.attributes.iter().map(|attribute| (&*attribute.name.local, &*attribute.value))
    }
}

struct Open {
    output: &'static str,
    /// False for a dropped link, and for a block that ended early because it can't contain the next
    /// one.
    is_open: bool,
    cells: usize,
}

struct Cleaner<'a, S> {
    tree: &'a Tree,
    sink: &'a mut S,
    open: Vec<Open>,
    has_title: bool,
}

impl<S: FnMut(Piece<'_>)> Cleaner<'_, S> {
    fn walk(&mut self) {
        let mut id = self.tree.node(DOCUMENT).first;
        while id != DOCUMENT {
            let first = self.tree.node(id).first;
            if self.enter(id) && first != DOCUMENT {
                id = first;
                continue;
            }
            while id != DOCUMENT {
                self.leave(id);
                let node = self.tree.node(id);
                if node.next != DOCUMENT {
                    id = node.next;
                    break;
                }
                id = node.parent;
            }
        }
    }

    /// Returns whether to visit the node's children.
    fn enter(&mut self, id: usize) -> bool {
        let (name, attributes, role) = match &self.tree.node(id).content {
            Content::Text(text) => {
                (self.sink)(Piece::Text(text));
                return false;
            }
            Content::Element { name, attributes, role } => (name, attributes, *role),
        };
        let tag = Tag { name: &name.local, attributes };
        match role {
            Role::Hidden => return false,
            Role::Inline => {}
            Role::Page(output) | Role::Void(output) => (self.sink)(Piece::Void(output, tag)),
            Role::Raw(output) => self.raw(id, output, tag),
            Role::Kept(output) => self.start(output, tag),
        }
        !matches!(role, Role::Raw(_))
    }

    fn raw(&mut self, id: usize, output: &'static str, tag: Tag<'_>) {
        if output == "title" && std::mem::replace(&mut self.has_title, true) {
            return;
        }
        let content = match &self.tree.node(self.tree.node(id).first).content {
            Content::Text(text) => text,
            Content::Element { .. } => "",
        };
        (self.sink)(Piece::Raw(output, tag, content));
    }

    fn start(&mut self, output: &'static str, tag: Tag<'_>) {
        // Parsers repair nested links by copying, so drop them.
        let is_nested_link = output == "a" && self.open.iter().any(|open| open.output == "a");
        if !is_nested_link {
            self.close_block_before(output);
            let cells = self.cells_before(output);
            (self.sink)(Piece::Start(Start { name: output, tag, cells }));
        }
        self.open.push(Open { output, is_open: !is_nested_link, cells: 0 });
    }

    fn cells_before(&mut self, output: &str) -> usize {
        let row = self.open.last_mut().filter(|_| matches!(output, "td" | "th"));
        row.map_or(0, |row| {
            row.cells += 1;
            row.cells - 1
        })
    }

    /// Ends a paragraph before any block, and a heading before a heading.
    fn close_block_before(&mut self, output: &str) {
        let is_inline = |output| matches!(output, "a" | "span" | "time");
        if is_inline(output) {
            return;
        }
        let block = self.open.iter().rposition(|open| open.is_open && !is_inline(open.output));
        let is_closed =
            |open: &Open| open.output == "p" || (is_heading(open.output) && is_heading(output));
        let Some(block) = block.filter(|block| self.open.get(*block).is_some_and(is_closed)) else {
            return;
        };
        for open in self.open.iter_mut().skip(block).rev().filter(|open| open.is_open) {
            open.is_open = false;
            (self.sink)(Piece::End(open.output));
        }
    }

    fn leave(&mut self, id: usize) {
        let is_kept =
            matches!(self.tree.node(id).content, Content::Element { role: Role::Kept(_), .. });
        if let Some(open) = self.open.pop_if(|_| is_kept)
            && open.is_open
        {
            (self.sink)(Piece::End(open.output));
        }
    }
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

#[cfg(test)]
mod tests;
