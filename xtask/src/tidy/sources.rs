//! Rules about Rust sources: sizes, module docs, documented errors.

use quote::ToTokens as _;
use syn::{Attribute, Item, ItemTrait, Signature, TraitItem, Visibility, spanned::Spanned as _};

use super::Rule;
use super::project::Project;
use super::rust::{has_attribute, has_names, items};

pub(super) const RULES: &[Rule] = &[
    Rule { check: long_files, reason: "split it where a reader would look for its parts" },
    Rule {
        check: module_docs,
        reason: "it says what a file is for: `//! ...` or, in lib.rs, the README",
    },
    Rule {
        check: undocumented_errors,
        reason: "say when it fails in a section `# Errors`; clippy cannot see it behind a boxed future",
    },
];

/// Without tests. Consider splitting a file at 400.
const LONGEST_FILE: usize = 600;

fn long_files(project: &Project) -> Vec<String> {
    production_sources(project)
        .filter(|(_, text)| text.lines().count() > LONGEST_FILE)
        .map(|(path, text)| (path, lines_without_tests(text)))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .map(|(path, lines)| format!("{path} has {lines} lines, more than {LONGEST_FILE}"))
        .collect()
}

fn lines_without_tests(text: &str) -> usize {
    let lines_of_tests = items(text).into_iter().filter(is_for_tests).map(|item| {
        let span = item.span();
        1 + span.end().line - span.start().line
    });
    text.lines().count().saturating_sub(lines_of_tests.sum())
}

fn is_for_tests(item: &Item) -> bool {
    matches!(item, Item::Mod(module) if has_attribute(&module.attrs, "cfg (test)"))
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

fn undocumented_errors(project: &Project) -> Vec<String> {
    let sources = project.texts().filter(|(path, text)| {
        path.starts_with("crates/") && is_source(path) && text.contains("pub trait ")
    });
    sources.flat_map(|(path, text)| undocumented_errors_in(path, text)).collect()
}

fn undocumented_errors_in(path: &str, text: &str) -> Vec<String> {
    let methods = items(text).into_iter().filter_map(public_trait).flat_map(|item| item.items);
    methods
        .filter_map(|item| match item {
            TraitItem::Fn(method) => Some(method),
            _ => None,
        })
        .filter(|method| is_fallible(&method.sig) && !documents_errors(&method.attrs))
        .map(|method| {
            let name = &method.sig.ident;
            let line = name.span().start().line;
            format!("{path}:{line}: the trait method `{name}` returns a Result")
        })
        .collect()
}

fn public_trait(item: Item) -> Option<ItemTrait> {
    match item {
        Item::Trait(item) if matches!(item.vis, Visibility::Public(_)) => Some(item),
        _ => None,
    }
}

fn is_fallible(method: &Signature) -> bool {
    // At any depth: `BoxFuture<'_, Result<T>>`, `impl Future<Output = Result<T>>`.
    has_names(method.output.to_token_stream(), &["Result"])
}

/// Hidden methods need none.
fn documents_errors(attributes: &[Attribute]) -> bool {
    let docs = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let mut docs = docs.map(|attribute| attribute.meta.to_token_stream().to_string());
    docs.any(|doc| doc.contains("# Errors") || doc == "doc (hidden)")
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
        Project::of(&[(PATH, text)])
    }

    #[test]
    fn test_lines_do_not_count_towards_600_lines() {
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
    fn files_begin_with_a_module_doc() {
        assert!(module_docs(&source("//! Bing as a text search.\n")).is_empty());
        assert!(module_docs(&source("#![doc = include_str!(\"../README.md\")]\n")).is_empty());
        let findings = module_docs(&source("// Bing.\nuse std::fmt; //! Bing.\n"));
        assert_eq!(findings, [format!("{PATH} has no module doc")]);
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
