//! The paths and the header of Azure.

use serde_json::{Value, json};
use textsearch_conformance::{
    chat::{ScriptedModel, Turn},
    core::ErrorKind,
};

use super::{client, request, user};

async fn status(path: &str, key: Option<&str>) -> Option<u16> {
    let model = ScriptedModel::start([Turn::text("Yes.")]).await;
    let url = format!("{}{path}", model.endpoint());
    let asked = request(&url, &json!({ "messages": [user("a")] }));
    let asked = match key {
        Some(key) => asked.with_secret_header("api-key", &key.into()),
        None => asked,
    };
    let outcome = client().send_json::<Value>(asked).await;
    match outcome.err()?.kind() {
        ErrorKind::Authentication => Some(401),
        ErrorKind::UnexpectedStatus { status, .. } => Some(*status),
        _ => Some(0),
    }
}

const PATH: &str = "/openai/deployments/mine/chat/completions";

#[tokio::test]
async fn a_deployment_needs_a_version_and_a_key() {
    let versioned = format!("{PATH}?api-version=2024-10-21");
    assert_eq!(status(&versioned, Some("key")).await, None);
    assert_eq!(status(&versioned, None).await, Some(401));
    assert_eq!(status(PATH, Some("key")).await, Some(404));
}

#[tokio::test]
async fn the_path_without_deployments_needs_a_model() {
    assert_eq!(status("/openai/v1/chat/completions", Some("key")).await, Some(400));
}
