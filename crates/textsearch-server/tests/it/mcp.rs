//! `/mcp`.

use serde_json::json;

use crate::support::plain;

#[tokio::test]
async fn each_source_is_a_tool() {
    let tools = plain().await.mcp("tools/list", json!({})).await.ok();
    assert_eq!(tools["result"]["tools"][0]["name"], "docs-GetSearchResults");
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_tool_returns_results() {
    let params = json!({ "name": "docs-GetSearchResults", "arguments": { "query": "x" } });
    let result = plain().await.mcp("tools/call", params).await.ok();
    let results = &result["result"]["structuredContent"]["result"];
    assert_eq!(results[0]["Value"], "Acme sells anvils.");
}
