use textsearch_bing::{BingConfig, Error, ErrorKind, SearchOptions, TextSearchConnector};
use textsearch_conformance::Replay;

use crate::support::{config, search};

async fn failure(config: BingConfig, status: u16, body: &str) -> Error {
    let search = search(config, &Replay::of([(status, body)]));
    search.records("x", &SearchOptions::top(1)).await.unwrap_err()
}

#[tokio::test]
async fn an_error_keeps_code_and_message() {
    let body = r#"{"_type":"ErrorResponse","errors":[{"code":"InvalidRequest","subCode":"ParameterInvalidValue",
        "message":"Parameter has invalid value.","parameter":"mkt","value":"xx"}]}"#;
    let error = failure(config(), 400, body).await;
    let expected = "bing: https://bing.example/v7.0/search answered 400 Bad Request \
                    (InvalidRequest/ParameterInvalidValue): Parameter has invalid value.; parameter `mkt`";
    assert_eq!(error.to_string(), expected);
    let ErrorKind::UnexpectedStatus { status: 400, code, .. } = error.kind() else {
        panic!("{error:?}")
    };
    assert_eq!(code.as_deref(), Some("InvalidRequest/ParameterInvalidValue"));
}

#[tokio::test]
async fn codes_determine_the_error_kind() {
    let cases = [
        (400, r#"{"errors":[{"code":"InvalidAuthorization"}]}"#, ErrorKind::Authentication),
        (400, r#"{"errors":[{"code":"RateLimitExceeded"}]}"#, ErrorKind::RateLimited),
        (400, r#"{"errors":[{"code":"ServerError"}]}"#, ErrorKind::Unavailable),
        (
            403,
            r#"{"error":{"code":"403","message":"Out of call volume quota. Quota will be replenished in 2 days."}}"#,
            ErrorKind::QuotaExceeded,
        ),
        (
            403,
            r#"{"statusCode":403,"message":"Out of call volume quota."}"#,
            ErrorKind::QuotaExceeded,
        ),
        (401, "<html>", ErrorKind::Authentication),
        (429, "", ErrorKind::RateLimited),
    ];
    for (status, body, kind) in cases {
        assert_eq!(failure(config(), status, body).await.kind(), &kind, "{body}");
    }
}

#[tokio::test]
async fn an_error_explains_that_the_api_is_retired() {
    let error = failure(BingConfig::new("key"), 401, "").await;
    assert_eq!(error.kind(), &ErrorKind::Authentication);
    assert!(
        error.message().contains("retired the public Bing Search APIs on 2025-08-11"),
        "{error}"
    );
    let elsewhere = failure(config(), 401, "").await;
    assert!(!elsewhere.message().contains("retired"), "{elsewhere}");
}

#[tokio::test]
async fn an_echoed_key_stays_out_of_the_error() {
    let body = r#"{"errors":[{"code":"InvalidAuthorization","message":"open-sesame is wrong"}]}"#;
    let error = failure(config(), 401, body).await;
    assert!(!format!("{error:?} {error}").contains("open-sesame"), "{error:?}");
}

#[test]
fn debug_hides_key_and_password() {
    let config = config().with_endpoint("https://me:rosebud@bing.example/v7.0?key=rosebud");
    let search = textsearch_bing::BingTextSearch::new(config.clone()).unwrap();
    let printed = format!("{config:?} {search:#?}");
    assert!(printed.contains("https://bing.example/v7.0"), "{printed}");
    assert!(!printed.contains("rosebud") && !printed.contains("sesame"), "{printed}");
}

#[test]
fn missing_key_names_its_variable() {
    if std::env::var_os(textsearch_bing::BING_API_KEY).is_none() {
        let error = BingConfig::from_env().unwrap_err();
        assert_eq!(error.to_string(), "bing: no key: set the environment variable `BING_API_KEY`");
    }
}
