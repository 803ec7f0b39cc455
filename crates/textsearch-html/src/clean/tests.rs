//! Properties of cleaning that hold for every page.

use dom_query::NodeRef;
use html5ever::{ns, tendril::TendrilSink};
use proptest::prelude::*;
use textsearch_conformance::{assert_linear, with_each_depth};

use super::*;

const DEPTH: usize = 512;
const ELEMENTS: usize = 100_000;

fn text(html: &str) -> Result<String, Excess> {
    let mut seen = String::new();
    clean(html, &Limits::default(), &mut |piece| {
        if let Piece::Text(text) = piece {
            seen.extend([text, " "]);
        }
    })?;
    Ok(seen)
}

#[test]
fn depth_and_number_of_elements_are_limited() {
    assert_eq!(text(&"<div>".repeat(DEPTH)).map(|_| ()), Ok(()));
    assert_eq!(text(&"<div>".repeat(DEPTH + 1)), Err(Excess::Depth(DEPTH)));
    assert_eq!(text(&"<svg>".repeat(DEPTH + 1)), Err(Excess::Depth(DEPTH)));
    assert_eq!(text(&"<span><table><td></span>".repeat(DEPTH)), Err(Excess::Depth(DEPTH)));
    assert_eq!(text(&"<p>".repeat(ELEMENTS + 1)), Err(Excess::Elements(ELEMENTS)));
    let deep = "<div>".repeat(DEPTH - 1);
    for element in ["<br>", "</p>"] {
        let page = format!("{deep}{}", element.repeat(ELEMENTS / 2));
        assert_eq!(text(&page), Err(Excess::Work(4_000_000)));
    }
    assert_eq!(text(&"<b id=1>".repeat(ELEMENTS / 2)), Err(Excess::Misnested));
}

#[test]
fn pages_nest_to_any_depth() {
    with_each_depth(256 << 10, |depth| {
        for (start, end) in [
            ("<div>", "</div>"),
            ("<b>", ""),
            ("<table><td>", ""),
            ("<svg><a>", ""),
            ("<template>", "</template>"),
            ("<p><b>", "</p>"),
            ("<!--", "-->"),
        ] {
            drop(text(&format!("{}x{}", start.repeat(depth), end.repeat(depth))));
        }
        for (start, end) in [("(", ")"), ("a(", ")"), ("[", "]"), ("{", "}"), ("a:b;{", "}")] {
            let style = format!("width:{}1{}", start.repeat(depth), end.repeat(depth));
            drop(text(&format!("<p style='{style}'>x")));
        }
    });
}

#[test]
fn what_browsers_hide_is_hidden() {
    for html in [
        "<!--><div hidden><!-- -->SECRET</div>",
        "<!---><div hidden><!-- -->SECRET</div>",
        "<!-- x --!><div hidden><!-- -->SECRET</div>",
        "<span hidden><div></span>SECRET</div></span>",
        "<span hidden><p></span>SECRET</p></span>",
        "<p><b hidden>x</p>SECRET",
        "<p><em style='display:none'>x</p><p>SECRET",
        "<p style='display&colon;&#110;on&#x65'>SECRET",
        "<p style='display:/&midast;x&midast;/none'>SECRET",
        "<p><b hidden id=1><b id=2><b id=3><b id=4><b id=5></p></b></b></b></b>SECRET",
        "<a href=/x>y<a href=/z hidden>SECRET</a></a>",
        "<p hidden><x-y>SECRET",
        "<p hidden><legend>SECRET",
        "<p hidden><td>SECRET",
        "<p hidden><option>SECRET",
        "<p hidden><button><div>SECRET",
        "<p hidden><marquee><div>SECRET",
        "<p hidden><button></p>SECRET",
        "<p hidden><table><tr><td>SECRET",
        "<h1 hidden><b><h2>SECRET",
        "<ul><li hidden><section><li>SECRET",
        "<dl><dd hidden><section><dt>SECRET",
        "<ul><li hidden><ul></li>SECRET",
        "<div hidden><object></div>SECRET",
        "<form hidden><div></form>SECRET</div>",
        "<table><caption hidden><table></caption>SECRET</table></caption></table>",
        "<svg><style></svg><div hidden></style></svg>SECRET</div>",
        "<svg><title></svg><div hidden></title></svg>SECRET</div>",
        "<svg><textarea></svg><div hidden></textarea></svg>SECRET</div>",
        "<svg><![CDATA[></svg>SECRET]]></svg>",
        "<noscript><!-- </noscript><div hidden> --></noscript>SECRET</div>",
        "<script><!--<script></script>SECRET--></script>",
        "<meter>SECRET</meter>",
        "<progress>SECRET</progress>",
        "<object data='data:text/html,x'>SECRET</object>",
        "<div hidden=until-found>SECRET</div>",
        "<title>SECRET</title>",
        "<p>x<title>SECRET</title>",
        "<script type='application/ld+json'>\"SECRET\"</script>",
        "<math><annotation-xml encoding=text/html><p>SECRET",
        "<frameset>SECRET",
    ] {
        assert!(!text(html).unwrap().contains("SECRET"), "{html}");
    }
}

#[test]
fn text_after_self_closing_pictures_is_kept() {
    for html in ["x<svg/>SEEN", "x<math/>SEEN", "<p hidden><p>SEEN", "<b hidden>x</b>SEEN"] {
        assert!(text(html).unwrap().contains("SEEN"), "{html}");
    }
}

#[test]
fn the_first_title_is_the_title() {
    let mut titles = Vec::new();
    let page = "<svg><title>a</title></svg><title>b &amp; c</title><title>d</title>";
    clean(page, &Limits::default(), &mut |piece| {
        if let Piece::Raw("title", _, title) = piece {
            titles.push(title.to_owned());
        }
    })
    .unwrap();
    assert_eq!(titles, ["b & c"]);
}

fn is_well_nested(html: &str) -> bool {
    let mut open = Vec::new();
    let mut is_nested = true;
    clean(html, &Limits::default(), &mut |piece| match piece {
        Piece::Start(start) => open.push(start.name),
        Piece::End(name) => is_nested &= open.pop() == Some(name),
        Piece::Void(..) | Piece::Raw(..) | Piece::Text(_) => {}
    })
    .unwrap();
    is_nested && open.is_empty()
}

/// Adds the text that browsers show, according to `html5ever` and `dom_query`.
fn add_shown(node: &NodeRef<'_>, shown: &mut String) {
    const HIDDEN: &[&str] = &[
        "iframe", "noscript", "object", "script", "select", "style", "template", "textarea",
        "title", "xmp",
    ];
    if node.is_text() {
        shown.push_str(&node.text());
    }
    let is_hidden = node.qual_name_ref().is_some_and(|name| {
        // Scripts reveal whole pages, so the body is never hidden.
        let has_mark = node.has_attr("hidden") && !matches!(&*name.local, "html" | "body");
        name.ns != ns!(html) || HIDDEN.contains(&&*name.local) || has_mark
    });
    if !is_hidden {
        node.children_it(false).for_each(|child| add_shown(&child, shown));
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Tags that close others, are reopened, or change how the rest is read.
fn soup() -> impl Strategy<Value = String> {
    let names = "div|p|ul|li|dd|table|caption|tr|td|span|a|b|i|h1|h2|svg|math|mi|desc|foreignObject\
                 |template|style|script|noscript|select|option|button|object|form|textarea|title\
                 |section|x-y|xmp|body|frameset";
    let tag = format!("</?({names})( href=x| hidden| id=[12]| class='\"')?/?>");
    let part =
        format!("{tag}|[a-z]{{1,3}}|<!--|-->|--!>|<!-->|<!\\[CDATA\\[|\\]\\]>|<|&amp;|\\PC| ");
    proptest::collection::vec(proptest::string::string_regex(&part).unwrap(), 0..60)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_tag_soup_becomes_well_nested(soup in soup()) {
        prop_assert!(is_well_nested(&soup));
    }

    #[test]
    fn exactly_what_browsers_show_is_kept(soup in soup()) {
        let page = html5ever::parse_document(dom_query::Document::default(), Default::default())
            .one(soup.as_str());
        let mut shown = String::new();
        add_shown(&page.root(), &mut shown);
        prop_assert_eq!(letters(&text(&soup).unwrap()), letters(&shown));
    }
}

#[track_caller]
fn assert_linear_page(before: &str, make: impl Fn(usize) -> String) {
    assert_linear(20_000, |size| {
        let mut page = before.to_owned();
        for number in 0.. {
            if page.len() >= size {
                break;
            }
            page.push_str(&make(number));
        }
        let limits = Limits { max_elements: usize::MAX, ..Limits::default() };
        // The page may exceed a limit.
        let _result = clean(&page, &limits, &mut |_| {});
    });
}

#[test]
fn attributes_take_linear_time() {
    assert_linear_page("<p ", |number| format!("a{number} "));
    assert_linear_page("<b ", |number| format!("a{number}=x "));
    assert_linear_page("<html>", |number| format!("<html a{number}>"));
    assert_linear_page("<p style='", |_| "a:b(c;".to_owned());
}

#[test]
fn deep_nesting_takes_linear_time() {
    let deep = "<div>".repeat(DEPTH - 2);
    for part in ["<p>", "</p>", "<li>", "</x>", "<b>", "<td>", "<br>"] {
        assert_linear_page(&deep, |_| part.to_owned());
        assert_linear_page("", |_| part.to_owned());
    }
}

#[test]
fn unclosed_formatting_takes_linear_time() {
    for part in ["", "</p>x", "<p>x", "</b>", "<table>"] {
        assert_linear_page("<p>", |number| format!("<b id={number}>{part}"));
        assert_linear_page("<p>", |number| format!("<a href={number}>{part}"));
    }
    let open: String = (0..400).map(|number| format!("<b id={number}>")).collect();
    for part in ["<p>x", "<b id=x></b>", "</i>", "<i></b>"] {
        assert_linear_page(&format!("<p>{open}"), |_| part.to_owned());
        assert_linear_page(&format!("<p>{open}</p>"), |_| part.to_owned());
    }
}

#[test]
fn misnested_tables_take_linear_time() {
    for part in [
        "<table>x",
        "<table><b>",
        "<table><td>",
        "<table><tr><p>",
        "<table></p>",
        "<table><a href=x>",
        "<table></table>x<b>",
    ] {
        assert_linear_page("", |_| part.to_owned());
    }
    assert_linear_page("<table>", |_| "<b>x</b>".to_owned());
    assert_linear_page("<table>", |_| "x<i>".to_owned());
    assert_linear_page("<table>", |_| "x<br>".to_owned());
}

#[test]
fn unknown_names_and_raw_text_take_linear_time() {
    assert_linear_page("", |number| format!("<unknown{number}>"));
    assert_linear_page("", |number| format!("<x-{number}-y></x-{number}-y>"));
    for part in ["<title>", "<!--", "<script><!--", "<svg><![CDATA[", "</script", "&am", "\0"] {
        assert_linear_page("", |_| part.to_owned());
    }
}
