use textsearch_conformance::{Replay, assert_linear};
use textsearch_core::{SearchOptions, TextSearchConnector as _, TextSearchRecord as _};

use crate::support::{config, search};

/// `results` gets the size.
#[track_caller]
fn assert_linear_answer(size: usize, results: impl Fn(usize) -> String) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert_linear(size, |size| {
        let body = format!(r#"{{"results":[{}{{}}]}}"#, results(size));
        runtime.block_on(async {
            let instance = Replay::of([(200, body.as_str())]);
            let records = search(config(), &instance).records("x", &SearchOptions::top(5)).await;
            for record in records.unwrap().into_vec().await.unwrap_or_default() {
                drop(record.to_result());
            }
        });
    });
}

/// `parsed_url` is a list of strings.
const MISTYPED_LIST: &str = r#"{"url":"https://a.example","parsed_url":[7]},"#;

#[test]
fn many_results_are_read_in_linear_time() {
    for result in [r#"{"url":"https://a.example"},"#, r#"{"url":7},"#, "7,", "[[]],", MISTYPED_LIST]
    {
        assert_linear_answer(4_000, |size| result.repeat(size));
    }
}

#[test]
fn a_long_result_is_read_in_linear_time() {
    for (field, item) in
        [("engines", "[7],"), ("engines", r#""a","#), ("score", "{},"), ("metadata", "[{}],")]
    {
        assert_linear_answer(8_000, |size| {
            format!(r#"{{"url":"https://a.example","{field}":[{}7]}},"#, item.repeat(size))
        });
    }
}

#[test]
fn marks_in_a_text_are_removed_in_linear_time() {
    for piece in ["<b>", "</b>", "<b", "<", "&amp;", "&", "&#", "<b>a</b> "] {
        assert_linear_answer(8_000, |size| {
            format!(r#"{{"url":"https://a.example","content":"{}"}},"#, piece.repeat(size))
        });
    }
}
