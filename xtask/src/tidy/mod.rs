//! `cargo xtask tidy`: this repository's rules that the compiler cannot check, with a reason for
//! each.
//!
//! It also runs as a test, so `cargo test` enforces the rules.

mod circles;
mod connectors;
mod contents;
mod dependencies;
mod documents;
mod facade;
mod packages;
mod project;
mod readmes;
mod requirements;
mod sources;

use anyhow::{Result, bail};

use project::Project;

pub(crate) use dependencies::is_connector;
pub(crate) use project::paths;

struct Rule {
    check: fn(&Project) -> Vec<String>,
    reason: &'static str,
}

const RULES: &[&[Rule]] = &[
    dependencies::RULES,
    packages::RULES,
    readmes::RULES,
    connectors::RULES,
    requirements::RULES,
    facade::RULES,
    sources::RULES,
    circles::RULES,
    documents::RULES,
    contents::RULES,
];

pub(crate) fn run() -> Result<()> {
    let project = Project::load()?;
    let findings = findings(&project);
    if !findings.is_empty() {
        bail!("{}", findings.join("\n"));
    }
    println!("tidy: {} files in {} packages", project.files.len(), project.packages.len());
    Ok(())
}

fn findings(project: &Project) -> Vec<String> {
    RULES.iter().flat_map(|group| group.iter()).flat_map(|rule| explained(rule, project)).collect()
}

fn explained(rule: &Rule, project: &Project) -> Vec<String> {
    let findings = (rule.check)(project);
    findings.iter().map(|finding| format!("tidy: {finding}: {}", rule.reason)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_tidy() {
        let findings = findings(&Project::load().unwrap());
        assert!(findings.is_empty(), "\n{}", findings.join("\n"));
    }

    #[test]
    fn a_finding_is_printed_with_its_reason() {
        let rule = Rule { check: |_| vec!["a.rs is too long".to_owned()], reason: "split it" };
        assert_eq!(explained(&rule, &Project::default()), ["tidy: a.rs is too long: split it"]);
    }
}
