//! Searches a wiki with [MediaWiki](https://www.mediawiki.org/wiki/API:Search), such as Wikipedia.

use serde::{Deserialize, Serialize};
use textsearch_core::{
    Error, FilterableField, Result, TextSearchRecord,
    filter::FilterOperator::{Eq, In},
    http::{HttpResponse, Url},
    results::TotalCount,
    serde_json::Value,
    web::{
        self, Connection, ErrorFormat, Marks, PageAddress, PageScheme, Paging, ResultList, ResultPage, WebEngine, WebQuery,
        WebRequest, WebSearch,
    },
};

/// Searches a wiki.
pub type MediaWikiTextSearch = WebSearch<MediaWikiConfig>;

/// Configuration of [`MediaWikiTextSearch`].
#[derive(Debug, Clone)]
pub struct MediaWikiConfig {
    /// The URL of the wiki's `api.php`, HTTP settings, and optionally an access token as API key.
    pub connection: Connection,
    /// Program and contact, as Wikimedia requires: `my-bot/1.0 (me@example.com)`.
    pub user_agent: String,
}

web::settings!(impl MediaWikiConfig {});

impl MediaWikiConfig {
    /// Creates a configuration for the English Wikipedia.
    pub fn new(user_agent: impl Into<String>) -> Self {
        Self { connection: Connection::new::<Self>(""), user_agent: user_agent.into() }
    }
}

/// A page of a wiki.
#[derive(Debug, Clone, Serialize, Deserialize, TextSearchRecord)]
#[serde(rename_all(serialize = "PascalCase"))]
pub struct WikiPage {
    /// Title, with the name of its namespace.
    #[result(name)]
    pub title: String,
    /// The part of the page about the query.
    #[result(value)]
    #[serde(default, deserialize_with = "web::value_or_default")]
    pub snippet: String,
    /// URL of the page.
    #[result(link)]
    #[serde(skip_deserializing)]
    pub url: Option<String>,
    /// Time of the last change.
    #[result(published)]
    pub timestamp: Option<String>,
}

impl WebEngine for MediaWikiConfig {
    const NAME: &'static str = "mediawiki";
    const ENDPOINT: &'static str = "https://en.wikipedia.org/w/api.php";
    const ENDPOINT_VARIABLE: &'static str = "MEDIAWIKI_ENDPOINT";
    const MAX_QUERY_CHARS: Option<usize> = Some(300);
    const ERRORS: ErrorFormat = ErrorFormat {
        roots: &["/error"],
        codes: &["/code"],
        messages: &["/info"],
        key_errors: &["readapidenied", "permissiondenied"],
        rate_limits: &["ratelimited"],
        outages: &["maxlag", "readonly"],
        ..ErrorFormat::NONE
    };
    const HAS_TOTAL_COUNT: bool = true;
    const OPERATORS_OVERRIDE_FILTERS: bool = true; // `talk:` selects a namespace.
    type Record = WikiPage;
    type Answer = Answer;

    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn paging(&self) -> Paging {
        Paging {
            scheme: PageScheme::Offset("sroffset", 0),
            size: Some(("srlimit", 50)),
            max_results: Some(10_000),
            whole_steps: true,
            ..Paging::SINGLE_PAGE
        }
    }

    fn fields(&self) -> Vec<FilterableField> {
        // Every wiki has these, and ignores others instead of refusing them.
        let about = "Only pages of this namespace, 0 to 15, such as 14 (categories)";
        vec![FilterableField::integer("namespace", about).with_operators([Eq, In])]
    }

    fn request(&self, query: &WebQuery<'_>) -> Result<Option<WebRequest<WikiPage>>> {
        let Some(conditions) = query.conditions()? else { return Ok(None) };
        let mut namespaces = None;
        conditions.iter().try_for_each(|condition| condition.narrow(&mut namespaces))?;
        let is_unknown = |number: &&String| !number.parse().is_ok_and(|number: u8| number <= 15);
        if let Some(number) = namespaces.iter().flatten().find(is_unknown) {
            return Err(Error::invalid_options(Self::NAME, "namespace", number, "0 to 15"));
        }
        let request = query.get().with_header("User-Agent", &self.user_agent).with_query_pairs([
            ("action", "query"),
            ("list", "search"),
            ("format", "json"),
            ("formatversion", "2"),
            ("maxlag", "5"),
            ("srnamespace", &namespaces.map_or("0".to_owned(), |all| all.join("|"))),
            ("srsearch", query.text()),
        ]);
        Ok(Some(request.into()))
    }

    fn results(&self, answer: HttpResponse<Answer>, _: &PageAddress) -> ResultPage<WikiPage> {
        let Found { search, searchinfo } = answer.body.query;
        let mut page = ResultPage::of(Self::NAME, search);
        for found in &mut page.records {
            found.url = link(&answer.url, &found.title);
            found.snippet = Marks::Html(&["span"]).removed(&found.snippet).into_owned();
        }
        page.has_more = Some(answer.body.r#continue.is_some());
        page.total_count = searchinfo["totalhits"].as_u64().map(TotalCount::Estimated);
        page
    }

    fn link(record: &WikiPage) -> &str {
        record.url.as_deref().unwrap_or_default()
    }
}

/// Builds the URL of a page on the wiki that sent a response from `api`.
fn link(api: &Url, title: &str) -> Option<String> {
    let mut url = api.join("/wiki").ok().filter(|_| !title.is_empty())?;
    url.path_segments_mut().ok()?.extend(title.replace(' ', "_").split('/'));
    Some(url.into())
}

/// A response.
#[derive(Deserialize)]
pub struct Answer {
    r#continue: Option<Value>,
    query: Found,
}

#[derive(Deserialize)]
struct Found {
    searchinfo: Value,
    search: ResultList<WikiPage>,
}
