//! The name of a connector and its spellings in code.

use anyhow::{Result, bail, ensure};
use heck::ToPascalCase as _;

use crate::tidy;

const PREFIX: &str = "textsearch-";

/// In the registry.
const LONGEST: usize = 64;

/// A name such as `acme` or `my-engine`: lower-case letters and digits, in words joined by hyphens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConnectorName {
    kebab: String,
    type_name: String,
}

impl ConnectorName {
    /// `type_name` overrides the spelling in code, and `taken` lists the existing packages.
    pub(crate) fn new(name: &str, type_name: Option<&str>, taken: &[String]) -> Result<Self> {
        if let Some(short) = name.strip_prefix(PREFIX) {
            bail!("`{name}`: omit the prefix `{PREFIX}`; use `{short}`");
        }
        ensure!(
            name.split('-').all(is_word)
                && name.starts_with(|first: char| first.is_ascii_lowercase()),
            "`{name}` isn't a valid connector name; use lower-case letters and digits, a letter first, \
             and single hyphens between words, such as `acme` or `my-engine`"
        );
        if let Some(type_name) = type_name {
            ensure!(
                is_type_name(type_name),
                "`{type_name}` isn't a valid type name; use letters and digits, an upper-case letter \
                 first, such as `MediaWiki`"
            );
        }
        let type_name = type_name.map_or_else(|| name.to_pascal_case(), str::to_owned);
        let name = Self { kebab: name.to_owned(), type_name };
        let package = name.package();
        let length = package.len();
        ensure!(
            length <= LONGEST,
            "`{package}` is too long ({length} characters); use at most {LONGEST}"
        );
        ensure!(!taken.contains(&package), "`{package}` already exists; choose another name");
        ensure!(
            tidy::is_connector(&package),
            "`{package}` is reserved for a crate that isn't a connector (xtask/src/tidy/dependencies.rs); \
             choose another name"
        );
        Ok(name)
    }

    /// `my-engine`
    pub(super) fn kebab(&self) -> &str {
        &self.kebab
    }

    /// `MyEngine`
    pub(super) fn type_name(&self) -> &str {
        &self.type_name
    }

    /// `textsearch-my-engine`
    pub(crate) fn package(&self) -> String {
        format!("{PREFIX}{}", self.kebab)
    }

    /// `crates/textsearch-my-engine`
    pub(crate) fn folder(&self) -> String {
        format!("crates/{}", self.package())
    }
}

fn is_type_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str) -> String {
        let taken = ["textsearch-brave".to_owned()];
        ConnectorName::new(name, None, &taken).unwrap_err().to_string()
    }

    #[test]
    fn a_name_has_a_spelling_for_each_place_in_code() {
        let name = ConnectorName::new("my-engine2", None, &[]).unwrap();
        assert_eq!(name.kebab(), "my-engine2");
        assert_eq!(name.type_name(), "MyEngine2");
        assert_eq!(name.folder(), "crates/textsearch-my-engine2");
    }

    #[test]
    fn the_spelling_in_code_can_be_given() {
        let name = ConnectorName::new("mediawiki", Some("MediaWiki"), &[]).unwrap();
        assert_eq!((name.kebab(), name.type_name()), ("mediawiki", "MediaWiki"));
        for wrong in ["mediaWiki", "Media-Wiki", "", "Ä"] {
            let error = ConnectorName::new("mediawiki", Some(wrong), &[]).unwrap_err().to_string();
            assert!(error.ends_with("such as `MediaWiki`"), "{error}");
        }
    }

    #[test]
    fn an_invalid_name_is_rejected_with_an_example() {
        for name in ["", "Acme", "my_engine", "my--engine", "-acme", "acme-", "2go", "../x", "ä"] {
            let error = refusal(name);
            assert!(error.starts_with(&format!("`{name}` isn't a valid")), "{error}");
            assert!(error.contains("such as `acme`"), "{error}");
        }
    }

    #[test]
    fn a_name_with_the_prefix_is_rejected() {
        let expected = "`textsearch-acme`: omit the prefix `textsearch-`; use `acme`";
        assert_eq!(refusal("textsearch-acme"), expected);
    }

    #[test]
    fn a_taken_name_is_rejected() {
        assert_eq!(refusal("brave"), "`textsearch-brave` already exists; choose another name");
    }

    #[test]
    fn a_reserved_name_is_rejected() {
        assert!(refusal("kernel").contains("isn't a connector"));
    }

    #[test]
    fn a_name_longer_than_the_registry_allows_is_rejected() {
        assert!(ConnectorName::new(&"a".repeat(53), None, &[]).is_ok());
        assert!(refusal(&"a".repeat(54)).contains("65 characters"));
    }
}
