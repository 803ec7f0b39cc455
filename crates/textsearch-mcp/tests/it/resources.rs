//! Found documents as resources.

use rmcp::{
    ServiceError,
    model::{CallToolRequestParams, ReadResourceRequestParams, ResourceContents},
};
use serde_json::json;
use textsearch_mcp::McpServer;

use crate::support::{Client, client, client_of, config, kernel, query};

const FOUND: &str = "textsearch://fixed/filters%231";

async fn search(client: &Client) {
    let request = CallToolRequestParams::new("Docs-GetSearchResults").with_arguments(query("x"));
    client.call_tool(request).await.unwrap();
}

async fn read(client: &Client, uri: &str) -> Result<String, String> {
    match client.read_resource(ReadResourceRequestParams::new(uri)).await {
        Ok(result) => match &result.contents[0] {
            ResourceContents::TextResourceContents { text, .. } => Ok(text.clone()),
            other => panic!("{other:?}"),
        },
        Err(error) => Err(error.to_string()),
    }
}

#[tokio::test]
async fn a_found_document_can_be_listed_and_read() {
    let client = client().await;
    assert!(client.list_all_resources().await.unwrap().is_empty());
    search(&client).await;
    let listed = client.list_all_resources().await.unwrap();
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[1].uri, FOUND);
    assert_eq!(read(&client, FOUND).await.unwrap(), "Filters narrow a search.");
}

#[tokio::test]
async fn other_uris_are_refused() {
    let client = client().await;
    search(&client).await;
    for uri in ["file:///etc/passwd", "textsearch://fixed/filters", "https://example.com/"] {
        let error = read(&client, uri).await.unwrap_err();
        assert!(error.contains("no such document"), "{error}");
    }
}

#[tokio::test]
async fn the_error_of_an_unknown_document_has_its_uri() {
    let client = client().await;
    let request = ReadResourceRequestParams::new("file:///etc/passwd");
    let error = client.read_resource(request).await.unwrap_err();
    let ServiceError::McpError(error) = error else { panic!("{error}") };
    assert_eq!(error.data, Some(json!({ "uri": "file:///etc/passwd" })));
}

#[tokio::test]
async fn documents_can_be_turned_off() {
    let mut config = config();
    config.max_documents = 0;
    let server = McpServer::new(kernel(), config).unwrap();
    let client = client_of(server).await;
    search(&client).await;
    assert!(client.peer_info().unwrap().capabilities.resources.is_none());
    assert!(read(&client, FOUND).await.is_err());
}
