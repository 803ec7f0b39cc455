//! The rule that every connector runs the conformance suite.

use super::Rule;
use super::dependencies::is_connector;
use super::project::Project;
use crate::metadata::Package;
use crate::size::code_lines;

pub(super) const RULES: &[Rule] = &[Rule {
    check: without_the_suite,
    reason: "call `textsearch_conformance::suite!`, `suite_without_http!` or `store_search_suite!` in \
             tests/it/conformance.rs (docs/contributing/writing-a-connector.md)",
}];

const SUITES: &[&str] = &["suite", "suite_without_http", "store_search_suite"];

/// Crates in the connector layer that don't search, with the reason.
const NO_SEARCHES: &[(&str, &str)] = &[
    ("textsearch-anthropic", "a chat model"),
    ("textsearch-embeddings-local", "a model of embeddings"),
    ("textsearch-openai", "models: chats and embeddings"),
    ("textsearch-rerank", "rerankers"),
];

fn without_the_suite(project: &Project) -> Vec<String> {
    let searches = project.crates().filter(|package| {
        is_connector(&package.name) && !NO_SEARCHES.iter().any(|(name, _)| package.name == *name)
    });
    searches
        .filter(|package| !has_the_suite(project, package))
        .map(|package| format!("no test of {} calls the suite that connectors pass", package.name))
        .collect()
}

fn has_the_suite(project: &Project, package: &Package) -> bool {
    let tests = package.file("tests/");
    let mut texts = project.texts().filter(|(path, _)| path.starts_with(&tests));
    let is_call = |line: &str| {
        let name = line.split_once("!(").map(|(before, _)| before.rsplit([':', ' ']).next());
        name.flatten().is_some_and(|name| SUITES.contains(&name))
    };
    texts.any(|(_, text)| code_lines(text).into_iter().any(is_call))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CALL: &str = "textsearch_conformance::suite!(connector, answer);";

    fn complaints(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let folder = format!("crates/{name}");
        let package = Package::new(name, json!({}));
        let files: Vec<(String, &str)> =
            files.iter().map(|(path, text)| (format!("{folder}/tests/{path}"), *text)).collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        without_the_suite(&Project::from_files(&files).with_package(package))
    }

    #[test]
    fn a_connector_calls_the_suite() {
        let main = ("it/main.rs", "//! Tests.\nmod conformance;\nmod request;\n");
        assert!(complaints("textsearch-bing", &[main, ("it/conformance.rs", CALL)]).is_empty());
        let without_http =
            "use textsearch_conformance::suite_without_http;\nsuite_without_http!(f);";
        assert!(complaints("textsearch-bing", &[("suite.rs", without_http)]).is_empty());
        let inside = format!("mod pages {{ {CALL} }}");
        assert!(complaints("textsearch-bing", &[("suite.rs", &inside)]).is_empty());
        assert_eq!(
            complaints("textsearch-bing", &[main, ("it/request.rs", "fn test() {}")]),
            ["no test of textsearch-bing calls the suite that connectors pass"]
        );
    }

    #[test]
    fn a_comment_does_not_count() {
        let comment = format!("// {CALL}");
        assert_eq!(complaints("textsearch-bing", &[("it/main.rs", &comment)]).len(), 1);
    }

    #[test]
    fn other_crates_need_no_suite() {
        for name in ["textsearch-kernel", "textsearch-web-page"] {
            assert!(complaints(name, &[]).is_empty(), "{name}");
        }
    }

    #[test]
    fn exempt_crates_are_in_the_connector_layer() {
        assert!(NO_SEARCHES.iter().all(|(name, _)| is_connector(name)));
    }
}
