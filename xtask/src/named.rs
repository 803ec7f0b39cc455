//! Looks up what was typed by its name.

use anyhow::{Context as _, Result};

/// The one of `all` whose name is `name`; `kind` is what they are, for the error of `command`.
///
/// # Errors
/// If there is none, with the names of all.
pub(crate) fn find<'a, T>(
    command: &str,
    kind: &str,
    all: &'a [T],
    name_of: impl Fn(&'a T) -> &'a str,
    name: &str,
) -> Result<&'a T> {
    all.iter().find(|one| name_of(one) == name).with_context(|| {
        let names: Vec<&str> = all.iter().map(&name_of).collect();
        format!("{command}: no {kind} `{name}`; the {kind}s are {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_refused_with_the_names_of_all() {
        let all = [("one", 1), ("two", 2)];
        let look_up = |name| find("count", "number", &all, |(name, _)| name, name);
        assert_eq!(look_up("two").unwrap().1, 2);
        let error = look_up("ten").unwrap_err().to_string();
        assert_eq!(error, "count: no number `ten`; the numbers are one, two");
    }
}
