//! Configuration.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use textsearch_core::{
    Result,
    http::{Secret, closed_set},
    web::{Connection, is_letters, settings, valid},
};

use crate::CONNECTOR;

/// Environment variable for the API key. [`ExaConfig::from_env`] requires it.
pub const EXA_API_KEY: &str = "EXA_API_KEY";
/// Environment variable for the endpoint URL; see [`ExaConfig::with_endpoint`].
pub const EXA_ENDPOINT: &str = "EXA_ENDPOINT";

/// Configuration of [`ExaTextSearch`](crate::ExaTextSearch).
///
/// The parameters are those of the [reference](https://exa.ai/docs/reference/search). The service
/// decides anything left unset. `ExaTextSearch::new` validates all values.
///
/// ```
/// use textsearch_exa::{ExaConfig, ExaContents, ExaSearchType};
///
/// let config = ExaConfig::new("sesame")
///     .with_search_type(ExaSearchType::Fast)
///     .with_contents(ExaContents::Text)
///     .with_max_characters(2_000);
/// assert!(!format!("{config:?}").contains("sesame"));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExaConfig {
    /// API key, endpoint and HTTP settings.
    pub connection: Connection,
    /// The texts of results (`contents`). Default: highlights.
    pub contents: ExaContents,
    /// The maximum number of characters of each text (`maxCharacters`). Default: Exa decides.
    pub max_characters: Option<u32>,
    pub(crate) parameters: BTreeMap<&'static str, Value>,
}

closed_set! {
    /// How Exa searches.
    pub enum ExaSearchType {
        /// The default: Exa chooses.
        Auto = "auto",
        /// By meaning only.
        Neural = "neural",
        /// Faster, less thorough.
        Fast = "fast",
        /// The fastest.
        Instant = "instant",
        /// Slower: several searches, a light synthesis.
        DeepLite = "deep-lite",
        /// Slower: several searches.
        Deep = "deep",
        /// The slowest and most thorough.
        DeepReasoning = "deep-reasoning",
    }
}

closed_set! {
    /// The texts of results.
    pub enum ExaContents {
        /// The parts of a page about the query.
        Highlights = "highlights",
        /// The whole page, as Markdown.
        Text = "text",
    }
}

settings!(impl ExaConfig {
    /// Sets how Exa searches (`type`).
    "type" => with_search_type(kind: ExaSearchType) = kind.as_str();
    /// Sets the country to search from (`userLocation`): two letters, such as `DE`.
    "userLocation" => with_country(country: impl Into<String>) = Into::<String>::into(country);
    /// Sets whether unsafe results are left out (`moderation`). Default: false.
    "moderation" => with_moderation(enabled: bool) = enabled;
    contents => with_contents(contents: ExaContents) = contents;
    max_characters => with_max_characters(characters: u32) = Some(characters);
});

impl ExaConfig {
    /// Creates a configuration with this API key and default settings.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        let connection = Connection::new::<Self>(api_key);
        let contents = ExaContents::Highlights;
        Self { connection, contents, max_characters: None, parameters: BTreeMap::new() }
    }

    /// Reads [`EXA_API_KEY`] and, if set, [`EXA_ENDPOINT`] from the environment.
    ///
    /// # Errors
    /// As [`Connection::from_env`].
    pub fn from_env() -> Result<Self> {
        Ok(Self { connection: Connection::from_env::<Self>()?, ..Self::new("") })
    }

    pub(crate) fn check_parameters(&self) -> Result<()> {
        if let Some(country) = self.parameters.get("userLocation").and_then(Value::as_str) {
            let allowed = "two letters, such as DE";
            valid(CONNECTOR, "userLocation", country, is_letters(country, 2..=2), allowed)?;
        }
        valid(CONNECTOR, "max_characters", 0, self.max_characters != Some(0), "at least 1")
    }

    pub(crate) fn contents_parameter(&self) -> Value {
        let options = self
            .max_characters
            .map_or(json!(true), |characters| json!({ "maxCharacters": characters }));
        json!({ self.contents.as_str(): options })
    }
}
