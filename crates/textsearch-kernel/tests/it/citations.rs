//! Detection of citations.

use proptest::prelude::*;
use textsearch_kernel::{
    citations::{Citation, CitationKind, Sources, check_citations},
    textsearch_core::TextSearchResult,
};

/// The second has no link.
fn sources() -> Sources {
    let results = [
        TextSearchResult::new("a").with_link("https://example.com/a"),
        TextSearchResult::new("b"),
        TextSearchResult::new("c").with_link("docs/c.md"),
    ];
    results.iter().collect()
}

/// Kind, target and source.
fn check(answer: &str) -> Vec<(CitationKind, String, Option<usize>)> {
    let citations = check_citations(answer, &sources());
    citations
        .into_iter()
        .map(|Citation { kind, target, source, .. }| (kind, target, source))
        .collect()
}

/// Target and source.
fn targets(answer: &str) -> Vec<(String, Option<usize>)> {
    check(answer).into_iter().map(|(_, target, source)| (target, source)).collect()
}

fn single(
    kind: CitationKind,
    target: &str,
    source: Option<usize>,
) -> Vec<(CitationKind, String, Option<usize>)> {
    vec![(kind, target.to_owned(), source)]
}

#[test]
fn a_link_is_supported_by_the_source_with_this_link() {
    let citations = check("See [the page](https://example.com/a \"A title\").");
    assert_eq!(citations, single(CitationKind::Link, "https://example.com/a", Some(1)));
    let citations = check("See [the page](https://evil.example/a).");
    assert_eq!(citations, single(CitationKind::Link, "https://evil.example/a", None));
    assert_eq!(check("[c](docs/c.md#part)"), single(CitationKind::Link, "docs/c.md#part", Some(3)));
}

#[test]
fn a_link_with_a_fragment_refers_to_that_part() {
    let links =
        ["docs/c.md#one", "docs/c.md#two", "https://a/b#one", "https://a/b", "https://a/b/#two"];
    let results = links.map(|link| TextSearchResult::new("x").with_link(link));
    let sources: Sources = results.iter().collect();
    let source = |link: &str| check_citations(&format!("[x]({link})"), &sources)[0].source;
    assert_eq!(source("docs/c.md#one"), Some(1));
    assert_eq!(source("./docs/c.md#two"), Some(2));
    assert_eq!(source("docs/c.md#three"), Some(1));
    assert_eq!(source("docs/c.md"), Some(1));
    assert_eq!(source("http://A/b/#one"), Some(3));
    assert_eq!(source("https://a/b#two"), Some(5));
    assert_eq!(source("https://a/b"), Some(4));
    assert_eq!(source("https://a/b#three"), Some(4));
    assert_eq!(source("https://a/c#one"), None);
}

#[test]
fn the_text_of_a_link_does_not_count() {
    for answer in [
        "[https://example.com/a](https://evil.example)",
        "[1](https://evil.example)",
        "[[1]](https://evil.example)",
        "[a [b] c](https://evil.example)",
    ] {
        assert_eq!(
            check(answer),
            single(CitationKind::Link, "https://evil.example", None),
            "{answer}"
        );
    }
}

#[test]
fn reference_links_lead_to_their_definitions() {
    let answer = "See [the page][p], [p] and [p][].\n\n[p]: https://example.com/a\n";
    assert_eq!(targets(answer), vec![("https://example.com/a".to_owned(), Some(1)); 3]);
    let answer = "See [1].\n\n[1]: https://evil.example\n";
    assert_eq!(check(answer), single(CitationKind::Link, "https://evil.example", None));
}

#[test]
fn bare_links_and_those_in_angle_brackets_count() {
    for answer in [
        "See https://example.com/a.",
        "(https://example.com/a)",
        "<https://example.com/a>",
        "**https://example.com/a**",
        "https://example.com/a, and more",
    ] {
        assert_eq!(
            check(answer),
            single(CitationKind::Url, "https://example.com/a", Some(1)),
            "{answer}"
        );
    }
}

#[test]
fn an_image_is_a_citation_too() {
    let citations = check("![x](https://evil.example/?q=secret)");
    assert_eq!(citations, single(CitationKind::Image, "https://evil.example/?q=secret", None));
}

#[test]
fn numbers_count_between_tags() {
    assert_eq!(check("<div>[9]</div>"), single(CitationKind::Number, "9", None));
    assert_eq!(check("<b>[9]</b>"), single(CitationKind::Number, "9", None));
}

#[test]
fn a_host_without_a_scheme_counts_if_rendered_as_link() {
    assert_eq!(
        check("See www.evil.example/x."),
        single(CitationKind::Url, "www.evil.example/x", None)
    );
    assert_eq!(check("Node.js and e.g. this"), []);
    let results = [TextSearchResult::new("a").with_link("https://www.example.com/a")];
    let citations = check_citations("WWW.example.com/a", &results.iter().collect());
    assert_eq!(citations[0].source, Some(1));
}

#[test]
fn links_to_no_page_are_never_supported() {
    let links = ["/", "javascript:alert(1)", "data:text/html,x"];
    let results = links.map(|link| TextSearchResult::new("a").with_link(link));
    let sources: Sources = results.iter().collect();
    for answer in ["[x]()", "[x](/)", "[x](javascript:alert(1)#y)", "[x](data:text/html,x)"] {
        let [citation] = check_citations(answer, &sources).try_into().unwrap();
        assert!(!citation.is_supported(), "{answer}");
    }
}

#[test]
fn a_number_up_to_the_source_count_is_supported() {
    assert_eq!(check("It is so [2]."), single(CitationKind::Number, "2", Some(2)));
    assert_eq!(check("It is so[4]."), single(CitationKind::Number, "4", None));
    assert_eq!(check("It is so [0]."), single(CitationKind::Number, "0", None));
    let large = "99999999999999999999999999";
    assert_eq!(check(&format!("[{large}]")), single(CitationKind::Number, large, None));
}

#[test]
fn adjacent_numbers_count_separately() {
    let expected = [("1".to_owned(), Some(1)), ("2".to_owned(), Some(2))];
    for answer in ["[1][2]", "[1, 2]", "[1,2]", "[1; 2]", "[1-2]", "[1–2]", "[1] [2]"] {
        assert_eq!(targets(answer), expected, "{answer}");
    }
}

#[test]
fn numbers_in_brackets_of_other_kinds_count() {
    for answer in ["【2】", "【2†source】", "【2†L3-L5】", "[2†source]", "It is so【2】."]
    {
        assert_eq!(check(answer), single(CitationKind::Number, "2", Some(2)), "{answer}");
    }
    let expected = [("1".to_owned(), Some(1)), ("4".to_owned(), None)];
    for answer in ["【1】【4】", "【1, 4】", "【1†a】 [4]"] {
        assert_eq!(targets(answer), expected, "{answer}");
    }
    assert_eq!(check("【4:0†source】"), single(CitationKind::Number, "4:0", None));
}

#[test]
fn brackets_do_not_close_in_another_paragraph() {
    for answer in ["[1,\n\n2]", "- [1,\n- 2]", "[`1`]", "[1, ![2](#a)]"] {
        assert_eq!(
            check(answer).iter().filter(|citation| citation.0 == CitationKind::Number).count(),
            0,
            "{answer}"
        );
    }
}

#[test]
fn a_range_beyond_the_last_source_is_partly_supported() {
    let expected =
        [("2".to_owned(), Some(2)), ("3".to_owned(), Some(3)), ("2-1000000000".to_owned(), None)];
    assert_eq!(targets("[2-1000000000]"), expected);
    assert_eq!(targets("[3-1]"), [("3-1".to_owned(), None)]);
    assert_eq!(targets("[0-1]"), [("0-1".to_owned(), None)]);
}

#[test]
fn too_wide_a_range_is_not_expanded() {
    let results =
        (0..50).map(|number| TextSearchResult::new("x").with_link(format!("https://a/{number}")));
    let results: Vec<_> = results.collect();
    let sources: Sources = results.iter().collect();
    assert_eq!(check_citations("[1-20]", &sources).len(), 20);
    let citations = check_citations("[1-21]", &sources);
    assert_eq!(citations.len(), 1);
    assert!(!citations[0].is_supported());
}

#[test]
fn other_brackets_are_no_citations() {
    for answer in [
        "[x]",
        "[ ]",
        "[]",
        "[1a]",
        "[a, 1]",
        "[1.5]",
        "[-1]",
        "- [x] done",
        "[1",
        "1]",
        "【注意】",
        "[1】",
        "【1]",
        "[a†b]",
    ] {
        assert_eq!(check(answer), [], "{answer}");
    }
}

#[test]
fn code_does_not_count() {
    let answers = [
        "`[1](https://evil.example)`",
        "```\nhttps://evil.example [1]\n```",
        "~~~jsx\n<a href=\"https://evil.example\">\n~~~",
        "    array[1] = \"https://evil.example\"",
    ];
    for answer in answers {
        assert_eq!(check(answer), [], "{answer}");
    }
}

#[test]
fn a_footnote_takes_support_from_its_definition() {
    let answer = "It is so.[^a]\n\n[^a]: The page, <https://example.com/a>.\n";
    let [footnote, link] = check_citations(answer, &sources()).try_into().unwrap();
    assert_eq!((footnote.kind, footnote.source), (CitationKind::Footnote, Some(1)));
    assert_eq!((link.kind, link.source), (CitationKind::Url, Some(1)));

    let answer = "It is so.[^1]\n\n[^1]: https://evil.example\n";
    assert_eq!(
        targets(answer),
        [("1".to_owned(), None), ("https://evil.example".to_owned(), None)]
    );
}

#[test]
fn a_footnote_with_an_unknown_citation_is_unsupported() {
    for definition in ["https://evil.example, as in [1]", "[1] and [x](//evil.example)"] {
        let answer = format!("It is so.[^a]\n\n[^a]: {definition}\n");
        assert_eq!(targets(&answer)[0], ("a".to_owned(), None), "{definition}");
    }
    let both = "It is so.[^a]\n\n[^a]: [2] and https://example.com/a\n";
    assert_eq!(targets(both)[0], ("a".to_owned(), Some(2)));
}

#[test]
fn a_footnote_without_a_definition_counts_by_number() {
    assert_eq!(check("It is so.[^2]"), single(CitationKind::Footnote, "2", Some(2)));
    assert_eq!(check("It is so.[^9]"), single(CitationKind::Footnote, "9", None));
}

#[test]
fn a_definition_in_plain_words_is_no_support() {
    for definition in ["Smith 2019", "The first page.", "", "`Smith`", "a b"] {
        let answer = format!("It is so.[^1]\n\n[^1]: {definition}\n");
        assert_eq!(check(&answer), single(CitationKind::Footnote, "1", None), "{definition}");
    }
}

#[test]
fn a_definition_that_names_a_source_is_support() {
    let results = [
        TextSearchResult::new("a").with_name("A guide").with_link("docs/a.md#one"),
        TextSearchResult::new("b").with_name("Another guide").with_link("docs/b b.md"),
        TextSearchResult::new("c").with_name("A guide").with_link("docs/a.md#three"),
        TextSearchResult::new("d").with_name(" ."),
    ];
    let sources: Sources = results.iter().collect();
    let source = |label: &str, definition: &str| {
        let answer = format!("It is so.[^{label}]\n\n[^{label}]: {definition}\n");
        let [citation] = check_citations(&answer, &sources).try_into().unwrap();
        citation.source
    };
    assert_eq!(source("x", "Another guide"), Some(2));
    assert_eq!(source("1", "\"*Another* guide\"."), Some(2));
    assert_eq!(source("x", "A guide"), Some(1));
    assert_eq!(source("3", "A guide"), Some(3));
    assert_eq!(source("x", "(docs/a.md#three)."), Some(3));
    assert_eq!(source("x", "`docs/a.md`"), Some(1));
    assert_eq!(source("x", "docs/b b.md"), Some(2));
    assert_eq!(source("1", "A guide to something else"), None);
    assert_eq!(source("4", "."), None);
}

#[test]
fn email_addresses_and_internal_links_do_not_count() {
    assert_eq!(check("<ada@example.com> and [above](#above)"), []);
}

#[test]
fn a_citation_has_its_position() {
    let answer = "Naïve: [1] and [x](https://evil.example).";
    let citations = check_citations(answer, &sources());
    let written: Vec<&str> =
        citations.iter().map(|citation| &answer[citation.range.clone()]).collect();
    assert_eq!(written, ["[1]", "[x](https://evil.example)"]);
    let answer = "Naïve *and* [1, 2], or 【3†é】 [1]";
    let citations = check_citations(answer, &sources());
    let written: Vec<&str> =
        citations.iter().map(|citation| &answer[citation.range.clone()]).collect();
    assert_eq!(written, ["[1, 2]", "[1, 2]", "【3†é】", "[1]"]);
}

#[test]
fn without_sources_nothing_is_supported() {
    let citations = check_citations("[1] https://example.com/a", &Sources::new());
    assert_eq!(citations.len(), 2);
    assert!(citations.iter().all(|citation| !citation.is_supported()));
}

proptest! {
    #[test]
    fn any_answer_is_read(answer in r#"[\[\]()^!<>`*_#:,\-/.1-9a h\n"【】†]{0,80}"#) {
        for citation in check_citations(&answer, &sources()) {
            prop_assert!(answer.get(citation.range).is_some());
        }
    }
}
