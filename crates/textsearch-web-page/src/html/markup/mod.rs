//! Renders a cleaned page as HTML for the parser.

use textsearch_html::{Excess, Limits, Piece, Tag, escape};

/// Needed to find main content and metadata.
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

/// Last words of metadata names that the parser may use: authors and dates. Readers never see
/// metadata, so it must not replace a visible title or summarize the text.
const METADATA: &[&str] =
    &["author", "available", "create_at", "created", "creator", "date", "issued", "published_time"];

pub(super) fn clean(html: &str, limits: &Limits) -> Result<String, Excess> {
    let mut markup = Markup::default();
    textsearch_html::clean(html, limits, &mut |piece| markup.push(&piece))?;
    Ok(markup.head + &markup.body)
}

#[derive(Default)]
struct Markup {
    /// Title, metadata and linked data. In the body, they would become text.
    head: String,
    body: String,
    /// Goes before the first text of a list item. Before its first element, it would become a
    /// separate paragraph.
    mark: Option<&'static str>,
}

impl Markup {
    fn push(&mut self, piece: &Piece<'_>) {
        match piece {
            Piece::Start(start) => {
                open(&mut self.body, start.name, start.tag);
                match start.name {
                    "li" => self.mark = Some("- "),
                    "td" | "th" if start.cells > 0 => self.body.push_str("| "),
                    _ => {}
                }
            }
            Piece::End(name) => {
                if *name == "li" {
                    self.mark = None;
                }
                self.body.extend(["</", name, ">"]);
            }
            // The parser adds missing tags.
            Piece::Void("html" | "body", tag) if tag.attributes().next().is_none() => {}
            Piece::Void("html", tag) => open(&mut self.head, "html", *tag),
            Piece::Void("meta", tag) if !is_metadata(*tag) => {}
            Piece::Void("meta", tag) => open(&mut self.head, "meta", *tag),
            Piece::Void(name, tag) => open(&mut self.body, name, *tag),
            // A comment could contain the end tag.
            Piece::Raw("script", _, data) if data.contains("<!--") => {}
            Piece::Raw("script", tag, data) => {
                open(&mut self.head, "script", *tag);
                self.head.extend([data, "</script>"]);
            }
            Piece::Raw(name, tag, content) => {
                open(&mut self.head, name, *tag);
                self.head.extend([&*escape(content), "</", name, ">"]);
            }
            Piece::Text(text) => {
                let is_first = self.mark.is_some() && !text.trim_start().is_empty();
                let mark = self.mark.take_if(|_| is_first).unwrap_or_default();
                let text = if is_first { text.trim_start() } else { text };
                self.body.extend([mark, &*escape(text)]);
            }
            _ => {}
        }
    }
}

fn open(html: &mut String, name: &str, tag: Tag<'_>) {
    html.extend(["<", name]);
    for (name, value) in tag.attributes() {
        if ATTRIBUTES.contains(&name) {
            html.extend([" ", name, "=\"", &*escape(value), "\""]);
        }
    }
    html.push('>');
}

fn is_metadata(tag: Tag<'_>) -> bool {
    let mut names = tag.attributes().filter(|(name, _)| matches!(*name, "name" | "property"));
    names.all(|(_, value)| {
        let value = value.trim().to_ascii_lowercase();
        let last = value.rsplit(['.', ':', '-']).next().unwrap_or_default();
        METADATA.contains(&last) && !value.contains(char::is_whitespace)
    })
}

#[cfg(test)]
mod tests;
