//! Describes Exa to the core: one `POST` request, without pages.

use serde_json::{Map, Value, json};
use textsearch_core::{
    FilterableField, Result,
    filter::FilterOperator::{Eq, Ge, In, Le, Ne},
    http::HttpResponse,
    web::{
        Bounds, Condition, Connection, ErrorFormat, KeyPlace, PageAddress, Paging, ResultPage,
        Site, Sites, WebEngine, WebQuery, WebRequest, WebSearch, is_empty, one_of, valid,
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
        let site = "Only pages of this domain and its subdomains, such as docs.rs";
        let published = "Only pages published on or between these days, such as 2025-03-31";
        let category = "Only pages of this kind, such as news or research paper";
        vec![
            FilterableField::string("site", site).with_operators([Eq, Ne, In]),
            FilterableField::day("published", published).with_operators([Ge, Le]),
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
        let owned = |(name, value): (&&str, &Value)| ((*name).to_owned(), value.clone());
        let mut body: Map<_, _> = self.parameters.iter().map(owned).collect();
        body.append(&mut filter.parameters()?);
        body.insert("query".to_owned(), query.text().into());
        body.insert("numResults".to_owned(), query.wanted().into());
        body.insert("contents".to_owned(), self.contents_parameter());
        // Exa takes sites to search or sites to leave out.
        let keeps = move |page: &ExaPage| filter.sites.allow(&page.url);
        let request = WebRequest::from(query.post().with_json(&body));
        Ok(Some(request.with_record_filter(keeps)))
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

    fn parameters(&self) -> Result<Map<String, Value>> {
        let (name, sites) = match &self.sites.included {
            Some(included) => ("includeDomains", included),
            None => ("excludeDomains", &self.sites.excluded),
        };
        let count = sites.len();
        valid(CONNECTOR, "site", format!("{count} sites"), count <= MAX_DOMAINS, "at most 1200")?;
        let first = self.days.lowest.as_ref().map(|day| format!("{day}T00:00:00.000Z"));
        let last = self.days.highest.as_ref().map(|day| format!("{day}T23:59:59.999Z"));
        let all = [
            (name, json!(sites.iter().map(Site::to_string).collect::<Vec<_>>())),
            ("startPublishedDate", json!(first)),
            ("endPublishedDate", json!(last)),
            ("category", json!(self.category)),
        ];
        let set = all.into_iter().filter(|(_, value)| !is_empty(value));
        Ok(set.map(|(name, value)| (name.to_owned(), value)).collect())
    }
}
