//! Rules about the README of each crate: the same page everywhere.

use super::Rule;
use super::project::Project;
use crate::metadata::Package;

pub(super) const RULES: &[Rule] = &[
    Rule {
        check: other_headings,
        reason: "each crate's page has the same order: Install, Example, Settings, Capabilities, Limits, \
                 Tests and Reference if you like, Licence; write other headings with `###`",
    },
    Rule {
        check: parts_of_programs,
        reason: "readers copy the example: show `fn main`, without `# ` before it",
    },
    Rule { check: unnamed_features, reason: "users choose features by the README" },
];

const HEADINGS: &[&str] =
    &["Install", "Example", "Settings", "Capabilities", "Limits", "Tests", "Reference", "Licence"];

const OPTIONAL: &[&str] = &["Tests", "Reference"];

fn other_headings(project: &Project) -> Vec<String> {
    let complaint = |(path, text): (String, &str)| {
        let actual: Vec<&str> = sections(text).into_iter().map(|(heading, _)| heading).collect();
        let is_expected = |name: &&str| !OPTIONAL.contains(name) || actual.contains(name);
        let expected: Vec<&str> = HEADINGS.iter().copied().filter(is_expected).collect();
        (actual != expected).then(|| format!("{path} has the headings {}", actual.join(", ")))
    };
    readmes(project).filter_map(complaint).collect()
}

fn readmes(project: &Project) -> impl Iterator<Item = (String, &str)> {
    project.crates().map(|package| {
        let path = package.file("README.md");
        let text = project.text(&path);
        (path, text)
    })
}

/// Each heading of the second level with the lines below it, outside code blocks.
fn sections(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        match line.strip_prefix("## ").filter(|_| !is_code) {
            Some(heading) => sections.push((heading, Vec::new())),
            None => sections.last_mut().into_iter().for_each(|(_, lines)| lines.push(line)),
        }
    }
    sections
}

/// A test and a call of a suite are whole as well.
const WHOLE: &[&str] =
    &["fn main()", "async fn main()", "#[tokio::test]", "textsearch_conformance::suite!"];

fn parts_of_programs(project: &Project) -> Vec<String> {
    let libraries = project.crates().filter(|package| package.is_library());
    let pages = libraries.flat_map(|package| {
        let readme = package.file("README.md");
        let library = package.file("src/lib.rs");
        let whole = shows_a_program(project.text(&readme));
        let starts = starts_with_one(project.text(&library));
        [(readme, whole), (library, starts)]
    });
    let others = pages.filter(|(_, shows_one)| !shows_one);
    others.map(|(path, _)| format!("{path} shows no whole program")).collect()
}

/// Returns whether a crate's front page includes the README or shows its own program.
fn starts_with_one(library: &str) -> bool {
    library.contains("#![doc = include_str!(\"../README.md\")]")
        || library.lines().filter_map(|line| line.strip_prefix("//! ")).any(is_start_of_program)
}

fn is_start_of_program(line: &str) -> bool {
    WHOLE.iter().any(|start| line.starts_with(start))
}

fn shows_a_program(readme: &str) -> bool {
    let example = sections(readme).into_iter().filter(|(heading, _)| *heading == "Example");
    let mut lines = example.flat_map(|(_, lines)| lines);
    lines.any(is_start_of_program)
}

fn unnamed_features(project: &Project) -> Vec<String> {
    let unnamed = |package: &Package| {
        let path = package.file("README.md");
        let text = project.text(&path);
        let features = package.features.keys().filter(|feature| *feature != "default");
        let unnamed = features.filter(|feature| !text.contains(&format!("`{feature}`")));
        unnamed
            .map(|feature| format!("{path} doesn't name the feature `{feature}`"))
            .collect::<Vec<_>>()
    };
    project.crates().flat_map(unnamed).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GOOD: &str = "# textsearch-bing\n\nSearches.\n\n## Install\n\n```sh\n## no heading\n```\n\n\
        ## Example\n\n```\nfn main() {}\n```\n\n## Settings\n\n`reqwest`\n\n## Capabilities\n\n\
        ### Filters\n\n## Limits\n\n## Reference\n\n## Licence\n";

    fn project(readme: &str) -> Project {
        let target = json!({ "name": "a", "kind": ["lib"], "crate_types": [], "src_path": "a" });
        let fields = json!({ "targets": [target], "features": { "default": [], "reqwest": [] } });
        let library = "//! ```\n//! fn main() {}\n//! ```";
        Project::from_files(&[
            ("crates/textsearch-bing/README.md", readme),
            ("crates/textsearch-bing/src/lib.rs", library),
        ])
        .with_package(Package::new("textsearch-bing", fields))
    }

    fn complaints(readme: &str) -> Vec<String> {
        RULES.iter().flat_map(|rule| (rule.check)(&project(readme))).collect()
    }

    #[test]
    fn a_readme_has_the_headings_in_order() {
        assert!(complaints(GOOD).is_empty(), "{:?}", complaints(GOOD));
        for (from, to) in [
            ("## Limits\n", ""),
            ("### Filters", "## Filters"),
            ("## Limits\n\n## Reference\n", "## Reference\n\n## Limits\n"),
        ] {
            let complaints = complaints(&GOOD.replace(from, to));
            assert_eq!(complaints.len(), 1, "{to}: {complaints:?}");
            assert!(
                complaints[0].contains("README.md has the headings Install, Example"),
                "{complaints:?}"
            );
        }
    }

    #[test]
    fn a_hidden_main_is_no_whole_program() {
        assert_eq!(
            complaints(&GOOD.replace("fn main", "# fn main")),
            ["crates/textsearch-bing/README.md shows no whole program"]
        );
    }

    #[test]
    fn a_front_page_is_the_readme_or_shows_a_program() {
        assert!(starts_with_one("#![doc = include_str!(\"../README.md\")]\n"));
        assert!(starts_with_one("//! ```\n//! async fn main() -> Result<()> {\n"));
        assert!(!starts_with_one("//! # fn main() {\nfn main() {}\n"));
    }

    #[test]
    fn a_readme_names_each_feature() {
        assert_eq!(
            complaints(&GOOD.replace("`reqwest`", "reqwest")),
            ["crates/textsearch-bing/README.md doesn't name the feature `reqwest`"]
        );
    }
}
