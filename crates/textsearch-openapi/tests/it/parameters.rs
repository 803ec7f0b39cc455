use textsearch_core::serde_json::{Value, json};

use crate::support::{Service, get, metadata, reason};

/// The query for one parameter `p` with this `value`.
async fn query(mut parameter: Value, value: Value) -> String {
    parameter["name"] = json!("p");
    parameter["in"] = json!("query");
    let service = Service::new(get("/things", json!([parameter]))).await;
    service.request(json!({ "p": value })).await.url.query().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn form_repeats_the_name_of_lists_by_default() {
    assert_eq!(query(json!({}), json!(["a b", 1])).await, "p=a%20b&p=1");
    assert_eq!(query(json!({}), json!("x")).await, "p=x");
}

#[tokio::test]
async fn form_without_explode_joins_by_commas() {
    let parameter = json!({ "style": "form", "explode": false });
    assert_eq!(query(parameter.clone(), json!(["a,b", "c"])).await, "p=a%2Cb,c");
    assert_eq!(query(parameter, json!({ "k": "v", "l": 2 })).await, "p=k,v,l,2");
}

#[tokio::test]
async fn exploded_form_objects_write_their_properties() {
    assert_eq!(query(json!({}), json!({ "k": "v", "l": 2 })).await, "k=v&l=2");
}

#[tokio::test]
async fn space_and_pipe_delimit_lists() {
    let space = json!({ "style": "spaceDelimited", "explode": false });
    assert_eq!(query(space, json!(["a", "b"])).await, "p=a%20b");
    let pipe = json!({ "style": "pipeDelimited" });
    assert_eq!(query(pipe, json!(["a", "b|c"])).await, "p=a%7Cb%7Cc");
}

#[tokio::test]
async fn deep_objects_write_names_in_brackets() {
    let parameter = json!({ "style": "deepObject" });
    let value = json!({ "a": { "b": 1 }, "c": [2, 3] });
    assert_eq!(query(parameter, value).await, "p%5Ba%5D%5Bb%5D=1&p%5Bc%5D=2&p%5Bc%5D=3");
}

#[tokio::test]
async fn reserved_characters_stay_only_if_allowed() {
    assert_eq!(query(json!({}), json!("a/b:c&d#e")).await, "p=a%2Fb%3Ac%26d%23e");
    let allowed = json!({ "allowReserved": true });
    assert_eq!(query(allowed, json!("a/b:c&d#e+f")).await, "p=a/b:c%26d%23e%2Bf");
}

#[tokio::test]
async fn content_parameters_are_written_as_json() {
    let parameter =
        json!({ "content": { "application/json": { "schema": { "type": "object" } } } });
    assert_eq!(query(parameter, json!({ "a": 1 })).await, "p=%7B%22a%22%3A1%7D");
}

#[tokio::test]
async fn the_query_of_a_path_is_kept() {
    let parameters = json!([{ "name": "p", "in": "query" }]);
    let service = Service::new(get("/things?beta=true", parameters)).await;
    let request = service.request(json!({ "p": 1 })).await;
    assert_eq!((request.path.as_str(), request.url.query()), ("/things", Some("beta=true&p=1")));
}

#[tokio::test]
async fn the_fragment_of_a_path_is_not_sent() {
    let parameters = json!([{ "name": "p", "in": "query" }]);
    let service = Service::new(get("/things#../{other}", parameters)).await;
    let request = service.request(json!({ "p": 1 })).await;
    assert_eq!((request.path.as_str(), request.url.query()), ("/things", Some("p=1")));
}

#[tokio::test]
async fn path_values_are_encoded() {
    let id = json!([{ "name": "id", "in": "path", "required": true, "schema": {} }]);
    let service = Service::new(get("/things/{id}.json", id)).await;
    let request = service.request(json!({ "id": "a/b?c#d é%" })).await;
    assert_eq!(request.path, "/things/a%2Fb%3Fc%23d%20%C3%A9%25.json");
    assert_eq!(service.request(json!({ "id": ["a", "b,c"] })).await.path, "/things/a,b%2Cc.json");
}

/// The path for one parameter `p` of this style, after `/things`.
async fn path(style: &str, explode: bool, value: Value) -> String {
    let parameter = json!([{
        "name": "p", "in": "path", "required": true, "schema": {},
        "style": style, "explode": explode,
    }]);
    let service = Service::new(get("/things{p}", parameter)).await;
    let path = service.request(json!({ "p": value })).await.path;
    path.strip_prefix("/things").unwrap().to_owned()
}

/// The expected paths are the examples of RFC 6570, sections 3.2.5 and 3.2.7, in the order of the
/// object's names. Dots in values are encoded.
#[tokio::test]
async fn label_and_matrix_follow_rfc_6570() {
    let list = || json!(["red", "green", "blue"]);
    let keys = || json!({ "comma": ",", "dot": ".", "semi": ";" });
    let cases = [
        ("label", false, json!("fred"), ".fred"),
        ("label", false, json!("50%"), ".50%25"),
        ("label", false, list(), ".red,green,blue"),
        ("label", true, list(), ".red.green.blue"),
        ("label", false, keys(), ".comma,%2C,dot,%2E,semi,%3B"),
        ("label", true, keys(), ".comma=%2C.dot=%2E.semi=%3B"),
        ("matrix", false, json!(1024), ";p=1024"),
        ("matrix", false, list(), ";p=red,green,blue"),
        ("matrix", true, list(), ";p=red;p=green;p=blue"),
        ("matrix", true, json!(["red", ""]), ";p=red;p"),
        ("matrix", false, keys(), ";p=comma,%2C,dot,.,semi,%3B"),
        ("matrix", true, keys(), ";comma=%2C;dot=.;semi=%3B"),
    ];
    for (style, explode, value, expected) in cases {
        assert_eq!(path(style, explode, value.clone()).await, expected, "{style} {value}");
    }
}

#[tokio::test]
async fn headers_and_cookies_carry_their_values() {
    let parameters = json!([
        { "name": "X-Trace", "in": "header", "schema": { "type": "array" } },
        { "name": "theme", "in": "cookie", "schema": { "type": "string" } },
        { "name": "lang", "in": "cookie", "schema": { "type": "string" } },
    ]);
    let service = Service::new(get("/things", parameters)).await;
    let request =
        service.request(json!({ "X_Trace": ["a", "b"], "theme": "a; b=c", "lang": "de" })).await;
    assert_eq!(request.header("x-trace"), Some("a,b"));
    assert_eq!(request.header("cookie"), Some("theme=a%3B%20b%3Dc; lang=de"));
}

#[tokio::test]
async fn defaults_of_parameters_are_sent() {
    let parameters =
        json!([{ "name": "limit", "in": "query", "schema": { "type": "integer", "default": 5 } }]);
    let service = Service::new(get("/things", parameters)).await;
    assert_eq!(service.request(json!({})).await.url.query(), Some("limit=5"));
    assert_eq!(service.request(json!({ "limit": "7" })).await.url.query(), Some("limit=7"));
}

#[test]
fn parameters_of_an_operation_replace_those_of_its_path() {
    let mut document =
        get("/things", json!([{ "name": "a", "in": "query", "description": "Own." }]));
    document["paths"]["/things"]["parameters"] = json!([
        { "name": "a", "in": "query", "description": "Shared.", "required": true },
        { "name": "b", "in": "query", "description": "Shared." },
    ]);
    let metadata = metadata(&document);
    let described: Vec<_> = metadata
        .parameters
        .iter()
        .map(|parameter| (&*parameter.name, &*parameter.description))
        .collect();
    assert_eq!(described, [("a", "Own."), ("b", "Shared.")]);
    assert!(!metadata.parameters[0].is_required);
}

#[test]
fn taken_names_get_their_place_as_prefix() {
    let parameters = json!([
        { "name": "id", "in": "path", "required": true, "schema": {} },
        { "name": "ID", "in": "query", "schema": {} },
        { "name": "id", "in": "header", "schema": {} },
        { "name": "filter[a]", "in": "query", "schema": {} },
    ]);
    let metadata = metadata(&get("/things/{id}", parameters));
    let names: Vec<_> =
        metadata.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["id", "query_ID", "header_id", "filter_a_"]);
}

#[test]
fn standard_headers_are_no_parameters() {
    let parameters =
        json!([{ "name": "Authorization", "in": "header" }, { "name": "accept", "in": "header" }]);
    assert!(metadata(&get("/things", parameters)).parameters.is_empty());
}

#[test]
fn unsupported_parameters_are_refused_by_name() {
    let path = |style| json!([{ "name": "id", "in": "path", "style": style, "schema": {} }]);
    let cases = [
        (
            get("/t/{id}", path("form")),
            "its path parameter `id` has the style `form`, which isn't supported",
        ),
        (get("/t/{id}", json!([])), "its path has `{id}`, which no parameter declares"),
        (get("/t", path("simple")), "its path lacks its path parameter `id`"),
        (
            get("/t", json!([{ "name": "Host", "in": "header" }])),
            "its header parameter `Host` can't be set",
        ),
        (
            get("/t", json!([{ "name": "a", "in": "body" }])),
            "its parameter `a` has an unknown place",
        ),
    ];
    for (document, expected) in cases {
        assert_eq!(reason(&document, Default::default()), expected);
    }
}
