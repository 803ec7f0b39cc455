//! `cargo xtask release status`: what changed since each crate's last release.

use anyhow::Result;

use super::checkout::Checkout;
use super::family::{Family, Member};
use super::plan::{self, Step};
use super::table::table;

pub(crate) fn print(checkout: &Checkout) -> Result<()> {
    let family = checkout.family()?;
    let planned = plan::steps(&family, &plan::changed(&family)?, None);
    let steps = planned.as_deref().unwrap_or_default();
    let headings = ["crate", "last release", "changed files", "entries", "needs"];
    let mut rows = vec![headings.map(str::to_owned)];
    for member in family.iter() {
        let files = match &member.released {
            Some(_) => member.changed_files.len().to_string(),
            None => "all".to_owned(),
        };
        rows.push([
            member.name().to_owned(),
            member.released.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string),
            files,
            member.changelog()?.unreleased().len().to_string(),
            needs(member, steps)?,
        ]);
    }
    print!("{}", table(&rows));
    for line in dependents(&family, steps) {
        println!("{line}");
    }
    plan::require_targets(&family, &planned?)
}

fn needs(member: &Member, steps: &[Step]) -> Result<String> {
    if member.has_heading()? && !member.is_released() {
        let version = member.version();
        let newer = member.is_outdated()?.then_some(", from the commit that prepared it");
        return Ok(format!("publish {version}{}", newer.unwrap_or_default()));
    }
    if member.unannounced_break()?.is_some() {
        return Ok(format!("a *Breaking* entry: {}", member.breaks.join(", ")));
    }
    let step = steps.iter().find(|step| step.name == member.name());
    Ok(match step {
        Some(step) if !step.follows.is_empty() => {
            format!("{}, because of {}", step.version, step.follows.join(", "))
        }
        Some(step) => step.version.to_string(),
        None if member.released.is_none() || !member.changed_files.is_empty() => {
            "a changelog entry, if users notice the changes".to_owned()
        }
        None if !member.inherited.is_empty() => format!(
            "a changelog entry, if users notice what changed in the root Cargo.toml: {}",
            member.inherited.join(", ")
        ),
        None => String::new(),
    })
}

/// Only a breaking change concerns dependents: cargo takes any other by itself.
fn dependents(family: &Family, steps: &[Step]) -> Vec<String> {
    let mut lines = Vec::new();
    for Step { name, version, .. } in steps.iter().filter(|step| step.is_breaking) {
        let exposing = family.iter().filter(|member| member.exposes(name));
        let names: Vec<&str> = exposing.map(Member::name).collect();
        if !names.is_empty() {
            lines.push(format!("{name} {version} breaks users of {}", names.join(", ")));
        }
        let is_planned = |member: &Member| steps.iter().any(|step| step.name == member.name());
        let stays = family.iter().filter(|member| {
            member.released.is_some() && member.depends_on(name) && !is_planned(member)
        });
        lines.extend(
            stays.map(|member| {
                format!("{} needs a release to take {name} {version}", member.name())
            }),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_crate_says_what_it_needs() {
        let mut changed = Member::of("changed", &[], "", true);
        changed.changed_files = vec!["crates/changed/src/lib.rs".to_owned()];
        let members = vec![
            changed,
            Member::of("core", &[], "- **Breaking:** `a`.", true),
            Member::of("brave", &["core"], "", true),
            Member::of("html", &[], "", true),
        ];
        let family = Family::new(members).unwrap();
        let steps = plan::plan(&family, &plan::changed(&family).unwrap(), None).unwrap();
        let needs = |name: &str| needs(family.member(name).unwrap(), &steps).unwrap();
        assert_eq!(needs("core"), "0.2.0");
        assert_eq!(needs("brave"), "0.2.0, because of core 0.2.0");
        assert_eq!(needs("changed"), "a changelog entry, if users notice the changes");
        assert_eq!(needs("html"), "");
    }

    #[test]
    fn a_change_of_the_root_manifest_may_need_an_entry() {
        let mut html = Member::of("html", &["url"], "", true);
        html.inherited = vec!["rust-version".to_owned(), "url".to_owned()];
        assert_eq!(
            needs(&html, &[]).unwrap(),
            "a changelog entry, if users notice what changed in the root Cargo.toml: rust-version, url"
        );
    }

    #[test]
    fn private_dependents_of_a_break_need_a_release() {
        let html = "textsearch-html";
        let dependents = |documents: &str| {
            let members = vec![
                Member::of(html, &[], "- **Breaking:** `a`.", true),
                Member::of("textsearch-documents", &[html], documents, true),
                Member::of("reader", &[html], "", true),
                Member::of("new", &[html], "", false),
            ];
            let family = Family::new(members).unwrap();
            let steps = plan::plan(&family, &plan::changed(&family).unwrap(), None).unwrap();
            dependents(&family, &steps)
        };
        let exposed = "textsearch-html 0.2.0 breaks users of new, reader";
        assert_eq!(
            dependents(""),
            [exposed, "textsearch-documents needs a release to take textsearch-html 0.2.0"]
        );
        assert_eq!(dependents("- Fixes `a`."), [exposed]);
    }

    #[test]
    fn a_prepared_crate_needs_publishing() {
        let mut html = Member::of("html", &[], "", true);
        html.released = None;
        assert_eq!(needs(&html, &[]).unwrap(), "publish 0.1.0");
        let mut html = Member::of("html", &[], "- Fixes `a`.", true);
        html.breaks = vec!["`url` changes".to_owned()];
        assert_eq!(needs(&html, &[]).unwrap(), "a *Breaking* entry: `url` changes");
        html.released = None;
        assert_eq!(needs(&html, &[]).unwrap(), "publish 0.1.0, from the commit that prepared it");
    }
}
