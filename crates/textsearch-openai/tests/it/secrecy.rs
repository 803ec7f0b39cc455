use std::error::Error as StdError;

use serde_json::json;
use textsearch_conformance::{
    LogCapture,
    chat::{Fault, ModelScript, Turn},
};
use textsearch_openai::{ChatOptions, Error, OpenAiChat, OpenAiConfig, OpenAiEmbeddings};

use crate::support::{KEY, Talk};

const FORMS: [&str; 2] = [KEY, "open-sesame%2B1%2F2"];

fn assert_secret(text: &str) {
    for form in FORMS {
        assert!(!text.contains(form), "the key is in: {text}");
    }
}

fn printed(error: &Error) -> String {
    let first: Option<&(dyn StdError + 'static)> = Some(error);
    let causes = std::iter::successors(first, |&cause| cause.source());
    causes.map(|cause| format!("{cause}\n{cause:?}\n{cause:#?}\n")).collect()
}

/// Each has the API key in it.
fn faults() -> Vec<Turn> {
    let echo = format!("the key {KEY} is wrong");
    let event = Fault::ErrorEvent { code: KEY.to_owned(), message: echo.clone() };
    vec![
        Turn::failure(401, KEY, Some(KEY), &echo),
        Turn::failure(400, KEY, Some(KEY), &echo),
        Turn::failure(500, KEY, None, &echo),
        Turn::raw("application/json", json!({ "error": { "message": echo } }).to_string()),
        Turn::raw("application/json", json!({ "choices": KEY }).to_string()),
        Turn::raw("text/event-stream", format!("data: {{\"choices\":\"{KEY}\"}}\n\n")),
        Turn::text("x".repeat(200)).with_fault(event),
    ]
}

#[tokio::test]
async fn a_key_stays_out_of_errors_and_debug_and_logs() {
    let log = LogCapture::start();
    let twice = faults().into_iter().flat_map(|turn| [turn.clone(), turn]);
    let talk = Talk::with(ModelScript::turns(twice)).await;
    assert_secret(&format!("{:?} {:#?}", talk.chat, talk.chat));
    let mut errors = 0;
    for _ in faults() {
        for outcome in
            [talk.ask(&ChatOptions::new()).await, talk.streamed(&ChatOptions::new()).await]
        {
            if let Err(error) = outcome {
                assert_secret(&printed(&error));
                errors += 1;
            }
        }
    }
    assert!(errors >= 12, "{errors}");
    let text = log.text();
    assert!(text.contains("http.attempt"), "nothing was logged: {text}");
    assert_secret(&text);
}

#[test]
fn a_key_in_the_address_is_not_printed() {
    let address = "https://me:sesame@a.example/v1?key=sesame";
    let config = OpenAiConfig::without_key(address, "m");
    let chat = OpenAiChat::new(config.clone()).unwrap();
    let embeddings = OpenAiEmbeddings::new(config.clone()).unwrap();
    let printed = format!("{config:?} {config:#?} {chat:?} {embeddings:#?}");
    assert!(!printed.contains("sesame") && printed.contains("https://a.example/v1"), "{printed}");
}
