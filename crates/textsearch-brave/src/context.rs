//! Describes Brave's LLM context to the core: texts of pages within a budget of tokens.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;
use serde_json::{Map, Value};
use textsearch_core::{
    FilterableField, Result, TextSearchRecord, TextSearchResult,
    filter::DateTime,
    http::{ErrorAnswer, ErrorDetails, HttpResponse, Secret, closed_set},
    web::{
        Bounds, Connection, ErrorFormat, KeyPlace, PageAddress, Paging, ResultList, ResultPage,
        Sites, TimeRange, WebEngine, WebQuery, WebRequest, WebSearch, page_result, records,
        settings, site_field, valid,
    },
};

use crate::{
    BRAVE_API_KEY, BRAVE_CONTEXT_ENDPOINT, BraveConfig, CONNECTOR, filter, search, values,
};

/// Searches the web with [Brave LLM
/// Context](https://api-dashboard.search.brave.com/documentation/services/llm-context), which sends
/// the texts of pages instead of snippets.
///
/// ```no_run
/// use textsearch_brave::{BraveContextConfig, BraveContextSearch, SearchOptions, TextSearchConnector};
///
/// # async fn search() -> textsearch_brave::Result<()> {
/// let config = BraveContextConfig::from_env()?.with_max_tokens(4_096).with_max_tokens_per_url(1_024);
/// let search = BraveContextSearch::new(config)?;
/// for page in search.records("rust async traits", &SearchOptions::top(10)).await?.into_vec().await? {
///     println!("{}: {}", page.url, page.snippets.join("\n"));
/// }
/// # Ok(())
/// # }
/// ```
pub type BraveContextSearch = WebSearch<BraveContextConfig>;

const MAX_RESULTS: usize = 50;
/// Brave considers as many pages by default, to choose the texts from.
const CONSIDERED: usize = 20;

/// Configuration of [`BraveContextSearch`].
///
/// Each setting is a parameter of the
/// [reference](https://api-dashboard.search.brave.com/api-reference/summarizer/llm_context/get). The
/// service decides anything left unset. `BraveContextSearch::new` validates all values.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BraveContextConfig {
    /// API key (subscription token), endpoint and HTTP settings.
    pub connection: Connection,
    parameters: BTreeMap<&'static str, String>,
}

closed_set! {
    /// How relevant a text must be.
    pub enum BraveThreshold {
        /// Only the most relevant texts.
        Strict = "strict",
        /// The default.
        Balanced = "balanced",
        /// Also less relevant texts.
        Lenient = "lenient",
        /// All texts.
        Disabled = "disabled",
    }
}

settings!(impl BraveContextConfig {
    /// Sets the approximate number of tokens of all texts (`maximum_number_of_tokens`), 1,024 to
    /// 32,768. Default: 8,192.
    "maximum_number_of_tokens" => with_max_tokens(tokens: u32) = tokens.to_string();
    /// Sets the maximum number of tokens of each page (`maximum_number_of_tokens_per_url`), 512 to
    /// 8,192. Default: 4,096.
    "maximum_number_of_tokens_per_url" => with_max_tokens_per_url(tokens: u32) = tokens.to_string();
    /// Sets how relevant a text must be (`context_threshold_mode`).
    "context_threshold_mode" => with_threshold(threshold: BraveThreshold) = threshold.as_str();
    /// Sets the country to search from (`country`): a code in Brave's list, such as `DE`, or `ALL`.
    "country" => with_country(country: impl Into<String>) = country;
    /// Sets the language of the results (`search_lang`): a code in Brave's list, such as `en`.
    "search_lang" => with_search_language(language: impl Into<String>) = language;
    /// Sets the maximum age of results (`freshness`).
    "freshness" => with_time_range(range: TimeRange) = range.spelled(&["pd", "pw", "pm", "py"]);
});

impl BraveContextConfig {
    /// Creates a configuration with this API key and default settings.
    pub fn new(api_key: impl Into<Secret>) -> Self {
        Self { connection: Connection::new::<Self>(api_key), parameters: BTreeMap::new() }
    }

    /// Reads [`BRAVE_API_KEY`] and, if set, [`BRAVE_CONTEXT_ENDPOINT`] from the environment.
    ///
    /// # Errors
    /// As [`Connection::from_env`].
    pub fn from_env() -> Result<Self> {
        Ok(Self { connection: Connection::from_env::<Self>()?, ..Self::new("") })
    }

    fn sent_parameters(&self) -> Result<BTreeMap<&str, String>> {
        let parameters = self.parameters.iter();
        parameters.map(|(name, value)| Ok((*name, values::setting(name, value)?))).collect()
    }
}

impl WebEngine for BraveContextConfig {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://api.search.brave.com/res/v1/llm/context";
    const ENDPOINT_VARIABLE: &'static str = BRAVE_CONTEXT_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(BRAVE_API_KEY);
    const SITE_FIELDS: &'static [&'static str] = &["site"];
    // A goggle takes sites to search or sites to leave out.
    const CHECKS_SITES: bool = true;
    const ERRORS: ErrorFormat = BraveConfig::ERRORS;

    type Record = BraveContextPage;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn key_place(&self) -> KeyPlace {
        KeyPlace::header("x-subscription-token")
    }

    fn paging(&self) -> Paging {
        Paging { max_results: Some(MAX_RESULTS), ..Paging::SINGLE_PAGE }
    }

    fn fields(&self) -> Vec<FilterableField> {
        let fields = filter::fields().into_iter();
        let shared = |field: &FilterableField| ["published", "freshness"].contains(&&*field.name);
        [site_field()].into_iter().chain(fields.filter(shared)).collect()
    }

    fn check(&self) -> Result<()> {
        for (name, least, most) in [
            ("maximum_number_of_tokens", 1_024, 32_768),
            ("maximum_number_of_tokens_per_url", 512, 8_192),
        ] {
            let Some(value) = self.parameters.get(name) else { continue };
            let fits = value.parse().is_ok_and(|tokens: u32| (least..=most).contains(&tokens));
            valid(CONNECTOR, name, value, fits, &format!("{least} to {most}"))?;
        }
        self.sent_parameters().map(drop)
    }

    fn check_query(&self, text: &str) -> Result<()> {
        values::check_query(text)
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<BraveContextPage>>> {
        let Some(conditions) = query.conditions()? else { return Ok(None) };
        let mut sites = Sites::default();
        let mut days = Bounds::default();
        let mut parameters = self.sent_parameters()?;
        for condition in &conditions {
            match condition.field.as_str() {
                "site" => sites.narrow_by(CONNECTOR, condition)?,
                "published" => days.narrow(condition)?,
                _ => {
                    let period = values::parameter("freshness", condition.single()?)?;
                    parameters.insert("freshness", period);
                }
            }
        }
        if sites.are_none() {
            return Ok(None);
        }
        let has_period = conditions.iter().any(|condition| condition.field == "freshness");
        if let Some((first, last)) = filter::period(days)? {
            let value = "used together with `freshness`";
            valid(CONNECTOR, "published", value, !has_period, "only one of them")?;
            if first > last {
                return Ok(None); // It begins after today.
            }
            parameters.insert("freshness", format!("{first}to{last}"));
        }
        parameters.extend(goggle(&sites).map(|rules| ("goggles", rules)));
        let wanted = query.wanted().max(1);
        parameters.insert("maximum_number_of_urls", wanted.to_string());
        parameters.insert("count", wanted.max(CONSIDERED).to_string());
        let request = query.get().with_query("q", query.text()).with_query_pairs(parameters);
        Ok(Some(request.into()))
    }

    fn results(
        &self,
        answer: HttpResponse<Answer>,
        _: &PageAddress,
    ) -> ResultPage<BraveContextPage> {
        let Answer { grounding, sources } = answer.body;
        let Grounding { generic, rest } = grounding.unwrap_or_default();
        let mut page = ResultPage::of(CONNECTOR, generic);
        for record in &mut page.records {
            let source = sources.get(&record.url).cloned().unwrap_or_default();
            record.source = serde_json::from_value(source).unwrap_or_default();
        }
        page.with_facts(rest)
    }

    fn link(page: &BraveContextPage) -> &str {
        &page.url
    }

    fn read_error(&self, answer: &ErrorAnswer<'_>) -> Option<ErrorDetails> {
        Some(search::read_error(answer))
    }
}

/// Returns rules for the sites: the API has no operators.
fn goggle(sites: &Sites) -> Option<String> {
    let rules: Vec<String> = match &sites.included {
        Some(included) => {
            let included = included.iter().map(|site| format!("$site={site}"));
            ["$discard".to_owned()].into_iter().chain(included).collect()
        }
        None => sites.excluded.iter().map(|site| format!("$discard,site={site}")).collect(),
    };
    (!rules.is_empty()).then(|| rules.join("\n"))
}

records! {
    "snake_case";

    /// A web page with the texts that Brave extracted.
    ///
    /// The fields are those of the
    /// [reference](https://api-dashboard.search.brave.com/api-reference/summarizer/llm_context/get),
    /// under the same name in `PascalCase`. Missing values are left out.
    #[schemars(description = "A web page with texts that Brave Search extracted")]
    pub struct BraveContextPage {
        /// Title of the page.
        pub title: String,
        /// URL of the page.
        pub url: String,
        /// Texts of the page about the query. Tables and structured data are JSON.
        pub snippets: Vec<String>,
        /// What Brave knows about the page.
        #[serde(flatten)]
        pub source: BraveContextSource,
    }

    /// What Brave knows about a page.
    pub struct BraveContextSource {
        /// Host of the page.
        pub hostname: Option<String>,
        /// Age of the page in several forms: `Monday, March 31, 2025`, `2025-03-31`, `20 days ago`.
        pub age: Vec<String>,
    }
}

impl TextSearchRecord for BraveContextPage {
    fn text(&self) -> Cow<'_, str> {
        self.snippets.join("\n\n").into()
    }

    fn to_result(&self) -> TextSearchResult {
        let mut ages = self.source.age.iter().map(String::as_str);
        let day = ages.find(|age| DateTime::parse(age).is_ok());
        page_result(self.text(), &self.title, &self.url, day)
    }
}

/// A response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Answer {
    grounding: Option<Grounding>,
    /// By URL.
    sources: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Grounding {
    generic: ResultList<BraveContextPage>,
    /// A place and a map.
    #[serde(flatten)]
    rest: Map<String, Value>,
}
