//! Deeply nested documents.

use textsearch_conformance::{nested, with_each_depth};
use textsearch_documents::{Chunker, Document};

fn read(document: &Document) {
    drop(Chunker::default().chunk(document));
}

#[test]
fn markdown_and_html_nest_to_any_depth() {
    with_each_depth(256 << 10, |depth| {
        for parts in [("> ", "x", ""), ("- ", "x", ""), ("[", "x", "](a)"), ("*a ", "x", "*")] {
            read(&Document::markdown("a", nested(parts, depth)));
        }
        for parts in [("<div>", "x", "</div>"), ("<ul><li>", "x", ""), ("<table><td>", "x", "")] {
            read(&Document::html("a", nested(parts, depth)));
        }
    });
}

#[test]
fn front_matter_nests_to_any_depth() {
    // A debug build of the YAML parser needs more than 1 MiB for the 64 levels that it allows.
    with_each_depth(2 << 20, |depth| {
        for parts in
            [("[", "1", "]"), ("{a: ", "1", "}"), ("[", "", ""), ("- ", "1", ""), ("? ", "1", "")]
        {
            let value = nested(parts, depth);
            read(&Document::markdown("a", format!("---\ntitle: x\nother:\n  {value}\n---\nText")));
        }
    });
}
