//! The requests of a service.

use textsearch_core::{
    ErrorKind,
    chat::{ChatHistory, ChatMessage, ChatOptions},
};

use super::{TEXT, saying};
use crate::{
    RecordedRequest,
    chat::suite::{
        ChatSubject,
        subject::{RunningChat, question},
    },
};

async fn sent(running: &RunningChat, history: &ChatHistory) -> Vec<String> {
    running.whole(history, &ChatOptions::new()).await.expect("the model answers");
    let request = running.server.requests().pop().expect("a request is sent");
    request.texts().into_iter().map(|(_, text)| text).collect()
}

/// Instructions may be sent elsewhere.
pub async fn every_message_is_sent(subject: ChatSubject) {
    let running = subject.answering(saying("Yes.")).await;
    let history = ChatHistory::from(vec![
        ChatMessage::system("the instructions"),
        ChatMessage::user("the first question"),
        ChatMessage::assistant("the first answer"),
        ChatMessage::user("the second question"),
        ChatMessage::assistant("the second answer"),
        ChatMessage::user("the third question"),
    ]);
    let texts = sent(&running, &history).await;
    let place = |text: &str| {
        let place = texts.iter().position(|sent| sent.contains(text));
        place.unwrap_or_else(|| panic!("{text:?} is not sent: {texts:?}"))
    };
    let places: Vec<usize> =
        history.messages().iter().map(|message| place(&message.text())).collect();
    let dialogue = places.get(1..).unwrap_or_default();
    assert!(dialogue.is_sorted(), "the messages are in another order: {texts:?}");
}

/// No text is cut, trimmed or interpreted.
pub async fn hostile_texts_arrive_intact(subject: ChatSubject) {
    let running = subject.answering(saying("Yes.")).await;
    for text in
        [TEXT, "\u{0}\u{1b}[0m", "  ", "<|im_end|>", "\"}], \"model\": \"x\"", "\u{202e}abc"]
    {
        let texts = sent(&running, &ChatHistory::from(vec![ChatMessage::user(text)])).await;
        assert!(texts.iter().any(|sent| sent == text), "{text:?} is not sent: {texts:?}");
    }
}

async fn check_option(subject: &ChatSubject, name: &str, options: ChatOptions, expected: &str) {
    let running = subject.answering(saying("Yes.")).await;
    let is_sent = |request: &RecordedRequest| {
        let texts = request.texts();
        texts.iter().any(|(_, text)| text == expected) || request.path.contains(expected)
    };
    match running.whole(&question(), &options).await {
        Ok(_) => {
            let requests = running.server.requests();
            assert!(requests.iter().all(is_sent), "`{name}` is ignored: {requests:?}");
        }
        Err(error) => {
            let is_option = matches!(error.kind(), ErrorKind::InvalidOptions { .. });
            assert!(is_option, "`{name}` is refused as another error: {error:?}");
            assert_eq!(running.server.count(), 0, "`{name}` is refused after a request");
        }
    }
}

/// None is ignored.
pub async fn options_are_sent_or_refused(subject: ChatSubject) {
    let with = |change: fn(&mut ChatOptions)| {
        let mut options = ChatOptions::new();
        change(&mut options);
        options
    };
    for (name, options, expected) in [
        ("temperature", with(|options| options.temperature = Some(0.125)), "0.125"),
        ("top_p", with(|options| options.top_p = Some(0.375)), "0.375"),
        ("max_tokens", with(|options| options.max_tokens = Some(4_321)), "4321"),
        ("stop", with(|options| options.stop.push("END-OF-ANSWER".to_owned())), "END-OF-ANSWER"),
        ("seed", with(|options| options.seed = Some(87_654)), "87654"),
        ("frequency_penalty", with(|options| options.frequency_penalty = Some(0.625)), "0.625"),
        ("presence_penalty", with(|options| options.presence_penalty = Some(0.875)), "0.875"),
        ("extra", ChatOptions::new().with_extra("conformance", "a setting"), "a setting"),
    ] {
        check_option(&subject, name, options, expected).await;
    }
}

/// For one request, instead of the default.
pub async fn the_model_can_be_chosen(subject: ChatSubject) {
    let options = ChatOptions::new().with_model("conformance-model");
    check_option(&subject, "model", options, "conformance-model").await;
}
