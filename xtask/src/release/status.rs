//! `cargo xtask release status`: the last release, and what the next one contains.

use anyhow::Result;

use super::checkout::Checkout;
use super::state::State;
use crate::table::table;

pub(crate) fn print(checkout: &Checkout) -> Result<()> {
    print!("{}", report(&checkout.state()?));
    Ok(())
}

fn report(state: &State) -> String {
    let last = state.released.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
    let next = match state.changed().next() {
        _ if state.is_prepared() => format!("{} is prepared", state.version),
        Some(_) => state.next_version().to_string(),
        None => "no changelog has entries under *Unreleased*".to_owned(),
    };
    let mut rows = vec![["crate", "entries"].map(str::to_owned)];
    let changed = state.changed();
    rows.extend(
        changed.map(|member| {
            [member.package.name.to_string(), member.changelog.entries().to_string()]
        }),
    );
    format!("last release: {last}\nnext release: {next}\n\n{}", table(&rows))
}

#[cfg(test)]
mod tests {
    use cargo_metadata::semver::Version;

    use super::*;

    #[test]
    fn the_report_lists_changed_crates() {
        let members = [("brave", "## Unreleased\n\n- Fixes `a`.\n"), ("html", "")];
        let state = State::new(Some(Version::new(0, 1, 0)), &members);
        let expected = "last release: 0.1.0\nnext release: 0.1.1\n\ncrate  entries\nbrave  1\n";
        assert_eq!(report(&state), expected);
    }

    #[test]
    fn the_report_says_what_is_prepared() {
        let report = report(&State::new(None, &[("brave", "## 0.1.0 - 2026-07-01\n")]));
        assert!(report.starts_with("last release: none\nnext release: 0.1.0 is prepared\n"));
    }
}
