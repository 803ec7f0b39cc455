//! Describes Perplexity to the core: one `POST` request, without pages.

use serde_json::{Value, json};
use textsearch_core::{
    Error, FilterableField, Result,
    filter::FilterOperator::{Eq, In},
    http::HttpResponse,
    web::{
        Bounds, Condition, Connection, ErrorFormat, PageAddress, Paging, ResultPage, Site, Sites,
        WebEngine, WebQuery, WebRequest, WebSearch, is_letters, one_of, published_field,
        site_field, valid,
    },
};

use crate::{
    CONNECTOR, PERPLEXITY_API_KEY, PERPLEXITY_ENDPOINT, PerplexityConfig, PerplexityPage,
    response::Answer,
};

/// Searches the web with
/// [Perplexity's Search API](https://docs.perplexity.ai/api-reference/search-post), or a service of
/// its shape. See the [crate](crate) for an example.
pub type PerplexityTextSearch = WebSearch<PerplexityConfig>;

const MAX_DOMAINS: usize = 20;
const MAX_LANGUAGES: usize = 10;
const PERIODS: &[&str] = &["hour", "day", "week", "month", "year"];

// Perplexity documents no operators; engines behind a proxy have some. The core removes them all
// under a fixed filter.
impl WebEngine for PerplexityConfig {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://api.perplexity.ai/search";
    const ENDPOINT_VARIABLE: &'static str = PERPLEXITY_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(PERPLEXITY_API_KEY);
    const SITE_FIELDS: &'static [&'static str] = &["site"];
    // Perplexity takes one of the lists. Engines behind a proxy may ignore both.
    const CHECKS_SITES: bool = true;
    // LiteLLM's proxy sends `detail` for wrong requests.
    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/error", "/detail/error", "/detail"],
        codes: &["/type"],
        messages: &["/message", ""],
        key_errors: &["auth_error", "invalid_api_key", "token_not_found_in_db"],
        quotas: &["budget_exceeded", "insufficient_quota"],
        ..ErrorFormat::NONE
    };

    type Record = PerplexityPage;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn paging(&self) -> Paging {
        Paging { max_results: Some(self.max_results), ..Paging::SINGLE_PAGE }
    }

    fn fields(&self) -> Vec<FilterableField> {
        let language = "Only pages in this language, such as de";
        let age = "Only pages of the past hour, day, week, month or year";
        vec![
            site_field(),
            // Models see `time_range` instead: it needs no calendar.
            published_field().offered_to_model(false),
            FilterableField::string("language", language).with_operators([Eq, In]),
            FilterableField::one_of("time_range", age, PERIODS),
        ]
    }

    fn check(&self) -> Result<()> {
        self.check_parameters()
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<PerplexityPage>>> {
        let Some(conditions) = query.conditions()? else { return Ok(None) };
        let mut filter = Translation::default();
        conditions.iter().try_for_each(|condition| filter.add(condition))?;
        if filter.sites.are_none() || filter.days.are_never_met() {
            return Ok(None);
        }
        let mut body = self.parameters.clone();
        body.extend(filter.parameters()?);
        body.insert("query", query.text().into());
        body.insert("max_results", query.wanted().into());
        Ok(Some(query.post_json(body).into()))
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<PerplexityPage> {
        answer.body.into_page()
    }

    fn link(page: &PerplexityPage) -> &str {
        &page.url
    }
}

#[derive(Default)]
struct Translation {
    sites: Sites,
    days: Bounds,
    languages: Vec<String>,
    period: Option<String>,
}

impl Translation {
    fn add(&mut self, condition: &Condition) -> Result<()> {
        match condition.field.as_str() {
            "site" => self.sites.narrow_by(CONNECTOR, condition),
            "published" => self.days.narrow(condition),
            "language" => {
                self.languages = condition.listed()?.to_vec();
                let allowed = "two lower-case letters, such as de";
                self.languages.iter().try_for_each(|language| {
                    let is_code =
                        is_letters(language, 2..=2) && language.to_lowercase() == *language;
                    valid(CONNECTOR, "language", language, is_code, allowed)
                })
            }
            "time_range" => {
                let period = condition.single()?;
                self.period = Some(period.to_owned());
                one_of(CONNECTOR, "time_range", period, PERIODS)
            }
            _ => Err(condition.unsupported(condition.operator)),
        }
    }

    fn parameters(&self) -> Result<[(&'static str, Value); 5]> {
        let days = [&self.days.lowest, &self.days.highest].map(|day| day.as_deref().map(american));
        let [first, last] = days;
        if self.period.is_some() && (first.is_some() || last.is_some()) {
            let allowed = "either `time_range` or `published`";
            let value = "set together with `published`";
            return Err(Error::invalid_options(CONNECTOR, "time_range", value, allowed));
        }
        let (sites, sign) = match &self.sites.included {
            Some(included) => (included, ""),
            None => (&self.sites.excluded, "-"),
        };
        let domains = Site::names(CONNECTOR, sites, MAX_DOMAINS)?.into_iter();
        let domains: Vec<String> = domains.map(|domain| format!("{sign}{domain}")).collect();
        let count = self.languages.len();
        let value = format!("{count} languages");
        valid(CONNECTOR, "language", value, count <= MAX_LANGUAGES, "at most 10")?;
        Ok([
            ("search_domain_filter", json!(domains)),
            ("search_language_filter", json!(self.languages)),
            ("search_recency_filter", json!(self.period)),
            ("search_after_date_filter", json!(first)),
            ("search_before_date_filter", json!(last)),
        ])
    }
}

/// Writes `2025-03-31` as `03/31/2025`.
fn american(day: &str) -> String {
    day.split_once('-')
        .map_or_else(String::new, |(year, rest)| format!("{}/{year}", rest.replace('-', "/")))
}
