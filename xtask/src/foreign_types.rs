//! `cargo xtask ci foreign-types`: compares the crates whose types are in our public signatures with the
//! list in `docs/contributing/foreign-types.md`.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::{
    docs,
    metadata::{self, Package},
    shell,
};

const LIST: &str = "docs/contributing/foreign-types.md";

/// In the second column of the list: every crate of ours may use it.
const EVERYWHERE: &str = "all";

const STANDARD: &[&str] = &["alloc", "core", "std"];

/// Crates that users know by another name.
const PARTS: &[(&str, &str)] = &[("serde_core", "serde")];

/// The name of our crate without prefix, and a foreign crate.
type Use = (String, String);

pub(crate) fn check() -> Result<()> {
    docs::build_json()?;
    let packages = metadata::packages()?;
    let ours = packages.iter().filter(|package| is_published(package));
    let used = ours.map(uses).collect::<Result<Vec<_>>>()?.concat().into_iter().collect();
    let list = fs::read_to_string(shell::root().join(LIST))?;
    let complaints = complaints(&used, &allowed(&list));
    if !complaints.is_empty() {
        bail!("{}", complaints.join("\n"));
    }
    println!("foreign-types: {} uses, all listed", used.len());
    Ok(())
}

fn is_published(package: &Package) -> bool {
    package.is_library() && package.publish.is_none()
}

fn uses(package: &Package) -> Result<Vec<Use>> {
    let file = format!("target/doc/{}.json", package.name.replace('-', "_"));
    let text =
        fs::read(shell::root().join(&file)).with_context(|| format!("cannot read {file}"))?;
    let documentation = serde_json::from_slice(&text)?;
    let crates = crates_in_signatures(&documentation)
        .with_context(|| format!("{file} has another form than this version of rustdoc writes"))?;
    let ours = package.name.trim_start_matches("textsearch-");
    Ok(crates.into_iter().map(|foreign| (ours.to_owned(), foreign.to_owned())).collect())
}

/// Without the standard library and our own crates. `None` if rustdoc's format has changed.
fn crates_in_signatures(documentation: &Value) -> Option<BTreeSet<&str>> {
    let mut ids = BTreeSet::new();
    for item in documentation["index"].as_object()?.values().filter(|item| item["crate_id"] == 0) {
        if !is_derived_from_the_standard_library(&item["inner"]) {
            add_ids(&item["inner"], &mut ids);
        }
    }
    let paths = documentation["paths"].as_object()?;
    let crates = documentation["external_crates"].as_object()?;
    let definitions = ids.iter().filter_map(|id| paths.get(id));
    let names = definitions
        .filter_map(|path| crates.get(&path["crate_id"].to_string())?["name"].as_str())
        .filter(|name| !STANDARD.contains(name) && !name.starts_with("textsearch"))
        .map(|name| PARTS.iter().find(|(part, _)| *part == name).map_or(name, |(_, whole)| whole));
    Some(names.collect())
}

/// Blanket implementations of other crates, and automatic ones such as `Send`.
fn is_derived_from_the_standard_library(inner: &Value) -> bool {
    inner.get("impl").is_some_and(|implementation| {
        !implementation.get("blanket_impl").is_none_or(Value::is_null)
            || implementation.get("is_synthetic") == Some(&Value::Bool(true))
    })
}

/// Each mention of a type, a trait or a re-exported item is an object with an `id`.
fn add_ids(value: &Value, ids: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(id) = fields.get("id").and_then(Value::as_u64) {
                ids.insert(id.to_string());
            }
            fields.values().for_each(|field| add_ids(field, ids));
        }
        Value::Array(items) => items.iter().for_each(|item| add_ids(item, ids)),
        _ => {}
    }
}

/// From rows such as ``| `serde`, `serde_json` | all | where | why |``.
fn allowed(list: &str) -> BTreeSet<Use> {
    let rows = list.lines().filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| {
        let mut cells = row.split('|').skip(1);
        let foreign = cells.next().unwrap_or_default();
        let ours = cells.next().unwrap_or_default();
        let ours = if ours.trim() == EVERYWHERE { vec![EVERYWHERE] } else { codes(ours) };
        codes(foreign).into_iter().flat_map(move |foreign| {
            ours.clone().into_iter().map(move |ours| (ours.to_owned(), foreign.to_owned()))
        })
    })
    .collect()
}

fn codes(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn complaints(used: &BTreeSet<Use>, allowed: &BTreeSet<Use>) -> Vec<String> {
    let is_everywhere =
        |foreign: &str| allowed.contains(&(EVERYWHERE.to_owned(), foreign.to_owned()));
    let new = used.difference(allowed).filter(|(_, foreign)| !is_everywhere(foreign)).map(
        |(ours, foreign)| {
            format!(
                "foreign-types: a public signature of {ours} names {foreign}: its next major version \
                 breaks our users; use a type of ours, or add a reason to {LIST}"
            )
        },
    );
    let gone =
        allowed.difference(used).filter(|(ours, _)| ours != EVERYWHERE).map(|(ours, foreign)| {
            format!(
                "foreign-types: {LIST} lists {foreign} for {ours}, which doesn't use it: remove it"
            )
        });
    new.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn foreign_types_are_found_at_any_depth() {
        let function = json!({ "function": { "sig": { "output": { "resolved_path": {
            "path": "Vec", "id": 1, "args": { "angle_bracketed": [{ "resolved_path": { "path": "Url", "id": 2 } }] },
        } } } } });
        let blanket = json!({ "impl": { "blanket_impl": { "generic": "T" }, "trait": { "path": "Instrument", "id": 3 } } });
        let documentation = json!({
            "index": {
                "10": { "crate_id": 0, "inner": function },
                "11": { "crate_id": 0, "inner": blanket },
                "13": { "crate_id": 0, "inner": { "use": { "source": "serde", "id": 4 } } },
                "14": { "crate_id": 0, "inner": { "use": { "source": "textsearch_html", "id": 5 } } },
                "12": { "crate_id": 3, "inner": { "struct": { "id": 3 } } },
            },
            "paths": { "1": { "crate_id": 1 }, "2": { "crate_id": 2 }, "3": { "crate_id": 3 }, "4": { "crate_id": 4 }, "5": { "crate_id": 5 } },
            "external_crates": { "1": { "name": "alloc" }, "2": { "name": "url" }, "3": { "name": "tracing" }, "4": { "name": "serde_core" }, "5": { "name": "textsearch_html" } },
        });
        assert_eq!(crates_in_signatures(&documentation), Some(BTreeSet::from(["serde", "url"])));
    }

    #[test]
    fn a_use_needs_a_row_and_a_row_a_use() {
        let list = "| Crate | In |\n|---|---|\n| `serde`, `schemars` | all | x |\n| `url` | `core`, `web-page` | y |\n";
        let used = |pairs: &[(&str, &str)]| {
            pairs
                .iter()
                .map(|(ours, foreign)| ((*ours).to_owned(), (*foreign).to_owned()))
                .collect()
        };
        let listed = [("core", "url"), ("web-page", "url"), ("kernel", "serde")];
        assert!(complaints(&used(&listed), &allowed(list)).is_empty());
        let complaints = complaints(&used(&[("core", "url"), ("core", "bytes")]), &allowed(list));
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(complaints[0].contains("a public signature of core names bytes"), "{complaints:?}");
        assert!(complaints[1].contains("lists url for web-page"), "{complaints:?}");
    }
}
