//! Fuzz targets: each feeds one reader of outside input and asserts what must hold for every input.
//!
//! `cargo xtask stress fuzz` runs them under libFuzzer; every `cargo test` replays `corpus/`.
#![expect(clippy::panic, reason = "a panic is how a target reports a finding")]

mod chat_prompts;
mod citations;
mod document_files;
mod filters;
mod json_lines_files;
mod pages;
mod providers;
mod scratch;
mod snapshots;
mod templates;

use std::borrow::Cow;

/// A reader of outside input, and the promises it must keep.
#[derive(Debug)]
#[non_exhaustive]
pub struct Target {
    /// The name on the command line and of the corpus folder.
    pub name: &'static str,
    /// Panics if the input breaks a promise.
    pub check: fn(input: &[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "filter-text", check: filters::text },
    Target { name: "filter-wire", check: filters::wire },
    Target { name: "template-semantic-kernel", check: templates::semantic_kernel },
    Target { name: "template-handlebars", check: templates::handlebars },
    Target { name: "chat-prompt", check: chat_prompts::check },
    Target { name: "html-document", check: pages::document },
    Target { name: "html-page", check: pages::page },
    Target { name: "snapshot", check: snapshots::check },
    Target { name: "citations", check: citations::check },
    Target { name: "server-sent-events", check: providers::events },
    Target { name: "document-file", check: document_files::file },
    Target { name: "office-part", check: document_files::office_part },
    Target { name: "json-lines", check: json_lines_files::check },
    Target { name: "searxng-answer", check: providers::searxng },
    Target { name: "openai-answer", check: providers::openai },
];

/// Returns the target of this name.
///
/// # Errors
/// Returns an error if there is no such target.
pub fn target(name: &str) -> anyhow::Result<&'static Target> {
    TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        anyhow::anyhow!("no fuzz target `{name}`; the targets are {}", names.join(", "))
    })
}

/// Replaces invalid UTF-8, so that no input is wasted.
fn text(input: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(input)
}

fn block_on<F: Future>(future: F) -> F::Output {
    thread_local! {
        static RUNTIME: tokio::runtime::Runtime =
            match tokio::runtime::Builder::new_current_thread().enable_time().build() {
                Ok(runtime) => runtime,
                Err(error) => panic!("the runtime did not start: {error}"),
            };
    }
    RUNTIME.with(|runtime| runtime.block_on(future))
}
