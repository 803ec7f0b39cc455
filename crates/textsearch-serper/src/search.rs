//! Describes Serper to the core: a `POST` request for each page of Google's results.

use serde_json::{Map, Value};
use textsearch_core::{
    Error, FilterableField, Result,
    http::{HttpRequest, HttpResponse},
    web::{
        Bounds, Condition, Connection, ErrorFormat, FilterWords, KeyPlace, PageAddress, PageScheme,
        Paging, ResultPage, Sites, WebEngine, WebQuery, WebRequest, WebSearch, one_of,
        published_field, site_field,
    },
};

use crate::{
    CONNECTOR, SERPER_API_KEY, SERPER_ENDPOINT, SerperConfig, SerperPage, response::Answer,
};

/// Searches the web with Google through [Serper](https://serper.dev). See the [crate](crate) for an
/// example.
pub type SerperTextSearch = WebSearch<SerperConfig>;

const PERIODS: &[&str] = &["hour", "day", "week", "month", "year"];

impl WebEngine for SerperConfig {
    const NAME: &'static str = CONNECTOR;
    const ENDPOINT: &'static str = "https://google.serper.dev/search";
    const ENDPOINT_VARIABLE: &'static str = SERPER_ENDPOINT;
    const KEY_VARIABLE: Option<&'static str> = Some(SERPER_API_KEY);
    const SITE_FIELDS: &'static [&'static str] = &["site"];
    const CHECKS_SITES: bool = true;
    // { "message": "Unauthorized.", "statusCode": 403 }
    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/message"],
        messages: &[""],
        quota_phrases: &["not enough credits"],
        ..ErrorFormat::NONE
    };

    type Record = SerperPage;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn key_place(&self) -> KeyPlace {
        KeyPlace::header("x-api-key")
    }

    fn paging(&self) -> Paging {
        // Google serves pages of ten, some shorter.
        let scheme = PageScheme::Number("page", 1);
        Paging { scheme, max_pages: Some(10), max_results: Some(100), ..Paging::SINGLE_PAGE }
    }

    fn fields(&self) -> Vec<FilterableField> {
        let age = "Only pages of the past hour, day, week, month or year";
        vec![
            site_field(),
            // Models see `time_range` instead: it needs no calendar.
            published_field().offered_to_model(false),
            FilterableField::one_of("time_range", age, PERIODS),
        ]
    }

    fn check(&self) -> Result<()> {
        self.check_parameters()
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<SerperPage>>> {
        let Some(conditions) = query.conditions()? else { return Ok(None) };
        let mut sites = Sites::default();
        let mut days = Bounds::default();
        let mut period = None;
        for condition in &conditions {
            match condition.field.as_str() {
                "site" => sites.narrow_by(CONNECTOR, condition)?,
                "published" => days.narrow(condition)?,
                _ => period = Some(past(condition)?),
            }
        }
        if sites.are_none() || days.are_never_met() {
            return Ok(None);
        }
        let time = match (period, between(&days)) {
            (Some(_), Some(_)) => {
                let value = "set together with `published`";
                let allowed = "either `time_range` or `published`";
                return Err(Error::invalid_options(CONNECTOR, "time_range", value, allowed));
            }
            (period, days) => period.or(days),
        };
        let mut words = FilterWords::default();
        words.add_sites("site", &sites);
        let mut body = self.parameters.clone();
        body.insert("q", words.with_query(query.text()).into());
        body.insert("tbs", time.into());
        Ok(Some(query.post_json(body).into()))
    }

    fn page_request(&self, request: &HttpRequest, page: &PageAddress) -> HttpRequest {
        // The body is `request`'s.
        let mut body: Map<String, Value> =
            serde_json::from_slice(request.body()).unwrap_or_default();
        body.insert("page".to_owned(), (page.number + 1).into());
        request.clone().with_json(&body)
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<SerperPage> {
        answer.body.into_page()
    }

    fn link(page: &SerperPage) -> &str {
        &page.link
    }
}

/// Writes a period as `qdr:w`.
fn past(condition: &Condition) -> Result<String> {
    let period = condition.single()?;
    one_of(CONNECTOR, &condition.field, period, PERIODS)?;
    Ok(format!("qdr:{}", period.get(..1).unwrap_or_default()))
}

/// Writes days as `cdr:1,cd_min:03/31/2025,cd_max:…`.
fn between(days: &Bounds) -> Option<String> {
    let american = |day: &String| {
        let (year, rest) = day.split_once('-')?;
        Some(format!("{}/{year}", rest.replace('-', "/")))
    };
    let first = days.lowest.as_ref().and_then(american).map(|day| format!(",cd_min:{day}"));
    let last = days.highest.as_ref().and_then(american).map(|day| format!(",cd_max:{day}"));
    let bounds: String = first.into_iter().chain(last).collect();
    (!bounds.is_empty()).then(|| format!("cdr:1{bounds}"))
}
