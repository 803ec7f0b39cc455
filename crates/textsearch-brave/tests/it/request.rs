use textsearch_brave::{
    BRAVE_API_KEY, BraveConfig, BraveLocation, BraveTextSearch, BraveUnits, ErrorKind, SafeSearch,
    SearchOptions, TextSearchConnector, TimeRange,
};
use textsearch_conformance::{RecordedRequest, Server};

use crate::support::{KEY, answer, config, day};

async fn asked(change: impl FnOnce(BraveConfig) -> BraveConfig, query: &str) -> RecordedRequest {
    let server = Server::of([answer(0..1, false)]).await;
    let search = BraveTextSearch::new(change(config(&server))).unwrap();
    search.records(query, &SearchOptions::top(1)).await.unwrap();
    server.requests().remove(0)
}

fn refusal(config: BraveConfig) -> String {
    let error = BraveTextSearch::new(config).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn a_plain_search_requests_web_pages_without_marks() {
    let request = asked(|config| config, " rust & \"traits\" ").await;
    let expected = "/res/v1/web/search?q=rust+%26+%22traits%22&count=1&text_decorations=false\
                    &result_filter=query%2Cweb&offset=0";
    assert_eq!(format!("{}?{}", request.url.path(), request.url.query().unwrap()), expected);
}

#[tokio::test]
async fn the_key_is_sent_only_in_its_header() {
    let request = asked(|config| config, "rust").await;
    assert_eq!(request.header("x-subscription-token"), Some(KEY));
    assert_eq!(format!("{request:?}").matches(KEY).count(), 1);
}

#[tokio::test]
async fn each_setting_becomes_a_parameter() {
    let change = |config: BraveConfig| {
        config
            .with_country("DE")
            .with_search_language("zh-hans")
            .with_interface_language("de-DE")
            .with_safe_search(SafeSearch::Strict)
            .with_date_range(day("2025-01-01"), day("2025-03-31"))
            .with_spellcheck(false)
            .with_units(BraveUnits::Metric)
            .with_extra_snippets(true)
            .with_summary(true)
            .with_rich_callback(true)
            .with_fetch_metadata(true)
            .with_result_filter(["web", "news"])
            .with_goggle("$discard,site=example.com")
            .with_goggle("https://example.org/rules.goggle")
            .with_markup_kept(true)
            .with_operators(false)
    };
    let request = asked(change, "rust").await;
    let expected = [
        ("country", "DE"),
        ("search_lang", "zh-hans"),
        ("ui_lang", "de-DE"),
        ("safesearch", "strict"),
        ("freshness", "2025-01-01to2025-03-31"),
        ("spellcheck", "false"),
        ("units", "metric"),
        ("extra_snippets", "true"),
        ("summary", "true"),
        ("enable_rich_callback", "true"),
        ("include_fetch_metadata", "true"),
        ("result_filter", "web,news,summarizer,rich"),
        ("text_decorations", "true"),
        ("operators", "false"),
    ];
    for (name, value) in expected {
        assert_eq!(request.all(name), [value], "{name}");
    }
    let goggles = ["$discard,site=example.com", "https://example.org/rules.goggle"];
    assert_eq!(request.all("goggles"), goggles);
}

#[tokio::test]
async fn version_and_location_become_headers() {
    let mut location = BraveLocation::default();
    (location.latitude, location.longitude) = (Some(52.5), Some(13.4));
    location.city = Some("Berlin".to_owned());
    let change =
        |config: BraveConfig| config.with_api_version("2025-03-31").with_location(location);
    let request = asked(change, "rust").await;
    let expected = [
        ("api-version", "2025-03-31"),
        ("x-loc-lat", "52.5"),
        ("x-loc-long", "13.4"),
        ("x-loc-city", "Berlin"),
    ];
    for (name, value) in expected {
        assert_eq!(request.header(name), Some(value));
    }
    assert_eq!(request.header("x-loc-state"), None);
}

#[tokio::test]
async fn time_ranges_have_codes() {
    let ranges = [TimeRange::Day, TimeRange::Week, TimeRange::Month, TimeRange::Year];
    for (range, code) in ranges.into_iter().zip(["pd", "pw", "pm", "py"]) {
        let request = asked(|config| config.with_time_range(range), "rust").await;
        assert_eq!(request.parameter("freshness"), Some(code));
    }
}

#[test]
fn an_invalid_setting_names_the_allowed_values() {
    let new = || BraveConfig::new("key");
    let noon = day("2025-03-31T12:00:00Z");
    let cases = [
        (new().with_country("SG"), "`country` is `SG`; expected ALL, AR, AT, AU, BE,"),
        (new().with_search_language("ja"), "`search_lang` is `ja`; expected ar, bg, bn,"),
        (new().with_search_language("zh"), "uk, vi, zh-hans, zh-hant"),
        (new().with_interface_language("de"), "`ui_lang` is `de`; expected da-DK, de-AT,"),
        (new().with_date_range(day("2025-03-31"), day("2025-01-01")), "`freshness` is"),
        (new().with_date_range(noon, noon), "`freshness` is `2025-03-31T12:00:00Zto"),
        (new().with_result_filter(["web", "ads"]), "`result_filter` is `ads`"),
        (new().with_result_filter(["news"]), "expected web among others"),
        (new().with_api_version("latest"), "`api_version` is `latest`"),
        (new().with_api_version("2025-03-31T00:00:00Z"), "`api_version` is"),
        (new().with_endpoint("ftp://example.com"), "`endpoint` is neither http nor https"),
        (BraveConfig::new(""), "`api_key` is empty"),
    ];
    for (config, expected) in cases {
        let refusal = refusal(config);
        assert!(refusal.contains(expected), "{refusal}");
    }
    let mut location = BraveLocation::default();
    location.city = Some("Zürich".to_owned());
    let expected = "`X-Loc-City` is `Zürich`; expected visible ASCII characters and spaces";
    assert!(refusal(new().with_location(location)).contains(expected));
    let mut location = BraveLocation::default();
    location.latitude = Some(91.0);
    assert_eq!(
        refusal(new().with_location(location)),
        "brave: `latitude` is 91; expected from -90 to 90"
    );
}

#[tokio::test]
async fn codes_are_sent_in_braves_spelling() {
    let change = |config: BraveConfig| {
        config.with_country("gb").with_search_language("EN-GB").with_interface_language("en-gb")
    };
    let request = asked(change, "rust").await;
    for (name, value) in [("country", "GB"), ("search_lang", "en-gb"), ("ui_lang", "en-GB")] {
        assert_eq!(request.all(name), [value], "{name}");
    }
}

#[test]
fn an_invalid_endpoint_is_rejected_without_repeating_it() {
    let refusal = refusal(BraveConfig::new("key").with_endpoint("a-key-in-the-wrong-place"));
    assert!(!refusal.contains("wrong-place"), "{refusal}");
}

#[test]
fn debug_hides_key_and_password() {
    let endpoint = "https://me:rosebud@brave.example/search?key=rosebud";
    let config = BraveConfig::new(KEY).with_endpoint(endpoint);
    let search = BraveTextSearch::new(config.clone()).unwrap();
    let printed = format!("{config:?} {search:#?}");
    assert!(printed.contains("https://brave.example/search"), "{printed}");
    assert!(!printed.contains("rosebud") && !printed.contains(KEY), "{printed}");
}

#[test]
fn missing_key_names_its_variable() {
    // Relies on the variable being unset.
    if std::env::var_os(BRAVE_API_KEY).is_none() {
        let error = BraveConfig::from_env().unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Authentication);
        assert!(error.to_string().contains("BRAVE_API_KEY"), "{error}");
    }
}

#[tokio::test]
async fn a_query_beyond_the_limits_is_rejected_unsent() {
    let server = Server::of([answer(0..1, false)]).await;
    let search = BraveTextSearch::new(config(&server)).unwrap();
    let long = "x".repeat(401);
    let wordy = "x ".repeat(51);
    for query in ["", "  ", long.as_str(), wordy.as_str()] {
        let error = search.records(query, &SearchOptions::top(1)).await.unwrap_err();
        let ErrorKind::InvalidOptions { option, allowed, .. } = error.kind() else {
            panic!("{error:?}")
        };
        assert_eq!(option, "query");
        assert!(allowed.contains("400 characters") && allowed.contains("50 words"), "{allowed}");
    }
    assert_eq!(server.requests().len(), 0);
}
