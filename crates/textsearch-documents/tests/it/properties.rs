use proptest::prelude::*;
use textsearch_core::vector::EmbeddingGenerator as _;
use textsearch_documents::{Chunker, ChunkerConfig, Document, DocumentFormat};

use crate::chunks::Counting;

/// Awkward pieces are more frequent than in practice.
pub(crate) fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("# Heading\n".to_owned()),
        Just("## Other\r\n\r\n".to_owned()),
        Just("Setext\n===\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("   \t ".to_owned()),
        Just("```\n# code\n```\n".to_owned()),
        Just("```rust\n".to_owned()),
        Just("> ~~~\n> code\n>\n> more\n> ~~~~~\n".to_owned()),
        Just("- item\n  - nested\n".to_owned()),
        Just("> quoted\n".to_owned()),
        Just("| a | b |\n|---|---|\n| 1 | 2 |\n".to_owned()),
        Just("| 3 | 4 |\n".to_owned()),
        Just("line of code\n".to_owned()),
        Just("A sentence. Another one! ".to_owned()),
        Just("文本搜索。真的吗？是。".to_owned()),
        Just("สวัสดีครับ".to_owned()),
        Just("👩‍👩‍👧‍👦🇦🇧e\u{301}\u{301}".to_owned()),
        Just("<div>&amp;</div>".to_owned()),
        (1_usize..120).prop_map(|length| "x".repeat(length)),
        "\\PC{0,20}",
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

pub(crate) fn formats() -> impl Strategy<Value = DocumentFormat> {
    prop_oneof![
        Just(DocumentFormat::Markdown),
        Just(DocumentFormat::PlainText),
        Just(DocumentFormat::Html)
    ]
}

pub(crate) fn sizes() -> impl Strategy<Value = ChunkerConfig> {
    (16_usize..80, 0_usize..40)
        .prop_map(|(max, overlap)| crate::chunks::sizes(max, overlap.min(max / 2)))
}

/// Headings without text below them yield no chunk.
fn may_be_left_out(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

proptest! {
    #[test]
    fn chunks_are_slices_within_the_maximum_size(
        text in texts(), format in formats(), config in sizes(),
    ) {
        let document = Document::new("a", format, text);
        let chunked = Chunker::new(config.clone()).unwrap().chunk(&document).unwrap();
        for (position, chunk) in chunked.chunks.iter().enumerate() {
            let characters = chunked.text.chars().skip(chunk.range.start);
            let slice: String = characters.take(chunk.range.len()).collect();
            prop_assert_eq!(&slice, chunk.own_text());
            let length = chunk.text.chars().count();
            prop_assert!(length <= config.max_characters, "{} characters", length);
            prop_assert!(!chunk.text.trim().is_empty());
            prop_assert_eq!(chunk.index, position);
        }
    }

    #[test]
    fn models_embed_chunks_whole(
        text in texts(), format in formats(), config in sizes(), max in 16_usize..40,
    ) {
        let model = Counting(max);
        let document = Document::new("a", format, text).with_name("T");
        let chunker = Chunker::new(config).unwrap().with_embedding_generator(Counting(max));
        for chunk in chunker.chunk(&document).unwrap().chunks {
            // A title may take half of the tokens.
            let name = model.count_tokens(&chunk.heading_path.join(" ")).unwrap() + 1;
            let tokens = model.count_tokens(&chunk.text).unwrap();
            prop_assert!(tokens + name.min(max / 2) <= max + 2, "{} tokens: {:?}", tokens, chunk);
        }
    }

    #[test]
    fn chunks_cover_all_text_that_is_not_blank(
        text in texts(), format in formats(), config in sizes(),
    ) {
        let document = Document::new("a", format, text);
        let chunked = Chunker::new(config).unwrap().chunk(&document).unwrap();
        let mut is_held = vec![false; chunked.text.chars().count()];
        for chunk in &chunked.chunks {
            is_held[chunk.range.clone()].fill(true);
        }
        let mut characters = chunked.text.chars().zip(is_held);
        for line in chunked.text.split_inclusive('\n') {
            let line_held: Vec<_> = characters.by_ref().take(line.chars().count()).collect();
            let is_lost = line_held.iter().any(|(character, is_held)| !is_held && !character.is_whitespace());
            prop_assert!(!is_lost || may_be_left_out(line), "{:?} of {:?}", line, chunked.text);
        }
    }

    #[test]
    fn overlap_is_within_its_bound(text in texts(), format in formats(), config in sizes()) {
        let document = Document::new("a", format, text);
        let chunked = Chunker::new(config.clone()).unwrap().chunk(&document).unwrap();
        for pair in chunked.chunks.windows(2) {
            let repeated = pair[0].range.end.saturating_sub(pair[1].range.start);
            prop_assert!(repeated <= config.overlap_characters, "{} characters", repeated);
            prop_assert!(pair[0].range.start <= pair[1].range.start);
        }
    }
}
