use textsearch_core::serde_json::{Value, json};

use crate::support::{Service, import_with, metadata, operation, post, reason};

const FORM: &str = "application/x-www-form-urlencoded";

fn body_text(body: &[u8]) -> String {
    String::from_utf8(body.to_vec()).unwrap()
}

#[tokio::test]
async fn properties_of_json_bodies_are_arguments() {
    let schema = json!({ "type": "object", "required": ["b"], "properties": {
        "a": { "type": "integer" }, "b": { "type": "array", "items": { "type": "string" } },
    } });
    let service = Service::new(post("application/json; charset=utf-8", schema)).await;
    let request = service.request(json!({ "b": "[\"x\"]", "a": "3" })).await;
    assert_eq!(request.json(), json!({ "a": 3, "b": ["x"] }));
    assert_eq!(request.header("content-type"), Some("application/json; charset=utf-8"));
}

#[tokio::test]
async fn a_query_sends_its_body() {
    let schema = json!({ "properties": { "text": { "type": "string" } } });
    let body = json!({ "content": { "application/json": { "schema": schema } } });
    let service = Service::new(operation("query", "/things", json!({ "requestBody": body }))).await;
    let request = service.request(json!({ "text": "fox" })).await;
    assert_eq!((request.method.as_str(), request.json()), ("QUERY", json!({ "text": "fox" })));
}

#[tokio::test]
async fn other_json_bodies_are_the_argument_payload() {
    let service = Service::new(post("application/json", json!({ "type": "array" }))).await;
    assert_eq!(service.request(json!({ "payload": [1, 2] })).await.json(), json!([1, 2]));
}

#[tokio::test]
async fn required_bodies_are_sent_even_if_empty() {
    let schema = json!({ "properties": { "a": { "type": "integer", "default": 1 } } });
    let service = Service::new(post("application/json", schema)).await;
    assert_eq!(body_text(&service.request(json!({})).await.body), "{}");
}

#[tokio::test]
async fn optional_bodies_are_left_out() {
    let content = json!({ "application/json": { "schema": { "required": ["a"], "properties": { "a": {} } } } });
    let document = operation("patch", "/things", json!({ "requestBody": { "content": content } }));
    let service = Service::new(document).await;
    let request = service.request(json!({})).await;
    assert_eq!((body_text(&request.body), request.header("content-type")), (String::new(), None));
}

#[tokio::test]
async fn defaults_of_body_properties_are_only_described() {
    let schema = json!({ "properties": { "a": { "default": 1 }, "b": {} } });
    let document = post("application/json", schema);
    let parameter = metadata(&document).parameters[0].clone();
    assert_eq!((parameter.schema, parameter.default), (json!({ "default": 1 }), None));
    let request = Service::new(document).await.request(json!({ "b": 2 })).await;
    assert_eq!(request.json(), json!({ "b": 2 }));
}

#[tokio::test]
async fn forms_write_lists_and_objects() {
    let properties = json!({ "a": {}, "list": { "type": "array" }, "object": {}, "deep": {} });
    let mut document = post(FORM, json!({ "type": "object", "properties": properties }));
    let media = format!("/paths/~1things/post/requestBody/content/{}", FORM.replace('/', "~1"));
    document.pointer_mut(&media).unwrap()["encoding"] =
        json!({ "deep": { "style": "deepObject" } });
    let service = Service::new(document).await;
    let arguments =
        json!({ "a": "x y&z", "list": [1, 2], "object": { "k": 1 }, "deep": { "k": "v" } });
    let request = service.request(arguments).await;
    assert_eq!(request.parameter("a"), Some("x y&z"));
    assert_eq!(request.all("list"), ["1", "2"]);
    assert_eq!(request.parameter("object"), Some("{\"k\":1}"));
    assert_eq!(request.parameter("deep[k]"), Some("v"));
    assert_eq!(request.header("content-type"), Some(FORM));
}

#[tokio::test]
async fn plain_text_is_sent_unchanged() {
    let service = Service::new(post("text/plain", json!({ "type": "string" }))).await;
    let request = service.request(json!({ "payload": "two\nlines" })).await;
    assert_eq!(body_text(&request.body), "two\nlines");
    assert_eq!(request.header("content-type"), Some("text/plain"));
}

#[tokio::test]
async fn files_and_other_texts_are_sent_unchanged() {
    for media_type in ["text/csv; header=present", "application/octet-stream"] {
        let service = Service::new(post(media_type, json!({ "format": "binary" }))).await;
        let request = service.request(json!({ "payload": "a,b\r\né" })).await;
        assert_eq!(body_text(&request.body), "a,b\r\né");
        assert_eq!(request.header("content-type"), Some(media_type));
    }
}

#[tokio::test]
async fn text_is_preferred_to_a_file() {
    let content = json!({ "application/octet-stream": {}, "text/plain": {} });
    let document = operation("post", "/things", json!({ "requestBody": { "content": content } }));
    let request = Service::new(document).await.request(json!({ "payload": "x" })).await;
    assert_eq!(request.header("content-type"), Some("text/plain"));
}

fn with_collision() -> Value {
    let schema = json!({ "required": ["id"], "properties": { "id": {}, "name": {} } });
    let mut document = post("application/json", schema);
    let operation = document["paths"]["/things"].take();
    document["paths"] = json!({ "/things/{id}": operation });
    document["paths"]["/things/{id}"]["parameters"] =
        json!([{ "name": "id", "in": "path", "required": true, "schema": {} }]);
    document
}

#[tokio::test]
async fn properties_with_taken_names_get_the_prefix_payload() {
    let service = Service::new(with_collision()).await;
    let request = service.request(json!({ "id": 1, "payload_id": 2, "name": "n" })).await;
    assert_eq!(
        (request.path.as_str(), request.json()),
        ("/things/1", json!({ "id": 2, "name": "n" }))
    );
}

#[test]
fn payload_namespacing_prefixes_each_property() {
    let mut settings = textsearch_openapi::OpenApiSettings::new();
    settings.payload_namespacing = true;
    let imported = import_with(&with_collision(), settings);
    let metadata = imported.plugin.functions()[0].metadata();
    let names: Vec<_> =
        metadata.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["id", "payload_id", "payload_name"]);
}

#[test]
fn read_only_properties_are_not_arguments() {
    let schema =
        json!({ "required": ["id"], "properties": { "id": { "readOnly": true }, "name": {} } });
    let parameters = metadata(&post("application/json", schema)).parameters;
    assert_eq!(parameters.iter().map(|parameter| &*parameter.name).collect::<Vec<_>>(), ["name"]);
}

#[test]
fn unsupported_bodies_are_refused_by_name() {
    for media_type in ["application/xml", "text/xml", "text/*", "image/png"] {
        let expected = format!("its body is {media_type}; JSON, a form or text is supported");
        assert_eq!(reason(&post(media_type, json!({})), Default::default()), expected);
    }
}
