//! Renders a cleaned page as HTML for the parser.

use textsearch_html::{Excess, Limits, Piece, Tag};

/// Attributes that the parser needs to find main content and metadata.
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

/// Cleans a page.
pub(super) fn clean(html: &str, limits: &Limits) -> Result<String, Excess> {
    let mut markup = Markup::default();
    textsearch_html::clean(html, limits, &mut |piece| markup.push(&piece))?;
    Ok(markup.html)
}

#[derive(Default)]
struct Markup {
    html: String,
    /// Marker to insert before the first text of a list item. Before the item's first element, it
    /// would become a separate paragraph.
    mark: Option<&'static str>,
}

impl Markup {
    fn push(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Start(start) => {
                self.tag(start.name, start.tag);
                match start.name {
                    "li" => self.mark = Some("- "),
                    "td" | "th" if start.cells > 0 => self.html.push_str("| "),
                    _ => {}
                }
            }
            Piece::End(name) => {
                if *name == "li" {
                    self.mark = None;
                }
                self.html.extend(["</", name, ">"]);
            }
            Piece::Void(name, tag) => self.tag(name, tag),
            Piece::Raw(name, tag, content) => {
                self.tag(name, tag);
                self.html.extend([content, "</", name, ">"]);
            }
            Piece::Text(text) => {
                let is_first = self.mark.is_some() && !text.trim_start().is_empty();
                let mark = self.mark.take_if(|_| is_first).unwrap_or_default();
                self.html.extend([mark, if is_first { text.trim_start() } else { text }]);
            }
            _ => {}
        }
    }

    fn tag(&mut self, output: &str, tag: &Tag<'_>) {
        self.html.extend(["<", output]);
        for (name, value) in &tag.attributes {
            if ATTRIBUTES.contains(&name.as_str()) {
                let value = value.replace('"', "&quot;");
                self.html.extend([" ", name, "=\"", &value, "\""]);
            }
        }
        self.html.push('>');
    }
}

#[cfg(test)]
mod tests;
