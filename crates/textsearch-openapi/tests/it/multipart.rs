use textsearch_conformance::RecordedRequest;
use textsearch_core::serde_json::{Value, json};

use crate::support::{Service, metadata, post, reason};

const MULTIPART: &str = "multipart/form-data";

fn document(properties: Value, encoding: Value) -> Value {
    let mut document = post(MULTIPART, json!({ "type": "object", "properties": properties }));
    let content = &mut document["paths"]["/things"]["post"]["requestBody"]["content"];
    content[MULTIPART]["encoding"] = encoding;
    document
}

/// The body with `B` as its boundary and without carriage returns.
fn parts(request: &RecordedRequest) -> String {
    let content_type = request.header("content-type").unwrap();
    let boundary = content_type.strip_prefix("multipart/form-data; boundary=").unwrap();
    assert_eq!(boundary.len(), 32);
    let body = String::from_utf8(request.body.to_vec()).unwrap();
    body.replace(boundary, "B").replace("\r\n", "\n")
}

async fn sent(properties: Value, encoding: Value, arguments: Value) -> String {
    parts(&Service::new(document(properties, encoding)).await.request(arguments).await)
}

#[tokio::test]
async fn texts_numbers_lists_and_objects_become_parts() {
    let properties = json!({
        "text": { "type": "string" }, "number": { "type": "number" },
        "list": { "type": "array", "items": { "type": "string" } }, "object": { "type": "object" },
    });
    let arguments = json!({
        "text": "two\nlines é", "number": 1.5, "list": ["a", "b"], "object": { "k": [1] },
    });
    let expected = "--B\nContent-Disposition: form-data; name=\"list\"\n\na\n\
                    --B\nContent-Disposition: form-data; name=\"list\"\n\nb\n\
                    --B\nContent-Disposition: form-data; name=\"number\"\n\n1.5\n\
                    --B\nContent-Disposition: form-data; name=\"object\"\n\
                    Content-Type: application/json\n\n{\"k\":[1]}\n\
                    --B\nContent-Disposition: form-data; name=\"text\"\n\ntwo\nlines é\n--B--\n";
    assert_eq!(sent(properties, json!({}), arguments).await, expected);
}

#[tokio::test]
async fn declared_content_types_are_sent() {
    let properties = json!({ "a": {}, "b": {}, "c": { "type": "array" }, "d": {} });
    let encoding = json!({
        "a": { "contentType": "text/csv" }, "b": { "contentType": "application/json; v=1" },
        "c": { "contentType": "application/vnd.c+json" }, "d": { "contentType": "image/*, text/x" },
    });
    let arguments = json!({ "a": "1;2", "b": "x", "c": [{ "k": 1 }, null], "d": "y" });
    let expected = "--B\nContent-Disposition: form-data; name=\"a\"\nContent-Type: text/csv\n\n1;2\n\
                    --B\nContent-Disposition: form-data; name=\"b\"\n\
                    Content-Type: application/json; v=1\n\n\"x\"\n\
                    --B\nContent-Disposition: form-data; name=\"c\"\n\
                    Content-Type: application/vnd.c+json\n\n{\"k\":1}\n\
                    --B\nContent-Disposition: form-data; name=\"d\"\nContent-Type: text/x\n\ny\n--B--\n";
    assert_eq!(sent(properties, encoding, arguments).await, expected);
}

#[tokio::test]
async fn styles_of_fields_are_applied() {
    let properties = json!({ "deep": {}, "flat": {}, "keys": {}, "pipes": {} });
    let encoding = json!({
        "deep": { "style": "deepObject" }, "flat": { "style": "form", "explode": false },
        "keys": { "style": "form" }, "pipes": { "style": "pipeDelimited" },
    });
    let arguments = json!({
        "deep": { "k": 1 }, "flat": ["a&", "b"], "keys": { "x": "y" }, "pipes": ["a", "b"],
    });
    let sent = sent(properties, encoding, arguments).await;
    let parts: Vec<&str> = sent.split("--B\nContent-Disposition: form-data; ").skip(1).collect();
    let expected = [
        "name=\"deep[k]\"\n\n1\n",
        "name=\"flat\"\n\na&,b\n",
        "name=\"x\"\n\ny\n",
        "name=\"pipes\"\n\na|b\n--B--\n",
    ];
    assert_eq!(parts, expected);
}

#[tokio::test]
async fn files_take_text_and_a_name() {
    let properties = json!({ "file": { "type": "string", "format": "binary" } });
    let encoding = json!({ "file": { "contentType": "text/csv" } });
    let arguments = json!({ "file": "a,b", "file_filename": "t 1.csv" });
    let expected = "--B\nContent-Disposition: form-data; name=\"file\"; filename=\"t 1.csv\"\n\
                    Content-Type: text/csv\n\na,b\n--B--\n";
    assert_eq!(sent(properties, encoding, arguments).await, expected);
}

#[tokio::test]
async fn lists_of_files_take_lists_of_names() {
    let file = json!({ "type": "string", "contentMediaType": "application/octet-stream" });
    let properties = json!({ "files": { "type": "array", "items": file } });
    let arguments = json!({ "files": ["one", "two"], "files_filename": ["1.txt"] });
    let expected = "--B\nContent-Disposition: form-data; name=\"files\"; filename=\"1.txt\"\n\
                    Content-Type: application/octet-stream\n\none\n\
                    --B\nContent-Disposition: form-data; name=\"files\"; filename=\"file\"\n\
                    Content-Type: application/octet-stream\n\ntwo\n--B--\n";
    assert_eq!(sent(properties, json!({}), arguments).await, expected);
}

#[test]
fn arguments_say_that_files_are_text() {
    let properties = json!({
        "a": { "anyOf": [{ "type": "string", "format": "binary" }, { "type": "null" }] },
        "a_filename": { "type": "string" },
        "b": { "type": "string", "format": "binary", "description": "A table." },
    });
    let parameters = metadata(&document(properties, json!({}))).parameters;
    let described: Vec<_> = parameters
        .iter()
        .map(|parameter| (&*parameter.name, &*parameter.description, parameter.is_required))
        .collect();
    let expected = [
        ("a", "The file's content, as text.", false),
        ("a_filename", "", false),
        ("b", "A table.\nThe file's content, as text.", false),
        ("a_filename_2", "The name of the file.", false),
        ("b_filename", "The name of the file.", false),
    ];
    assert_eq!(described, expected);
}

#[tokio::test]
async fn json_and_url_encoded_forms_come_first() {
    let schema = json!({ "type": "object", "properties": { "a": {} } });
    let mut document = document(json!({ "a": {} }), json!({}));
    let content = &mut document["paths"]["/things"]["post"]["requestBody"]["content"];
    content["application/x-www-form-urlencoded"] = json!({ "schema": schema });
    let request = Service::new(document).await.request(json!({ "a": 1 })).await;
    assert_eq!(request.header("content-type"), Some("application/x-www-form-urlencoded"));
}

#[tokio::test]
async fn no_value_leaves_its_part() {
    let service = Service::new(document(json!({ "a": {} }), json!({}))).await;
    let forged = "x\r\n--B\r\nContent-Disposition: form-data; name=\"admin\"\r\n\r\n1\r\n--B--";
    let request = service.request(json!({ "a": forged })).await;
    let boundary = request.header("content-type").unwrap().rsplit_once('=').unwrap().1.to_owned();
    let body = String::from_utf8(request.body.to_vec()).unwrap();
    assert_eq!(body.matches(&boundary).count(), 2, "{body}");
    assert!(!forged.contains(&boundary));
    let other = service.request(json!({ "a": "x" })).await;
    assert!(!other.header("content-type").unwrap().contains(&boundary));
}

#[tokio::test]
async fn file_names_hold_no_folders_quotes_and_line_breaks() {
    let file = json!({ "type": "string", "format": "binary" });
    let service = Service::new(document(json!({ "file": file }), json!({}))).await;
    let expected = "the argument `file_filename` of `P-op` must be the name of a file, without \
                    folders, control characters, `\"` and `\\`";
    for name in ["a\"; name=\"b", "a\r\nX: y", "a\nb", "../a", "a\\b", "..", "", "a\u{85}b"] {
        let refused = service.refused(json!({ "file": "x", "file_filename": name })).await;
        assert_eq!(refused, expected, "{name:?}");
    }
}

#[tokio::test]
async fn property_names_in_styles_break_out_of_no_header() {
    let encoding = json!({ "deep": { "style": "deepObject" }, "keys": { "style": "form" } });
    let properties = json!({ "deep": {}, "keys": {}, "tenant": {} });
    let service = Service::new(document(properties, encoding)).await;
    for name in ["a\"; filename=\"b", "a\r\nX: y", "\u{0}"] {
        for argument in ["deep", "keys"] {
            let refused = service.refused(json!({ argument: { name: "x" } })).await;
            assert!(refused.contains("must not have properties with control"), "{refused}");
        }
    }
    for name in ["tenant", "Tenant", "tenant[0]"] {
        let refused = service.refused(json!({ "keys": { name: "x" } })).await;
        let expected = "must not have the property `tenant`: it is another parameter";
        assert!(refused.ends_with(expected), "{refused}");
    }
}

#[test]
fn fields_that_break_a_header_are_refused_by_name() {
    let object = || json!({ "type": "object", "properties": { "k": {} } });
    let with_type = |content_type: &str| json!({ "a": { "contentType": content_type } });
    let cases = [
        (json!({ "a\"b": {} }), json!({}), "its field `a\\\"b` can't be the name of a part"),
        (json!({ "a\r\nb": {} }), json!({}), "its field `a\\r\\nb` can't be the name of a part"),
        (
            json!({ "a": {} }),
            with_type("text/x\r\nX: y"),
            "its field `a` has a broken content type",
        ),
        (
            json!({ "a": object() }),
            with_type("application/xml"),
            "its field `a` is an object as application/xml; JSON is supported",
        ),
        (json!({}), json!({}), "its form body has no properties"),
    ];
    for (properties, encoding, expected) in cases {
        assert_eq!(reason(&document(properties, encoding), Default::default()), expected);
    }
}
