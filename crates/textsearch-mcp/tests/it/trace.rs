//! Traces of clients.

use opentelemetry::{Context, global, trace::TraceContextExt as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use rmcp::model::{CallToolRequestParams, RequestParamsMeta as _};
use serde_json::Value;
use textsearch_kernel::{Kernel, KernelFunction, KernelPlugin, function::FunctionMetadata};
use textsearch_mcp::McpServer;

use crate::support::{client_of, config};

#[tokio::test]
async fn calls_belong_to_the_trace_of_the_client() {
    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

    global::set_text_map_propagator(TraceContextPropagator::new());
    let trace = KernelFunction::new(FunctionMetadata::new("Trace", "The trace."), |_| async {
        Ok(Value::from(Context::current().span().span_context().trace_id().to_string()))
    });
    let mut kernel = Kernel::new();
    kernel.add_plugin(KernelPlugin::new("Own", "", [trace.unwrap()]).unwrap()).unwrap();
    let client = client_of(McpServer::new(kernel, config()).unwrap()).await;
    let mut call = CallToolRequestParams::new("Own-Trace");
    for (parent, trace) in [
        (format!("00-{TRACE}-00f067aa0ba902b7-01"), TRACE.to_owned()),
        ("garbage".to_owned(), "0".repeat(32)),
    ] {
        call.set_traceparent(&parent);
        let result = client.call_tool(call.clone()).await.unwrap();
        let text = serde_json::to_string(&result.content).unwrap();
        assert!(text.contains(&trace), "{text}");
    }
}
