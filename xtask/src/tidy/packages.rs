//! Rules about packages: inherited settings, crates.io metadata, README, changelog.

use super::Rule;
use super::project::Project;
use crate::examples;
use crate::metadata::Package;

pub(super) const RULES: &[Rule] = &[
    Rule {
        check: inherited_settings,
        reason: "the workspace says it once, so that no crate drifts; \
                 write `edition.workspace = true` and, for lints, `[lints]` with `workspace = true`",
    },
    Rule {
        check: folder_names,
        reason: "the folder has the name of its crate, so that `ls crates` is the map",
    },
    Rule {
        check: rows_in_the_readme,
        reason: "the table of crates in the README is how users find one: add a row",
    },
    Rule {
        check: licences,
        reason: "the package of a crate holds the texts: link to the two at the root",
    },
    Rule {
        check: documented_with_all_features,
        reason: "docs.rs builds only default features unless `[package.metadata.docs.rs]` says \
                 `all-features = true`",
    },
    Rule {
        check: front_pages,
        reason: "`#![doc = include_str!(\"../README.md\")]` makes it the first page of the \
                 documentation, and compiles its examples",
    },
    Rule {
        check: badges,
        reason: "docs.rs shows which feature an item needs after `#![cfg_attr(docsrs, feature(doc_cfg))]`",
    },
    Rule {
        check: examples_are_declared,
        reason: "cargo compiles only what an `[[example]]` in examples/Cargo.toml names",
    },
    Rule {
        check: examples_say_what_they_need,
        reason: "the header has a line `//! Needs: ...`; `cargo xtask ci` runs those that say `offline`",
    },
];

const INHERITED: &[&str] =
    &["version", "edition", "rust-version", "license", "repository", "lints"];

/// The lints are for libraries.
const HAS_OWN_LINTS: &str = "examples";

fn inherited_settings(project: &Project) -> Vec<String> {
    let missing = |package: &Package| {
        let manifest = package.file("Cargo.toml");
        let table = project.text(&manifest).parse().unwrap_or_default();
        let is_exempt = |key: &str| key == "lints" && package.folder == HAS_OWN_LINTS;
        let keys = INHERITED.iter().filter(|key| !inherits(&table, key) && !is_exempt(key));
        keys.map(|key| format!("{manifest} does not inherit `{key}`")).collect::<Vec<_>>()
    };
    project.packages.iter().flat_map(missing).collect()
}

/// `key.workspace = true` in `[package]`, or a table of this name with `workspace = true`.
fn inherits(manifest: &toml::Table, key: &str) -> bool {
    let package = manifest.get("package").and_then(|package| package.get(key));
    let places = [package, manifest.get(key)];
    places.into_iter().flatten().any(|place| place.get("workspace") == Some(&true.into()))
}

fn folder_names(project: &Project) -> Vec<String> {
    project
        .crates()
        .filter(|package| package.folder != format!("crates/{}", package.name))
        .map(|package| format!("{} holds the crate {}", package.folder, package.name))
        .collect()
}

fn rows_in_the_readme(project: &Project) -> Vec<String> {
    let readme = project.text("README.md");
    let is_missing =
        |package: &&Package| !readme.contains(&format!("[`{0}`](crates/{0})", package.name));
    let missing = project.crates().filter(is_missing);
    missing.map(|package| format!("README.md has no row for {}", package.name)).collect()
}

fn licences(project: &Project) -> Vec<String> {
    let texts = |package: &Package| {
        ["LICENSE-APACHE", "LICENSE-MIT"].map(|text| (package.file(text), text))
    };
    let copies = project.crates().flat_map(texts);
    let is_same =
        |copy: &str, text: &str| project.has(copy) && project.text(copy) == project.text(text);
    copies
        .filter(|(copy, text)| !is_same(copy, text))
        .map(|(copy, text)| format!("{copy} isn't the {text} of the root"))
        .collect()
}

fn documented_with_all_features(project: &Project) -> Vec<String> {
    let says_so = |package: &&Package| {
        package.metadata.pointer("/docs/rs/all-features") == Some(&true.into())
    };
    let libraries = project.crates().filter(|package| package.is_library());
    let silent = libraries.filter(|package| !says_so(package));
    silent
        .map(|package| format!("{} says nothing to docs.rs", package.file("Cargo.toml")))
        .collect()
}

const README: &str = "doc = include_str!(\"../README.md\")]";
const BADGES: &str = "#![cfg_attr(docsrs, feature(doc_cfg))]";

/// The README may be in the front page or in a module, which may exist for doc tests only.
fn front_pages(project: &Project) -> Vec<String> {
    let pages =
        front_pages_without(project, |line| line.starts_with('#') && line.ends_with(README));
    pages.map(|path| format!("{path} does not include the README")).collect()
}

fn badges(project: &Project) -> Vec<String> {
    let pages = front_pages_without(project, |line| line == BADGES);
    pages.map(|path| format!("{path} has no badges for its features")).collect()
}

fn front_pages_without(
    project: &Project,
    is_wanted: fn(&str) -> bool,
) -> impl Iterator<Item = String> {
    let libraries = project.crates().filter(|package| package.is_library());
    let paths = libraries.map(|package| package.file("src/lib.rs"));
    paths.filter(move |path| !project.text(path).lines().any(is_wanted))
}

fn example_programs(project: &Project) -> impl Iterator<Item = (&str, &str)> {
    project.texts().filter(|(path, _)| {
        path.strip_prefix("examples/")
            .is_some_and(|name| name.ends_with(".rs") && !name.contains('/'))
    })
}

fn examples_are_declared(project: &Project) -> Vec<String> {
    let targets = || project.packages.iter().flat_map(|package| &package.targets);
    let is_declared = |path: &str| targets().any(|target| target.src_path.ends_with(path));
    example_programs(project)
        .filter(|(path, _)| !is_declared(path))
        .map(|(path, _)| format!("{path} is not declared"))
        .collect()
}

fn examples_say_what_they_need(project: &Project) -> Vec<String> {
    example_programs(project)
        .filter(|(_, text)| examples::needs(text).is_none())
        .map(|(path, _)| format!("{path} does not say what it needs"))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bing() -> Package {
        Package::new("textsearch-bing", json!({}))
    }

    fn bing_with(file: &str, text: &str) -> Project {
        let path = format!("crates/textsearch-bing/{file}");
        Project::from_files(&[(&path, text)]).with_package(bing())
    }

    fn target(kind: &str, path: &str) -> serde_json::Value {
        json!({ "name": "a", "kind": [kind], "crate_types": [], "src_path": format!("/project/{path}") })
    }

    #[test]
    fn settings_come_from_the_workspace() {
        let good = "[package]\nversion.workspace = true\nedition.workspace = true\nrust-version.workspace = true\n\
                    license.workspace = true\nrepository.workspace = true\n\n\
                    [lints]\nworkspace = true\n";
        assert!(inherited_settings(&bing_with("Cargo.toml", good)).is_empty());
        let own = good.replace("edition.workspace = true", "edition = \"2021\"");
        assert_eq!(
            inherited_settings(&bing_with("Cargo.toml", &own)),
            ["crates/textsearch-bing/Cargo.toml does not inherit `edition`"]
        );
        let no_lints = good.replace("[lints]", "[dependencies.serde]");
        assert_eq!(inherited_settings(&bing_with("Cargo.toml", &no_lints)).len(), 1);
    }

    #[test]
    fn a_folder_has_the_name_of_its_crate() {
        assert!(folder_names(&Project::default().with_package(bing())).is_empty());
        let moved = bing().in_folder("crates/bing");
        let findings = folder_names(&Project::default().with_package(moved));
        assert_eq!(findings, ["crates/bing holds the crate textsearch-bing"]);
    }

    #[test]
    fn docs_rs_shows_all_features() {
        let with = |all_features: bool| {
            let fields = json!({
                "targets": [target("lib", LIBRARY)],
                "metadata": { "docs": { "rs": { "all-features": all_features } } },
            });
            Project::default().with_package(Package::new("textsearch-bing", fields))
        };
        assert!(documented_with_all_features(&with(true)).is_empty());
        assert_eq!(
            documented_with_all_features(&with(false)),
            ["crates/textsearch-bing/Cargo.toml says nothing to docs.rs"]
        );
    }

    #[test]
    fn a_crate_has_a_row_in_the_readme() {
        let row = "| [`textsearch-bing`](crates/textsearch-bing) | legacy |";
        let with = |text| Project::from_files(&[("README.md", text)]).with_package(bing());
        assert!(rows_in_the_readme(&with(row)).is_empty());
        assert_eq!(rows_in_the_readme(&with("")), ["README.md has no row for textsearch-bing"]);
    }

    #[test]
    fn the_licences_of_a_crate_are_those_of_the_root() {
        let with = |mit| {
            let files = [
                ("LICENSE-APACHE", "Apache"),
                ("LICENSE-MIT", "MIT"),
                ("crates/textsearch-bing/LICENSE-APACHE", "Apache"),
                ("crates/textsearch-bing/LICENSE-MIT", mit),
            ];
            Project::from_files(&files).with_package(bing())
        };
        assert!(licences(&with("MIT")).is_empty());
        let finding = "crates/textsearch-bing/LICENSE-MIT isn't the LICENSE-MIT of the root";
        assert_eq!(licences(&with("MIT, from 2020")), [finding]);
    }

    const LIBRARY: &str = "crates/textsearch-bing/src/lib.rs";

    fn library(text: &str) -> Project {
        let targets = json!({ "targets": [target("lib", LIBRARY)] });
        Project::from_files(&[(LIBRARY, text)])
            .with_package(Package::new("textsearch-bing", targets))
    }

    #[test]
    fn a_library_shows_its_readme_or_tests_it() {
        let attribute = "doc = include_str!(\"../README.md\")";
        for good in [format!("#![{attribute}]"), format!("#[{attribute}]\nmod readme {{}}")] {
            assert!(front_pages(&library(&good)).is_empty(), "{good}");
        }
        for bad in ["//! Bing.\n".to_owned(), format!("// #![{attribute}]\n")] {
            let complaint = format!("{LIBRARY} does not include the README");
            assert_eq!(front_pages(&library(&bad)), [complaint]);
        }
    }

    #[test]
    fn a_library_has_badges_for_its_features() {
        assert!(badges(&library("#![cfg_attr(docsrs, feature(doc_cfg))]\n")).is_empty());
        let complaint = format!("{LIBRARY} has no badges for its features");
        assert_eq!(badges(&library("//! Bing.\n")), [complaint]);
    }

    #[test]
    fn a_program_without_a_library_needs_no_front_page() {
        assert!(front_pages(&bing_with("src/main.rs", "fn main() {}")).is_empty());
    }

    #[test]
    fn every_example_is_declared_and_says_what_it_needs() {
        let examples = || {
            let targets = json!({ "targets": [target("example", "examples/01_a.rs")] });
            Package::new("examples", targets).in_folder("examples")
        };
        let good = Project::from_files(&[("examples/01_a.rs", "//! Needs: nothing, offline\n")]);
        let good = good.with_package(examples());
        assert!(examples_are_declared(&good).is_empty());
        assert!(examples_say_what_they_need(&good).is_empty());
        let bad =
            Project::from_files(&[("examples/02_b.rs", "fn main() {}")]).with_package(examples());
        assert_eq!(examples_are_declared(&bad), ["examples/02_b.rs is not declared"]);
        let findings = examples_say_what_they_need(&bad);
        assert_eq!(findings, ["examples/02_b.rs does not say what it needs"]);
    }
}
