//! Decides which crates get which version.

use anyhow::{Result, bail};
use cargo_metadata::semver::Version;

use super::family::{Family, Member};
use super::version::Bump;

/// `(macros, target)`: code that the macros generate calls the target, though the target depends on
/// the macros. So no manifest requires the version of the target that new macros need.
const GENERATES_FOR: &[(&str, &str)] =
    &[("textsearch-macros", "textsearch-core"), ("textsearch-macros", "textsearch-kernel")];

/// One crate of a release.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) version: Version,
    /// Breaking changes of these dependencies made it follow, in the form `NAME VERSION`.
    pub(crate) follows: Vec<String>,
    pub(crate) is_breaking: bool,
}

/// Plans the release of `names` and of the released crates that depend on a breaking one. A follower
/// has a breaking release itself if it exposes that crate. Without a `bump`, each changelog decides.
///
/// # Errors
/// If a crate has nothing to release, is prepared already, needs a larger bump, or needs a crate
/// that is neither released nor planned. Also if macros are planned without the unreleased changes of
/// a crate that their code calls.
pub(crate) fn plan(family: &Family, names: &[String], bump: Option<Bump>) -> Result<Vec<Step>> {
    for name in names {
        family.member(name)?;
    }
    let mut steps = Vec::<Step>::new();
    for member in family.iter() {
        let is_named = names.iter().any(|name| name == member.name());
        let broken = |step: &&Step| step.is_breaking && member.depends_on(&step.name);
        let followed: Vec<&Step> = steps.iter().filter(broken).collect();
        let version = match &member.released {
            Some(_) if !is_named && followed.is_empty() => continue,
            None if !is_named => continue,
            None => first_version(member, bump)?,
            Some(released) => {
                require_unprepared(member, released)?;
                let exposed = followed.iter().any(|step| member.exposes(&step.name));
                let min = if exposed { Bump::breaking(released) } else { Bump::Patch };
                let own = is_named.then(|| next_version(member, released, bump)).transpose()?;
                own.max(Some(min.apply(released))).unwrap_or_else(|| released.clone())
            }
        };
        require_dependencies(family, member, &steps)?;
        let follows = followed.iter().map(|step| format!("{} {}", step.name, step.version));
        let follows = follows.collect();
        let released = member.released.as_ref();
        let is_breaking = released.is_some_and(|old| version >= Bump::breaking(old).apply(old));
        steps.push(Step { name: member.name().to_owned(), version, follows, is_breaking });
    }
    require_targets(family, &steps)?;
    Ok(steps)
}

/// Returns the names of the crates with entries under *Unreleased*.
pub(crate) fn changed(family: &Family) -> Vec<String> {
    let changed = family.iter().filter(|member| member.changelog.entries() > 0);
    changed.map(|member| member.name().to_owned()).collect()
}

fn next_version(member: &Member, released: &Version, bump: Option<Bump>) -> Result<Version> {
    require_entries(member)?;
    let needed = member.changelog.needed_bump(released);
    let bump = bump.unwrap_or(needed);
    if bump < needed {
        bail!(
            "release: {} {released} cannot become {}: its changelog needs {} or a larger `--bump`",
            member.name(),
            bump.apply(released),
            needed.apply(released)
        );
    }
    Ok(bump.apply(released))
}

fn first_version(member: &Member, bump: Option<Bump>) -> Result<Version> {
    let (name, version) = (member.name(), member.version());
    if bump.is_some() {
        bail!(
            "release: the first release of {name} is {version}, as in its manifest; leave out `--bump`"
        );
    }
    if member.is_prepared() {
        bail!(
            "release: {name} {version} is prepared already; publish it from the commit that prepared it"
        );
    }
    require_entries(member)?;
    Ok(version.clone())
}

fn require_unprepared(member: &Member, released: &Version) -> Result<()> {
    let version = member.version();
    if version != released {
        bail!(
            "release: the manifest of {} says {version} and its last tag {released}; publish {version} \
             first, from the commit that prepared it",
            member.name()
        );
    }
    Ok(())
}

fn require_entries(member: &Member) -> Result<()> {
    if member.changelog.entries() == 0 {
        bail!(
            "release: {} has nothing to release: {} has no entry under *Unreleased*",
            member.name(),
            member.package.file("CHANGELOG.md")
        );
    }
    Ok(())
}

/// Users could not build a crate whose dependencies the registry lacks.
fn require_dependencies(family: &Family, member: &Member, steps: &[Step]) -> Result<()> {
    for dependency in family.iter().filter(|other| member.depends_on(other.name())) {
        let is_planned = steps.iter().any(|step| step.name == dependency.name());
        if dependency.released.is_none() && !is_planned && !dependency.is_prepared() {
            bail!(
                "release: {0} needs {1}, which has no release; prepare both: {1} {0}",
                member.name(),
                dependency.name()
            );
        }
    }
    Ok(())
}

/// Generated code may call an item that the target's last release lacks.
fn require_targets(family: &Family, steps: &[Step]) -> Result<()> {
    let is_planned = |name: &str| steps.iter().any(|step| step.name == name);
    for (macros, target) in GENERATES_FOR.iter().filter(|(macros, _)| is_planned(macros)) {
        let mut targets = family.iter().filter(|member| member.name() == *target);
        if targets.any(|member| !member.changed_files.is_empty()) && !is_planned(target) {
            bail!(
                "release: code that {macros} generates may need unreleased changes of {target}; prepare both: \
                 {macros} {target}"
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BREAKING: &str = "- **Breaking:** `a` is `b`.";
    const FIX: &str = "- Fixes `a`.";

    /// `macros` ← `core` ← `brave`, `kernel` ← `mcp`, all released as 0.1.0.
    fn family(core: &str, brave: &str) -> Family {
        let members = vec![
            Member::of("macros", &[], "", true),
            Member::of("core", &["macros"], core, true),
            Member::of("brave", &["core"], brave, true),
            Member::of("kernel", &["core"], "", true),
            Member::of("mcp", &["kernel"], "", true),
        ];
        Family::new(members).unwrap()
    }

    fn planned(family: &Family, names: &[&str], bump: Option<Bump>) -> Vec<(String, String)> {
        let steps = plan(family, &owned(names), bump).unwrap();
        steps.into_iter().map(|step| (step.name, step.version.to_string())).collect()
    }

    fn refusal(family: &Family, names: &[&str], bump: Option<Bump>) -> String {
        plan(family, &owned(names), bump).unwrap_err().to_string()
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(name, version)| ((*name).to_owned(), (*version).to_owned())).collect()
    }

    #[test]
    fn a_fix_is_a_patch_of_one_crate() {
        let family = family(FIX, FIX);
        assert_eq!(planned(&family, &["core"], None), pairs(&[("core", "0.1.1")]));
        assert_eq!(changed(&family), ["core", "brave"]);
    }

    #[test]
    fn dependents_that_expose_a_break_follow() {
        let steps = plan(&family(BREAKING, ""), &owned(&["core"]), None).unwrap();
        let names: Vec<_> = steps.iter().map(|step| (step.name.as_str(), &step.follows)).collect();
        let core = owned(&["core 0.2.0"]);
        assert_eq!(
            names,
            [
                ("core", &vec![]),
                ("brave", &core),
                ("kernel", &core),
                ("mcp", &owned(&["kernel 0.2.0"]))
            ]
        );
        assert!(steps.iter().all(|step| step.version == Version::new(0, 2, 0)), "{steps:?}");
    }

    #[test]
    fn a_patch_of_a_follower_becomes_breaking() {
        let planned = planned(&family(BREAKING, FIX), &["brave", "core"], None);
        assert!(planned.contains(&("brave".to_owned(), "0.2.0".to_owned())), "{planned:?}");
    }

    #[test]
    fn a_bump_may_be_larger_but_not_smaller_than_needed() {
        let family = family(BREAKING, FIX);
        let error = refusal(&family, &["core"], Some(Bump::Patch));
        assert_eq!(
            error,
            "release: core 0.1.0 cannot become 0.1.1: its changelog needs 0.2.0 or a larger `--bump`"
        );
        assert_eq!(planned(&family, &["brave"], Some(Bump::Major)), pairs(&[("brave", "1.0.0")]));
    }

    #[test]
    fn a_crate_without_entries_is_refused() {
        let error = refusal(&family(FIX, ""), &["brave"], None);
        assert!(error.contains("brave has nothing to release"), "{error}");
    }

    #[test]
    fn a_prepared_crate_is_refused() {
        let brave = Member::prepared("brave", FIX, Some(Version::new(0, 0, 9)));
        let error = refusal(&Family::new(vec![brave]).unwrap(), &["brave"], None);
        assert!(
            error.ends_with("says 0.1.0 and its last tag 0.0.9; publish 0.1.0 first, from the commit that prepared it"),
            "{error}"
        );
    }

    #[test]
    fn private_dependents_of_a_break_follow_with_a_patch() {
        let html = "textsearch-html";
        let members = vec![
            Member::of(html, &[], BREAKING, true),
            Member::of("textsearch-documents", &[html], "", true),
            Member::of("reader", &[html], "", true),
            Member::of("new", &[html], "", false),
        ];
        let expected =
            [("textsearch-html", "0.2.0"), ("reader", "0.2.0"), ("textsearch-documents", "0.1.1")];
        assert_eq!(planned(&Family::new(members).unwrap(), &[html], None), pairs(&expected));
    }

    #[test]
    fn a_first_release_keeps_the_version_of_the_manifest() {
        let members = || {
            vec![Member::of("core", &[], FIX, false), Member::of("brave", &["core"], FIX, false)]
        };
        let family = Family::new(members()).unwrap();
        assert_eq!(
            planned(&family, &["brave", "core"], None),
            pairs(&[("core", "0.1.0"), ("brave", "0.1.0")])
        );
        let error = refusal(&family, &["core"], Some(Bump::Minor));
        assert!(error.contains("the first release of core is 0.1.0"), "{error}");
    }

    #[test]
    fn a_crate_needs_released_dependencies() {
        let members =
            vec![Member::of("core", &[], FIX, false), Member::of("brave", &["core"], FIX, false)];
        let error = refusal(&Family::new(members).unwrap(), &["brave"], None);
        assert_eq!(
            error,
            "release: brave needs core, which has no release; prepare both: core brave"
        );
    }

    #[test]
    fn macros_are_released_with_the_changes_that_they_need() {
        let family = |core_has_changes| {
            let mut core = Member::of("textsearch-core", &["textsearch-macros"], FIX, true);
            if core_has_changes {
                core.changed_files = vec!["crates/textsearch-core/src/macro_support.rs".to_owned()];
            }
            Family::new(vec![core, Member::of("textsearch-macros", &[], FIX, true)]).unwrap()
        };
        let macros = ("textsearch-macros", "0.1.1");
        assert_eq!(planned(&family(false), &[macros.0], None), pairs(&[macros]));
        assert_eq!(
            refusal(&family(true), &[macros.0], None),
            "release: code that textsearch-macros generates may need unreleased changes of textsearch-core; \
             prepare both: textsearch-macros textsearch-core"
        );
        let core = ("textsearch-core", "0.1.1");
        assert_eq!(planned(&family(true), &[macros.0, core.0], None), pairs(&[macros, core]));
    }
}
