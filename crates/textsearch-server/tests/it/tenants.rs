//! What one tenant can learn about another: nothing.

use serde_json::{Value, json};
use textsearch_core::{Filter, FilterableField, FixedSearch, TextSearchResult};
use textsearch_kernel::search::OfferedFields;
use textsearch_server::{AccessToken, Right, SearchSource, ServerConfig, Services};

use crate::support::{ACME, ADMIN, GLOBEX, TestServer, services, start, tenants, values};

async fn acme() -> TestServer {
    start(services(), tenants()).await.with_token(ACME)
}

/// Whether a response reveals a document of Globex.
fn leaks(text: &str) -> bool {
    text.contains("laser") || text.contains("globex.example")
}

#[tokio::test]
async fn a_search_stays_inside_the_filter() {
    let server = acme().await;
    for filter in [Value::Null, json!("Source = \"globex\""), json!("Source != \"acme\" or true")] {
        let body = json!({ "query": "x", "filter": filter, "include_total_count": true });
        let answer = server.post("/v1/search", body).await.ok();
        assert!(!leaks(&answer.to_string()), "{answer}");
        assert!(answer["total_count"]["exact"].as_u64() <= Some(2), "{answer}");
    }
    for kind in ["texts", "records"] {
        let answer = server.post("/v1/search", json!({ "query": "x", "kind": kind })).await.ok();
        assert_eq!(answer["results"].as_array().unwrap().len(), 2, "{answer}");
    }
}

#[tokio::test]
async fn each_tenant_sees_its_own() {
    let server = start(services(), tenants()).await;
    let count = |token| {
        let server = server.with_token(token);
        async move {
            let answer = server.post("/v1/search", json!({ "query": "x" })).await.ok();
            values(&answer).len()
        }
    };
    assert_eq!((count(ACME).await, count(GLOBEX).await, count(ADMIN).await), (2, 1, 3));
}

#[tokio::test]
async fn a_template_cannot_widen_the_filter() {
    let server = acme().await;
    for template in [
        "{{#each (SearchPlugin-GetSearchResults 'x' count=50)}}{{Value}}{{/each}}",
        "{{#each (docs-GetSearchResults 'x' count=50)}}{{Value}}{{/each}}",
        "{{json (docs-GetRecords 'x' Source='globex' count=50)}}",
        "{{json (SearchPlugin-Search 'x' Source='globex')}}",
    ] {
        let rendered = server.post("/v1/prompt", json!({ "template": template })).await.ok();
        assert!(!leaks(&rendered.to_string()), "{rendered}");
    }
    let template = "{{SearchPlugin.GetSearchResults 'x'}}";
    let arguments = json!({ "Source": "globex", "fixed_filter": "true" });
    let body = json!({ "template": template, "format": "semantic-kernel", "arguments": arguments });
    assert!(!leaks(&server.post("/v1/prompt", body).await.ok().to_string()));
}

#[tokio::test]
async fn mcp_callers_share_documents_with_their_tenant_only() {
    let server = start(services(), tenants()).await;
    let call = |token: &'static str| {
        let server = server.with_token(token);
        async move {
            let arguments = json!({ "query": "x", "count": 50 });
            let params = json!({ "name": "docs-GetSearchResults", "arguments": arguments });
            server.mcp("tools/call", params).await.ok()
        }
    };
    assert!(leaks(&call(GLOBEX).await.to_string()));
    assert!(!leaks(&call(ACME).await.to_string()));
    let resources = server.with_token(ACME).mcp("resources/list", json!({})).await.ok();
    assert!(resources.to_string().contains("acme.example"), "{resources}");
    assert!(!leaks(&resources.to_string()), "{resources}");
    let params = json!({ "uri": "https://globex.example/plan" });
    let read = server.with_token(ACME).mcp("resources/read", params).await;
    assert!(!leaks(&read.text.replace("globex.example", "")), "{}", read.text);
}

#[tokio::test]
async fn errors_reveal_no_other_documents() {
    let server = acme().await;
    for body in [
        json!({ "query": "x", "filter": "Source > \"globex\"" }),
        json!({ "query": "x", "filter": "globex = 1" }),
        json!({ "query": "x", "top": 9999 }),
    ] {
        let problem = server.post("/v1/search", body).await.problem(400);
        assert!(!leaks(&problem.to_string()), "{problem}");
    }
}

#[tokio::test]
async fn the_servers_own_filter_applies_to_all() {
    let config = tenants().with_fixed_filter("Name = \"price\"".parse().unwrap());
    let server = start(services(), config).await;
    for (token, count) in [(ACME, 1), (GLOBEX, 0), (ADMIN, 1)] {
        let answer = server.with_token(token).post("/v1/search", json!({ "query": "x" })).await;
        assert_eq!(values(&answer.ok()).len(), count);
    }
}

#[tokio::test]
async fn examples_are_shown_only_under_the_common_filter() {
    let fields = [FilterableField::string("Source", "The owner")
        .with_all_operators()
        .with_examples([json!("globex")])];
    let search = FixedSearch::new([TextSearchResult::new("x").with_source("acme")]);
    let mut source = SearchSource::new("docs", search.with_fields(fields));
    source.offered_fields = OfferedFields::list(["Source"]);
    let services = || Services::new().with_source(source.clone());
    let tools = async |config: ServerConfig, token: Option<&'static str>| {
        let server = start(services(), config).await;
        let server = match token {
            Some(token) => server.with_token(token),
            None => server,
        };
        server.mcp("tools/list", json!({})).await.ok().to_string()
    };
    let common = "Source != \"hidden\"".parse::<Filter>().unwrap();
    let open = ServerConfig::new().with_fixed_filter(common.clone());
    assert!(tools(open, None).await.contains("globex"));
    let shared = || tenants().with_fixed_filter(common.clone());
    assert!(tools(shared(), Some(ADMIN)).await.contains("globex"));
    assert!(!tools(shared(), Some(ACME)).await.contains("globex"));
}

/// An example is a value of a document.
#[tokio::test]
async fn capabilities_show_examples_only_to_who_may_search() {
    let field = FilterableField::string("Source", "The owner").with_examples([json!("globex")]);
    let search = FixedSearch::new([TextSearchResult::new("x")]).with_fields([field]);
    let services = Services::new().with_source(SearchSource::new("docs", search));
    let operator = "the-token-of-the-operator";
    let config = ServerConfig::new()
        .with_token(AccessToken::new("reader", ADMIN))
        .with_token(AccessToken::new("operator", operator).with_rights([Right::Metrics]));
    let server = start(services, config).await;
    for (token, expected) in [(ADMIN, json!(["globex"])), (operator, json!(null))] {
        let offer = server.with_token(token).get("/v1/capabilities").await.ok();
        assert_eq!(offer["sources"][0]["fields"][0]["schema"]["examples"], expected);
    }
}

/// Fields that the configuration doesn't name came from records of any tenant.
#[tokio::test]
async fn a_tenant_sees_no_field_of_other_records() {
    let mut config = tenants();
    config.shown_fields = Some(vec!["Link".to_owned()]);
    let server = start(services(), config).await;
    let fields = |token| {
        let server = server.with_token(token);
        async move {
            let offer = server.get("/v1/capabilities").await.ok();
            let source = offer["sources"][0].clone();
            let names = source["fields"].as_array().unwrap().iter();
            let names: Vec<String> =
                names.map(|field| field["name"].as_str().unwrap().to_owned()).collect();
            (names, source["record_schema"]["properties"].get("Name").is_some())
        }
    };
    assert_eq!(fields(ACME).await, (vec!["Source".to_owned()], false));
    assert_eq!(fields(ADMIN).await, (vec!["Source".to_owned(), "Name".to_owned()], true));
    let tools = server.with_token(ACME).mcp("tools/list", json!({})).await.ok();
    let mut tools = tools["result"]["tools"].as_array().unwrap().iter();
    assert!(tools.all(|tool| tool["inputSchema"]["properties"].get("Name").is_none()));
    let refused = async |field: &str| {
        let body = json!({ "query": "x", "filter": format!("{field} = \"plan\"") });
        let problem = server.with_token(ACME).post("/v1/search", body).await.problem(400);
        problem.to_string().replace(field, "?")
    };
    assert_eq!(refused("Name").await, refused("Nome").await);
}
