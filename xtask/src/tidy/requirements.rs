//! Rules about requirements on our crates outside the workspace.

use cargo_metadata::semver::VersionReq;

use super::Rule;
use super::project::Project;

pub(super) const RULES: &[Rule] = &[Rule {
    check: other_versions,
    reason: "cargo would silently take an older release from crates.io; write the current version, such as \"0.1\"",
}];

/// Manifests of programs outside the workspace, and the pages that tell users what to write.
const PLACES: &[&str] = &[
    "docs/contributing/publishing-a-connector.md",
    "docs/versioning.md",
    "templates/",
    "xtask/consumer/",
];

fn other_versions(project: &Project) -> Vec<String> {
    let places = project.texts().filter(|(path, _)| {
        PLACES.iter().any(|place| path.starts_with(place))
            && (path.ends_with("Cargo.toml") || path.ends_with(".md"))
    });
    let complaints = places.flat_map(|(path, text)| {
        // Pages also mention older and later versions.
        let is_advice = |line: &&str| !path.ends_with(".md") || line.contains("Write `");
        let other = text.lines().filter(is_advice).filter_map(|line| {
            let (name, requirement) = requirement(line)?;
            let package = project.crates().find(|package| package.name == name)?;
            let matches = VersionReq::parse(requirement)
                .is_ok_and(|requirement| requirement.matches(&package.version));
            (!matches).then(|| {
                format!("{path} requires {name} {requirement}, which is {}", package.version)
            })
        });
        other.collect::<Vec<_>>()
    });
    complaints.collect()
}

/// From `textsearch-core = "0.1"` or `textsearch-core = { version = "0.1" }`, anywhere in a line.
fn requirement(line: &str) -> Option<(&str, &str)> {
    let (before, after) = line.split_once(" = ")?;
    let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '-').next()?;
    let after = after.strip_prefix('"').or_else(|| Some(after.split_once("version = \"")?.1))?;
    let (requirement, _) = after.split_once('"')?;
    name.starts_with("textsearch-").then_some((name, requirement))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::metadata::Package;

    #[test]
    fn requirements_match_the_versions_of_the_workspace() {
        let project = Project::from_files(&[
            ("xtask/consumer/core/Cargo.toml", "textsearch-core = \"0.1\"\nserde = \"1\"\n"),
            ("templates/a/Cargo.toml", "textsearch-core = { version = \"0.2\", features = [] }\n"),
            ("docs/versioning.md", "Write `textsearch-core = \"1\"`, and `cargo update`.\n"),
            (
                "docs/contributing/publishing-a-connector.md",
                "Write `textsearch-core = \"0.2\"`: cargo takes any.\nPin `textsearch-core = \"=0.1.3\"`.\n",
            ),
            ("docs/decisions/0001-a.md", "It was `textsearch-core = \"0.0.1\"`.\n"),
        ])
        .with_package(Package::new("textsearch-core", json!({})));
        assert_eq!(
            other_versions(&project),
            [
                "docs/contributing/publishing-a-connector.md requires textsearch-core 0.2, which is 0.1.0",
                "docs/versioning.md requires textsearch-core 1, which is 0.1.0",
                "templates/a/Cargo.toml requires textsearch-core 0.2, which is 0.1.0",
            ]
        );
    }
}
