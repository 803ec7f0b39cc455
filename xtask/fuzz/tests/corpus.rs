//! Replays the corpus.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a helper of tests says where it stopped"
)]

use std::{fs, path::Path};

use fuzz::TARGETS;

fn replay(name: &str) -> usize {
    let target = fuzz::target(name).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in &paths {
        // A failing input is the last line printed.
        eprintln!("{}", path.display());
        (target.check)(&fs::read(path).unwrap());
    }
    paths.len()
}

macro_rules! replays {
    ($($test:ident: $target:literal,)*) => {
        $(
            #[test]
            fn $test() {
                assert!(replay($target) > 1);
            }
        )*

        const REPLAYED: &[&str] = &[$($target),*];
    };
}

replays! {
    filter_texts_keep_their_promises: "filter-text",
    filters_as_json_keep_their_promises: "filter-wire",
    semantic_kernel_templates_keep_their_promises: "template-semantic-kernel",
    handlebars_templates_keep_their_promises: "template-handlebars",
    chat_prompts_keep_their_promises: "chat-prompt",
    html_documents_keep_their_promises: "html-document",
    html_pages_keep_their_promises: "html-page",
    snapshots_keep_their_promises: "snapshot",
    citations_keep_their_promises: "citations",
    server_sent_events_keep_their_promises: "server-sent-events",
    document_files_keep_their_promises: "document-file",
    office_parts_keep_their_promises: "office-part",
    json_lines_keep_their_promises: "json-lines",
    searxng_answers_keep_their_promises: "searxng-answer",
    openai_answers_keep_their_promises: "openai-answer",
}

#[test]
fn every_target_is_replayed() {
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(names, REPLAYED);
}
