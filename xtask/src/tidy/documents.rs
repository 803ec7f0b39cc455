//! Words that name code: paths, versions, the index of the documents.

use super::Rule;
use super::project::Project;

pub(super) const RULES: &[Rule] = &[
    Rule {
        check: dead_paths,
        reason: "documents name files that exist; write a placeholder in angle brackets",
    },
    Rule { check: dead_links, reason: "links and images of documents lead to files that exist" },
    Rule { check: dead_tests, reason: "a promise that names its test is checked by it" },
    Rule { check: documents_outside_the_index, reason: "docs/README.md leads to every document" },
    Rule {
        check: gaps_between_decisions,
        reason: "docs/decisions/NNNN-title.md count from 0001 without gaps, so that a number names one decision",
    },
    Rule {
        check: other_rust_versions,
        reason: "READMEs promise the `rust-version` of the manifest",
    },
];

/// Where a back-ticked word that names a file of the repository begins.
const FOLDERS: &[&str] = &[
    "crates/",
    "docs/",
    "examples/",
    "fuzz/",
    ".github/",
    "xtask/",
    ".ci/",
    ".cargo/",
    "integration/",
    "benches/",
    "tests/retrieval/",
];

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
            || *path == "CONTRIBUTING.md"
            || (path.starts_with("docs/") && path.ends_with(".md"))
    })
}

/// The README of the repository or of a crate.
fn is_readme(path: &str) -> bool {
    let folder = path.strip_suffix("README.md").map(|folder| folder.trim_end_matches('/'));
    folder.is_some_and(|folder| match folder.strip_prefix("crates/") {
        Some(name) => !name.contains('/'),
        None => folder.is_empty(),
    })
}

/// The inline code of a document that looks like a path of this repository, without a line number.
fn quoted_paths(text: &str) -> Vec<&str> {
    let words = outside_fences(text).flat_map(|line| line.split('`').skip(1).step_by(2));
    words
        .filter(|word| FOLDERS.iter().any(|folder| word.starts_with(folder)))
        .filter_map(|word| word.split([':', '#']).next())
        .filter(|path| path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c)))
        .collect()
}

fn dead_links(project: &Project) -> Vec<String> {
    let complaints = |(document, text): (&str, &str)| {
        let dead = link_targets(text).filter(|target| !project.has(&resolved(document, target)));
        dead.map(|target| format!("{document} links to `{target}`, which does not exist"))
            .collect::<Vec<_>>()
    };
    documents(project).flat_map(complaints).collect()
}

/// Links that name a test, such as [`skip_counts_from_zero`](paging.rs), whose file has no such test.
fn dead_tests(project: &Project) -> Vec<String> {
    let complaints = |(document, text): (&str, &str)| {
        let dead = named_tests(text).filter(|(name, target)| {
            !project.text(&resolved(document, target)).contains(&format!("fn {name}("))
        });
        dead.map(|(name, target)| format!("{document}: `{target}` has no test `{name}`"))
            .collect::<Vec<_>>()
    };
    documents(project).flat_map(complaints).collect()
}

fn named_tests(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let links = outside_fences(text).flat_map(|line| line.split("[`").skip(1));
    let links = links.filter_map(|rest| {
        let (name, rest) = rest.split_once("`](")?;
        Some((name, rest.split([')', '#']).next()?))
    });
    let is_name = |name: &str| {
        name.contains('_') && !name.contains(|c: char| c != '_' && !c.is_ascii_alphanumeric())
    };
    links.filter(move |(name, target)| is_name(name) && target.ends_with(".rs"))
}

/// The files that links and images of a document name, without the places in them.
fn link_targets(text: &str) -> impl Iterator<Item = &str> {
    let targets = outside_fences(text).flat_map(|line| line.split("](").skip(1));
    let targets = targets.filter_map(|rest| rest.split([')', '#']).next());
    // Addresses of the web, and names of Rust in what rustdoc shows.
    targets.filter(|target| !target.is_empty() && !target.contains(':'))
}

/// The path from the root of the repository of what a document calls `target`.
fn resolved(document: &str, target: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
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

/// The lines that are not in a block of code.
fn outside_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

fn documents_outside_the_index(project: &Project) -> Vec<String> {
    let index = project.text("docs/README.md");
    let names = project.files.keys().filter_map(|path| path.strip_prefix("docs/"));
    names
        .filter(|name| name.ends_with(".md") && !name.contains('/') && *name != "README.md")
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

fn other_rust_versions(project: &Project) -> Vec<String> {
    let Some(ours) = project.packages.iter().find_map(|package| package.rust_version.as_deref())
    else {
        return Vec::new();
    };
    let readmes = project.texts().filter(|(path, _)| is_readme(path));
    let promises = readmes.flat_map(|(path, text)| {
        rust_versions(text).into_iter().map(move |version| (path, version))
    });
    promises
        .filter(|(_, version)| *version != ours)
        .map(|(path, version)| format!("{path} says Rust {version}, Cargo.toml says {ours}"))
        .collect()
}

/// The versions after the words `Rust`, `rustc` and `MSRV`.
fn rust_versions(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '.'))
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs
        .filter(|(name, _)| ["rust", "rustc", "msrv"].contains(&name.to_lowercase().as_str()))
        .filter(|(_, version)| version.starts_with("1."))
        .map(|(_, version)| version.split('.').take(2).collect::<Vec<_>>().join("."))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Package;

    #[test]
    fn a_path_in_a_document_exists() {
        let good = "See `docs/guide.md`, `docs/`, `docs/guide.md:12` and `docs/<name>.md`.\n\
                    ```sh\ncat `docs/other.md`\n```\n";
        assert!(dead_paths(&Project::of(&[("docs/guide.md", good)])).is_empty());
        let bad = Project::of(&[("CONTRIBUTING.md", "See `xtask/src/gone.rs`.")]);
        assert_eq!(
            dead_paths(&bad),
            ["CONTRIBUTING.md names `xtask/src/gone.rs`, which does not exist"]
        );
    }

    #[test]
    fn a_link_leads_to_a_file() {
        let good = "[a](../README.md#b), [b](decisions), ![c](images/c.svg), [d](https://d.example/e), [f](crate::F), [g](#g)";
        let files = [("docs/a.md", good), ("README.md", ""), ("docs/decisions/0001-b.md", "")];
        let with_image = [files.as_slice(), &[("docs/images/c.svg", "")]].concat();
        assert!(dead_links(&Project::of(&with_image)).is_empty());
        assert_eq!(
            dead_links(&Project::of(&files)),
            ["docs/a.md links to `images/c.svg`, which does not exist"]
        );
    }

    #[test]
    fn a_test_that_a_document_names_is_there() {
        let text = "[`one_fact`](../a.rs), [`other_fact`](../a.rs), [`AType`](../a.rs)";
        let project = Project::of(&[("docs/a.md", text), ("a.rs", "fn one_fact() {}")]);
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
            let project = Project::of(&[(path, "`docs/gone.md`")]);
            assert_eq!(dead_paths(&project).len(), usize::from(is_searched), "{path}");
        }
    }

    #[test]
    fn the_index_leads_to_every_document() {
        let index = ("docs/README.md", "- [Filters](filters.md)");
        let good = Project::of(&[index, ("docs/filters.md", ""), ("docs/decisions/0001-a.md", "")]);
        assert!(documents_outside_the_index(&good).is_empty());
        let bad = Project::of(&[index, ("docs/testing.md", "")]);
        assert_eq!(documents_outside_the_index(&bad), ["docs/testing.md is not in the index"]);
    }

    #[test]
    fn decisions_count_from_one_without_gaps() {
        let first = ("docs/decisions/0001-one.md", "");
        let good = Project::of(&[first, ("docs/decisions/0002-two.md", "")]);
        assert!(gaps_between_decisions(&good).is_empty());
        for second in ["docs/decisions/0003-gap.md", "docs/decisions/0001-twice.md"] {
            let findings = gaps_between_decisions(&Project::of(&[first, (second, "")]));
            assert_eq!(findings, [format!("{second} should have the number 0002")]);
        }
    }

    #[test]
    fn readmes_promise_the_rust_version_of_the_manifest() {
        let package = || Package { rust_version: Some("1.90".to_owned()), ..Default::default() };
        let with = |text| Project::of(&[("README.md", text)]).with_package(package());
        for good in ["MSRV: **1.90**.", "Needs Rust 1.90.0 or newer", "rustc-1.90", "in Rust."] {
            assert!(other_rust_versions(&with(good)).is_empty(), "{good}");
        }
        let findings = other_rust_versions(&with("Rust 1.85 or later."));
        assert_eq!(findings, ["README.md says Rust 1.85, Cargo.toml says 1.90"]);
    }
}
