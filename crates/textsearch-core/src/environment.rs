//! Settings from environment variables.

use std::{
    env::{self, VarError},
    fmt::Display,
    str::FromStr,
};

use crate::{Error, Result};

/// Returns the value of an environment variable, trimmed; `None` if it is missing or empty.
///
/// ```
/// use textsearch_core::secret::variable;
///
/// assert_eq!(variable("searxng", "A_VARIABLE_THAT_IS_NOT_SET")?, None);
/// # Ok::<(), textsearch_core::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if the value is not Unicode.
pub fn variable(connector: &str, name: &str) -> Result<Option<String>> {
    value_of(connector, name, env::var(name))
}

/// Returns the value of a required environment variable.
///
/// # Errors
/// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if it is missing, empty or not
/// Unicode.
pub fn required_variable(connector: &str, name: &str) -> Result<String> {
    variable(connector, name)?.ok_or_else(|| required(connector, name))
}

/// Parses the value of an environment variable; `None` if it is missing or empty.
///
/// ```
/// use textsearch_core::secret::parsed_variable;
///
/// let pages: Option<u32> = parsed_variable("searxng", "A_VARIABLE_THAT_IS_NOT_SET")?;
/// assert_eq!(pages, None);
/// # Ok::<(), textsearch_core::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::InvalidOptions`](crate::ErrorKind::InvalidOptions) if the value is not Unicode or
/// cannot be parsed.
pub fn parsed_variable<T>(connector: &str, name: &str) -> Result<Option<T>>
where
    T: FromStr,
    T::Err: Display,
{
    variable(connector, name)?.map(|value| parsed(connector, name, &value)).transpose()
}

fn value_of(
    connector: &str,
    name: &str,
    variable: Result<String, VarError>,
) -> Result<Option<String>> {
    match variable {
        Ok(value) => Ok(Some(value.trim().to_owned()).filter(|value| !value.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => {
            Err(Error::invalid_options(connector, name, "not Unicode", "Unicode text"))
        }
    }
}

/// Leaves the value out of the error: people put keys into the wrong variables.
fn parsed<T>(connector: &str, name: &str, value: &str) -> Result<T>
where
    T: FromStr,
    T::Err: Display,
{
    value.parse().map_err(|error| {
        let fault = format!("not readable ({error})");
        Error::invalid_options(connector, name, fault, "a value of the documented form")
    })
}

fn required(connector: &str, name: &str) -> Error {
    Error::invalid_options(connector, name, "missing", "a value in this environment variable")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn read(value: &str) -> Option<String> {
        value_of("searxng", "SEARXNG_URL", Ok(value.to_owned())).unwrap()
    }

    #[test]
    fn a_value_is_read_without_the_white_space_around_it() {
        assert_eq!(read(" http://localhost:8080\n").as_deref(), Some("http://localhost:8080"));
    }

    #[test]
    fn an_empty_variable_is_a_missing_one() {
        assert_eq!(read(""), None);
        assert_eq!(read("  "), None);
    }

    #[test]
    fn a_missing_variable_is_named() {
        let error = required_variable("searxng", "A_VARIABLE_THAT_IS_NOT_SET").unwrap_err();
        let expected = "searxng: `A_VARIABLE_THAT_IS_NOT_SET` is missing; \
                        expected a value in this environment variable";
        assert_eq!(error.to_string(), expected);
        assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }));
    }

    #[test]
    fn an_unreadable_value_is_explained_but_not_repeated() {
        let error =
            parsed::<u32>("searxng", "SEARXNG_PAGES", "a-key-in-the-wrong-place").unwrap_err();
        let expected = "searxng: `SEARXNG_PAGES` is not readable (invalid digit found in string); \
                        expected a value of the documented form";
        assert_eq!(error.to_string(), expected);
    }
}
