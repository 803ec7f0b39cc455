//! Tests of the stand-in: it rejects invalid requests.

use serde_json::{Value, json};
use textsearch_azure_ai_search::{
    ErrorKind,
    http::{HttpClient, HttpRequest, Method, Url},
    vector::{DataField, RecordDefinition, VectorField},
};

use crate::{
    service::{KEY, Standin},
    support::{empty, settings},
};

async fn service() -> Standin {
    let definition = RecordDefinition::new("id")
        .with_data(DataField::string("tenant").filterable())
        .with_data(DataField::integer("year").filterable())
        .with_data(DataField::number("size").filterable())
        .with_data(DataField::boolean("open").filterable())
        .with_data(DataField::date_time("at").filterable())
        .with_data(DataField::strings("tags").filterable())
        .with_data(DataField::string("text").full_text())
        .with_vector(VectorField::new("embedding", 2));
    empty(definition).await.0
}

/// Returns the status of a request.
async fn status(standin: &Standin, path: &str, version: &str, body: &Value) -> u16 {
    let mut url = Url::parse(&standin.url()).unwrap();
    url.set_path(path);
    let request = HttpRequest::new(Method::POST, url)
        .with_query("api-version", version)
        .with_header("Accept", "application/json;odata.metadata=none")
        .with_secret_header("api-key", &KEY.into())
        .with_json(body);
    let client = HttpClient::new("test", settings()).unwrap();
    match client.send(request).await {
        Ok(response) => response.status.as_u16(),
        Err(error) => match error.kind() {
            ErrorKind::UnexpectedStatus { status, .. } => *status,
            other => panic!("{other:?}"),
        },
    }
}

async fn search(standin: &Standin, body: Value) -> u16 {
    status(standin, "/indexes('notes')/docs/search.post.search", "2026-04-01", &body).await
}

async fn index(standin: &Standin, body: Value) -> u16 {
    status(standin, "/indexes('notes')/docs/search.index", "2026-04-01", &body).await
}

#[tokio::test]
async fn filters_outside_the_grammar_are_refused() {
    let standin = service().await;
    for filter in [
        "tenant eq 'a' and not (year ge 2020 or open)",
        "tags/any(t: t eq 'a' or t eq 'it''s')",
        "tags/all(t: t ne 'a')",
        "search.in(tenant, 'a|b', '|') and size lt 1.5e10",
        "at ge 2024-01-01T00:00:00.000Z or tenant eq null",
    ] {
        assert_eq!(search(&standin, json!({ "filter": filter })).await, 200, "{filter}");
    }
    for filter in [
        "",
        "tenant",
        "tenant = 'a'",
        "tenant eq a",
        "tenant eq 'a",
        "tenant eq 'a'b'",
        "tenant eq 'a' and",
        "tenant eq 'a' tenant eq 'b'",
        "(tenant eq 'a'",
        "nowhere eq 'a'",
        "text eq 'a'",
        "embedding eq null",
        "year eq '1'",
        "year eq 1.5",
        "size eq 1",
        "year eq 9223372036854775808",
        "open lt true",
        "at eq '2024-01-01T00:00:00Z'",
        "at eq 2024-01-01",
        "tenant lt null",
        "tags eq 'a'",
        "tags/any(t: t gt 'a')",
        "tags/any(t: t eq 'a' and t eq 'b')",
        "tags/any(t: u eq 'a')",
        "startswith(tenant, 'a')",
        "year in (1, 2)",
    ] {
        assert_eq!(search(&standin, json!({ "filter": filter })).await, 400, "{filter}");
    }
}

#[tokio::test]
async fn searches_outside_the_schema_are_refused() {
    let standin = service().await;
    let vector = |changes: Value| {
        let mut query =
            json!({ "kind": "vector", "vector": [1, 0], "fields": "embedding", "k": 3 });
        query.as_object_mut().unwrap().extend(changes.as_object().cloned().unwrap());
        json!({ "vectorQueries": [query] })
    };
    assert_eq!(search(&standin, vector(json!({}))).await, 200);
    for body in [
        json!({ "tpo": 1 }),
        json!({ "top": "1" }),
        json!({ "top": 1_001 }),
        json!({ "skip": 100_001 }),
        json!({ "skip": -1 }),
        json!({ "select": "nowhere" }),
        json!({ "orderby": "tenant asc" }),
        json!({ "orderby": "id sideways" }),
        json!({ "search": "a", "searchFields": "tenant" }),
        json!({ "search": "a -b" }),
        json!({ "search": "a", "queryType": "semantic" }),
        json!({ "search": "a", "queryType": "semantic", "semanticConfiguration": "none" }),
        json!({ "search": null }),
        vector(json!({ "k": 0 })),
        vector(json!({ "vector": [1] })),
        vector(json!({ "kind": "raw" })),
        vector(json!({ "fields": "text" })),
        vector(json!({ "exhaustive": 1 })),
        vector(json!({ "ef": 1 })),
    ] {
        assert_eq!(search(&standin, body.clone()).await, 400, "{body}");
    }
}

#[tokio::test]
async fn batches_outside_the_schema_are_refused() {
    let standin = service().await;
    let upload = |field: &str, value: Value| json!({ "value": [{ "id": "a", field: value }] });
    assert_eq!(index(&standin, upload("year", json!(1))).await, 200);
    for body in [
        json!({}),
        json!({ "value": [] }),
        json!({ "value": [{ "year": 1 }] }),
        json!({ "value": vec![json!({ "id": "a" }); 1_001] }),
        json!({ "value": [{ "id": "a" }], "other": 1 }),
        upload("@search.action", json!("replace")),
        upload("nowhere", json!(1)),
        upload("year", json!("1")),
        upload("year", json!(1.5)),
        upload("open", json!("true")),
        upload("at", json!("2024-01-01")),
        upload("tags", json!(["a", null])),
        upload("embedding", json!([1])),
        upload("embedding", json!([1, 1e300])),
    ] {
        assert_eq!(index(&standin, body.clone()).await, 400, "{body}");
    }
    for body in [json!({ "value": [{ "id": "a/b" }] }), upload("tenant", json!("a".repeat(32_767)))]
    {
        assert_eq!(index(&standin, body.clone()).await, 207, "only the document is refused");
    }
}

#[tokio::test]
async fn another_version_is_refused() {
    let standin = service().await;
    let path = "/indexes('notes')/docs/search.post.search";
    assert_eq!(status(&standin, path, "2019-05-06", &json!({})).await, 400);
    assert_eq!(
        status(&standin, "/indexes('none')/docs/search.index", "2026-04-01", &json!({})).await,
        404
    );
}

#[test]
fn indexes_outside_the_schema_are_refused() {
    let key = || json!({ "name": "id", "type": "Edm.String", "key": true });
    let with = |field: Value| json!({ "name": "notes", "fields": [key(), field] });
    let accepted = with(json!({ "name": "a", "type": "Edm.Int64", "filterable": true }));
    Standin::start().define("notes", &accepted);
    for definition in [
        json!({ "name": "other", "fields": [key()] }),
        json!({ "name": "notes", "fields": [] }),
        json!({ "name": "notes", "fields": [key()], "feilds": [] }),
        with(key()),
        with(json!({ "name": "_a", "type": "Edm.String" })),
        with(json!({ "name": "azureSearchA", "type": "Edm.String" })),
        with(json!({ "name": "a", "type": "string" })),
        with(json!({ "name": "a", "type": "Edm.Int64", "searchable": true })),
        with(json!({ "name": "a", "type": "Edm.String", "analyzer": "klingon" })),
        with(json!({ "name": "a", "type": "Collection(Edm.Single)", "dimensions": 2 })),
        with(json!({ "name": "a", "type": "Edm.String", "key": "true" })),
    ] {
        let defined = std::panic::catch_unwind(|| Standin::start().define("notes", &definition));
        assert!(defined.is_err(), "{definition}");
    }
}
