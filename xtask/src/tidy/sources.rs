//! Rules about Rust sources: sizes and module docs.

use syn::Attribute;

use super::Rule;
use super::project::Project;
use crate::size::code_lines;

pub(super) const RULES: &[Rule] = &[
    Rule { check: long_files, reason: "split it where a reader would look for its parts" },
    Rule {
        check: module_docs,
        reason: "it says what a file is for: `//! ...` or, in lib.rs, the README",
    },
];

/// In code lines, as `cargo xtask size` counts them. Consider splitting a file at 300.
const LONGEST_FILE: usize = 550;

fn long_files(project: &Project) -> Vec<String> {
    production_sources(project)
        .map(|(path, text)| (path, code_lines(text).len()))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .map(|(path, lines)| format!("{path} has {lines} code lines, more than {LONGEST_FILE}"))
        .collect()
}

fn module_docs(project: &Project) -> Vec<String> {
    let is_doc = |attribute: &Attribute| attribute.path().is_ident("doc");
    // The common cases need no parser, and a template's placeholders would stop one.
    let is_documented = |text: &str| {
        text.starts_with("//! ")
            || text.starts_with("#![doc = include_str!(")
            || syn::parse_file(text).is_ok_and(|file| file.attrs.iter().any(is_doc))
    };
    project
        .texts()
        .filter(|(path, text)| is_source(path) && !is_documented(text))
        .map(|(path, _)| format!("{path} has no module doc"))
        .collect()
}

pub(super) fn production_sources(project: &Project) -> impl Iterator<Item = (&str, &str)> {
    project.texts().filter(|(path, _)| {
        is_source(path) && !path.ends_with("/tests.rs") && !path.contains("/tests/")
    })
}

/// Of a crate, xtask or an example; not fixtures, benches and tests.
fn is_source(path: &str) -> bool {
    path.ends_with(".rs") && (path.contains("/src/") || path.starts_with("examples/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/textsearch-bing/src/search.rs";

    fn source(text: &str) -> Project {
        Project::from_files(&[(PATH, text)])
    }

    #[test]
    fn only_code_lines_count() {
        let long = "const A: u8 = 1;\n".repeat(LONGEST_FILE);
        let tests = "// A comment.\n#[cfg(test)]\nmod tests {\n    fn a() {}\n}\n";
        assert!(long_files(&source(&format!("{long}{tests}"))).is_empty());
        let findings = long_files(&source(&format!("{long}const B: u8 = 1;\n{tests}")));
        assert_eq!(findings, [format!("{PATH} has 551 code lines, more than 550")]);
    }

    #[test]
    fn a_file_of_tests_may_be_long() {
        let long = "const A: u8 = 1;\n".repeat(LONGEST_FILE + 1);
        let path = "crates/textsearch-bing/src/search/tests.rs";
        assert!(long_files(&Project::from_files(&[(path, &long)])).is_empty());
    }

    #[test]
    fn files_begin_with_a_module_doc() {
        assert!(module_docs(&source("//! Bing as a text search.\n")).is_empty());
        assert!(module_docs(&source("#![doc = include_str!(\"../README.md\")]\n")).is_empty());
        let findings = module_docs(&source("// Bing.\nuse std::fmt; //! Bing.\n"));
        assert_eq!(findings, [format!("{PATH} has no module doc")]);
    }
}
