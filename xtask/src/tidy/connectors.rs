//! What every connector has to have: the suite that proves it.

use super::Rule;
use super::dependencies::is_connector;
use super::project::Project;
use super::rust_text::{code_only, has_word};
use crate::metadata::Package;

pub(super) const RULES: &[Rule] = &[Rule {
    check: without_the_suite,
    reason: "call `textsearch_conformance::suite!`, or `suite_without_http!`, in tests/it/conformance.rs \
             (docs/adding-a-connector.md)",
}];

/// Crates at the layer of connectors that search nothing by themselves, each with the reason.
const NO_SEARCHES: &[(&str, &str)] = &[
    ("textsearch-embeddings-candle", "a model of embeddings"),
    ("textsearch-openai", "models: chats and embeddings"),
    ("textsearch-web-page", "changes what other searches find"),
];

fn without_the_suite(project: &Project) -> Vec<String> {
    let searches = project.crates().filter(|package| {
        is_connector(&package.name) && !NO_SEARCHES.iter().any(|(name, _)| *name == package.name)
    });
    searches
        .filter(|package| !has_the_suite(project, package))
        .map(|package| format!("no test of {} calls the suite that connectors pass", package.name))
        .collect()
}

fn has_the_suite(project: &Project, package: &Package) -> bool {
    let tests = package.file("tests/");
    let mut texts = project.texts().filter(|(path, _)| path.starts_with(&tests));
    texts.any(|(path, text)| calls_the_suite(text) && is_compiled(project, path))
}

fn calls_the_suite(text: &str) -> bool {
    let code = code_only(text);
    ["suite!", "suite_without_http!"].iter().any(|call| has_word(&code, call))
}

/// Whether cargo comes by a file of tests: on its own, or as a module of the `main.rs` beside it.
fn is_compiled(project: &Project, path: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    let module = format!("mod {};", name.trim_end_matches(".rs"));
    let main = project.text(&format!("{folder}/main.rs"));
    name == "main.rs" || folder.ends_with("/tests") || has_word(&code_only(main), &module)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = "textsearch_conformance::suite!(connector, answer);";

    /// What the rule says of the crate `name` with these files of tests.
    fn complaints(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let folder = format!("crates/{name}");
        let package =
            Package { name: name.to_owned(), folder: folder.clone(), ..Default::default() };
        let files: Vec<(String, &str)> =
            files.iter().map(|(path, text)| (format!("{folder}/tests/{path}"), *text)).collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        without_the_suite(&Project::of(&files).with_package(package))
    }

    #[test]
    fn a_connector_calls_the_suite() {
        let main = ("it/main.rs", "//! Tests.\nmod conformance;\nmod request;\n");
        assert!(complaints("textsearch-bing", &[main, ("it/conformance.rs", CALL)]).is_empty());
        let without_http =
            "use textsearch_conformance::suite_without_http;\nsuite_without_http!(f);";
        assert!(complaints("textsearch-bing", &[("suite.rs", without_http)]).is_empty());
        assert_eq!(
            complaints("textsearch-bing", &[main, ("it/request.rs", "fn test() {}")]),
            ["no test of textsearch-bing calls the suite that connectors pass"]
        );
    }

    #[test]
    fn a_call_that_is_never_compiled_is_none() {
        let main = ("it/main.rs", "// mod conformance;\nmod request;\n");
        assert_eq!(complaints("textsearch-bing", &[main, ("it/conformance.rs", CALL)]).len(), 1);
        let comment = format!("// {CALL}");
        assert_eq!(complaints("textsearch-bing", &[("it/main.rs", &comment)]).len(), 1);
    }

    #[test]
    fn what_is_no_connector_or_searches_nothing_needs_no_suite() {
        for name in ["textsearch-kernel", "textsearch-web-page"] {
            assert!(complaints(name, &[]).is_empty(), "{name}");
        }
    }

    #[test]
    fn what_searches_nothing_would_be_a_connector_otherwise() {
        assert!(NO_SEARCHES.iter().all(|(name, _)| is_connector(name)));
    }
}
