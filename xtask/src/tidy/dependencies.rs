//! The architecture as data: which of our crates may use which.

use cargo_metadata::{Dependency, DependencyKind, semver::VersionReq};

use super::Rule;
use super::project::Project;
use crate::metadata::Package;
use MayUse::{Anything, Only};

pub(super) const RULES: &[Rule] = &[
    Rule {
        check: connectors,
        reason: "a connector depends on the core alone (docs/contributing/architecture.md); \
                 list a crate of another layer in xtask/src/tidy/dependencies.rs",
    },
    Rule {
        check: other_crates,
        reason: "the layers point one way (docs/contributing/architecture.md)",
    },
    Rule {
        check: conformance_outside_tests,
        reason: "the test kit is a dev-dependency, no user compiles it",
    },
    Rule {
        check: versions_of_dev_dependencies,
        reason: "write the path alone; with a version, publishing would need the crates in a circle",
    },
];

enum MayUse {
    Only(&'static [&'static str]),
    Anything,
}

/// Unlisted packages are connectors.
const LAYERS: &[(&[&str], MayUse)] = &[
    (
        &["textsearch-macros", "textsearch-html", "textsearch-text-analysis", "benches", "xtask"],
        Only(&[]),
    ),
    (&["textsearch-core"], Only(&["textsearch-macros", "textsearch-text-analysis"])),
    (
        &["textsearch-eval", "textsearch-conformance", "textsearch-mlindex"],
        Only(&["textsearch-core"]),
    ),
    (
        &["textsearch-documents", "textsearch-web-page"],
        Only(&["textsearch-core", "textsearch-html"]),
    ),
    (&["textsearch-kernel"], Only(&["textsearch-core", "textsearch-macros"])),
    (
        &["textsearch-mcp", "textsearch-openapi", "textsearch-plan", "textsearch-prompt"],
        Only(&["textsearch-core", "textsearch-kernel"]),
    ),
    (
        &["textsearch-server"],
        Only(&[
            "textsearch-compose",
            "textsearch-core",
            "textsearch-documents",
            "textsearch-kernel",
            "textsearch-mcp",
            "textsearch-prompt",
        ]),
    ),
    (&["textsearch-sdk", "textsearch-cli", "examples", "fuzz", "macro-tests"], Anything),
];

const CONNECTOR: MayUse = Only(&["textsearch-core"]);

/// No package depends on the facade and these programs.
const TOP: &[&str] =
    &["textsearch-sdk", "textsearch-cli", "examples", "fuzz", "macro-tests", "benches", "xtask"];

const CONFORMANCE: &str = "textsearch-conformance";

pub(crate) fn is_connector(name: &str) -> bool {
    layer(name).is_none()
}

fn connectors(project: &Project) -> Vec<String> {
    forbidden_edges(project, |package| is_connector(&package.name))
}

fn other_crates(project: &Project) -> Vec<String> {
    forbidden_edges(project, |package| !is_connector(&package.name))
}

fn forbidden_edges(project: &Project, concerns: fn(&Package) -> bool) -> Vec<String> {
    let packages = project.packages.iter().filter(|package| concerns(package));
    let edges = packages.flat_map(|from| ours(project, from).map(move |to| (from, to)));
    edges
        .filter(|(from, to)| !is_for_tests(to) && to.name != CONFORMANCE && !allowed(from, to))
        .map(|(from, to)| format!("{} may not depend on {}", from.name, to.name))
        .collect()
}

fn conformance_outside_tests(project: &Project) -> Vec<String> {
    all_edges(project)
        .filter(|(_, to)| to.name == CONFORMANCE && !is_for_tests(to))
        .map(|(from, to)| format!("{} may not depend on {}", from.name, to.name))
        .collect()
}

fn versions_of_dev_dependencies(project: &Project) -> Vec<String> {
    all_edges(project)
        .filter(|(_, to)| is_for_tests(to) && to.req != VersionReq::STAR)
        .map(|(from, to)| format!("{}: the dev-dependency {} has a version", from.name, to.name))
        .collect()
}

fn all_edges(project: &Project) -> impl Iterator<Item = (&Package, &Dependency)> {
    project.packages.iter().flat_map(|from| ours(project, from).map(move |to| (from, to)))
}

fn ours<'a>(project: &'a Project, from: &'a Package) -> impl Iterator<Item = &'a Dependency> {
    let is_ours = |name: &str| project.packages.iter().any(|package| package.name == name);
    from.dependencies.iter().filter(move |to| is_ours(&to.name))
}

fn allowed(from: &Package, to: &Dependency) -> bool {
    match layer(&from.name).unwrap_or(&CONNECTOR) {
        Only(names) => names.contains(&to.name.as_str()),
        Anything => !TOP.contains(&to.name.as_str()),
    }
}

fn is_for_tests(dependency: &Dependency) -> bool {
    dependency.kind == DependencyKind::Development
}

fn layer(package: &str) -> Option<&'static MayUse> {
    LAYERS.iter().find(|(names, _)| names.contains(&package)).map(|(_, may_use)| may_use)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::explained;
    use super::*;

    fn complaints(from: &str, to: &str, kind: Option<&str>, req: &str) -> Vec<String> {
        let edge = json!({
            "name": to, "kind": kind, "req": req, "source": null, "optional": false,
            "uses_default_features": true, "features": [], "target": null,
        });
        let from = Package::new(from, json!({ "dependencies": [edge] }));
        let to = Package::new(to, json!({}));
        let project = Project::default().with_package(from).with_package(to);
        RULES.iter().flat_map(|rule| explained(rule, &project)).collect()
    }

    fn is_allowed(from: &str, to: &str) -> bool {
        complaints(from, to, None, "^0.1.0").is_empty()
    }

    #[test]
    fn a_connector_depends_on_the_core_alone() {
        assert!(is_allowed("textsearch-google", "textsearch-core"));
        assert_eq!(
            complaints("textsearch-google", "textsearch-kernel", None, "^0.1.0"),
            ["tidy: textsearch-google may not depend on textsearch-kernel: \
                 a connector depends on the core alone (docs/contributing/architecture.md); \
                 list a crate of another layer in xtask/src/tidy/dependencies.rs"]
        );
        assert!(!is_allowed("textsearch-google", "textsearch-bing"));
    }

    #[test]
    fn the_layers_point_one_way() {
        assert!(is_allowed("textsearch-core", "textsearch-macros"));
        assert!(is_allowed("textsearch-prompt", "textsearch-kernel"));
        assert!(!is_allowed("textsearch-core", "textsearch-kernel"));
        assert!(!is_allowed("textsearch-kernel", "textsearch-prompt"));
        assert!(!is_allowed("textsearch-kernel", "textsearch-bing"));
        assert!(!is_allowed("textsearch-documents", "textsearch-vector-inmemory"));
    }

    #[test]
    fn nothing_depends_on_the_programs_at_the_top() {
        assert!(is_allowed("textsearch-cli", "textsearch-bing"));
        assert!(is_allowed("examples", "textsearch-prompt"));
        assert!(!is_allowed("examples", "textsearch-cli"));
        assert!(!is_allowed("xtask", "textsearch-core"));
    }

    #[test]
    fn a_build_dependency_counts_like_an_ordinary_one() {
        let complaints =
            complaints("textsearch-bing", "textsearch-kernel", Some("build"), "^0.1.0");
        assert_eq!(complaints.len(), 1, "{complaints:?}");
    }

    #[test]
    fn a_dev_dependency_may_point_anywhere_without_a_version() {
        assert!(complaints("textsearch-core", "textsearch-bing", Some("dev"), "*").is_empty());
        let complaints = complaints("textsearch-core", "textsearch-bing", Some("dev"), "^0.1.0");
        assert!(complaints[0].contains("the dev-dependency textsearch-bing has a version"));
    }

    #[test]
    fn the_conformance_kit_is_for_tests_only() {
        assert!(complaints("textsearch-bing", CONFORMANCE, Some("dev"), "*").is_empty());
        let complaints = complaints("textsearch-cli", CONFORMANCE, None, "^0.1.0");
        assert!(complaints[0].contains("no user compiles it"), "{complaints:?}");
    }
}
