//! `cargo xtask collection`: creates retrieval test collections in BEIR format.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::{retrieval, shell};

pub(crate) const FILES: [&str; 3] = ["corpus.jsonl", "queries.jsonl", "qrels.tsv"];

type Collection = (&'static str, fn(&Path) -> Result<()>);

pub(crate) const COLLECTIONS: &[Collection] = &[("documents", documents), ("lints", lints)];

/// Creates a collection in a folder, by default `target/collections/NAME`, and returns the folder.
pub(crate) fn create(name: &str, to: Option<PathBuf>) -> Result<PathBuf> {
    let collection = COLLECTIONS.iter().find(|(known, _)| *known == name);
    let (_, make) = collection.with_context(|| format!("no collection `{name}`"))?;
    let to = to.unwrap_or_else(|| shell::root().join("target/collections").join(name));
    fs::create_dir_all(&to).with_context(|| format!("cannot make the folder {}", to.display()))?;
    make(&to)?;
    println!("collection: {name} is in {}", to.display());
    Ok(to)
}

/// With the questions and judgements of `xtask/retrieval`.
fn documents(folder: &Path) -> Result<()> {
    let mut corpus = String::new();
    for path in retrieval::documents()? {
        let text = fs::read_to_string(shell::root().join(&path)).with_context(|| path.clone())?;
        let (title, text) = split_title(&text);
        corpus.push_str(&line(&path, title, text));
    }
    let [documents, queries, qrels] = FILES.map(|file| folder.join(file));
    fs::write(documents, corpus)?;
    fs::copy(retrieval::queries(), queries)?;
    fs::copy(retrieval::judgements(), qrels)?;
    Ok(())
}

/// A query is a lint's one-line purpose, and its answer is the page about the lint.
///
/// The author of the lint wrote both, at different times and in different words. Neither contains
/// the lint's name.
fn lints(folder: &Path) -> Result<()> {
    let listing = shell::read(Command::new("clippy-driver").args(["-W", "help"]))
        .context("this needs Clippy: rustup component add clippy")?;
    let mut corpus = String::new();
    let mut queries = String::new();
    let mut qrels = "query-id\tcorpus-id\tscore\n".to_owned();
    let mut asked = HashSet::new();
    for (name, purpose) in purposes(&listing) {
        let explained = shell::read(&mut shell::cargo(&format!("clippy --explain {name}")))?;
        // Skip new lints without a page, and lints that share their purpose with another.
        if explained.trim().is_empty() || !asked.insert(purpose) {
            continue;
        }
        corpus.push_str(&line(&name, &name.replace('_', " "), explained.trim()));
        queries.push_str(&line(&name, "", purpose));
        qrels.push_str(&format!("{name}\t{name}\t1\n"));
    }
    let texts = [corpus, queries, qrels];
    FILES.iter().zip(texts).try_for_each(|(file, text)| Ok(fs::write(folder.join(file), text)?))
}

fn purposes(listing: &str) -> impl Iterator<Item = (String, &str)> {
    listing.lines().filter_map(|line| {
        let (name, rest) =
            line.trim_start().strip_prefix("clippy::")?.split_once(char::is_whitespace)?;
        // Skip lint groups: they list lint names here, instead of a level.
        let (level, purpose) = rest.trim_start().split_once(char::is_whitespace)?;
        let is_lint = matches!(level, "allow" | "warn" | "deny");
        is_lint.then(|| (name.replace('-', "_"), purpose.trim()))
    })
}

fn split_title(text: &str) -> (&str, &str) {
    let Some((title, rest)) = text.strip_prefix("# ").and_then(|text| text.split_once('\n')) else {
        return ("", text);
    };
    (title.trim(), rest.trim_start())
}

fn line(id: &str, title: &str, text: &str) -> String {
    let line = if title.is_empty() {
        json!({ "_id": id, "text": text })
    } else {
        json!({ "_id": id, "title": title, "text": text })
    };
    format!("{line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn our_own_collection_holds_every_judged_document() {
        let scratch = TempDir::new().unwrap();
        documents(scratch.path()).unwrap();
        let read = |file: &str| fs::read_to_string(scratch.path().join(file)).unwrap();
        let corpus = read("corpus.jsonl");
        for line in read("qrels.tsv").lines().skip(1) {
            let document = line.split('\t').nth(1).unwrap();
            assert!(corpus.contains(&format!("\"_id\":\"{document}\"")), "{document}");
        }
    }

    #[test]
    fn the_first_heading_of_a_page_is_its_title() {
        assert_eq!(split_title("# Filters\n\nOne type.\n"), ("Filters", "One type.\n"));
        assert_eq!(split_title("One type.\n"), ("", "One type.\n"));
    }

    #[test]
    fn clippy_lints_are_separated_from_groups_and_rustc_lints() {
        let listing = "
                 name  default  meaning
          unused-must-use  warn  unused result
        clippy::absolute-paths  allow    checks for usage of an item
        clippy::style  clippy::a, clippy::b
";
        let purposes: Vec<_> = purposes(listing).collect();
        assert_eq!(purposes, [("absolute_paths".to_owned(), "checks for usage of an item")]);
    }
}
