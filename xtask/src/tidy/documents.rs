//! Rules about documents: the paths and tests they name, and the index.

use pulldown_cmark::{Event, Parser, Tag};

use super::Rule;
use super::project::Project;
use crate::llms;

pub(super) const RULES: &[Rule] = &[
    Rule {
        check: dead_paths,
        reason: "documents name files that exist; write a placeholder in angle brackets",
    },
    Rule { check: dead_links, reason: "links and images of documents lead to files that exist" },
    Rule { check: dead_tests, reason: "a promise that names its test is checked by it" },
    Rule { check: documents_outside_the_index, reason: "docs/README.md leads to every document" },
    Rule {
        check: other_index_for_models,
        reason: "models find the same documents as people; run `cargo xtask llms`",
    },
    Rule {
        check: gaps_between_decisions,
        reason: "docs/decisions/NNNN-title.md count from 0001 without gaps, so that a number names one decision",
    },
];

fn other_index_for_models(project: &Project) -> Vec<String> {
    let expected = llms::text(project.text(llms::README), project.text(llms::INDEX));
    let differs = project.has(llms::INDEX) && project.text(llms::FILE) != expected;
    Vec::from_iter(differs.then(|| format!("{} differs from {}", llms::FILE, llms::INDEX)))
}

/// Back-ticked words with these prefixes name files of the repository.
const FOLDERS: &[&str] =
    &["crates/", "docs/", "examples/", ".github/", "xtask/", ".ci/", ".cargo/"];

/// Crates' READMEs are also read outside of the repository. The path after this is relative to the
/// root.
const REPOSITORY: &str = "https://github.com/textsearch-rs/textsearch/blob/main";

fn dead_paths(project: &Project) -> Vec<String> {
    let complaints = |(document, text): (&str, &str)| {
        let dead = quoted_paths(text).into_iter().filter(|path| !project.has(path));
        dead.map(|path| format!("{document} names `{path}`, which does not exist"))
            .collect::<Vec<_>>()
    };
    documents(project).flat_map(complaints).collect()
}

fn documents(project: &Project) -> impl Iterator<Item = (&str, &str)> {
    project.texts().filter(|(path, _)| {
        is_readme(path)
            || ["CONTRIBUTING.md", "SECURITY.md"].contains(path)
            || (path.starts_with("docs/") && path.ends_with(".md"))
    })
}

fn is_readme(path: &str) -> bool {
    let folder = path.strip_suffix("README.md").map(|folder| folder.trim_end_matches('/'));
    folder.is_some_and(|folder| match folder.strip_prefix("crates/") {
        Some(name) => !name.contains('/'),
        None => folder.is_empty(),
    })
}

/// Inline code that looks like a path of this repository.
fn quoted_paths(text: &str) -> Vec<String> {
    let words = Parser::new(text).filter_map(|event| match event {
        Event::Code(word) => Some(word),
        _ => None,
    });
    words
        .filter(|word| FOLDERS.iter().any(|folder| word.starts_with(folder)))
        .filter_map(|word| word.split([':', '#']).next().map(str::to_owned))
        .filter(|path| path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c)))
        .collect()
}

fn dead_links(project: &Project) -> Vec<String> {
    let complaints = |(document, text): (&str, &str)| {
        let dead = links(text).filter(|link| !project.has(&resolved(document, &link.target)));
        dead.map(|link| format!("{document} links to `{}`, which does not exist", link.target))
            .collect::<Vec<_>>()
    };
    documents(project).flat_map(complaints).collect()
}

/// Links that name a test, such as [`skip_counts_from_zero`](paging.rs), whose file lacks it.
fn dead_tests(project: &Project) -> Vec<String> {
    let complaints = |(document, text): (&str, &str)| {
        let dead = links(text).filter(names_test).filter(|link| {
            let function = format!("fn {}(", link.code);
            let lines = project.text(&resolved(document, &link.target)).lines();
            let mut starts = lines.map(|line| line.trim_start().trim_start_matches("async "));
            !starts.any(|start| start.starts_with(&function))
        });
        dead.map(|link| format!("{document}: `{}` has no test `{}`", link.target, link.code))
            .collect::<Vec<_>>()
    };
    documents(project).flat_map(complaints).collect()
}

fn names_test(link: &Link) -> bool {
    let is_name = |c: char| c == '_' || c.is_ascii_alphanumeric();
    link.target.ends_with(".rs") && link.code.contains('_') && link.code.chars().all(is_name)
}

#[derive(Debug, Default)]
struct Link {
    /// Without the fragment.
    target: String,
    /// Inline code in the link text.
    code: String,
}

/// Skips web links and intra-doc links.
fn links(text: &str) -> impl Iterator<Item = Link> {
    let mut links: Vec<Link> = Vec::new();
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let target = dest_url.split('#').next().unwrap_or_default();
                let target = target.strip_prefix(REPOSITORY).unwrap_or(target).to_owned();
                links.push(Link { target, ..Link::default() });
            }
            Event::Code(code) => links.iter_mut().next_back().into_iter().for_each(|link| {
                if link.code.is_empty() {
                    link.code = code.to_string();
                }
            }),
            _ => {}
        }
    }
    links.into_iter().filter(|link| !link.target.is_empty() && !link.target.contains(':'))
}

/// Relative to the repository's root.
fn resolved(document: &str, target: &str) -> String {
    let mut parts: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => document.split('/').collect(),
    };
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

fn documents_outside_the_index(project: &Project) -> Vec<String> {
    let index = project.text("docs/README.md");
    let names = project.files.keys().filter_map(|path| path.strip_prefix("docs/"));
    names
        .filter(|name| {
            name.ends_with(".md") && !name.starts_with("decisions/") && *name != "README.md"
        })
        .filter(|name| !index.contains(&format!("]({name})")))
        .map(|name| format!("docs/{name} is not in the index"))
        .collect()
}

fn gaps_between_decisions(project: &Project) -> Vec<String> {
    let decisions = project.files.keys().filter_map(|path| path.strip_prefix("docs/decisions/"));
    decisions
        .filter(|name| name.ends_with(".md") && *name != "README.md")
        .zip(1_usize..)
        .filter(|(name, number)| !name.starts_with(&format!("{number:04}-")))
        .map(|(name, number)| format!("docs/decisions/{name} should have the number {number:04}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_name_existing_paths() {
        let good = "See `docs/guide.md`, `docs/`, `docs/guide.md:12` and `docs/<name>.md`.\n\
                    ```sh\ncat `docs/other.md`\n```\n";
        assert!(dead_paths(&Project::from_files(&[("docs/guide.md", good)])).is_empty());
        let bad = Project::from_files(&[("CONTRIBUTING.md", "See `xtask/src/gone.rs`.")]);
        assert_eq!(
            dead_paths(&bad),
            ["CONTRIBUTING.md names `xtask/src/gone.rs`, which does not exist"]
        );
    }

    #[test]
    fn links_lead_to_existing_files() {
        let good = "[a](../README.md#b), [b](decisions), ![c](images/c.svg), [d](https://d.example/e), [f](crate::F), [g](#g)";
        let files = [("docs/a.md", good), ("README.md", ""), ("docs/decisions/0001-b.md", "")];
        let absolute = format!("[a]({REPOSITORY}/README.md), [b]({REPOSITORY}/docs/gone.md)");
        assert_eq!(
            dead_links(&Project::from_files(&[("docs/a.md", &absolute), ("README.md", "")])),
            ["docs/a.md links to `/docs/gone.md`, which does not exist"]
        );
        let with_image = [files.as_slice(), &[("docs/images/c.svg", "")]].concat();
        assert!(dead_links(&Project::from_files(&with_image)).is_empty());
        assert_eq!(
            dead_links(&Project::from_files(&files)),
            ["docs/a.md links to `images/c.svg`, which does not exist"]
        );
    }

    #[test]
    fn documents_name_existing_tests() {
        let text = "[`one_fact`](../a.rs), [`other_fact`](../a.rs), [`AType`](../a.rs)";
        let tests = "proptest! {\n    fn one_fact() {}\n}\n// fn other_fact() {}";
        let project = Project::from_files(&[("docs/a.md", text), ("a.rs", tests)]);
        assert_eq!(dead_tests(&project), ["docs/a.md: `../a.rs` has no test `other_fact`"]);
    }

    #[test]
    fn only_readmes_and_documents_are_searched_for_paths() {
        for (path, is_searched) in [
            ("README.md", true),
            ("crates/textsearch-bing/README.md", true),
            ("docs/decisions/0001-name.md", true),
            ("crates/textsearch-bing/tests/fixtures/README.md", false),
            ("crates/textsearch-bing/CHANGELOG.md", false),
        ] {
            let project = Project::from_files(&[(path, "`docs/gone.md`")]);
            assert_eq!(dead_paths(&project).len(), usize::from(is_searched), "{path}");
        }
    }

    #[test]
    fn the_index_leads_to_every_document() {
        let index = ("docs/README.md", "- [Filters](guide/filters.md)");
        let good = Project::from_files(&[
            index,
            ("docs/guide/filters.md", ""),
            ("docs/decisions/0001-a.md", ""),
        ]);
        assert!(documents_outside_the_index(&good).is_empty());
        let bad = Project::from_files(&[index, ("docs/contributing/testing.md", "")]);
        assert_eq!(
            documents_outside_the_index(&bad),
            ["docs/contributing/testing.md is not in the index"]
        );
    }

    #[test]
    fn decisions_count_from_one_without_gaps() {
        let first = ("docs/decisions/0001-one.md", "");
        let good = Project::from_files(&[first, ("docs/decisions/0002-two.md", "")]);
        assert!(gaps_between_decisions(&good).is_empty());
        for second in ["docs/decisions/0003-gap.md", "docs/decisions/0001-twice.md"] {
            let findings = gaps_between_decisions(&Project::from_files(&[first, (second, "")]));
            assert_eq!(findings, [format!("{second} should have the number 0002")]);
        }
    }
}
