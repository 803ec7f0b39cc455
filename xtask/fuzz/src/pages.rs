//! HTML: of documents and of pages.

use dom_smoothie::Readability;
use textsearch_documents::{Chunker, ChunkerConfig, Document};

/// Marks hidden content: must be missing from every text.
const HIDDEN: &str = "qHIDDENq";
/// Marks visible content: must be in every text.
const SEEN: &str = "qSEENq";

/// Chunks of an HTML document lie in its text and are as long as the configuration allows; what scripts hold is in none.
pub(crate) fn document(input: &[u8]) {
    let html = crate::text(input);
    let config = ChunkerConfig::default().with_max_characters(64).with_overlap_characters(16);
    let Ok(chunker) = Chunker::new(config) else { panic!("the sizes are allowed") };
    for document in [
        Document::html("fuzzed", html.as_ref()),
        Document::markdown("fuzzed", html.as_ref()),
        Document::plain_text("fuzzed", html.as_ref()),
    ] {
        let Ok(chunked) = chunker.chunk(&document) else { continue };
        let characters: Vec<char> = chunked.text.chars().collect();
        for chunk in &chunked.chunks {
            let found =
                characters.get(chunk.range.clone()).map(|text| text.iter().collect::<String>());
            assert_eq!(found.as_ref(), Some(&chunk.text), "a chunk lies in the text");
            assert!(chunk.range.len() <= 64, "a chunk is too long: {chunk:?}");
        }
    }
    let document = Document::html("fuzzed", in_script(&html));
    if let Ok(chunked) = chunker.chunk(&document) {
        assert!(!chunked.text.contains(HIDDEN), "a script is text: {}", document.text);
        assert!(chunked.text.contains(SEEN), "text after a script is lost: {}", document.text);
    }
}

/// The reader accepts any page. Cleaned HTML has no script that runs, and the text has no hidden content.
pub(crate) fn page(input: &[u8]) {
    let html = crate::text(input);
    if let Ok((cleaned, _)) = textsearch_web_page::fuzzing::read(&html) {
        assert_eq!(running_script(&cleaned), None, "{html}");
    }
    for page in [in_script(&html), in_hidden_element(&html)] {
        if let Ok((_, text)) = textsearch_web_page::fuzzing::read(&page) {
            assert!(!text.contains(HIDDEN), "what nobody sees is text: {page}\n{text}");
            assert!(text.contains(SEEN), "what everybody sees is lost: {page}\n{text}");
        }
    }
}

/// The type of the first script that is no data, as the parser sees it that reads the page next.
fn running_script(cleaned: &str) -> Option<String> {
    let page = Readability::new(cleaned, None, None).ok()?;
    let types = page.doc.select("script").iter().map(|script| script.attr("type"));
    let types: Vec<String> =
        types.map(|kind| kind.map(|kind| kind.trim().to_lowercase()).unwrap_or_default()).collect();
    types.into_iter().find(|kind| kind != "application/ld+json")
}

/// A page that has nearly everything in a script.
fn in_script(html: &str) -> String {
    // What would end the script, or begin a comment in it that hides its end.
    let inside = html.replace("</", "< /").replace("<!", "< !");
    format!("<body><p>{SEEN}</p><script>{inside} {HIDDEN}</script><p>{SEEN} {SEEN}</p></body>")
}

/// A page that has nearly everything in an element that is not shown.
fn in_hidden_element(html: &str) -> String {
    let inside = html.replace(['<', '>'], " ");
    format!(
        "<body><p>{SEEN}</p><div style=\"display:none\">{inside} {HIDDEN}</div><p>{SEEN}</p></body>"
    )
}
