//! `cargo xtask consumer`: builds and runs programs outside the workspace that see only the packages,
//! as they will be published.

mod build;
mod packages;
mod table;

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use crate::{crates, metadata, shell, templates};
use table::Row;

/// A way to use the crates.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) name: &'static str,
    kind: Kind,
    /// The limit of `cargo xtask crates` that the program keeps too.
    limit: Option<(&'static str, &'static [&'static str])>,
    c: CCode,
}

#[derive(Debug)]
enum CCode {
    /// No C compiler is needed.
    Never,
    Allowed,
    /// This crate has C code, so that a check that finds none anywhere fails.
    Of(&'static str),
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    /// The folder of this name in `xtask/consumer`.
    Program,
    /// The same, with all features of the facade.
    ProgramWithAllFeatures,
    /// A connector from the template, with the suite as its test.
    Template,
}

pub(crate) const WAYS: &[Way] = &[
    Way {
        name: "core",
        kind: Kind::Program,
        limit: Some(("core", &["textsearch-core"])),
        c: CCode::Never,
    },
    Way {
        name: "in-memory",
        kind: Kind::Program,
        limit: Some(("in-memory", &["textsearch-vector-inmemory"])),
        c: CCode::Never,
    },
    Way {
        name: "prompt",
        kind: Kind::Program,
        limit: Some(("kernel and prompt", &["textsearch-kernel", "textsearch-prompt"])),
        c: CCode::Never,
    },
    Way { name: "rag", kind: Kind::Program, limit: None, c: CCode::Never },
    Way {
        name: "web",
        kind: Kind::Program,
        limit: Some((crates::WEB_CONNECTOR, &["textsearch-brave"])),
        c: CCode::Of("ring"),
    },
    Way { name: "sdk", kind: Kind::Program, limit: None, c: CCode::Allowed },
    Way { name: "community", kind: Kind::Template, limit: None, c: CCode::Allowed },
    Way { name: "everything", kind: Kind::ProgramWithAllFeatures, limit: None, c: CCode::Allowed },
];

const FACADE: &str = "textsearch-sdk";

/// Without names, runs all ways. Later ways reuse what earlier ones compiled.
pub(crate) fn run(names: &[String]) -> Result<()> {
    let target = shell::root().join("target/consumer");
    // Seconds count from nothing.
    let _ = fs::remove_dir_all(&target);
    let scratch = tempfile::Builder::new().prefix("textsearch-consumer-").tempdir()?;
    packages::unpack(scratch.path(), &target)?;
    let wanted =
        WAYS.iter().filter(|way| names.is_empty() || names.iter().any(|name| name == way.name));
    let rows = wanted.map(|way| measure(way, scratch.path(), &target)).collect::<Result<Vec<_>>>();
    match rows {
        Ok(rows) => report(&rows),
        Err(error) => Err(error.context(kept(scratch))),
    }
}

fn kept(scratch: TempDir) -> String {
    format!("the program and the packages are in {}", scratch.keep().display())
}

fn measure(way: &Way, scratch: &Path, target: &Path) -> Result<Row> {
    let context = || format!("consumer: `{}` failed", way.name);
    println!("consumer: {} ...", way.name);
    let folder = write(way, scratch).with_context(context)?;
    let arguments = match way.kind {
        Kind::Program => "build".to_owned(),
        Kind::ProgramWithAllFeatures => format!("build --features {}", features_of_facade()?),
        Kind::Template => "test --no-run --test conformance".to_owned(),
    };
    let build = build::run(&arguments, &folder, target).with_context(context)?;
    let mut complaints = Vec::new();
    complaints.extend(complaints_about_c(way, &build.with_c));
    let limit =
        way.limit.map(|(limit, packages)| crates::count_with_limit(limit, packages, &folder));
    let limit = limit.transpose().with_context(context)?;
    complaints.extend(limit.as_ref().and_then(crates::complaint));
    Ok(Row {
        name: way.name,
        build,
        limit: limit.map(|(_, count, most)| (count, most)),
        complaints,
    })
}

fn complaints_about_c(way: &Way, with_c: &BTreeSet<String>) -> Vec<String> {
    match way.c {
        CCode::Never => with_c.iter().map(|package| {
            format!(
                "consumer: `{}` compiles the C code of {package}: not every user has a compiler for it",
                way.name
            )
        })
        .collect(),
        CCode::Of(package) if !with_c.contains(package) => vec![format!(
            "consumer: `{}` compiles no C code of {package}: the check no longer finds C, or {package} has none",
            way.name
        )],
        CCode::Allowed | CCode::Of(_) => Vec::new(),
    }
}

/// Returns the program's folder.
fn write(way: &Way, scratch: &Path) -> Result<std::path::PathBuf> {
    let (root, folder) = (shell::root(), scratch.join(way.name));
    if way.kind == Kind::Template {
        templates::write_example(&folder)?;
    } else {
        fs::create_dir_all(folder.join("src"))?;
        for file in ["Cargo.toml", "src/main.rs"] {
            let from = root.join("xtask/consumer").join(way.name).join(file);
            fs::copy(&from, folder.join(file))
                .with_context(|| format!("cannot copy {}", from.display()))?;
        }
    }
    // Other crates have the versions that this workspace tests.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))
        .context("cannot copy Cargo.lock")?;
    Ok(folder)
}

fn features_of_facade() -> Result<String> {
    let packages = metadata::packages()?;
    let facade = packages.iter().find(|package| package.name == FACADE);
    let features = facade.with_context(|| format!("{FACADE} is missing"))?.features.keys();
    Ok(features.map(|feature| format!("{FACADE}/{feature}")).collect::<Vec<_>>().join(","))
}

fn report(rows: &[Row]) -> Result<()> {
    println!("\n{}", table::table(rows));
    let complaints: Vec<&str> =
        rows.iter().flat_map(|row| &row.complaints).map(String::as_str).collect();
    if !complaints.is_empty() {
        bail!("{}", complaints.join("\n"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_names_packages_alone() {
        for way in WAYS.iter().filter(|way| way.kind != Kind::Template) {
            let scratch = TempDir::new().unwrap();
            let folder = write(way, scratch.path()).unwrap();
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
            assert!(manifest.contains(&format!("name = \"consumer-{}\"", way.name)), "{manifest}");
            assert!(!manifest.contains("path"), "{manifest}");
        }
    }

    #[test]
    fn c_code_is_refused_and_ring_must_have_some() {
        let complaints = |name: &str, with_c: &[&str]| {
            let way = WAYS.iter().find(|way| way.name == name).unwrap();
            complaints_about_c(way, &with_c.iter().map(|name| (*name).to_owned()).collect())
                .join("")
        };
        assert!(complaints("core", &["ring"]).contains("compiles the C code of ring"));
        assert!(complaints("web", &[]).contains("compiles no C code of ring"));
        for (way, with_c) in [("core", &[][..]), ("web", &["ring"]), ("sdk", &["ring"])] {
            assert_eq!(complaints(way, with_c), "");
        }
    }

    #[test]
    fn a_complaint_fails_the_command() {
        let row = |complaints| Row {
            name: "core",
            build: build::Build::default(),
            limit: None,
            complaints,
        };
        assert!(report(&[row(Vec::new())]).is_ok());
        let error = report(&[row(vec!["too many".to_owned()])]).unwrap_err();
        assert_eq!(error.to_string(), "too many");
    }

    #[test]
    fn the_facade_has_features_to_turn_on() {
        let features = features_of_facade().unwrap();
        assert!(features.contains("textsearch-sdk/brave,"), "{features}");
    }
}
