use std::time::{Duration, Instant};

use textsearch_core::{
    ErrorKind, Result,
    vector::{EmbeddingGenerator, EmbeddingSettings, Embeddings},
};
use textsearch_documents::{
    Chunk, Chunker, ChunkerConfig, Document, DocumentFormat, Locator, Section,
};

pub(crate) fn sizes(max_characters: usize, overlap_characters: usize) -> ChunkerConfig {
    let mut config = ChunkerConfig::default();
    config.max_characters = max_characters;
    config.overlap_characters = overlap_characters;
    config
}

fn chunker(max_characters: usize, overlap_characters: usize) -> Chunker {
    Chunker::new(sizes(max_characters, overlap_characters)).unwrap()
}

fn chunks(chunker: &Chunker, document: &Document) -> Vec<Chunk> {
    chunker.chunk(document).unwrap().chunks
}

fn texts(chunks: &[Chunk]) -> Vec<&str> {
    chunks.iter().map(|chunk| chunk.text.as_str()).collect()
}

#[test]
fn chunk_has_index_range_and_heading_path() {
    let text = "# Guide\n\nHello.\n\n## Install\n\nRun it.\n\n### Linux\n\nUse the package.\n\n## Use\n\nSearch.\n";
    let pieces = chunks(&Chunker::default(), &Document::markdown("guide", text));
    let paths: Vec<String> = pieces.iter().map(|chunk| chunk.heading_path.join(" > ")).collect();
    assert_eq!(paths, ["Guide", "Guide > Install", "Guide > Install > Linux", "Guide > Use"]);
    assert_eq!(
        texts(&pieces),
        [
            "# Guide\n\nHello.",
            "## Install\n\nRun it.",
            "### Linux\n\nUse the package.",
            "## Use\n\nSearch."
        ],
    );
    let places: Vec<_> = pieces.iter().map(|chunk| (chunk.index, chunk.range.clone())).collect();
    assert_eq!(places, [(0, 0..15), (1, 17..36), (2, 38..65), (3, 67..82)]);
    assert!(pieces.iter().all(|chunk| chunk.document_id == "guide"));
}

#[test]
fn ranges_count_characters_and_not_bytes() {
    let pieces = chunks(&Chunker::default(), &Document::markdown("a", "# 指南\n\né👩‍👩‍👧\n\n# Z\n\nz"));
    let ranges: Vec<_> = pieces.iter().map(|chunk| chunk.range.clone()).collect();
    assert_eq!(ranges, [0..12, 14..20]);
}

#[test]
fn an_anchor_leads_to_the_section_as_on_github() {
    let text = "before\n\n# Guide\n\na\n\n## What's *new*?\n\nb\n\n# Guide\n\nc\n";
    let pieces = chunks(&Chunker::default(), &Document::markdown("a", text));
    let anchors: Vec<_> = pieces.iter().map(|chunk| chunk.anchor.as_deref()).collect();
    assert_eq!(anchors, [None, Some("guide"), Some("whats-new"), Some("guide-1")]);
}

#[test]
fn headings_in_code_are_ignored() {
    let text = "Title\n=====\n\n```sh\n# not a heading\n```\n\nPart\n----\n\n    # nor this\n";
    let pieces = chunks(&Chunker::default(), &Document::markdown("a", text));
    let paths: Vec<String> = pieces.iter().map(|chunk| chunk.heading_path.join(" > ")).collect();
    assert_eq!(paths, ["Title", "Title > Part"]);
    assert!(pieces[0].text.contains("# not a heading"));
}

#[test]
fn front_matter_gives_the_name_and_is_no_text() {
    let document = Document::markdown(
        "a",
        "---\ntitle: \"The *guide*\"\ndraft: no\n---\n\n# Install\n\nRun it.\n",
    );
    let chunked = Chunker::default().chunk(&document).unwrap();
    assert_eq!(chunked.name.as_deref(), Some("The *guide*"));
    assert_eq!(texts(&chunked.chunks), ["# Install\n\nRun it."]);
    let named = document.with_name("Given");
    assert_eq!(Chunker::default().chunk(&named).unwrap().name.as_deref(), Some("Given"));
}

#[test]
fn highest_heading_is_the_default_name() {
    let document = Document::markdown("a", "## Before\n\nx\n\n# The guide\n\ny\n");
    assert_eq!(Chunker::default().chunk(&document).unwrap().name.as_deref(), Some("The guide"));
    let document = Document::plain_text("a", "# no heading here");
    assert_eq!(Chunker::default().chunk(&document).unwrap().name, None);
}

#[test]
fn empty_sections_and_empty_documents_yield_no_chunks() {
    let pieces = chunks(
        &Chunker::default(),
        &Document::markdown("a", "# Guide\n\n## Install\n\nRun it.\n\n## Empty\n"),
    );
    assert_eq!(texts(&pieces), ["# Guide\n\n## Install\n\nRun it."]);
    for text in ["", " \n\n", "---\ntitle: a\n---\n"] {
        assert_eq!(chunks(&Chunker::default(), &Document::markdown("a", text)), [], "{text:?}");
    }
}

#[test]
fn paragraph_followed_by_a_rule_is_kept() {
    let pieces =
        chunks(&Chunker::default(), &Document::markdown("a", "Some words.\n---\n# Next\n\nx\n"));
    assert_eq!(texts(&pieces), ["Some words.\n---", "# Next\n\nx"]);
}

#[test]
fn document_with_only_headings_is_kept() {
    let pieces = chunks(&Chunker::default(), &Document::markdown("a", "# One\n# Two\n"));
    assert_eq!(texts(&pieces), ["# One\n# Two"]);
}

#[test]
fn long_sections_are_cut_between_blocks_if_half_full() {
    let text = "# A\n\nFirst paragraph here.\n\nSecond paragraph here.\n\nThird one.\n";
    let pieces = chunks(&chunker(50, 0), &Document::markdown("a", text));
    assert_eq!(
        texts(&pieces),
        ["# A\n\nFirst paragraph here.", "Second paragraph here.\n\nThird one."]
    );
}

#[test]
fn a_long_paragraph_is_cut_between_sentences() {
    let text = "The first sentence is this. The second, e.g. this one, follows. A third ends it.";
    for document in [Document::plain_text("a", text), Document::markdown("a", text)] {
        let pieces = chunks(&chunker(70, 0), &document);
        let expected =
            ["The first sentence is this. The second, e.g. this one, follows.", "A third ends it."];
        assert_eq!(texts(&pieces), expected);
    }
}

#[test]
fn a_list_is_cut_between_items_and_code_between_lines() {
    let list = "- first item of it\n- second item of it\n- third\n";
    let pieces = chunks(&chunker(40, 0), &Document::markdown("a", list));
    assert_eq!(texts(&pieces), ["- first item of it\n- second item of it", "- third"]);
    let code = "```\nlet a = 1. + b;\nlet c = 2. + d;\nlet e = 3;\n```\n";
    let pieces = chunks(&chunker(40, 0), &Document::markdown("a", code));
    assert_eq!(
        texts(&pieces),
        ["```\nlet a = 1. + b;\nlet c = 2. + d;\n```", "```\nlet e = 3;\n```"]
    );
    let own: Vec<_> = pieces.iter().map(Chunk::own_text).collect();
    assert_eq!(own, ["```\nlet a = 1. + b;\nlet c = 2. + d;", "let e = 3;\n```"]);
    assert_eq!(pieces[1].range, 36..50);
}

#[test]
fn code_that_a_chunk_can_hold_is_not_divided() {
    let code = "~~~ rust\nlet a = 1;\n\nlet b = 2;\n~~~";
    let text = format!("Some words before it.\n\n{code}\n\nSome words after it.\n");
    let pieces = chunks(&chunker(44, 0), &Document::markdown("a", text));
    assert_eq!(texts(&pieces), ["Some words before it.", code, "Some words after it."]);
    let overlapping = chunks(&chunker(44, 20), &Document::markdown("a", pieces[0].text.clone()));
    assert_eq!(texts(&overlapping), ["Some words before it."]);
}

#[test]
fn an_overlap_divides_no_code() {
    let code = "```\nlet a = 1;\nlet b = 2;\nlet c = 3;\n```";
    let text = format!("Some words before. And some more.\n\n{code}\n");
    let pieces = chunks(&chunker(45, 20), &Document::markdown("a", text));
    assert_eq!(texts(&pieces), ["Some words before. And some more.", code]);
}

#[test]
fn parts_of_a_markdown_table_begin_with_its_header() {
    let table = "| City | State |\n|---|---|\n| Bonn | NRW |\n| Cologne | NRW |\n| Bremen | HB |\n";
    let pieces = chunks(&chunker(64, 0), &Document::markdown("a", table));
    let header = "| City | State |\n|---|---|\n";
    let rows = ["| Bonn | NRW |\n| Cologne | NRW |", "| Bremen | HB |"];
    assert_eq!(texts(&pieces), rows.map(|rows| format!("{header}{rows}")));
    assert_eq!(pieces[1].own_text(), "| Bremen | HB |");
}

#[test]
fn a_row_that_a_chunk_can_hold_is_not_divided() {
    let rows = ["Short. Row".to_owned(), "Two. ".repeat(12) + "end", "Six. ".repeat(12) + "end"];
    let document = Document::new("a", DocumentFormat::Lines, rows.join("\n"));
    for overlap in [0, 30] {
        assert_eq!(texts(&chunks(&chunker(70, overlap), &document)), rows, "{overlap}");
    }
}

#[test]
fn a_long_header_is_not_repeated() {
    let table = format!("| {} | b |\n|---|---|\n{}", "a".repeat(40), "| 1 | 2 |\n".repeat(10));
    let pieces = chunks(&chunker(64, 0), &Document::markdown("a", table));
    assert_eq!(pieces[1].text, pieces[1].own_text());
}

#[test]
fn parts_of_a_located_table_begin_with_its_header() {
    let mut document = Document::new("a.csv", DocumentFormat::Lines, "");
    let rows = |first, header| Locator::Rows { sheet: None, first, columns: 2, header };
    document.push_section(rows(1, true), "City | State\nBonn | NRW\nCologne | NRW\n");
    document.push_section(rows(9, false), "Bremen | HB\nHamburg | HH\n");
    let pieces = chunks(&chunker(30, 0), &document);
    let expected =
        ["City | State\nBonn | NRW", "City | State\nCologne | NRW", "Bremen | HB\nHamburg | HH"];
    assert_eq!(texts(&pieces), expected);
    let anchors: Vec<_> = pieces.iter().map(|chunk| chunk.anchor.as_deref().unwrap()).collect();
    assert_eq!(anchors, ["A1:B2", "A3:B3", "A9:B10"]);
}

#[test]
fn overlap_repeats_whole_sentences_and_does_not_shrink_chunks() {
    let text = "One is here now. Two is here now. Three is it. Four is here now. Five is the end.";
    let pieces = chunks(&chunker(48, 20), &Document::plain_text("a", text));
    assert_eq!(
        texts(&pieces),
        [
            "One is here now. Two is here now. Three is it.",
            "Three is it. Four is here now. Five is the end.",
        ],
    );
}

#[test]
fn overlap_stays_in_its_section() {
    let text =
        "# A\n\nThe words of the first section.\n\n# B\n\nThe words of the second section.\n";
    let pieces = chunks(&chunker(60, 30), &Document::markdown("a", text));
    assert_eq!(pieces.len(), 2);
    assert_eq!(pieces[1].text, "# B\n\nThe words of the second section.");
}

#[test]
fn long_words_are_cut_between_grapheme_clusters() {
    let pieces = chunks(&chunker(16, 0), &Document::plain_text("a", "x".repeat(40)));
    assert_eq!(texts(&pieces), ["x".repeat(16), "x".repeat(16), "x".repeat(8)]);
    // Seven scalar values each.
    let pieces = chunks(&chunker(16, 0), &Document::plain_text("a", "👩‍👩‍👧‍👦".repeat(3)));
    assert_eq!(texts(&pieces), ["👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"]);
}

#[test]
fn impossible_sizes_are_refused() {
    for (max, overlap, option) in [(15, 0, "max_characters"), (100, 51, "overlap_characters")] {
        let error = Chunker::new(sizes(max, overlap)).unwrap_err();
        let ErrorKind::InvalidOptions { option: named, .. } = error.kind() else {
            panic!("{error}")
        };
        assert_eq!(named, option);
    }
}

fn page(number: usize) -> Locator {
    Locator::Fragment(format!("page={number}"))
}

#[test]
fn chunk_stays_on_its_page_below_the_headings() {
    let mut document = Document::plain_text("report", "");
    document.push_section(page(1), "Cover.\n");
    document.push_heading(1, "Results");
    document.text.push_str("They begin here\n");
    document.push_section(page(2), "and end here.\n");
    let pieces = chunks(&Chunker::default(), &document);
    assert_eq!(texts(&pieces), ["Cover.", "Results\nThey begin here", "and end here."]);
    let anchors: Vec<_> = pieces.iter().map(|chunk| chunk.anchor.as_deref().unwrap()).collect();
    assert_eq!(anchors, ["page=1", "page=1", "page=2"]);
    assert_eq!(pieces[2].heading_path, ["Results"]);
}

#[test]
fn lines_of_a_chunk_are_its_anchor() {
    let code = "use a;\n\nfn first() {\n    one();\n}\n\nfn second() {\n    two();\n}\n";
    let mut document = Document::new("a.rs", DocumentFormat::Lines, code);
    let locator = Some(Locator::Lines { first: 1 });
    document.sections = vec![Section { start: 0, heading: None, locator }];
    let pieces = chunks(&chunker(40, 0), &document);
    let anchors: Vec<_> = pieces.iter().map(|chunk| chunk.anchor.as_deref().unwrap()).collect();
    assert_eq!(anchors, ["L1-L5", "L7-L9"]);
    assert_eq!(pieces[1].text, "fn second() {\n    two();\n}");
}

#[test]
fn sections_out_of_order_are_refused() {
    for starts in [[2, 1].as_slice(), &[9], &[1]] {
        let mut document = Document::plain_text("a", "aäa");
        let section = |start: &usize| Section { start: *start, heading: None, locator: None };
        document.sections = starts.iter().map(section).collect();
        let result = Chunker::default().chunk(&document);
        let is_refused =
            matches!(result, Err(error) if matches!(error.kind(), ErrorKind::InvalidRecord { .. }));
        assert_eq!(is_refused, starts != [1], "{starts:?}");
    }
}

/// A token for every four letters of a word.
pub(crate) struct Counting(pub(crate) usize);

#[async_trait::async_trait]
impl EmbeddingGenerator for Counting {
    fn model_id(&self) -> &str {
        "counting"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    fn max_document_tokens(&self) -> Option<usize> {
        Some(self.0)
    }

    fn count_tokens(&self, text: &str) -> Option<usize> {
        let words = text.split_whitespace().map(|word| word.chars().count().div_ceil(4));
        Some(words.sum())
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        for text in texts {
            let tokens = self.count_tokens(text).unwrap();
            assert!(tokens <= self.0, "{tokens} tokens: {text}");
        }
        Ok(Embeddings::new(texts.iter().map(|_| [1.0, 0.0].into()).collect()))
    }
}

#[test]
fn model_embeds_title_and_text_of_each_chunk() {
    let text = "# Five is\n\nOne two six ten. Two six ten one. Six ten one two. Ten one two six.";
    let chunker = chunker(1200, 0).with_embedding_generator(Counting(16));
    let pieces = chunks(&chunker, &Document::markdown("a", text));
    let expected =
        ["# Five is\n\nOne two six ten. Two six ten one.", "Six ten one two. Ten one two six."];
    assert_eq!(texts(&pieces), expected);
    let chunker = Chunker::default().with_embedding_generator(Counting(16));
    let pieces = chunks(&chunker, &Document::plain_text("a", "文".repeat(100)));
    assert_eq!(pieces[0].text.chars().count(), 60);
}

#[test]
fn overlap_in_tokens_has_its_share() {
    let config = ChunkerConfig::from_tokens(20, 10);
    let chunker = Chunker::new(config).unwrap().with_embedding_generator(Counting(100));
    let pieces = chunks(&chunker, &Document::plain_text("a", "One two six. ".repeat(10)));
    let sentences = |count| vec!["One two six."; count].join(" ");
    assert_eq!(pieces[0].text, sentences(6));
    assert_eq!(pieces[1].range.start, 39);
}

#[test]
fn size_in_tokens_needs_a_model_that_counts() {
    let chunker = Chunker::new(ChunkerConfig::from_tokens(100, 10)).unwrap();
    let error = chunker.chunk(&Document::plain_text("a", "words")).unwrap_err();
    let ErrorKind::InvalidOptions { option, .. } = error.kind() else { panic!("{error}") };
    assert_eq!(option, "max_tokens");
}

#[test]
fn document_of_too_many_chunks_is_refused() {
    let words = |count| Document::plain_text("a", "fifteen letters\n".repeat(count));
    let chunker = chunker(16, 0);
    assert_eq!(chunks(&chunker, &words(100_000)).len(), 100_000);
    let error = chunker.chunk(&words(100_001)).unwrap_err();
    let expected = "`a` makes more than 100000 chunks; divide it, or set a larger size";
    assert_eq!(error.message(), expected);
}

#[test]
fn long_headings_and_deep_levels_are_cut() {
    let long = "x".repeat(5000);
    let pieces =
        chunks(&Chunker::default(), &Document::markdown("a", format!("# {long}\n\nText.")));
    assert!(pieces.iter().all(|chunk| chunk.heading_path[0].len() == 500));
    let mut document = Document::plain_text("a", "");
    for level in 1..=50 {
        document.push_heading(level, "Heading");
        document.text.push_str("text\n");
    }
    let pieces = chunks(&Chunker::default(), &document);
    assert_eq!(pieces.iter().map(|chunk| chunk.heading_path.len()).max(), Some(10));
}

#[test]
fn blank_end_of_a_code_block_takes_linear_time() {
    let start = Instant::now();
    let text = format!("```\n{}{}```\n", "words of code\n".repeat(20_000), "\n".repeat(4 << 20));
    let pieces = chunks(&Chunker::default(), &Document::markdown("a", text));
    assert!(pieces.len() > 200);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
