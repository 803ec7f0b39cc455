use textsearch_core::{ErrorKind, TextSearchConnector};
use textsearch_searxng::{SEARXNG_ENDPOINT, SearxngConfig, SearxngTextSearch};

use crate::support::config;

fn refused(config: SearxngConfig) -> (String, String) {
    let error = SearxngTextSearch::new(config).unwrap_err();
    match error.kind() {
        ErrorKind::InvalidOptions { option, allowed, .. } => (option.clone(), allowed.clone()),
        kind => panic!("{kind:?}"),
    }
}

#[test]
fn each_invalid_setting_names_its_allowed_values() {
    let cases = [
        (SearxngConfig::new("localhost"), "endpoint", "http://127.0.0.1:8080"),
        (SearxngConfig::new("ftp://search.example"), "endpoint", "http://127.0.0.1:8080"),
        (config().with_engines(["a,b"]), "engines", "without commas"),
        (config().with_categories([" "]), "categories", "without commas"),
        (config().with_language("english"), "language", "`de-CH`"),
        (config().with_language("de CH"), "language", "`de-CH`"),
        (config().with_max_pages(0), "max_pages", "at least 1"),
    ];
    for (config, option, allowed) in cases {
        let fault = refused(config);
        assert_eq!(fault.0, option);
        assert!(fault.1.contains(allowed), "{fault:?}");
    }
}

#[test]
fn all_documented_language_forms_are_accepted() {
    for language in ["de", "de-CH", "zh-Hans-CN", "fil", "auto", "all"] {
        SearxngTextSearch::new(config().with_language(language)).unwrap();
    }
}

#[test]
fn debug_and_errors_hide_passwords() {
    let endpoint = "http://me:rosebud@search.example/?token=rosebud";
    let config = SearxngConfig::new(endpoint).with_authorization("Bearer rosebud");
    let search = SearxngTextSearch::new(config.clone()).unwrap();
    let printed = format!("{config:?} {config:#?} {search:?} {search:#?}");
    assert!(printed.contains("Endpoint(http://search.example/)"), "{printed}");
    let error = SearxngTextSearch::new(SearxngConfig::new("me:rosebud@search.example"));
    let printed = format!("{printed} {:?}", error.unwrap_err());
    assert!(!printed.contains("rosebud"), "{printed}");
}

#[test]
fn missing_endpoint_names_its_variable() {
    // Relies on the variable being unset: setting it would need `unsafe`.
    if std::env::var_os(SEARXNG_ENDPOINT).is_none() {
        let error = SearxngConfig::from_env().unwrap_err();
        assert!(error.message().contains("SEARXNG_ENDPOINT"), "{error}");
    }
}

#[test]
fn models_see_site_language_time_range_and_category() {
    let search = SearxngTextSearch::new(config().with_known_categories(["web"])).unwrap();
    let offered = search.fields().iter().filter(|field| field.offered_to_model);
    let names: Vec<&str> = offered.map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["site", "language", "time_range", "category"]);
    let category = search.fields().iter().find(|field| field.name == "category").unwrap();
    assert_eq!(category.schema["enum"][0], "web");
}
