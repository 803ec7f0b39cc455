//! HTML, as documents and as web pages.

use dom_query::{Document as Tree, NodeRef};
use html5ever::{ns, tendril::TendrilSink};
use textsearch_documents::{Chunker, ChunkerConfig, Document};

/// Must be missing from every text.
const HIDDEN: &str = "qHIDDENq";
/// Must be in every text.
const SEEN: &str = "qSEENq";

/// Begins and ends a mark.
const MARK: char = '\u{24c2}';

/// Chunks lie in the document's text and respect the configured length. They contain everything
/// that browsers show, and nothing that they hide.
pub(crate) fn document(input: &[u8]) {
    let html = crate::text(input);
    let mut config = ChunkerConfig::default();
    config.max_characters = 64;
    config.overlap_characters = 16;
    let Ok(chunker) = Chunker::new(config) else { panic!("the sizes are allowed") };
    for document in [
        Document::html("fuzzed", html.as_ref()),
        Document::markdown("fuzzed", html.as_ref()),
        Document::plain_text("fuzzed", html.as_ref()),
    ] {
        let Ok(chunked) = chunker.chunk(&document) else { continue };
        let characters: Vec<char> = chunked.text.chars().collect();
        for chunk in &chunked.chunks {
            let excerpt =
                characters.get(chunk.range.clone()).map(|text| text.iter().collect::<String>());
            assert_eq!(excerpt.as_deref(), Some(chunk.own_text()), "a chunk lies in the text");
            assert!(chunk.text.chars().count() <= 64, "a chunk is too long: {chunk:?}");
        }
    }
    let page = Page::marked(&html);
    if let Ok(chunked) = chunker.chunk(&Document::html("fuzzed", page.html.as_str())) {
        page.check(&chunked.text, &chunked.text);
    }
    let document = Document::html("fuzzed", in_script(&html));
    if let Ok(chunked) = chunker.chunk(&document) {
        assert!(!chunked.text.contains(HIDDEN), "a script is text: {}", document.text);
        assert!(chunked.text.contains(SEEN), "text after a script is lost: {}", document.text);
    }
}

/// Cleaned HTML has no script that runs, and everything that browsers show. The text has nothing
/// that they hide.
pub(crate) fn page(input: &[u8]) {
    let html = crate::text(input);
    if let Ok((cleaned, _)) = textsearch_web_page::fuzzing::read(&html) {
        assert_eq!(running_script(&cleaned), None, "{html}");
    }
    let page = Page::marked(&html);
    if let Ok((cleaned, text)) = textsearch_web_page::fuzzing::read(&page.html) {
        page.check(&cleaned, &text);
    }
    let page = in_script(&html);
    if let Ok((_, text)) = textsearch_web_page::fuzzing::read(&page) {
        assert!(!text.contains(HIDDEN), "a script is text: {page}\n{text}");
        assert!(text.contains(SEEN), "text after a script is lost: {page}\n{text}");
    }
}

/// As seen by the parser that reads the page next.
fn running_script(cleaned: &str) -> Option<String> {
    let page = Tree::from(cleaned);
    let types = page.select("script").iter().map(|script| script.attr("type"));
    let types: Vec<String> =
        types.map(|kind| kind.map(|kind| kind.trim().to_lowercase()).unwrap_or_default()).collect();
    types.into_iter().find(|kind| kind != "application/ld+json")
}

/// A page with a mark after each tag, sorted by `html5ever`.
#[derive(Default)]
struct Page {
    html: String,
    /// Text that every browser shows.
    shown: String,
    /// Text that no browser shows.
    hidden: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Sight {
    Shown,
    Hidden,
    /// Depends on styles, for example.
    Unknown,
}

impl Page {
    fn marked(html: &str) -> Self {
        let mut page = Self::default();
        for (index, part) in html.replace(MARK, "").split_inclusive('>').enumerate() {
            page.html.extend([part, &format!(" {MARK}{index}{MARK} ")]);
        }
        let tree = html5ever::parse_document(Tree::default(), html5ever::ParseOpts::default());
        page.add(&tree.one(page.html.as_str()).root(), Sight::Shown);
        page
    }

    fn add(&mut self, node: &NodeRef<'_>, outer: Sight) {
        let sight = match (outer, sight(node)) {
            (Sight::Hidden, _) | (_, Sight::Hidden) => Sight::Hidden,
            (Sight::Shown, inner) => inner,
            (Sight::Unknown, _) => Sight::Unknown,
        };
        if node.is_text() {
            match sight {
                Sight::Shown => self.shown.push_str(&node.text()),
                Sight::Hidden => self.hidden.push_str(&node.text()),
                Sight::Unknown => {}
            }
        }
        node.children_it(false).for_each(|child| self.add(&child, sight));
    }

    fn check(&self, whole: &str, text: &str) {
        for mark in marks(&self.shown) {
            assert!(whole.contains(mark), "what everybody sees is lost: {mark} in {}", self.html);
        }
        for mark in marks(&self.hidden) {
            assert!(!text.contains(mark), "what nobody sees is text: {mark} in {}", self.html);
        }
    }
}

fn marks(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split_ascii_whitespace();
    words.filter(|word| {
        word.len() > 2 * MARK.len_utf8() && word.starts_with(MARK) && word.ends_with(MARK)
    })
}

fn sight(node: &NodeRef<'_>) -> Sight {
    const PLAIN: &[&str] = &[
        "a",
        "article",
        "b",
        "blockquote",
        "body",
        "button",
        "code",
        "div",
        "dd",
        "dl",
        "dt",
        "em",
        "font",
        "form",
        "h1",
        "h2",
        "h3",
        "html",
        "i",
        "li",
        "ol",
        "p",
        "pre",
        "section",
        "span",
        "strong",
        "table",
        "tbody",
        "td",
        "th",
        "tr",
        "u",
        "ul",
    ];
    const HIDDEN: &[&str] = &[
        "iframe", "noembed", "noframes", "noscript", "script", "select", "style", "template",
        "title",
    ];
    let Some(name) = node.qual_name_ref() else { return Sight::Shown };
    let is_page = matches!(&*name.local, "html" | "body");
    let attributes = node.attrs();
    let is_none = |style: &str| style.replace(' ', "") == "display:none";
    if name.ns != ns!(html) {
        // Images may show text.
        return Sight::Unknown;
    }
    if HIDDEN.contains(&&*name.local)
        || (!is_page && attributes.iter().any(|own| &*own.name.local == "hidden"))
        || (!is_page
            && attributes.iter().any(|own| &*own.name.local == "style" && is_none(&own.value)))
    {
        return Sight::Hidden;
    }
    let is_plain = |name: &str| matches!(name, "class" | "dir" | "href" | "id" | "lang" | "title");
    if PLAIN.contains(&&*name.local) && attributes.iter().all(|own| is_plain(&own.name.local)) {
        Sight::Shown
    } else {
        Sight::Unknown
    }
}

fn in_script(html: &str) -> String {
    // These would end the script, or start a comment that hides its end.
    let inside = html.replace("</", "< /").replace("<!", "< !");
    format!("<body><p>{SEEN}</p><script>{inside} {HIDDEN}</script><p>{SEEN} {SEEN}</p></body>")
}
