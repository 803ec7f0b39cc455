//! Streamed runs give the same outcome as others, wherever the network splits the bytes.

use serde_json::{Value, json};
use textsearch_conformance::chat::{Chunks, ModelScript, Turn};
use textsearch_core::{FixedSearch, TextSearchResult};
use textsearch_kernel::{
    KernelPlugin, TextSearchPlugins as _,
    chat::{CallRecord, ChatEvent, ChatOutcome},
};

use crate::support::{Talk, auto, calls, question};

const ANSWER: &str = "Größe: 21 °C – 東京 🌍 [1].";

fn plugin() -> KernelPlugin {
    let page = TextSearchResult::new("Zwölf „Töne“ – 十二 🌍").with_link("https://docs.example/ä");
    FixedSearch::new([page]).create_with_get_search_results("Web").unwrap()
}

/// Two rounds of parallel calls, including bad ones, and an answer.
fn script(chunks: Chunks) -> ModelScript {
    let query = |words: &str| json!({ "query": words, "count": 2 });
    let search = "Web-GetSearchResults";
    let first = calls(search, [query("„a“ \\ \"b\" 🌍"), query("東京"), json!({ "querry": "c" })]);
    let second =
        calls(search, [query("d"), query("東京")]).with_tool_call("Web-Nothing", &json!({}));
    ModelScript::turns([first, second, Turn::text(ANSWER)]).with_chunks(chunks)
}

async fn whole() -> ChatOutcome {
    let talk = Talk::with(script(Chunks::Whole), [plugin()]).await;
    let outcome = talk.kernel.chat(question(), auto()).await.unwrap();
    talk.model.assert_valid();
    outcome
}

async fn streamed(chunks: Chunks) -> (ChatOutcome, Vec<ChatEvent>) {
    let talk = Talk::with(script(chunks), [plugin()]).await;
    let mut stream = talk.kernel.chat_streaming(question(), auto()).await.unwrap();
    let mut events = Vec::new();
    let outcome = loop {
        match stream.next().await.unwrap().unwrap() {
            ChatEvent::Finished(outcome) => break *outcome,
            event => events.push(event),
        }
    };
    assert!(stream.next().await.is_none());
    talk.model.assert_valid();
    (outcome, events)
}

fn essence(outcome: &ChatOutcome) -> Value {
    let call = |record: &CallRecord| {
        let error = |error: &textsearch_kernel::chat::CallError| error.message.clone();
        json!([
            record.call.id,
            record.arguments,
            record.result.as_ref().map_err(error),
            record.round,
            record.repeats
        ])
    };
    let run = &outcome.run;
    json!({
        "history": run.history,
        "calls": run.calls.iter().map(call).collect::<Vec<_>>(),
        "usage": run.usage,
        "rounds": run.rounds,
        "sources": run.sources.len(),
        "end": format!("{:?} {:?}", outcome.end, outcome.finish_reason),
        "answer": outcome.answer().unwrap(),
    })
}

#[tokio::test]
async fn streamed_parallel_calls_equal_unstreamed_ones() {
    let expected = essence(&whole().await);
    assert_eq!(expected["calls"].as_array().unwrap().len(), 6);
    let ways = (0..24).map(|seed| Chunks::Arbitrary { seed });
    for chunks in ways.chain([Chunks::OfBytes(1), Chunks::OfBytes(7), Chunks::PerEvent]) {
        assert_eq!(essence(&streamed(chunks).await.0), expected, "{chunks:?}");
    }
}

#[tokio::test]
async fn streamed_pieces_make_the_answer_and_finish_calls_once() {
    let (outcome, events) = streamed(Chunks::Arbitrary { seed: 7 }).await;
    let pieces: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            ChatEvent::Text(piece) => Some(piece.as_str()),
            _ => None,
        })
        .collect();
    assert!(pieces.len() > 1);
    assert_eq!(pieces.concat(), ANSWER);
    let finished = events.iter().filter(|event| matches!(event, ChatEvent::CallFinished(_)));
    assert_eq!(finished.count(), outcome.run.calls.len());
}
