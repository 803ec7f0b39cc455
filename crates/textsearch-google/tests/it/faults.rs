use textsearch_conformance::Replay;
use textsearch_core::serde_json::json;
use textsearch_google::{Error, ErrorKind, GoogleConfig, SearchOptions, TextSearchConnector};

use crate::support::{config, search};

async fn failure(config: GoogleConfig, status: u16, body: &str) -> Error {
    let search = search(config, &Replay::of([(status, body)]));
    search.records("x", &SearchOptions::top(1)).await.unwrap_err()
}

fn body(reason: &str, status: &str, message: &str) -> String {
    format!(
        r#"{{"error":{{"code":403,"message":"{message}","errors":[{{"message":"{message}","domain":"global","reason":"{reason}"}}],"status":"{status}"}}}}"#
    )
}

#[tokio::test]
async fn reasons_determine_the_error_kind() {
    let per_day = "Quota exceeded for quota metric 'Queries' and limit 'Queries per day'";
    let cases = [
        (403, body("dailyLimitExceeded", "", "Daily Limit Exceeded"), ErrorKind::QuotaExceeded),
        (403, body("quotaExceeded", "", "x"), ErrorKind::QuotaExceeded),
        (403, body("userRateLimitExceeded", "", "x"), ErrorKind::RateLimited),
        (429, body("rateLimitExceeded", "RESOURCE_EXHAUSTED", per_day), ErrorKind::QuotaExceeded),
        (
            429,
            body("rateLimitExceeded", "RESOURCE_EXHAUSTED", "per minute"),
            ErrorKind::RateLimited,
        ),
        (429, body("", "RESOURCE_EXHAUSTED", per_day), ErrorKind::QuotaExceeded),
        (403, body("accessNotConfigured", "PERMISSION_DENIED", "x"), ErrorKind::Authentication),
        (401, "<html>".to_owned(), ErrorKind::Authentication),
        (503, body("backendError", "UNAVAILABLE", "x"), ErrorKind::Unavailable),
    ];
    for (status, body, kind) in cases {
        assert_eq!(failure(config(), status, &body).await.kind(), &kind, "{body}");
    }
}

#[tokio::test]
async fn a_wrong_key_with_400_is_authentication() {
    let body = r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.",
        "errors":[{"reason":"badRequest"}],"status":"INVALID_ARGUMENT",
        "details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}"#;
    let error = failure(config(), 400, body).await;
    let expected = "google: https://google.example/v1 answered 400 Bad Request (API_KEY_INVALID): \
                    API key not valid. Please pass a valid API key.";
    assert_eq!((error.kind(), error.to_string().as_str()), (&ErrorKind::Authentication, expected));
}

#[tokio::test]
async fn an_error_explains_that_the_api_is_closed() {
    let message = "This project does not have the access to Custom Search JSON API.";
    let error = failure(config(), 403, &body("forbidden", "PERMISSION_DENIED", message)).await;
    assert_eq!(error.kind(), &ErrorKind::Authentication);
    assert!(error.message().contains("closed this API to new customers"), "{error}");
    assert!(error.message().contains("2027-01-01"), "{error}");
}

#[tokio::test]
async fn other_errors_keep_status_code_and_message() {
    let error = failure(config(), 400, &body("invalid", "INVALID_ARGUMENT", "Invalid value")).await;
    let ErrorKind::UnexpectedStatus { status: 400, code, .. } = error.kind() else {
        panic!("{error:?}")
    };
    assert_eq!(code.as_deref(), Some("invalid"));
    assert!(error.message().ends_with("(invalid): Invalid value"), "{error}");
}

#[tokio::test]
async fn errors_name_each_wrong_parameter() {
    let violations = json!([{ "field": "num", "description": "must be at most 10" }]);
    let details = json!([{ "reason": "badRequest" }, { "fieldViolations": violations }]);
    let error = json!({ "message": "Invalid argument.", "details": details });
    let error = failure(config(), 400, &json!({ "error": error }).to_string()).await;
    let expected = "(badRequest): Invalid argument.; num: must be at most 10";
    assert!(error.message().ends_with(expected), "{error}");
}

#[tokio::test]
async fn a_key_in_the_url_stays_out_of_errors() {
    let echo = body("forbidden", "PERMISSION_DENIED", "key=open-sesame is wrong");
    for config in [config(), config().with_key_in_query(true)] {
        let error = failure(config, 403, &echo).await;
        assert!(!format!("{error:?} {error}").contains("open-sesame"), "{error:?}");
    }
    assert!(!format!("{:?}", config()).contains("open-sesame"));
}

#[test]
fn debug_hides_key_and_password() {
    let config = config().with_endpoint("https://me:rosebud@google.example/v1?key=rosebud");
    let search = textsearch_google::GoogleTextSearch::new(config.clone()).unwrap();
    let printed = format!("{config:?} {search:#?}");
    assert!(printed.contains("https://google.example/v1"), "{printed}");
    assert!(!printed.contains("rosebud") && !printed.contains("sesame"), "{printed}");
}

#[test]
fn missing_key_names_its_variable() {
    if std::env::var_os(textsearch_google::GOOGLE_API_KEY).is_none() {
        let error = GoogleConfig::from_env().unwrap_err();
        let expected = "google: no key: set the environment variable `GOOGLE_API_KEY`";
        assert_eq!(error.to_string(), expected);
    }
}
