use textsearch_conformance::Replay;
use textsearch_google::{
    GoogleConfig, GoogleImageColor, GoogleImageColorType, GoogleImageSize, GoogleImageType,
    SafeSearch, SearchOptions, TextSearchConnector, TimeRange,
};

use crate::support::{PAGES, config, refused, search};

#[tokio::test]
async fn settings_become_parameters_and_the_key_a_header() {
    let replay = Replay::of([(200, PAGES)]);
    let config = config()
        .with_country("de")
        .with_interface_language("en")
        .with_page_language("lang_en|lang_de")
        .with_page_country("(countryDE|countryAT).(-countryCH)")
        .with_safe_search(SafeSearch::Strict)
        .with_sort("date:r:20250101:20250131")
        .with_time_range(TimeRange::Year)
        .with_rights("cc_publicdomain|cc_attribute")
        .with_duplicate_filter(false)
        .with_chinese_conversion(false);
    search(config, &replay).records(" a & b ", &SearchOptions::top(3)).await.unwrap();
    let request = replay.requests().remove(0);
    let query = "cx=engine-1&q=a+%26+b&c2coff=1\
                 &cr=%28countryDE%7CcountryAT%29.%28-countryCH%29&dateRestrict=y1&filter=0&gl=de&hl=en\
                 &lr=lang_en%7Clang_de&rights=cc_publicdomain%7Ccc_attribute&safe=active\
                 &sort=date%3Ar%3A20250101%3A20250131&num=3&start=1";
    assert_eq!(request.url.as_str(), format!("https://google.example/v1?{query}"));
    assert_eq!(request.headers["x-goog-api-key"], "open-sesame");
}

#[tokio::test]
async fn the_key_is_in_the_url_only_on_request() {
    let replay = Replay::of([(200, PAGES)]);
    let search = search(config().with_key_in_query(true), &replay);
    search.records("x", &SearchOptions::top(1)).await.unwrap();
    assert_eq!(replay.parameter(0, "key").as_deref(), Some("open-sesame"));
    assert!(!replay.requests()[0].headers.contains_key("x-goog-api-key"));
}

#[tokio::test]
async fn image_searches_have_their_own_parameters() {
    let replay = Replay::of([(200, PAGES)]);
    let config = config()
        .with_images(true)
        .with_image_size(GoogleImageSize::Large)
        .with_image_type(GoogleImageType::Photo)
        .with_image_color_type(GoogleImageColorType::Gray)
        .with_image_dominant_color(GoogleImageColor::Blue);
    search(config, &replay).records("x", &SearchOptions::top(1)).await.unwrap();
    for (name, value) in [
        ("searchType", "image"),
        ("imgSize", "large"),
        ("imgType", "photo"),
        ("imgColorType", "gray"),
        ("imgDominantColor", "blue"),
    ] {
        assert_eq!(replay.parameter(0, name).as_deref(), Some(value));
    }
}

#[test]
fn an_invalid_setting_names_the_allowed_values() {
    for (config, option) in [
        (config().with_country("germany"), "`gl`"),
        (config().with_interface_language("e"), "`hl`"),
        (config().with_page_language("en"), "`lr`"),
        (config().with_page_country("DE"), "`cr`"),
        (config().with_date_restrict("6m"), "`dateRestrict`"),
        (config().with_date_restrict("d0"), "`dateRestrict`"),
        (config().with_rights("mine"), "`rights`"),
        (config().with_sort("date desc"), "`sort`"),
        (config().with_image_size(GoogleImageSize::Large), "`imgSize`"),
        (config().with_endpoint("google.example"), "`endpoint`"),
        (config().with_endpoint("file:///v1"), "`endpoint`"),
        (GoogleConfig::new("", "engine"), "`api_key`"),
        (GoogleConfig::new("key", " "), "`search_engine_id`"),
    ] {
        let message = refused(config);
        assert!(message.contains(option), "{message}");
    }
}

#[tokio::test]
async fn an_empty_query_is_rejected_unsent() {
    let replay = Replay::of([(200, PAGES)]);
    let search = search(config(), &replay);
    let error = search.records("  ", &SearchOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "google: `query` is empty; expected at least one word");
    assert!(replay.requests().is_empty());
}
