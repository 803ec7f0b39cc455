//! `cargo xtask crates`: counts the crates that a user compiles, and limits them: line `crates` of
//! `docs/performance.md`.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use crate::{metadata, shell, tidy};

struct Choice {
    name: &'static str,
    packages: &'static [&'static str],
    /// Includes the packages themselves and build dependencies.
    max: usize,
}

const CHOICES: &[Choice] = &[
    Choice { name: "core", packages: &["textsearch-core"], max: 31 },
    Choice {
        name: "in-memory",
        packages: &["textsearch-vector-inmemory"],
        // Nobody can choose keys whose hashes collide on disk: `sha2` and its six crates.
        max: 54,
    },
    Choice {
        name: "kernel and prompt",
        packages: &["textsearch-kernel", "textsearch-prompt"],
        // `serde_path_to_error` names the wrong part of a typed answer; `tokio` ends slow transforms of queries.
        max: 64,
    },
];

/// Turns the built-in HTTP client on, and the crates that only the client needs.
const HTTP_CLIENT: &str = "textsearch-core/reqwest";
const OF_THE_HTTP_CLIENT: &[&str] = &["reqwest", "ring", "rustls"];

/// The largest web connector counts.
const WEB_CONNECTOR: &str = "one web connector";
const MAX_OF_WEB_CONNECTOR: usize = 116;

/// These answer by themselves, through a model or through other searches.
const OTHER_CONNECTORS: &[&str] = &[
    "textsearch-anthropic",
    "textsearch-azure-ai-search",
    "textsearch-chroma",
    "textsearch-compose",
    "textsearch-embeddings-local",
    "textsearch-milvus",
    "textsearch-openai",
    "textsearch-pgvector",
    "textsearch-pinecone",
    "textsearch-qdrant",
    "textsearch-vector-inmemory",
    "textsearch-web-page",
];

/// One JSON object per line, as `cargo xtask bench` reads them.
pub(crate) fn print() -> Result<()> {
    for (name, count, _) in counts()? {
        println!(
            "{}",
            serde_json::json!({"name": format!("crates, {name}"), "value": count, "unit": "1"})
        );
    }
    Ok(())
}

/// Also checks that no crate compiles the HTTP client when its features are off.
pub(crate) fn check() -> Result<()> {
    let mut complaints: Vec<String> = counts()?.iter().filter_map(complaint).collect();
    for package in metadata::packages()? {
        if package.features.values().flatten().any(|part| part == HTTP_CLIENT) {
            complaints.extend(brought_without_features(&package.name)?);
        }
    }
    if !complaints.is_empty() {
        bail!("{}", complaints.join("\n"));
    }
    Ok(())
}

/// A limit's name, the count, and the maximum.
type Count = (&'static str, usize, usize);

fn complaint((name, count, max): &Count) -> Option<String> {
    (count > max).then(|| {
        format!(
            "crates: {name} compiles {count} crates, more than {max}: every user waits for them; \
             `cargo tree -e normal,build` shows who needs one, xtask/src/crates.rs has the limits"
        )
    })
}

fn counts() -> Result<Vec<Count>> {
    let choices =
        CHOICES.iter().map(|choice| Ok((choice.name, count(choice.packages)?, choice.max)));
    let mut counts = choices.collect::<Result<Vec<_>>>()?;
    let packages = metadata::packages()?;
    let names = packages.iter().map(|package| package.name.as_str());
    let web = names.filter(|name| tidy::is_connector(name) && !OTHER_CONNECTORS.contains(name));
    let sizes = web.map(|name| count(&[name])).collect::<Result<Vec<_>>>()?;
    let largest = sizes.into_iter().max().unwrap_or_default();
    counts.push((WEB_CONNECTOR, largest, MAX_OF_WEB_CONNECTOR));
    Ok(counts)
}

/// Counts the crates that `cargo build` compiles on this machine, with default features.
fn count(packages: &[&str]) -> Result<usize> {
    let mut command =
        shell::cargo("tree --offline --edges normal,build --prefix none --format {p}");
    command.args(packages.iter().flat_map(|package| ["--package", package]));
    Ok(distinct(&shell::read(&mut command)?))
}

fn brought_without_features(package: &str) -> Result<Option<String>> {
    let tree = "tree --offline --edges normal,build --prefix none --no-default-features --package";
    let tree = shell::read(shell::cargo(tree).arg(package))?;
    let names = tree.lines().filter_map(|line| line.split_whitespace().next());
    let brought: BTreeSet<_> = names.filter(|name| OF_THE_HTTP_CLIENT.contains(name)).collect();
    Ok((!brought.is_empty())
        .then(|| format!("crates: {package} without features still compiles {brought:?}")))
}

/// Each line starts with name and version; the source and a mark for repeated crates may follow.
fn distinct(tree: &str) -> usize {
    let crates = tree.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        Some((words.next()?, words.next()?))
    });
    crates.collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_counts_once_for_each_of_its_versions() {
        let tree = "own v0.1.0 (/somewhere/own)\nsyn v2.0.1\nsyn v3.0.9\nserde_derive v1.0.0 (proc-macro)\n\n\
                    own v0.1.0 (/somewhere/own) (*)\nsyn v2.0.1 (*)\n";
        assert_eq!(distinct(tree), 4);
    }

    #[test]
    fn only_more_crates_than_allowed_fail() {
        assert_eq!(complaint(&("core", 35, 35)), None);
        let complaint = complaint(&("core", 36, 35)).unwrap();
        assert!(
            complaint.starts_with("crates: core compiles 36 crates, more than 35"),
            "{complaint}"
        );
    }
}
