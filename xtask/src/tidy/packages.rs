//! Rules about packages: inherited settings, crates.io metadata, README, changelog.

use syn::Item;

use super::Rule;
use super::dependencies::is_connector;
use super::project::Project;
use super::rust::has_attribute;
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
        check: descriptions,
        reason: "crates.io shows it to people who search for a crate; it takes five keywords of 20 characters",
    },
    Rule {
        check: rows_in_the_readme,
        reason: "the table of crates in the README is how users find one: add a row",
    },
    Rule {
        check: entries_in_the_workspace,
        reason: "other crates take it from `[workspace.dependencies]` in the root Cargo.toml: add a line",
    },
    Rule { check: readmes, reason: "the README is the front page of a crate" },
    Rule {
        check: licences,
        reason: "the package of a crate holds the texts: link to the two at the root",
    },
    Rule {
        check: licences_left_out,
        reason: "a package holds what `include` names, such as \"src/**\" and \"LICENSE-*\", and no fixtures",
    },
    Rule {
        check: documented_with_all_features,
        reason: "docs.rs builds only default features unless `[package.metadata.docs.rs]` says \
                 `all-features = true`",
    },
    Rule { check: changelogs, reason: "users read there what a release changes for them" },
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

const INHERITED: &[&str] = &["edition", "rust-version", "license", "repository", "lints"];

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

fn descriptions(project: &Project) -> Vec<String> {
    let missing = |package: &Package| {
        let keys = [
            ("description", package.description.is_none()),
            ("keywords", !are_keywords(&package.keywords)),
            ("categories", package.categories.is_empty()),
            ("readme", package.readme.is_none()),
        ];
        let manifest = package.file("Cargo.toml");
        keys.into_iter().filter(|(_, is_missing)| *is_missing).map(move |(key, _)| {
            format!("{manifest} lacks `{key}`, or has one that is not allowed")
        })
    };
    project.crates().flat_map(missing).collect()
}

fn are_keywords(keywords: &[String]) -> bool {
    (1..=5).contains(&keywords.len())
        && keywords.iter().all(|keyword| keyword.chars().count() <= 20)
}

fn rows_in_the_readme(project: &Project) -> Vec<String> {
    let readme = project.text("README.md");
    let is_missing =
        |package: &&Package| !readme.contains(&format!("[`{0}`](crates/{0})", package.name));
    let missing = project.crates().filter(is_missing);
    missing.map(|package| format!("README.md has no row for {}", package.name)).collect()
}

fn entries_in_the_workspace(project: &Project) -> Vec<String> {
    let manifest = project.text("Cargo.toml");
    let is_listed = |name: &str| {
        manifest.lines().any(|line| {
            line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
        })
    };
    let connectors = project.crates().filter(|package| is_connector(&package.name));
    let missing = connectors.filter(|package| !is_listed(&package.name));
    missing.map(|package| format!("Cargo.toml has no entry for {}", package.name)).collect()
}

fn readmes(project: &Project) -> Vec<String> {
    let paths = project.crates().map(|package| package.file("README.md"));
    paths.filter(|path| !project.has(path)).map(|path| format!("{path} is missing")).collect()
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

fn licences_left_out(project: &Project) -> Vec<String> {
    let manifests = project.crates().map(|package| package.file("Cargo.toml"));
    manifests
        .filter(|path| !packs_licences(&project.text(path).parse().unwrap_or_default()))
        .map(|path| format!("{path} has no `include` with the licences"))
        .collect()
}

fn packs_licences(manifest: &toml::Table) -> bool {
    let include = manifest.get("package").and_then(|package| package.get("include"));
    let patterns = include.and_then(toml::Value::as_array);
    patterns.is_some_and(|patterns| patterns.contains(&"LICENSE-*".into()))
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

fn changelogs(project: &Project) -> Vec<String> {
    let without_heading = |package: &&Package| {
        let text = project.text(&package.file("CHANGELOG.md"));
        !text.lines().any(|line| is_heading_for(line, &package.version.to_string()))
    };
    let complaint = |package: &Package| {
        let path = package.file("CHANGELOG.md");
        format!("{path} has no heading `## {}` or `## Unreleased`", package.version)
    };
    project.crates().filter(without_heading).map(complaint).collect()
}

/// `## 0.1.0`, `## [0.1.0] - 2026-08-01` and `## Unreleased` are headings for 0.1.0.
fn is_heading_for(line: &str, version: &str) -> bool {
    let Some(heading) = line.strip_prefix("## ") else {
        return false;
    };
    let first = heading.split_whitespace().next().unwrap_or_default();
    let first = first.trim_matches(['[', ']']);
    first == version || first.eq_ignore_ascii_case("unreleased")
}

/// As printed tokens.
const README: &str = "doc = include_str ! (\"../README.md\")";
const BADGES: &str = "cfg_attr (docsrs , feature (doc_cfg))";

/// The README may be in the front page or in a module, which may exist for doc tests only.
fn front_pages(project: &Project) -> Vec<String> {
    library_files(project)
        .filter(|(_, file)| {
            let on_items = file.items.iter().filter_map(|item| match item {
                Item::Mod(module) => Some(&module.attrs),
                _ => None,
            });
            !on_items.chain([&file.attrs]).any(|attributes| has_attribute(attributes, README))
        })
        .map(|(path, _)| format!("{path} does not include the README"))
        .collect()
}

fn badges(project: &Project) -> Vec<String> {
    library_files(project)
        .filter(|(_, file)| !has_attribute(&file.attrs, BADGES))
        .map(|(path, _)| format!("{path} has no badges for its features"))
        .collect()
}

fn library_files(project: &Project) -> impl Iterator<Item = (String, syn::File)> {
    let libraries = project.crates().filter(|package| package.is_library());
    libraries.filter_map(|package| {
        let path = package.file("src/lib.rs");
        let file = syn::parse_file(project.text(&path)).ok()?;
        Some((path, file))
    })
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
        Package::of("textsearch-bing", json!({}))
    }

    fn bing_with(file: &str, text: &str) -> Project {
        let path = format!("crates/textsearch-bing/{file}");
        Project::of(&[(&path, text)]).with_package(bing())
    }

    fn target(kind: &str, path: &str) -> serde_json::Value {
        json!({ "name": "a", "kind": [kind], "crate_types": [], "src_path": format!("/project/{path}") })
    }

    #[test]
    fn settings_come_from_the_workspace() {
        let good = "[package]\nedition.workspace = true\nrust-version.workspace = true\n\
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
    fn crates_have_registry_metadata() {
        let words = json!({
            "description": "Bing as a text search", "keywords": ["search"],
            "categories": ["api-bindings"], "readme": "README.md",
        });
        let described = Package::of("textsearch-bing", words);
        assert!(descriptions(&Project::default().with_package(described)).is_empty());
        let findings = descriptions(&Project::default().with_package(bing()));
        assert_eq!(findings.len(), 4, "{findings:?}");
    }

    #[test]
    fn a_registry_takes_five_short_keywords() {
        let words = |count: usize, length: usize| vec!["a".repeat(length); count];
        assert!(are_keywords(&words(5, 20)));
        assert!(!are_keywords(&words(6, 1)) && !are_keywords(&words(1, 21)) && !are_keywords(&[]));
    }

    #[test]
    fn docs_rs_shows_all_features() {
        let with = |all_features: bool| {
            let fields = json!({
                "targets": [target("lib", LIBRARY)],
                "metadata": { "docs": { "rs": { "all-features": all_features } } },
            });
            Project::default().with_package(Package::of("textsearch-bing", fields))
        };
        assert!(documented_with_all_features(&with(true)).is_empty());
        assert_eq!(
            documented_with_all_features(&with(false)),
            ["crates/textsearch-bing/Cargo.toml says nothing to docs.rs"]
        );
    }

    #[test]
    fn packages_outside_crates_need_no_registry_metadata() {
        let project = Project::default().with_package(bing().in_folder("xtask"));
        assert!(descriptions(&project).is_empty() && changelogs(&project).is_empty());
    }

    #[test]
    fn a_crate_has_a_row_in_the_readme() {
        let row = "| [`textsearch-bing`](crates/textsearch-bing) | legacy |";
        let with = |text| Project::of(&[("README.md", text)]).with_package(bing());
        assert!(rows_in_the_readme(&with(row)).is_empty());
        assert_eq!(rows_in_the_readme(&with("")), ["README.md has no row for textsearch-bing"]);
    }

    #[test]
    fn a_connector_has_an_entry_in_the_workspace() {
        let with = |text| Project::of(&[("Cargo.toml", text)]).with_package(bing());
        assert!(entries_in_the_workspace(&with("textsearch-bing = { path = \"x\" }")).is_empty());
        let findings = entries_in_the_workspace(&with("textsearch-bing-news = { path = \"x\" }"));
        assert_eq!(findings, ["Cargo.toml has no entry for textsearch-bing"]);
    }

    #[test]
    fn a_crate_has_a_readme() {
        assert!(readmes(&bing_with("README.md", "# Bing")).is_empty());
        let findings = readmes(&bing_with("src/lib.rs", ""));
        assert_eq!(findings, ["crates/textsearch-bing/README.md is missing"]);
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
            Project::of(&files).with_package(bing())
        };
        assert!(licences(&with("MIT")).is_empty());
        let finding = "crates/textsearch-bing/LICENSE-MIT isn't the LICENSE-MIT of the root";
        assert_eq!(licences(&with("MIT, from 2020")), [finding]);
    }

    #[test]
    fn a_package_includes_the_licences() {
        let with = |include| bing_with("Cargo.toml", &format!("[package]\n{include}\n"));
        assert!(licences_left_out(&with("include = [\"src/**\", \"LICENSE-*\"]")).is_empty());
        for bad in ["", "include = [\"src/**\"]"] {
            assert_eq!(
                licences_left_out(&with(bad)),
                ["crates/textsearch-bing/Cargo.toml has no `include` with the licences"]
            );
        }
    }

    #[test]
    fn a_changelog_needs_the_version_or_unreleased() {
        for heading in ["## 0.1.0", "## [0.1.0] - 2026-08-01", "## Unreleased", "## [Unreleased]"] {
            assert!(changelogs(&bing_with("CHANGELOG.md", heading)).is_empty(), "{heading}");
        }
        for text in ["", "## 0.1.01", "# 0.1.0", "the 0.1.0"] {
            assert_eq!(changelogs(&bing_with("CHANGELOG.md", text)).len(), 1, "{text}");
        }
    }

    const LIBRARY: &str = "crates/textsearch-bing/src/lib.rs";

    fn library(text: &str) -> Project {
        let targets = json!({ "targets": [target("lib", LIBRARY)] });
        Project::of(&[(LIBRARY, text)]).with_package(Package::of("textsearch-bing", targets))
    }

    #[test]
    fn a_library_shows_its_readme_or_tests_it() {
        let attribute = "doc = include_str!(\"../README.md\")";
        for good in [format!("#![{attribute}]"), format!("#[{attribute}] mod readme {{}}")] {
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
            Package::of("examples", targets).in_folder("examples")
        };
        let good = Project::of(&[("examples/01_a.rs", "//! Needs: nothing, offline\n")]);
        let good = good.with_package(examples());
        assert!(examples_are_declared(&good).is_empty());
        assert!(examples_say_what_they_need(&good).is_empty());
        let bad = Project::of(&[("examples/02_b.rs", "fn main() {}")]).with_package(examples());
        assert_eq!(examples_are_declared(&bad), ["examples/02_b.rs is not declared"]);
        let findings = examples_say_what_they_need(&bad);
        assert_eq!(findings, ["examples/02_b.rs does not say what it needs"]);
    }
}
