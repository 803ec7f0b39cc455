//! Rules about Rust sources: sizes, module docs, ignored tests, documented errors.

use super::Rule;
use super::project::Project;
use super::rust_text::{
    Function, code_only, functions, has_word, line_of, public_traits, test_items,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        check: long_files,
        reason: "split it where a reader would look for its parts, or give a reason in \
                 xtask/src/tidy/sources.rs",
    },
    Rule { check: long_functions, reason: "give its parts names" },
    Rule {
        check: module_docs,
        reason: "the first line says what a file is for: `//! ...` or, in lib.rs, the README",
    },
    Rule {
        check: ignored_tests,
        reason: "write `#[ignore = \"reason\"]`; nobody runs a test that is off without one",
    },
    Rule {
        check: undocumented_errors,
        reason: "say when it fails in a section `# Errors`; clippy cannot see it behind a boxed future",
    },
];

/// Lines of a file, tests apart. At 400 it is time to think.
const LONGEST_FILE: usize = 600;

/// Lines of code in a body. Clippy has such a lint, but it passes over what `async_trait` expands.
const LONGEST_FUNCTION: usize = 70;

/// Files that may be longer, each with its reason.
const LONG_FILES: &[(&str, &str)] = &[];

fn long_files(project: &Project) -> Vec<String> {
    let allowed = |path: &str| LONG_FILES.iter().any(|(long, _)| *long == path);
    production_sources(project)
        .map(|(path, text)| (path, lines_without_tests(text)))
        .filter(|(path, lines)| *lines > LONGEST_FILE && !allowed(path))
        .map(|(path, lines)| format!("{path} has {lines} lines, more than {LONGEST_FILE}"))
        .collect()
}

fn lines_without_tests(text: &str) -> usize {
    let code = code_only(text);
    let lines_of_tests = test_items(&code)
        .into_iter()
        .map(|range| 1 + line_of(&code, range.end) - line_of(&code, range.start));
    text.lines().count().saturating_sub(lines_of_tests.sum())
}

fn long_functions(project: &Project) -> Vec<String> {
    let complaints = |(path, text): (&str, &str)| {
        let code = code_only(text);
        let long = functions(&code).into_iter().filter(|found| lines(found) > LONGEST_FUNCTION);
        long.map(|found| {
            let (name, line) = (found.name, line_of(&code, found.start));
            format!("{path}:{line}: `{name}` has {} lines of code", lines(&found))
        })
        .collect::<Vec<_>>()
    };
    rust_sources(project).flat_map(complaints).collect()
}

/// Blank lines and comments do not count.
fn lines(function: &Function<'_>) -> usize {
    function.body.lines().filter(|line| !line.trim().is_empty()).count()
}

fn module_docs(project: &Project) -> Vec<String> {
    let is_documented =
        |text: &str| text.starts_with("//! ") || text.starts_with("#![doc = include_str!(");
    project
        .texts()
        .filter(|(path, text)| is_source(path) && !is_documented(text))
        .map(|(path, _)| format!("{path} does not begin with a module doc"))
        .collect()
}

fn ignored_tests(project: &Project) -> Vec<String> {
    let complaints = |(path, text): (&str, &str)| {
        let code = code_only(text);
        let without_reason = ["#[ignore]", ", ignore)]"];
        let found = without_reason.iter().flat_map(|attribute| code.match_indices(attribute));
        found
            .map(|(at, _)| format!("{path}:{} ignores a test", line_of(&code, at)))
            .collect::<Vec<_>>()
    };
    rust_sources(project).flat_map(complaints).collect()
}

fn undocumented_errors(project: &Project) -> Vec<String> {
    let crates = rust_sources(project)
        .filter(|(path, _)| path.starts_with("crates/") && path.contains("/src/"));
    crates.flat_map(|(path, text)| undocumented_errors_in(path, text)).collect()
}

fn undocumented_errors_in(path: &str, text: &str) -> Vec<String> {
    let code = code_only(text);
    let all = functions(&code);
    let traits = public_traits(&code);
    let methods = all.iter().filter(|found| {
        traits.iter().any(|range| range.contains(&found.start)) && !is_nested(found, &all)
    });
    methods
        .filter(|method| is_fallible(method) && !has_errors_section(text, &code, method))
        .map(|method| {
            let line = line_of(&code, method.start);
            format!("{path}:{line}: the trait method `{}` returns a Result", method.name)
        })
        .collect()
}

fn is_nested(inner: &Function<'_>, all: &[Function<'_>]) -> bool {
    all.iter().any(|outer| outer.start < inner.start && inner.start < outer.end)
}

fn is_fallible(method: &Function<'_>) -> bool {
    method.returned().is_some_and(|returned| has_word(returned, "Result"))
}

/// Looks between the item before and the method: there its doc comment is. Hidden methods need none.
fn has_errors_section(text: &str, code: &str, method: &Function<'_>) -> bool {
    let before = code.get(..method.start).unwrap_or_default();
    let start = before.rfind(['{', '}', ';']).unwrap_or_default();
    let own = text.get(start..method.start).unwrap_or_default();
    own.contains("# Errors") || own.contains("#[doc(hidden)]")
}

fn rust_sources(project: &Project) -> impl Iterator<Item = (&str, &str)> {
    project.texts().filter(|(path, _)| path.ends_with(".rs"))
}

/// The sources that are no test file of their own.
fn production_sources(project: &Project) -> impl Iterator<Item = (&str, &str)> {
    project.texts().filter(|(path, _)| {
        is_source(path) && !path.ends_with("/tests.rs") && !path.contains("/tests/")
    })
}

/// Sources of crates, of xtask and of the examples; not fixtures, benches and tests.
fn is_source(path: &str) -> bool {
    path.ends_with(".rs") && (path.contains("/src/") || path.starts_with("examples/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/textsearch-bing/src/search.rs";

    fn source(text: &str) -> Project {
        Project::of(&[(PATH, text)])
    }

    #[test]
    fn a_file_has_at_most_600_lines_and_its_tests_do_not_count() {
        let long = "const A: u8 = 1;\n".repeat(LONGEST_FILE);
        let tests = "#[cfg(test)]\nmod tests {\n    // a test\n}\n";
        assert!(long_files(&source(&format!("{long}{tests}"))).is_empty());
        let findings = long_files(&source(&format!("{long}const B: u8 = 1;\n{tests}")));
        assert_eq!(findings, [format!("{PATH} has 601 lines, more than 600")]);
    }

    #[test]
    fn a_file_of_tests_may_be_long() {
        let long = "const A: u8 = 1;\n".repeat(LONGEST_FILE + 1);
        let path = "crates/textsearch-bing/src/search/tests.rs";
        assert!(long_files(&Project::of(&[(path, &long)])).is_empty());
    }

    #[test]
    fn a_function_has_at_most_70_lines_of_code() {
        let body = "    call();\n".repeat(LONGEST_FUNCTION);
        let fits = format!("//! A.\nfn short() {{\n{body}\n    // a comment\n}}\n");
        assert!(long_functions(&source(&fits)).is_empty());
        let long = format!("//! A.\nasync fn long() {{\n{body}    call();\n}}\n");
        let findings = long_functions(&source(&long));
        assert_eq!(findings, [format!("{PATH}:2: `long` has 71 lines of code")]);
    }

    #[test]
    fn a_file_begins_with_what_it_is_for() {
        assert!(module_docs(&source("//! Bing as a text search.\n")).is_empty());
        assert!(module_docs(&source("#![doc = include_str!(\"../README.md\")]\n")).is_empty());
        let findings = module_docs(&source("use std::fmt;\n"));
        assert_eq!(findings, [format!("{PATH} does not begin with a module doc")]);
    }

    #[test]
    fn an_ignored_test_has_a_reason() {
        assert!(ignored_tests(&source("#[ignore = \"needs a server\"]")).is_empty());
        assert!(ignored_tests(&source("// #[ignore]")).is_empty());
        assert_eq!(ignored_tests(&source("\n#[ignore]")), [format!("{PATH}:2 ignores a test")]);
        assert_eq!(ignored_tests(&source("#[cfg_attr(windows, ignore)]")).len(), 1);
    }

    #[test]
    fn a_fallible_trait_method_documents_its_errors() {
        let documented = "pub trait Search: Send {\n    /// Searches.\n    ///\n    /// # Errors\n    \
                          /// If it fails; or not.\n    #[must_use]\n    \
                          async fn search(&self) -> Result<u8>;\n}\n";
        assert!(undocumented_errors(&source(documented)).is_empty());
        let silent = documented.replace("# Errors", "Fails.");
        assert_eq!(
            undocumented_errors(&source(&silent)),
            [format!("{PATH}:7: the trait method `search` returns a Result")]
        );
    }

    #[test]
    fn only_public_traits_and_their_own_methods_need_documented_errors() {
        for text in [
            "trait Search { async fn search(&self) -> Result<u8>; }",
            "pub trait Search { fn result(&self) -> TextSearchResult; }",
            "pub trait Search { fn one(&self) { fn inner() -> Result<u8> {} } }",
            "pub trait Search { fn call(&self, f: fn() -> Result<u8>); }",
            "pub trait Search { fn call<F>(&self, f: F)\n where F: Fn() -> Result<u8>; }",
            "impl Search for Bing { async fn search(&self) -> Result<u8> {} }",
            "pub trait Search { #[doc(hidden)] fn sealed(&self) -> Result<u8>; }",
        ] {
            assert!(undocumented_errors(&source(text)).is_empty(), "{text}");
        }
    }
}
