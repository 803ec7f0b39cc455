//! `cargo xtask semver`: checks that no crate breaks the API of its last release.

use anyhow::{Context as _, Result};
use cargo_metadata::{TargetKind, semver::VersionReq};

use crate::{
    metadata::Package,
    release::checkout::{Checkout, tag},
    shell, tools,
};

/// Compares the libraries with `revision`, or with the last release unless the changelogs announce a
/// breaking one.
///
/// # Errors
/// If a crate breaks its users, or cannot be compared. The terminal shows the broken items.
pub(crate) fn run(checkout: &Checkout, revision: Option<&str>) -> Result<()> {
    let state = checkout.state()?;
    let released = state.released.as_ref().filter(|released| {
        let requirement = VersionReq::parse(&released.to_string());
        requirement.is_ok_and(|requirement| requirement.matches(&state.next_version()))
    });
    let Some(revision) = revision.map(str::to_owned).or_else(|| released.map(tag)) else {
        println!(
            "semver: the next release may break users: `cargo xtask semver REVISION` compares with a revision, \
             such as HEAD~1"
        );
        return Ok(());
    };
    shell::read(&mut checkout.git(["rev-parse", "--verify", &format!("{revision}^{{commit}}")]))?;
    tools::ensure(&tools::SEMVER_CHECKS)?;
    let mut command = checkout.cargo("semver-checks --release-type minor --baseline-rev");
    command.arg(&revision);
    let packages = state.members.iter().map(|member| &member.package);
    let compared =
        packages.filter(|package| is_compared(package) && is_in(checkout, package, &revision));
    command.args(compared.flat_map(|package| ["--package", &package.name]));
    shell::run(&mut command).context(
        "semver: crates break their users; undo the change, or describe it as *Breaking* in the changelog",
    )
}

/// cargo-semver-checks reads no macros.
fn is_compared(package: &Package) -> bool {
    let is_macros = |kind: &TargetKind| *kind == TargetKind::ProcMacro;
    package.is_library() && !package.targets.iter().any(|target| target.kind.iter().any(is_macros))
}

/// cargo-semver-checks fails for a crate that the revision lacks.
fn is_in(checkout: &Checkout, package: &Package, revision: &str) -> bool {
    let manifest = format!("{revision}:{}", package.file("Cargo.toml"));
    shell::read(&mut checkout.git(["cat-file", "-e", &manifest])).is_ok()
}
