use proptest::prelude::*;
use textsearch_core::serde_json::{Value, json};

use crate::support::{Service, get};

fn with_id(path: &str) -> Value {
    let parameter = |name| json!({ "name": name, "in": "path", "required": true, "schema": {} });
    let names: &[&str] = if path.contains("{b}") { &["a", "b"] } else { &["a"] };
    get(path, names.iter().map(parameter).collect())
}

#[tokio::test]
async fn path_values_stay_within_their_segment() {
    let service = Service::new(with_id("/things/{a}/x")).await;
    let cases = [
        ("..a/b..", "/things/..a%2Fb../x"),
        ("//evil.example", "/things/%2F%2Fevil.example/x"),
        ("a?b=c#d", "/things/a%3Fb%3Dc%23d/x"),
        ("%2e%2e", "/things/%252e%252e/x"),
        ("a\r\nHost: evil.example", "/things/a%0D%0AHost%3A%20evil.example/x"),
        ("...", "/things/.../x"),
    ];
    for (value, expected) in cases {
        let request = service.request(json!({ "a": value })).await;
        assert_eq!((request.path.as_str(), request.url.query()), (expected, None));
    }
}

#[tokio::test]
async fn dot_segments_and_empty_values_are_refused() {
    let service = Service::new(with_id("/things/{a}{b}/x")).await;
    let expected = "the argument `a` of `P-op` must not make a segment `.` or `..` of the path";
    assert_eq!(service.refused(json!({ "a": ".", "b": "." })).await, expected);
    let service = Service::new(with_id("/things/{a}")).await;
    for value in [".", "..", "../admin", "..\\admin", "a/../../b", "a/.", "..;a"] {
        assert_eq!(service.refused(json!({ "a": value })).await, expected);
    }
    let expected = "the argument `a` of `P-op` must not be empty: it is part of the path";
    assert_eq!(service.refused(json!({ "a": "" })).await, expected);
    assert_eq!(service.refused(json!({ "a": [] })).await, expected);
}

fn styled(path: &str, parameters: &[(&str, &str)]) -> Value {
    let parameter = |(name, style): &(&str, &str)| {
        json!({
            "name": name, "in": "path", "required": true, "schema": {},
            "style": style, "explode": true,
        })
    };
    get(path, parameters.iter().map(parameter).collect())
}

#[tokio::test]
async fn label_and_matrix_values_add_no_part() {
    let service = Service::new(styled("/t{a}{b}/x", &[("a", "label"), ("b", "matrix")])).await;
    let cases = [
        (json!("a.b"), json!("c;admin=1"), "/t.a%2Eb;b=c%3Badmin%3D1/x"),
        (json!(["a", "b/../c"]), json!("d"), ""),
        (json!(["a", "/b"]), json!(["d/e", "f?g#h"]), "/t.a.%2Fb;b=d%2Fe;b=f%3Fg%23h/x"),
        (json!({ "k.l=m": "v/w" }), json!({ "k;l=m": "v" }), "/t.k%2El%3Dm=v%2Fw;k%3Bl%3Dm=v/x"),
    ];
    for (a, b, expected) in cases {
        match service.call(json!({ "a": a, "b": b })).await {
            Ok(_) => assert_eq!(service.server.requests().pop().unwrap().path, expected),
            Err(error) => assert!(expected.is_empty(), "{error}"),
        }
    }
}

#[tokio::test]
async fn label_and_matrix_values_make_no_dot_segment() {
    let service = Service::new(styled("/t/{a}", &[("a", "label")])).await;
    let expected = "the argument `a` of `P-op` must not make a segment `.` or `..` of the path";
    for value in [json!("."), json!(["", ""]), json!("x/.."), json!("x/..;y")] {
        assert_eq!(service.refused(json!({ "a": value })).await, expected, "{value}");
    }
    let service = Service::new(styled("/t/{a}", &[("a", "matrix")])).await;
    for value in [json!("x/../y"), json!(["x/..;y/z"])] {
        assert_eq!(service.refused(json!({ "a": value })).await, expected, "{value}");
    }
    let expected = "the argument `a` of `P-op` must not be empty: it is part of the path";
    for value in [json!(""), json!([]), json!({})] {
        assert_eq!(service.refused(json!({ "a": value })).await, expected, "{value}");
    }
}

#[tokio::test]
async fn matrix_objects_fill_no_other_parameter() {
    let document = styled("/t;version=1{a}{tenant}", &[("a", "matrix"), ("tenant", "matrix")]);
    let service = Service::new(document).await;
    for name in ["tenant", "version"] {
        let refused = service.refused(json!({ "a": { name: "x" }, "tenant": "mine" })).await;
        let expected = format!(
            "the argument `a` of `P-op` must not have the property `{name}`: it is another parameter"
        );
        assert_eq!(refused, expected);
    }
}

#[tokio::test]
async fn header_values_hold_no_control_characters() {
    let service = Service::new(get("/t", json!([{ "name": "X-A", "in": "header" }]))).await;
    let expected = "the argument `X_A` of `P-op` must hold only visible ASCII characters and spaces: it is a header";
    for value in ["a\r\nX-Evil: 1", "a\nb", "a\u{0}", "é"] {
        assert_eq!(service.refused(json!({ "X_A": value })).await, expected);
    }
}

#[tokio::test]
async fn query_and_cookie_values_add_no_parameters() {
    let parameters = json!([{ "name": "q", "in": "query" }, { "name": "c", "in": "cookie" }]);
    let service = Service::new(get("/t", parameters)).await;
    let request = service.request(json!({ "q": "a&b=c#d", "c": "x; admin=1\r\n" })).await;
    assert_eq!(request.parameters, [("q".to_owned(), "a&b=c#d".to_owned())]);
    assert_eq!(request.header("cookie"), Some("c=x%3B%20admin%3D1%0D%0A"));
}

#[tokio::test]
async fn exploded_objects_fill_no_other_parameter() {
    let parameters =
        json!([{ "name": "filter", "in": "query" }, { "name": "tenant", "in": "query" }]);
    let service = Service::new(get("/t?beta=true", parameters)).await;
    let expected = "the argument `filter` of `P-op` must not have the property `tenant`: it is another parameter";
    assert_eq!(service.refused(json!({ "filter": { "Tenant": "other" } })).await, expected);
    let expected = expected.replace("tenant", "beta");
    assert_eq!(service.refused(json!({ "filter": { "beta": "false" } })).await, expected);
}

#[tokio::test]
async fn names_in_brackets_fill_no_other_parameter() {
    let deep = |name| json!({ "name": name, "in": "query", "style": "deepObject" });
    let plain = |name| json!({ "name": name, "in": "query" });
    let parameters = json!([
        plain("free"),
        deep("filter"),
        deep("page"),
        plain("page[size]"),
        plain("tenant_id"),
    ]);
    let service = Service::new(get("/t", parameters)).await;
    let cases = [
        (json!({ "free": { "filter[tenant]": "x" } }), "`filter`"),
        (json!({ "free": { "Filter[tenant]": "x" } }), "`filter`"),
        (json!({ "page": { "size": 1 } }), "`page[size]`"),
        (json!({ "free": { " tenant.ID ": 1 } }), "`tenant_id`"),
    ];
    for (arguments, other) in cases {
        let refused = service.refused(arguments).await;
        assert!(refused.contains(&format!("the property {other}: it is another")), "{refused}");
    }
    let request = service.request(json!({ "filter": { "filter": 1 }, "page": { "at": 2 } })).await;
    assert_eq!(request.url.query(), Some("filter%5Bfilter%5D=1&page%5Bat%5D=2"));
}

#[tokio::test]
async fn undeclared_arguments_are_not_sent() {
    let service = Service::new(get("/t", json!([{ "name": "q", "in": "query" }]))).await;
    let request = service.request(json!({ "q": "a", "admin": "1" })).await;
    assert_eq!(request.url.query(), Some("q=a"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn no_path_value_changes_the_other_parts(value in "[./\\\\?#%@:a-c\r\n é]{1,8}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let service = Service::new(with_id("/things/{a}/x")).await;
            if service.call(json!({ "a": value })).await.is_ok() {
                let path = service.server.requests()[0].url.path().to_owned();
                let segments: Vec<&str> = path.split('/').collect();
                assert_eq!((segments.len(), segments[1], segments[3]), (4, "things", "x"));
            } else {
                let is_dots = |segment: &str| [".", ".."].contains(&segment);
                assert!(value.split(['/', '\\']).any(is_dots), "{value}");
            }
        });
    }
}
