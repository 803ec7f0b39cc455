//! The client that MCP's conformance suite drives: `cargo xtask integration mcp`.
//!
//! The suite passes the URL of its server. The program connects, and calls the tools that the variable
//! `MCP_CONFORMANCE_CONTEXT` names, or else each tool once.
//!
//! Needs: the suite.

#![expect(
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a program for a check, whose output the check shows"
)]

use std::{env, error::Error};

use serde_json::{Map, Value, json};
use textsearch_core::http::Url;
use textsearch_kernel::{Kernel, KernelArguments, KernelFunction};
use textsearch_mcp::{McpPlugin, McpUrl};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().next_back().unwrap_or_default();
    let plugin = McpPlugin::connect("Suite", McpUrl::new(Url::parse(&url)?)).await?;
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin()?)?;
    let context = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let functions = kernel.plugins().iter().flat_map(|plugin| plugin.functions());
    for function in functions {
        for arguments in calls(function, &context["toolCalls"]) {
            let called = kernel.invoke("Suite", function.name(), KernelArguments::from(arguments));
            match called.await {
                Ok(result) => println!("{}: {}", function.name(), result.text()),
                // A scenario may want it to fail.
                Err(error) => println!("{}: {error}", function.name()),
            }
        }
    }
    Ok(())
}

/// Returns the arguments of each call of `function`.
fn calls(function: &KernelFunction, listed: &Value) -> Vec<Map<String, Value>> {
    let metadata = function.metadata();
    let tool = metadata.original_name.as_deref().unwrap_or(&metadata.name);
    let Some(listed) = listed.as_array() else {
        let parameters = metadata.parameters.iter();
        return vec![
            parameters
                .map(|parameter| (parameter.name.clone(), value(&parameter.schema)))
                .collect(),
        ];
    };
    let calls = listed.iter().filter(|call| call["name"] == tool);
    calls.map(|call| call["arguments"].as_object().cloned().unwrap_or_default()).collect()
}

/// Returns a value that fits a simple schema.
fn value(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("text"),
    }
}
