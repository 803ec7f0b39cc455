//! Responses that break off.

use std::time::Duration;

use serde_json::json;
use textsearch_conformance::{
    chat::{Fault, ScriptedModel, Turn},
    core::ErrorKind,
};

use super::{ask, payloads, read_stream};

async fn stream(fault: Fault) -> (Vec<Vec<u8>>, Option<textsearch_conformance::core::Error>) {
    let model = ScriptedModel::start([Turn::text("x".repeat(300)).with_fault(fault)]).await;
    read_stream(&model, json!({})).await
}

#[tokio::test]
async fn a_reset_breaks_a_stream_in_the_middle() {
    let (pieces, error) = stream(Fault::Reset).await;
    assert!(!pieces.is_empty());
    assert_eq!(error.unwrap().kind(), &ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_reset_breaks_a_whole_answer() {
    let model = ScriptedModel::start([Turn::text("x").with_fault(Fault::Reset)]).await;
    assert_eq!(ask(&model, json!({})).await.unwrap_err().kind(), &ErrorKind::Unavailable);
}

#[tokio::test]
async fn an_early_end_is_incomplete_but_no_error() {
    let (pieces, error) = stream(Fault::EndsEarly).await;
    assert!(error.is_none());
    let payloads = payloads(&pieces).concat();
    assert!(!payloads.contains("[DONE]") && !payloads.contains("\"finish_reason\":\"stop\""));
}

#[tokio::test]
async fn a_stream_without_done_is_complete_otherwise() {
    let payloads = payloads(&stream(Fault::WithoutDone).await.0);
    assert!(payloads.last().unwrap().contains("\"finish_reason\":\"stop\""));
}

#[tokio::test]
async fn an_error_object_ends_a_stream() {
    let fault = Fault::ErrorEvent { code: "server_error".into(), message: "Sorry.".into() };
    let payloads = payloads(&stream(fault).await.0);
    let last: serde_json::Value = serde_json::from_str(payloads.last().unwrap()).unwrap();
    assert_eq!(last["error"]["message"], "Sorry.");
}

#[tokio::test]
async fn a_malformed_event_is_not_json() {
    let payloads = payloads(&stream(Fault::MalformedEvent).await.0);
    let is_json = |text: &String| serde_json::from_str::<serde_json::Value>(text).is_ok();
    assert_eq!(payloads.iter().filter(|payload| !is_json(payload)).count(), 2);
}

#[tokio::test]
async fn counts_a_client_that_disconnects_early() {
    let model = ScriptedModel::start([Turn::text("x").with_fault(Fault::Stall)]).await;
    // The model doesn't count a client that leaves before its request arrives.
    let is_asked = async {
        while model.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = read_stream(&model, json!({})) => panic!("the stream stands still"),
        () = is_asked => {}
    }
    model.wait_for_disconnects(1).await;
    assert_eq!(model.hung_up(), 1);
}

#[tokio::test]
async fn does_not_count_a_client_that_reads_everything() {
    let model = ScriptedModel::start([Turn::text("x"), Turn::text("y")]).await;
    ask(&model, json!({})).await.unwrap();
    read_stream(&model, json!({})).await;
    assert_eq!(model.hung_up(), 0);
}
