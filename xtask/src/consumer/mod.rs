//! `cargo xtask consumer`: builds and runs programs outside the workspace that see only the packages,
//! as they will be published.

mod build;
mod packages;

use std::{fs, path::Path};

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;

use crate::{metadata, shell, table::table, templates};
use build::Build;

/// A way to use the crates.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) name: &'static str,
    kind: Kind,
    /// Whether it builds without a C compiler.
    is_without_c: bool,
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
    Way { name: "core", kind: Kind::Program, is_without_c: true },
    Way { name: "in-memory", kind: Kind::Program, is_without_c: true },
    Way { name: "prompt", kind: Kind::Program, is_without_c: true },
    Way { name: "rag", kind: Kind::Program, is_without_c: true },
    Way { name: "web", kind: Kind::Program, is_without_c: false },
    Way { name: "sdk", kind: Kind::Program, is_without_c: false },
    Way { name: "community", kind: Kind::Template, is_without_c: false },
    Way { name: "everything", kind: Kind::ProgramWithAllFeatures, is_without_c: false },
];

const FACADE: &str = "textsearch-sdk";

/// Without names, runs all ways. Later ways reuse what earlier ones compiled.
pub(crate) fn run(names: &[String]) -> Result<()> {
    let target = shell::root().join("target/consumer");
    // Seconds count from nothing.
    let _ = fs::remove_dir_all(&target);
    let scratch = tempfile::Builder::new().prefix("textsearch-consumer-").tempdir()?;
    packages::unpack(scratch.path(), &target)?;
    let ways =
        WAYS.iter().filter(|way| names.is_empty() || names.iter().any(|name| name == way.name));
    let builds = ways.map(|way| Ok((way, measure(way, scratch.path(), &target)?)));
    match builds.collect::<Result<Vec<_>>>() {
        Ok(builds) => report(&builds),
        Err(error) => Err(error.context(kept(scratch))),
    }
}

fn kept(scratch: TempDir) -> String {
    format!("the program and the packages are in {}", scratch.keep().display())
}

fn measure(way: &Way, scratch: &Path, target: &Path) -> Result<Build> {
    let context = || format!("consumer: `{}` failed", way.name);
    println!("consumer: {} ...", way.name);
    let folder = write(way, scratch).with_context(context)?;
    let arguments = match way.kind {
        Kind::Program => "build".to_owned(),
        Kind::ProgramWithAllFeatures => format!("build --features {}", features_of_facade()?),
        Kind::Template => "test --no-run --test conformance".to_owned(),
    };
    build::run(&arguments, &folder, target).with_context(context)
}

/// Prints a table, and fails if C code was compiled where it may not be.
fn report(builds: &[(&Way, Build)]) -> Result<()> {
    let mut rows = vec![["way", "crates", "build, s", "program, kB"].map(str::to_owned)];
    rows.extend(builds.iter().map(|(way, build)| {
        [
            way.name.to_owned(),
            build.crates.len().to_string(),
            format!("{:.1}", build.time.as_secs_f32()),
            (build.program_bytes / 1000).to_string(),
        ]
    }));
    println!("\n{}", table(&rows));
    println!("These are debug builds; a build time excludes crates that an earlier way compiled.");
    let refused = builds.iter().filter(|(way, _)| way.is_without_c);
    let complaints = refused.flat_map(|(way, build)| {
        build.with_c.iter().map(|package| {
            format!(
                "consumer: `{}` compiles the C code of {package}: not every user has a compiler for it",
                way.name
            )
        })
    });
    let complaints: Vec<String> = complaints.collect();
    if !complaints.is_empty() {
        bail!("{}", complaints.join("\n"));
    }
    Ok(())
}

/// Returns the program's folder.
fn write(way: &Way, scratch: &Path) -> Result<std::path::PathBuf> {
    let root = shell::root();
    let folder = scratch.join(way.name);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

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
    fn c_code_is_refused_where_no_compiler_may_be_needed() {
        let with_c = || Build { with_c: BTreeSet::from(["ring".to_owned()]), ..Build::default() };
        let way = |name| WAYS.iter().find(|way| way.name == name).unwrap();
        report(&[(way("core"), Build::default()), (way("web"), with_c())]).unwrap();
        let error = report(&[(way("core"), with_c())]).unwrap_err().to_string();
        assert!(error.starts_with("consumer: `core` compiles the C code of ring"), "{error}");
    }

    #[test]
    fn the_facade_has_features_to_turn_on() {
        let features = features_of_facade().unwrap();
        assert!(features.contains("textsearch-sdk/brave,"), "{features}");
    }
}
