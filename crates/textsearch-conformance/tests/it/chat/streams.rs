//! The same turns as streams.

use serde_json::{Value, json};
use textsearch_conformance::chat::{Chunks, ModelScript, ScriptedModel, Turn};

use super::{deltas, payloads, read_stream};

const TEXT: &str = "Größe: 21 °C – 東京 🌍, and a rather long text so that there are many pieces.";

async fn pieces(script: ModelScript) -> Vec<Vec<u8>> {
    let model = ScriptedModel::start(script).await;
    let (pieces, error) = read_stream(&model, json!({})).await;
    assert!(error.is_none());
    model.assert_valid();
    pieces
}

fn text(pieces: &[Vec<u8>]) -> String {
    deltas(pieces).iter().filter_map(|delta| delta["content"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn any_split_into_chunks_keeps_the_text() {
    for chunks in
        [Chunks::Arbitrary { seed: 3 }, Chunks::OfBytes(1), Chunks::PerEvent, Chunks::Whole]
    {
        let pieces = pieces(ModelScript::turns([Turn::text(TEXT)]).with_chunks(chunks)).await;
        assert_eq!(text(&pieces), TEXT, "{chunks:?}");
        assert_eq!(payloads(&pieces).last().unwrap(), "[DONE]");
    }
}

#[tokio::test]
async fn arbitrary_chunks_reach_the_client_unmerged() {
    let script = || ModelScript::turns([Turn::text(TEXT.repeat(5))]);
    let pieces = pieces(script().with_chunks(Chunks::Arbitrary { seed: 5 })).await;
    assert!(pieces.len() > 100, "{}", pieces.len());
    assert!(pieces.iter().any(|piece| std::str::from_utf8(piece).is_err()), "no character was cut");
}

#[tokio::test]
async fn script_sets_line_ends_and_streams_contain_comments() {
    let pieces = pieces(ModelScript::turns([Turn::text(TEXT)]).with_crlf(true)).await;
    let bytes = String::from_utf8(pieces.concat()).unwrap();
    assert!(bytes.contains(": ping\r\n\r\n"));
    assert_eq!(bytes.matches('\n').count(), bytes.matches("\r\n").count());
}

#[tokio::test]
async fn fragments_of_parallel_calls_are_interleaved() {
    let first = json!({ "query": "x".repeat(60) });
    let second = json!({ "query": "y".repeat(60) });
    let turn = Turn::tool_call("one", &first).with_tool_call("two", &second);
    let pieces = pieces(ModelScript::turns([turn])).await;
    let calls: Vec<Value> = deltas(&pieces)
        .iter()
        .filter_map(|delta| delta.pointer("/tool_calls/0").cloned())
        .collect();
    let order: Vec<u64> =
        calls.iter().skip(2).map(|call| call["index"].as_u64().unwrap()).collect();
    assert_eq!(&order[..4], [0, 1, 0, 1]);
    for (index, arguments) in [(0, first), (1, second)] {
        let fragments = calls.iter().filter(|call| call["index"] == index);
        let whole: String =
            fragments.map(|call| call["function"]["arguments"].as_str().unwrap()).collect();
        assert_eq!(whole, arguments.to_string());
    }
}

#[tokio::test]
async fn a_stream_ends_with_usage_on_request() {
    let model = ScriptedModel::start([Turn::text("a"), Turn::text("a")]).await;
    let (without, _) = read_stream(&model, json!({})).await;
    assert!(!payloads(&without).concat().contains("usage"));
    let wish = json!({ "stream_options": { "include_usage": true } });
    let payloads = payloads(&read_stream(&model, wish).await.0);
    let last: Value = serde_json::from_str(&payloads[payloads.len() - 2]).unwrap();
    assert_eq!(last["choices"], json!([]));
    assert!(last["usage"]["total_tokens"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn every_second_stream_has_arguments_in_its_first_fragment() {
    let turn = Turn::tool_call("one", &json!({ "query": "x".repeat(60) }));
    let model = ScriptedModel::start([turn.clone(), turn]).await;
    for begins in [false, true] {
        let (pieces, _) = read_stream(&model, json!({})).await;
        let deltas = deltas(&pieces);
        let mut fragments = deltas.iter().filter_map(|delta| delta.pointer("/tool_calls/0"));
        let first = fragments.next().unwrap()["function"]["arguments"].as_str().unwrap();
        assert_eq!(first.starts_with('{'), begins, "{first}");
        let rest = fragments.map(|call| call["function"]["arguments"].as_str().unwrap());
        assert_eq!(
            first.to_owned() + &rest.collect::<String>(),
            json!({ "query": "x".repeat(60) }).to_string()
        );
    }
}
