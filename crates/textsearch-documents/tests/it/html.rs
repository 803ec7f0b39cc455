use textsearch_core::ErrorKind;
use textsearch_documents::{Chunker, ChunkerConfig, Document, MAX_HTML_DEPTH};

fn text(html: &str) -> String {
    let document = Document::html("page", html);
    Chunker::default().chunk(&document).unwrap().text.trim().to_owned()
}

fn paths(html: &str) -> Vec<String> {
    let document = Document::html("page", html);
    let chunks = Chunker::default().chunk(&document).unwrap().chunks;
    chunks.iter().map(|chunk| chunk.heading_path.join(" > ")).collect()
}

#[test]
fn headings_make_the_outline_and_the_title_the_name() {
    let page = "<!doctype html><html><head><title>The\n guide &amp; more</title></head><body>\
                <h1>Guide</h1><p>Hello.</p><h2>Install <em>it</em><br>now</h2><p>Run.</p></body></html>";
    assert_eq!(paths(page), ["Guide", "Guide > Install it now"]);
    let document = Document::html("page", page);
    let chunked = Chunker::default().chunk(&document).unwrap();
    assert_eq!(chunked.name.as_deref(), Some("The guide & more"));
    assert_eq!(chunked.chunks[1].text, "## Install it now\n\nRun.");
    assert_eq!(chunked.chunks[1].anchor, None);
}

#[test]
fn markup_is_removed_and_words_stay() {
    assert_eq!(
        text("<p>See <a href='/x'>the <b>guide</b></a>, x<sup>2</sup> &lt; 3 &amp; é&nbsp;!"),
        "See the guide, x2 < 3 & é\u{a0}!"
    );
    assert_eq!(text("<p>One<p>two<div>three</div>"), "One\n\ntwo\n\nthree");
    assert_eq!(text("1 < 2 <3"), "1 < 2 <3");
}

#[test]
fn invisible_content_is_left_out() {
    let page = "<style>p{}</style><script>if (a < b) { '<p>no</p>' }</script><noscript>no</noscript>\
                <svg><title>no</title></svg><template><p>no</p></template><!-- <p>no --><p>yes</p>";
    assert_eq!(text(page), "yes");
}

#[test]
fn hidden_elements_and_navigation_are_left_out() {
    let page = "<nav><ul><li><a href=/>Home</a></ul></nav><p>seen</p><p hidden>no</p>\
                <div style='display&colon;none'>no</div><span aria-hidden=true>no</span>\
                <p style='opacity:0;x:y'>no</p><div popover>no</div><dialog>no</dialog>";
    assert_eq!(text(page), "seen");
}

#[test]
fn invisible_characters_are_left_out() {
    assert_eq!(text("<p>a\u{200b}b\u{e0041}c&#x202e;d"), "abcd");
    assert_eq!(paths("<h1>A\u{3164}b</h1><p>x"), ["Ab"]);
}

#[test]
fn titles_and_linked_data_are_no_text() {
    let page = "<p>seen<title>Name</title></p><script type='application/ld+json'>1</script>";
    assert_eq!(text(page), "seen");
    let document = Document::html("page", page);
    assert_eq!(Chunker::default().chunk(&document).unwrap().name.as_deref(), Some("Name"));
}

fn small_chunks(page: String) -> Vec<String> {
    let mut config = ChunkerConfig::default();
    (config.max_characters, config.overlap_characters) = (64, 0);
    let document = Document::html("page", page);
    let chunked = Chunker::new(config).unwrap().chunk(&document).unwrap();
    chunked.chunks.into_iter().map(|chunk| chunk.text).collect()
}

#[test]
fn parts_of_a_table_begin_with_its_header() {
    let rows = "<tr><td>1. One. Two<td>b".repeat(8);
    let page = format!("<p>Before.</p><table><tr><th>Name<th>Kind{rows}</table><p>After.</p>");
    let row = "1. One. Two | b";
    let texts = small_chunks(page);
    let part = |rows: usize| format!("Name | Kind\n{}", vec![row; rows].join("\n"));
    assert_eq!(texts, [&format!("Before.\n\n{}", part(2)), &part(3), &part(3), "After."]);
}

#[test]
fn heads_of_rows_are_no_header() {
    let rows: String = (10..40).map(|row| format!("<tr><th> Name {row} <td> {row} ")).collect();
    let expected: Vec<String> = (10..40).map(|row| format!("Name {row} | {row}")).collect();
    let texts = small_chunks(format!("<table>{rows}</table>"));
    assert!(texts.len() > 5);
    assert_eq!(texts.join("\n"), expected.join("\n"));
}

#[test]
fn each_of_adjacent_tables_has_its_header() {
    let table = |head: &str, cell: &str| {
        let rows = format!("<tr><td>{cell}<td>1").repeat(30);
        format!("<table><tr><th>{head}<th>Count{rows}</table>")
    };
    let texts = small_chunks(table("City", "Bonn") + &table("Fruit", "pear"));
    let pears: Vec<_> = texts.iter().filter(|text| text.contains("pear")).collect();
    assert!(pears.len() > 3);
    for text in pears.iter().skip(1) {
        assert!(text.starts_with("Fruit | Count\npear | 1\n"), "{text}");
    }
}

#[test]
fn a_table_mark_cannot_be_forged() {
    assert_eq!(text("<p>a&#xfdd1;b&#xfdd2;c"), "abc");
}

#[test]
fn content_between_the_entries_of_a_list_is_kept() {
    assert_eq!(text("<dl>loose<dt>term<dd>definition</dl>"), "loose\nterm\n  definition");
    assert_eq!(text("<dl><div><dt>term<dd>definition</div></dl>"), "term\n  definition");
    assert_eq!(text("<ol>loose<p>more<li>item</ol>"), "1. loose\n2. more\n3. item");
}

#[test]
fn a_heading_mark_cannot_be_forged() {
    assert_eq!(paths("<h1>A</h1><p># &#xfdd0;Forged</p>"), ["A"]);
}

#[test]
fn a_heading_without_end_ends_at_the_next_block() {
    assert_eq!(paths("<h1>A<p>b<ul><li>x</ul><h2>C</h2>y"), ["A b", "A b > C"]);
    assert_eq!(text("<h1>A<ul><li>x</ul>"), "# A\n* x");
}

#[test]
fn lines_are_not_wrapped_and_code_keeps_line_breaks() {
    let long = "word ".repeat(500);
    assert_eq!(text(&format!("<p>{long}</p>")), long.trim());
    assert_eq!(
        text("<pre># comment\n  <b>let</b> a = 1;\n\nend</pre>"),
        "# comment\n  let a = 1;\n\nend"
    );
}

#[test]
fn text_resembling_headings_is_not_a_heading() {
    assert_eq!(
        paths(
            "<h1>A</h1><pre># comment</pre><p># words</p><blockquote><h2>quoted</h2>x</blockquote>"
        ),
        ["A"]
    );
}

#[test]
fn lists_and_table_rows_keep_their_structure() {
    assert_eq!(text("<ul><li>one<li>two<ol><li>inner</ol></ul>"), "* one\n* two\n  1. inner");
    assert_eq!(
        text("<table><tr><th>Engine<th>Year<tr><td>Bing<td>2009</table>"),
        "Engine | Year\nBing | 2009"
    );
}

#[test]
fn unclosed_tags_do_not_add_depth() {
    let items = "<li>a<p>b".repeat(2000);
    let rows = "<tr><td>a<td><b><font color=red>b".repeat(2000);
    let page = format!("<h1>T</h1><ul>{items}</ul><table>{rows}</table>");
    assert_eq!(paths(&page).first().map(String::as_str), Some("T"));
}

#[test]
fn nesting_that_is_too_deep_is_refused() {
    for (depth, is_fine) in [(MAX_HTML_DEPTH, true), (MAX_HTML_DEPTH + 1, false), (200_000, false)]
    {
        let document = Document::html("deep", "<div>".repeat(depth) + "x");
        let result = Chunker::default().chunk(&document).map(|chunked| chunked.chunks.len());
        match result {
            Ok(count) => assert!(is_fine && count == 1, "{depth}"),
            Err(error) => {
                assert!(!is_fine, "{depth}");
                assert_eq!(*error.kind(), ErrorKind::invalid_record("deep"));
                assert_eq!(
                    error.message(),
                    "`deep` is HTML with elements nested too deeply; expected 512"
                );
            }
        }
    }
}

#[test]
fn hostile_markup_is_read_or_refused() {
    // Quadratic in parsers that keep open elements.
    let pieces = [
        ("<!--", ""),
        ("<a href='", "x"),
        ("</p>", "x"),
        ("<p><button>", "x"),
        // As in browsers, an unclosed title swallows the page.
        ("<title>", ""),
        ("<li>", "x"),
    ];
    for (piece, expected) in pieces {
        let document = Document::html("hostile", piece.repeat(50_000) + "<p>x");
        let chunked = Chunker::default().chunk(&document).unwrap();
        assert_eq!(chunked.text.trim(), expected, "{piece}");
    }
    for refused in ["<svg>", "<table><tr><td></div>", "<b id=1>"] {
        let document = Document::html("hostile", refused.repeat(50_000));
        assert!(Chunker::default().chunk(&document).is_err(), "{refused}");
    }
}
