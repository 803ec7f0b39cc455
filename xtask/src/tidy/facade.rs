//! Rules about `textsearch-sdk`: it re-exports every library, each behind a feature of its name.

use std::collections::BTreeSet;

use super::Rule;
use super::project::Project;

pub(super) const RULES: &[Rule] = &[
    Rule {
        check: crates_left_out,
        reason: "the facade re-exports every library: in crates/textsearch-sdk, add an optional dependency and \
                 a feature of the same name to Cargo.toml, and a `pub use` behind it to src/lib.rs",
    },
    Rule {
        check: features_on_by_default,
        reason: "nobody compiles a crate that they did not ask for",
    },
    Rule {
        check: rows_unlike_features,
        reason: "the table in crates/textsearch-sdk/README.md is how users choose",
    },
];

const FACADE: &str = "crates/textsearch-sdk";

/// Libraries without a module in the facade, with the reason.
const NO_MODULE: &[(&str, &str)] = &[
    ("textsearch-conformance", "a test kit, which is a dev-dependency"),
    ("textsearch-core", "always there"),
    ("textsearch-macros", "its macros are in the core and the kernel"),
    ("textsearch-sdk", "the facade itself"),
    ("textsearch-text-analysis", "its types are in the core"),
];

fn crates_left_out(project: &Project) -> Vec<String> {
    let libraries = project.crates().filter(|package| package.is_library());
    let names = libraries.filter_map(|package| package.name.strip_prefix("textsearch-"));
    let manifest = manifest(project);
    let library: String =
        project.text(&format!("{FACADE}/src/lib.rs")).split_whitespace().collect();
    names
        .filter(|name| !NO_MODULE.iter().any(|(other, _)| other.ends_with(&format!("-{name}"))))
        .filter(|name| !(is_feature(&manifest, name) && library.contains(&re_export(name))))
        .map(|name| format!("{FACADE} has no module for textsearch-{name}"))
        .collect()
}

fn manifest(project: &Project) -> toml::Table {
    project.text(&format!("{FACADE}/Cargo.toml")).parse().unwrap_or_default()
}

fn is_feature(manifest: &toml::Table, name: &str) -> bool {
    let parts = manifest.get("features").and_then(|features| features.get(name));
    let parts = parts.and_then(toml::Value::as_array);
    parts.is_some_and(|parts| parts.contains(&format!("dep:textsearch-{name}").into()))
}

/// Without spaces.
fn re_export(name: &str) -> String {
    let module = name.replace('-', "_");
    format!("#[cfg(feature=\"{name}\")]pubusetextsearch_{module}as{module};")
}

fn features_on_by_default(project: &Project) -> Vec<String> {
    let manifest = manifest(project);
    let default = manifest.get("features").and_then(|features| features.get("default"));
    let names = default.and_then(toml::Value::as_array).into_iter().flatten();
    let names = names.filter_map(toml::Value::as_str);
    names.map(|name| format!("{FACADE} has the default feature `{name}`")).collect()
}

fn rows_unlike_features(project: &Project) -> Vec<String> {
    let manifest = manifest(project);
    let features = manifest.get("features").and_then(toml::Value::as_table);
    let names = features.into_iter().flat_map(toml::Table::keys).map(String::as_str);
    let features: BTreeSet<&str> = names.filter(|name| *name != "default").collect();
    let rows = rows(project.text(&format!("{FACADE}/README.md")));
    let without_row = features.difference(&rows).map(|name| format!("`{name}` has no row"));
    let without_feature = rows.difference(&features).map(|name| format!("`{name}` is no feature"));
    without_row.chain(without_feature).map(|text| format!("{FACADE}/README.md: {text}")).collect()
}

/// The first cells of the table whose first column is called `Feature`.
fn rows(readme: &str) -> BTreeSet<&str> {
    let table = readme.lines().skip_while(|line| !line.starts_with("| Feature |")).skip(2);
    let cells = table.map_while(|line| line.strip_prefix("| `")?.split('`').next());
    cells.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::metadata::Package;

    const MANIFEST: &str =
        "[features]\ndefault = []\nweb-page = [\"dep:textsearch-web-page\"]\n[dependencies]\n";
    const LIBRARY: &str =
        "#[cfg(feature = \"web-page\")]\npub use textsearch_web_page as web_page;\n";
    const README: &str = "| Feature | Adds |\n|---|---|\n| `web-page` | whole pages |\n\nNo `row`.";

    fn facade(manifest: &str, library: &str, readme: &str) -> Project {
        let targets = json!([{ "name": "a", "kind": ["lib"], "crate_types": [], "src_path": "a" }]);
        let files = [
            ("crates/textsearch-sdk/Cargo.toml", manifest),
            ("crates/textsearch-sdk/src/lib.rs", library),
            ("crates/textsearch-sdk/README.md", readme),
        ];
        let package = |name| Package::new(name, json!({ "targets": targets }));
        Project::from_files(&files)
            .with_package(package("textsearch-core"))
            .with_package(package("textsearch-web-page"))
    }

    #[test]
    fn the_facade_has_a_module_for_each_library() {
        assert!(crates_left_out(&facade(MANIFEST, LIBRARY, README)).is_empty());
        let complaint = ["crates/textsearch-sdk has no module for textsearch-web-page"];
        assert_eq!(crates_left_out(&facade("", LIBRARY, README)), complaint);
        let ungated = "pub use textsearch_web_page as web_page;";
        assert_eq!(crates_left_out(&facade(MANIFEST, ungated, README)), complaint);
    }

    #[test]
    fn the_facade_turns_nothing_on_by_default() {
        assert!(features_on_by_default(&facade(MANIFEST, LIBRARY, README)).is_empty());
        let manifest = MANIFEST.replace("[]", "[\"web-page\"]");
        assert_eq!(
            features_on_by_default(&facade(&manifest, LIBRARY, README)),
            ["crates/textsearch-sdk has the default feature `web-page`"]
        );
    }

    #[test]
    fn the_table_of_the_facade_has_its_features() {
        assert!(rows_unlike_features(&facade(MANIFEST, LIBRARY, README)).is_empty());
        assert_eq!(
            rows_unlike_features(&facade(MANIFEST, LIBRARY, &README.replace("web-", "whole-"))),
            [
                "crates/textsearch-sdk/README.md: `web-page` has no row",
                "crates/textsearch-sdk/README.md: `whole-page` is no feature"
            ]
        );
    }
}
