//! The name of a connector, and what becomes of it in code.

use anyhow::{Result, bail, ensure};

use crate::tidy;

const PREFIX: &str = "textsearch-";

/// The registry's longest name of a crate.
const LONGEST: usize = 64;

/// A name such as `acme` or `my-engine`: lower-case letters and digits in words with hyphens between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConnectorName(String);

impl ConnectorName {
    /// Checks the name; `taken` are the packages that there are.
    ///
    /// # Errors
    /// If it is not such a name, or a crate has it, or will have it.
    pub(crate) fn new(name: &str, taken: &[String]) -> Result<Self> {
        if let Some(short) = name.strip_prefix(PREFIX) {
            bail!("`{name}`: leave `{PREFIX}` out, it is added: `{short}`");
        }
        ensure!(
            name.split('-').all(is_word)
                && name.starts_with(|first: char| first.is_ascii_lowercase()),
            "`{name}` is no name for a connector: use lower-case letters and digits, a letter first, \
             and single hyphens between words, such as `acme` or `my-engine`"
        );
        let name = Self(name.to_owned());
        let package = name.package();
        let length = package.len();
        ensure!(
            length <= LONGEST,
            "`{package}` has {length} characters, at most {LONGEST} are allowed"
        );
        ensure!(!taken.contains(&package), "`{package}` exists already: choose another name");
        ensure!(
            tidy::is_connector(&package),
            "`{package}` is the name of a crate that is no connector (xtask/src/tidy/dependencies.rs): \
             choose another name"
        );
        Ok(name)
    }

    /// `my-engine`
    pub(super) fn kebab(&self) -> &str {
        &self.0
    }

    /// `my_engine`
    pub(super) fn snake(&self) -> String {
        self.0.replace('-', "_")
    }

    /// `MY_ENGINE`
    pub(super) fn screaming(&self) -> String {
        self.snake().to_uppercase()
    }

    /// `MyEngine`
    pub(super) fn pascal(&self) -> String {
        let capitalised = |word: &str| {
            let (first, rest) = word.split_at(1);
            first.to_uppercase() + rest
        };
        self.0.split('-').map(capitalised).collect()
    }

    /// `textsearch-my-engine`
    pub(crate) fn package(&self) -> String {
        format!("{PREFIX}{}", self.0)
    }

    /// `crates/textsearch-my-engine`
    pub(crate) fn folder(&self) -> String {
        format!("crates/{}", self.package())
    }
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str) -> String {
        ConnectorName::new(name, &["textsearch-brave".to_owned()]).unwrap_err().to_string()
    }

    #[test]
    fn a_name_has_a_form_for_each_place_in_code() {
        let name = ConnectorName::new("my-engine2", &[]).unwrap();
        assert_eq!(name.kebab(), "my-engine2");
        assert_eq!(name.snake(), "my_engine2");
        assert_eq!(name.screaming(), "MY_ENGINE2");
        assert_eq!(name.pascal(), "MyEngine2");
        assert_eq!(name.folder(), "crates/textsearch-my-engine2");
    }

    #[test]
    fn what_is_no_name_is_refused_with_what_would_be() {
        for name in ["", "Acme", "my_engine", "my--engine", "-acme", "acme-", "2go", "../x", "ä"] {
            let error = refusal(name);
            assert!(error.starts_with(&format!("`{name}` is no name")), "{error}");
            assert!(error.contains("such as `acme`"), "{error}");
        }
    }

    #[test]
    fn the_prefix_is_not_typed() {
        let expected = "`textsearch-acme`: leave `textsearch-` out, it is added: `acme`";
        assert_eq!(refusal("textsearch-acme"), expected);
    }

    #[test]
    fn a_name_that_is_taken_is_refused() {
        assert_eq!(refusal("brave"), "`textsearch-brave` exists already: choose another name");
    }

    #[test]
    fn a_name_of_a_crate_that_is_no_connector_is_refused_before_there_is_one() {
        assert!(refusal("mlindex").contains("no connector"));
    }

    #[test]
    fn a_name_fits_into_the_registry() {
        assert!(ConnectorName::new(&"a".repeat(53), &[]).is_ok());
        assert!(refusal(&"a".repeat(54)).contains("65 characters"));
    }
}
