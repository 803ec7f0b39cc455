//! Configuration.

use std::collections::BTreeMap;

use serde_json::Value;
use textsearch_core::{
    Result,
    http::Secret,
    web::{Connection, is_letters, is_locale, settings, valid},
};

use crate::CONNECTOR;

/// Environment variable for the API key. [`SerperConfig::from_env`] requires it.
pub const SERPER_API_KEY: &str = "SERPER_API_KEY";
/// Environment variable for the endpoint URL; see [`SerperConfig::with_endpoint`].
pub const SERPER_ENDPOINT: &str = "SERPER_ENDPOINT";

/// Configuration of [`SerperTextSearch`](crate::SerperTextSearch).
///
/// The parameters are those of [Serper's playground](https://serper.dev/playground). The service
/// decides anything left unset. `SerperTextSearch::new` validates all values.
///
/// ```
/// use textsearch_serper::SerperConfig;
///
/// let config = SerperConfig::new("sesame").with_country("de").with_language("de");
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SerperConfig {
    /// API key, endpoint and HTTP settings.
    pub connection: Connection,
    pub(crate) parameters: BTreeMap<&'static str, Value>,
}

settings!(impl SerperConfig {
    /// Sets the country to search from (`gl`): two letters, such as `de`.
    "gl" => with_country(country: impl Into<String>) = Into::<String>::into(country);
    /// Sets the language of the search (`hl`), such as `de` or `pt-BR`.
    "hl" => with_language(language: impl Into<String>) = Into::<String>::into(language);
    /// Sets the place to search from (`location`): a name that Google knows, such as
    /// `Leith, Scotland, United Kingdom`.
    "location" => with_location(place: impl Into<String>) = Into::<String>::into(place);
    /// Sets whether Google corrects the spelling of queries (`autocorrect`). Default: true.
    "autocorrect" => with_autocorrect(enabled: bool) = enabled;
});

impl SerperConfig {
    /// Creates a configuration with this API key and default settings.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self { connection: Connection::new::<Self>(api_key), parameters: BTreeMap::new() }
    }

    /// Reads [`SERPER_API_KEY`] and, if set, [`SERPER_ENDPOINT`] from the environment.
    ///
    /// # Errors
    /// As [`Connection::from_env`].
    pub fn from_env() -> Result<Self> {
        Ok(Self { connection: Connection::from_env::<Self>()?, ..Self::new("") })
    }

    pub(crate) fn check_parameters(&self) -> Result<()> {
        let text = |name| self.parameters.get(name).and_then(Value::as_str);
        if let Some(country) = text("gl") {
            valid(CONNECTOR, "gl", country, is_letters(country, 2..=2), "two letters, such as de")?;
        }
        let Some(language) = text("hl") else { return Ok(()) };
        valid(CONNECTOR, "hl", language, is_locale(language), "a language, such as de or pt-BR")
    }
}
