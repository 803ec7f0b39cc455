//! Configuration.

use std::collections::BTreeMap;

use serde_json::Value;
use textsearch_core::{
    Result,
    http::{Secret, closed_set},
    web::{Connection, is_letters, settings, valid},
};

use crate::CONNECTOR;

/// Environment variable for the API key. [`PerplexityConfig::from_env`] requires it.
pub const PERPLEXITY_API_KEY: &str = "PERPLEXITY_API_KEY";
/// Environment variable for the endpoint URL; see [`PerplexityConfig::with_endpoint`].
pub const PERPLEXITY_ENDPOINT: &str = "PERPLEXITY_ENDPOINT";

/// Configuration of [`PerplexityTextSearch`](crate::PerplexityTextSearch).
///
/// The parameters are those of the
/// [reference](https://docs.perplexity.ai/api-reference/search-post). The service decides anything
/// left unset. `PerplexityTextSearch::new` validates all values.
///
/// ```
/// use textsearch_perplexity::PerplexityConfig;
///
/// let config = PerplexityConfig::new("sesame").with_country("DE").with_max_tokens_per_page(512);
/// assert!(!format!("{config:?}").contains("sesame"));
///
/// // Brave, Exa, Tavily and others through a LiteLLM proxy.
/// let proxy = PerplexityConfig::new("sesame").with_endpoint("http://127.0.0.1:4000/v1/search/brave");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PerplexityConfig {
    /// API key, endpoint and HTTP settings.
    pub connection: Connection,
    /// The maximum of `skip + top`. Default: 20, Perplexity's limit. Raise it for a service that
    /// returns more in one response.
    pub max_results: usize,
    pub(crate) parameters: BTreeMap<&'static str, Value>,
}

closed_set! {
    /// The pages to search.
    pub enum PerplexitySearchMode {
        /// The default: all pages.
        Web = "web",
        /// Papers and journals.
        Academic = "academic",
        /// Filings at the U.S. Securities and Exchange Commission.
        Sec = "sec",
    }
}

settings!(impl PerplexityConfig {
    /// Sets the country to search from (`country`): two letters, such as `DE`.
    "country" => with_country(country: impl Into<String>) = Into::<String>::into(country);
    /// Sets the maximum number of tokens of each result's text (`max_tokens_per_page`).
    "max_tokens_per_page" => with_max_tokens_per_page(tokens: u32) = tokens;
    /// Sets the maximum number of tokens of all texts together (`max_tokens`).
    "max_tokens" => with_max_tokens(tokens: u32) = tokens;
    /// Sets the pages to search (`search_mode`).
    "search_mode" => with_search_mode(mode: PerplexitySearchMode) = mode.as_str();
});

impl PerplexityConfig {
    /// Creates a configuration with this API key and default settings.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        let connection = Connection::new::<Self>(api_key);
        Self { connection, max_results: 20, parameters: BTreeMap::new() }
    }

    /// Reads [`PERPLEXITY_API_KEY`] and, if set, [`PERPLEXITY_ENDPOINT`] from the environment.
    ///
    /// # Errors
    /// As [`Connection::from_env`].
    pub fn from_env() -> Result<Self> {
        Ok(Self { connection: Connection::from_env::<Self>()?, ..Self::new("") })
    }

    pub(crate) fn check_parameters(&self) -> Result<()> {
        for (name, value) in &self.parameters {
            let (is_valid, allowed) = match *name {
                "country" => (
                    value.as_str().is_some_and(|text| is_letters(text, 2..=2)),
                    "two letters, such as DE",
                ),
                _ => (value.as_u64() != Some(0), "at least 1"),
            };
            let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            valid(CONNECTOR, name, shown, is_valid, allowed)?;
        }
        valid(CONNECTOR, "max_results", self.max_results, self.max_results > 0, "at least 1")
    }
}
