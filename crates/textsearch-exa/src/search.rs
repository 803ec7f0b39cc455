//! Describes Exa to the core: one `POST` request, without pages.

use serde_json::{Value, json};
use textsearch_core::{
    FilterableField, Result,
    http::HttpResponse,
    web::{
        Bounds, Condition, Connection, ErrorFormat, KeyPlace, PageAddress, Paging, ResultPage,
        Site, Sites, WebEngine, WebQuery, WebRequest, WebSearch, one_of, published_field,
        site_field,
    },
};

use crate::{CONNECTOR, EXA_API_KEY, EXA_ENDPOINT, ExaConfig, ExaPage, response::Answer};

/// Searches the web with [Exa](https://exa.ai/docs/reference/search). See the [crate](crate) for an
/// example.
pub type ExaTextSearch = WebSearch<ExaConfig>;

const MAX_DOMAINS: usize = 1_200;
const CATEGORIES: &[&str] =
    &["company", "people", "research paper", "news", "personal site", "financial report"];

// Exa documents no operators. The core removes them all under a fixed filter.
impl WebEngine for ExaConfig {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://api.exa.ai/search";
    const ENDPOINT_VARIABLE: &'static str = EXA_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(EXA_API_KEY);
    const SITE_FIELDS: &'static [&'static str] = &["site"];
    // Exa takes sites to search or sites to leave out.
    const CHECKS_SITES: bool = true;
    // { "requestId": "…", "error": "Invalid API key", "tag": "INVALID_API_KEY" }
    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/error"],
        messages: &["", "/message", "/error"],
        quota_statuses: &[402],
        ..ErrorFormat::NONE
    };

    type Record = ExaPage;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn key_place(&self) -> KeyPlace {
        KeyPlace::header("x-api-key")
    }

    fn paging(&self) -> Paging {
        Paging { max_results: Some(100), ..Paging::SINGLE_PAGE }
    }

    fn fields(&self) -> Vec<FilterableField> {
        let category = "Only pages of this kind, such as news or research paper";
        vec![
            site_field(),
            published_field(),
            FilterableField::one_of("category", category, CATEGORIES),
        ]
    }

    fn check(&self) -> Result<()> {
        self.check_parameters()
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<ExaPage>>> {
        let Some(conditions) = query.conditions()? else { return Ok(None) };
        let mut filter = Translation::default();
        conditions.iter().try_for_each(|condition| filter.add(condition))?;
        if filter.sites.are_none() || filter.days.are_never_met() {
            return Ok(None);
        }
        let mut body = self.parameters.clone();
        body.extend(filter.parameters()?);
        body.insert("query", query.text().into());
        body.insert("numResults", query.wanted().into());
        body.insert("contents", self.contents_parameter());
        Ok(Some(query.post_json(body).into()))
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<ExaPage> {
        answer.body.into_page()
    }

    fn link(page: &ExaPage) -> &str {
        &page.url
    }
}

#[derive(Default)]
struct Translation {
    sites: Sites,
    days: Bounds,
    category: Option<String>,
}

impl Translation {
    fn add(&mut self, condition: &Condition) -> Result<()> {
        match condition.field.as_str() {
            "site" => self.sites.narrow_by(CONNECTOR, condition),
            "published" => self.days.narrow(condition),
            "category" => {
                let category = condition.single()?;
                self.category = Some(category.to_owned());
                one_of(CONNECTOR, "category", category, CATEGORIES)
            }
            _ => Err(condition.unsupported(condition.operator)),
        }
    }

    fn parameters(&self) -> Result<[(&'static str, Value); 4]> {
        let (name, sites) = match &self.sites.included {
            Some(included) => ("includeDomains", included),
            None => ("excludeDomains", &self.sites.excluded),
        };
        let first = self.days.lowest.as_ref().map(|day| format!("{day}T00:00:00.000Z"));
        let last = self.days.highest.as_ref().map(|day| format!("{day}T23:59:59.999Z"));
        Ok([
            (name, json!(Site::names(CONNECTOR, sites, MAX_DOMAINS)?)),
            ("startPublishedDate", json!(first)),
            ("endPublishedDate", json!(last)),
            ("category", json!(self.category)),
        ])
    }
}
