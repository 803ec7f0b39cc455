//! `cargo xtask release status`: what changed since each crate's last release.

use anyhow::Result;

use super::checkout::Checkout;
use super::family::Member;
use super::plan::{self, Step};
use crate::table::table;

/// Prints the table even if the plan fails, which it then reports.
pub(crate) fn print(checkout: &Checkout) -> Result<()> {
    let family = checkout.family()?;
    let planned = plan::plan(&family, &plan::changed(&family), None);
    let steps = planned.as_deref().unwrap_or_default();
    let headings = ["crate", "last release", "changed files", "entries", "needs"];
    let mut rows = vec![headings.map(str::to_owned)];
    for member in family.iter() {
        let released = member.released.as_ref();
        let files = released.map(|_| member.changed_files.len().to_string());
        rows.push([
            member.name().to_owned(),
            released.map_or_else(|| "none".to_owned(), ToString::to_string),
            files.unwrap_or_else(|| "all".to_owned()),
            member.changelog.entries().to_string(),
            needs(member, steps),
        ]);
    }
    print!("{}", table(&rows));
    planned.map(drop)
}

fn needs(member: &Member, steps: &[Step]) -> String {
    if member.is_prepared() {
        let is_outdated = member.changelog.entries() > 0;
        let newer = is_outdated.then_some(", from the commit that prepared it");
        return format!("publish {}{}", member.version(), newer.unwrap_or_default());
    }
    match steps.iter().find(|step| step.name == member.name()) {
        Some(step) if !step.follows.is_empty() => {
            format!("{}, because of {}", step.version, step.follows.join(", "))
        }
        Some(step) => step.version.to_string(),
        None if member.released.is_none() || !member.changed_files.is_empty() => {
            "a changelog entry, if users notice the changes".to_owned()
        }
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::family::Family;

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
        let steps = plan::plan(&family, &plan::changed(&family), None).unwrap();
        let needs = |name: &str| needs(family.member(name).unwrap(), &steps);
        assert_eq!(needs("core"), "0.2.0");
        assert_eq!(needs("brave"), "0.2.0, because of core 0.2.0");
        assert_eq!(needs("changed"), "a changelog entry, if users notice the changes");
        assert_eq!(needs("html"), "");
    }

    #[test]
    fn a_prepared_crate_needs_publishing() {
        assert_eq!(needs(&Member::prepared("html", "", None), &[]), "publish 0.1.0");
        assert_eq!(
            needs(&Member::prepared("html", "- Fixes `a`.", None), &[]),
            "publish 0.1.0, from the commit that prepared it"
        );
    }
}
