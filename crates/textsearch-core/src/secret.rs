//! Secrets, and settings from environment variables.

#[cfg(feature = "http")]
use std::sync::OnceLock;
use std::{fmt, sync::Arc};

#[cfg(feature = "http")]
use ::http::header::{HeaderValue, InvalidHeaderValue};
use serde::{Deserialize, Deserializer};
use zeroize::Zeroizing;

pub use crate::environment::{parsed_variable, required_variable, variable};
#[cfg(feature = "http")]
use crate::http::spellings;
use crate::{Error, ErrorKind, Result};

/// A key, a token or a password.
///
/// `Debug` hides it, and it has neither `Display` nor `Serialize`. Dropping the last clone wipes
/// the memory.
///
/// ```
/// use textsearch_core::secret::Secret;
///
/// let key = Secret::from("correct horse");
/// assert_eq!(format!("{key:?}"), "Secret(..)");
/// assert_eq!(key.expose(), "correct horse");
/// ```
#[derive(Clone)]
pub struct Secret(Arc<Inner>);

struct Inner {
    text: Zeroizing<String>,
    /// Cached, because each response is searched for them.
    #[cfg(feature = "http")]
    spellings: OnceLock<Vec<Zeroizing<String>>>,
}

impl Secret {
    /// Reads the secret from an environment variable, without white space around it.
    ///
    /// ```
    /// use textsearch_core::{ErrorKind, secret::Secret};
    ///
    /// let error = Secret::from_env("brave", "A_VARIABLE_THAT_IS_NOT_SET").unwrap_err();
    /// assert_eq!(error.kind(), &ErrorKind::Authentication);
    /// assert!(error.to_string().contains("A_VARIABLE_THAT_IS_NOT_SET"));
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Authentication`], naming the variable, if it is missing or empty;
    /// [`ErrorKind::InvalidOptions`] if it is not Unicode.
    pub fn from_env(connector: &str, name: &str) -> Result<Self> {
        let value = variable(connector, name)?.map(Zeroizing::new);
        let secret = value.map(|value| Self::from(value.as_str()));
        secret.ok_or_else(|| {
            let message = format!("no key: set the environment variable `{name}`");
            Error::new(ErrorKind::Authentication, connector, message)
        })
    }

    /// Returns the secret itself.
    pub fn expose(&self) -> &str {
        &self.0.text
    }

    #[cfg(feature = "http")]
    pub(crate) fn spellings(&self) -> &[Zeroizing<String>] {
        self.0.spellings.get_or_init(|| spellings(self.expose()))
    }

    /// Returns whether the secret is empty.
    pub fn is_empty(&self) -> bool {
        self.expose().is_empty()
    }

    /// The value is marked sensitive, so that HTTP libraries do not log it.
    #[cfg(feature = "http")]
    pub(crate) fn header_value(&self, prefix: &str) -> Result<HeaderValue, InvalidHeaderValue> {
        let mut value = if prefix.is_empty() {
            HeaderValue::from_str(self.expose())?
        } else {
            let text = Zeroizing::new(format!("{prefix}{}", self.expose()));
            HeaderValue::from_str(&text)?
        };
        value.set_sensitive(true);
        Ok(value)
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(Arc::new(Inner {
            text: Zeroizing::new(value),
            #[cfg(feature = "http")]
            spellings: OnceLock::new(),
        }))
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Self::from(value.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(..)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_of_debug_shows_a_secret() {
        let secret = Secret::from("open sesame");
        let printed = format!("{secret:?} {secret:#?} {:?}", Some(&secret));
        assert_eq!(printed, "Secret(..) Secret(..) Some(Secret(..))");
    }

    #[cfg(feature = "http")]
    #[test]
    fn a_header_value_is_marked_sensitive() {
        let value = Secret::from("open").header_value("Bearer ").unwrap();
        assert_eq!(value.to_str().unwrap(), "Bearer open");
        assert!(value.is_sensitive());
        assert!(Secret::from("two\nlines").header_value("").is_err());
    }

    #[test]
    fn a_secret_comes_from_a_configuration_file() {
        let secret: Secret = serde_json::from_str("\"open\"").unwrap();
        assert_eq!(secret.expose(), "open");
    }
}
