#![doc = include_str!("../README.md")]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::IgnoredAny};
use textsearch_core::{
    FilterableField, Result, TextSearchRecord,
    filter::FilterOperator::Eq,
    http::{% if has_key %}{HttpResponse, Secret}{% else %}HttpResponse{% endif %},
    web::{
        self, Connection, ErrorFormat, PageAddress, PageScheme, Paging, ResultList, ResultPage, WebEngine, WebQuery,
        WebRequest, WebSearch,
    },
};

/// Searches {{type_name}}.
pub type {{type_name}}TextSearch = WebSearch<{{type_name}}Config>;

/// Configuration of [`{{type_name}}TextSearch`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct {{type_name}}Config {
    /// {% if has_key %}API key, endpoint{% else %}Endpoint{% endif %} and HTTP settings.
    pub connection: Connection,
}

web::settings!(impl {{type_name}}Config {});

impl {{type_name}}Config {
{%- if has_key %}
    /// Creates a configuration for the public endpoint.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self { connection: Connection::new::<Self>(api_key) }
    }

    /// Reads `{{ id | upcase | replace: "-", "_" }}_API_KEY` and, if set, `{{ id | upcase | replace: "-", "_" }}_ENDPOINT`.
    ///
    /// # Errors
    /// Returns `Authentication` if there is no key, and `InvalidOptions` if a value isn't Unicode.
{%- else %}
    /// Creates a configuration for the public endpoint.
    pub fn new() -> Self {
        Self { connection: Connection::new::<Self>("") }
    }

    /// Reads `{{ id | upcase | replace: "-", "_" }}_ENDPOINT`, if set.
    ///
    /// # Errors
    /// Returns `InvalidOptions` if the value isn't Unicode.
{%- endif %}
    pub fn from_env() -> Result<Self> {
        Ok(Self { connection: Connection::from_env::<Self>()? })
    }
}
{%- unless has_key %}

impl Default for {{type_name}}Config {
    fn default() -> Self {
        Self::new()
    }
}
{%- endunless %}

/// A result.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TextSearchRecord)]
#[serde(default, rename_all(serialize = "PascalCase"))]
#[non_exhaustive]
pub struct {{type_name}}Page {
    /// Title of the page.
    #[result(name)]
    #[serde(deserialize_with = "web::value_or_default")]
    pub title: String,
    /// The part of the page about the query. Empty if the service sends `null`.
    #[result(value)]
    #[serde(deserialize_with = "web::value_or_default")]
    pub snippet: String,
    /// URL of the page.
    #[result(link)]
    pub url: String,
}

impl WebEngine for {{type_name}}Config {
    const NAME: &'static str = "{{id}}";
    // 1. The URL of a search. For a key outside the bearer header, override `key_place`.
    const ENDPOINT: &'static str = "https://api.example.com/v1/search";
    const ENDPOINT_VARIABLE: &'static str = "{{ id | upcase | replace: "-", "_" }}_ENDPOINT";
{%- if has_key %}
    const KEY_VARIABLE: Option<&'static str> = Some("{{ id | upcase | replace: "-", "_" }}_API_KEY");
{%- endif %}
    const ERRORS: ErrorFormat = ErrorFormat { roots: &["/message"], messages: &[""], ..ErrorFormat::NONE };

    type Record = {{type_name}}Page;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    // 2. How requests name a page, and the limits.
    fn paging(&self) -> Paging {
        Paging {
            scheme: PageScheme::Offset("offset", 0),
            size: Some(("count", 20)),
            max_results: Some(1_000),
            ..Paging::SINGLE_PAGE
        }
    }

    // 3. The parameters that narrow a search. Without any, remove `fields`.
    fn fields(&self) -> Vec<FilterableField> {
        vec![
            FilterableField::string("language", "Only pages in this language, such as de")
                .with_operators([Eq]),
        ]
    }

    // 4. The request. A filter that it can't carry is an error.
    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<{{type_name}}Page>>> {
        let Some(conditions) = query.conditions()? else { return Ok(None) };
        let mut request = query.get().with_query("q", query.text());
        for condition in conditions {
            // The only field, once at most.
            request = request.with_query("lang", condition.single()?);
        }
        Ok(Some(request.into()))
    }

    // 5. The response: its results and its total count if it has one. Its errors: `ERRORS`.
    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<{{type_name}}Page> {
        ResultPage::of(Self::NAME, answer.body.results)
    }

    fn link(record: &{{type_name}}Page) -> &str {
        &record.url
    }
}

/// A response.
#[derive(Debug, Deserialize)]
pub struct Answer {
    results: ResultList<{{type_name}}Page>,
    /// Ignored. Without this field, serde would accept a list as this object.
    #[serde(flatten)]
    _others: BTreeMap<String, IgnoredAny>,
}
