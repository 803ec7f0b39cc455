//! Servers that greet late, wrongly or not at all.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use textsearch_conformance::{Action, RecordedRequest, Response, Server};
use textsearch_kernel::{Kernel, KernelArguments};
#[cfg(unix)]
use textsearch_mcp::McpCommand;
use textsearch_mcp::{McpEndpoint, McpPlugin, McpPluginConfig, McpUrl, Result};

/// The answer to a message.
enum Reply {
    Result(Value),
    Error(Value),
    Other(Action),
}

type Heard = Arc<Mutex<Vec<String>>>;

fn discovered(versions: Value) -> Reply {
    Reply::Result(json!({
        "resultType": "complete", "supportedVersions": versions, "ttlMs": 0,
        "cacheScope": "private", "capabilities": { "tools": {} },
    }))
}

fn initialized() -> Reply {
    Reply::Result(json!({
        "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
        "serverInfo": { "name": "x", "version": "1" },
    }))
}

fn unknown() -> Reply {
    Reply::Error(json!({ "code": -32601, "message": "Method not found" }))
}

/// `answer` answers greetings and calls; it gets the method, and how often it was sent.
async fn serve(answer: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) -> (Server, Heard) {
    let heard = Heard::default();
    let hears = Arc::clone(&heard);
    let server = Server::start(move |request: &RecordedRequest, _| {
        if request.method != "POST" {
            return Action::Answer(Response::new(405, "text/plain", ""));
        }
        let message = request.json();
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        let times = {
            let mut heard = hears.lock().unwrap();
            heard.push(method.clone());
            heard.iter().filter(|heard| **heard == method).count()
        };
        let reply = match method.as_str() {
            "server/discover" | "initialize" | "tools/call" => answer(&method, times),
            "tools/list" => {
                let tool = json!({ "name": "a", "inputSchema": { "type": "object" } });
                Reply::Result(json!({ "tools": [tool], "ttlMs": 0, "cacheScope": "private" }))
            }
            _ => Reply::Other(Action::Answer(Response::new(202, "text/plain", ""))),
        };
        let (key, value) = match reply {
            Reply::Result(value) => ("result", value),
            Reply::Error(value) => ("error", value),
            Reply::Other(action) => return action,
        };
        Action::Answer(Response::json(
            &json!({ "jsonrpc": "2.0", "id": message["id"], key: value }),
        ))
    })
    .await;
    (server, heard)
}

async fn connect(endpoint: impl Into<McpEndpoint>, milliseconds: u64) -> Result<McpPlugin> {
    let timeout = Duration::from_millis(milliseconds);
    let mut config = McpPluginConfig::new();
    config.connect_timeout = timeout;
    McpPlugin::connect_with_config("Far", endpoint, config).await
}

async fn error(server: &Server) -> String {
    connect(McpUrl::new(server.url()), 10_000).await.unwrap_err().to_string()
}

#[tokio::test]
async fn an_old_server_that_fails_at_discover_is_initialized() {
    let failures: [fn() -> Reply; 4] = [
        || Reply::Other(Action::Answer(Response::new(500, "text/plain", "no"))),
        || Reply::Other(Action::Answer(Response::new(202, "text/plain", ""))),
        || Reply::Other(Action::Answer(Response::new(400, "text/plain", "no session"))),
        || Reply::Other(Action::Reset(Vec::new())),
    ];
    for failure in failures {
        let greeted = move |method: &str, _| match method {
            "initialize" => initialized(),
            _ => failure(),
        };
        let (server, heard) = serve(greeted).await;
        connect(McpUrl::new(server.url()), 5_000).await.unwrap();
        assert_eq!(heard.lock().unwrap().last().unwrap(), "tools/list");
    }
}

#[tokio::test]
async fn an_old_server_that_ignores_discover_is_initialized() {
    let greeted = |method: &str, _| match method {
        "initialize" => initialized(),
        _ => Reply::Other(Action::Stall(Vec::new())),
    };
    let (server, _) = serve(greeted).await;
    connect(McpUrl::new(server.url()), 4_000).await.unwrap();
}

#[tokio::test]
async fn a_new_server_that_starts_slowly_is_discovered_again() {
    let greeted = |method: &str, times| match (method, times) {
        ("server/discover", 1) => Reply::Other(Action::Stall(Vec::new())),
        ("server/discover", _) => discovered(json!(["2026-07-28"])),
        _ => unknown(),
    };
    let (server, heard) = serve(greeted).await;
    connect(McpUrl::new(server.url()), 4_000).await.unwrap();
    let greetings = heard.lock().unwrap()[..3].to_vec();
    assert_eq!(greetings, ["server/discover", "initialize", "server/discover"]);
}

#[tokio::test]
async fn a_server_that_knows_no_greeting_is_reported() {
    let (server, heard) = serve(|_, _| unknown()).await;
    let shown = error(&server).await;
    assert!(shown.ends_with("it doesn't greet as an MCP server: check the URL"), "{shown}");
    assert!(heard.lock().unwrap().len() <= 3);
}

#[tokio::test]
async fn a_silent_server_is_reported_in_words() {
    let (server, _) = serve(|_, _| Reply::Other(Action::Stall(Vec::new()))).await;
    let shown = connect(McpUrl::new(server.url()), 1_000).await.unwrap_err().to_string();
    let expected = "it answered neither `server/discover` nor `initialize` within 1 s";
    assert!(shown.ends_with(expected), "{shown}");
}

#[tokio::test]
async fn a_server_of_unknown_revisions_is_reported_with_them() {
    let (server, heard) =
        serve(|_, _| discovered(json!(["2030-01-01\u{1b}[31m", "x".repeat(9_000)]))).await;
    let shown = error(&server).await;
    assert!(shown.contains("it speaks only the protocol of 2030-01-01[31m, xxx"), "{shown}");
    assert!(shown.len() < 2_500 && !shown.contains('\u{1b}'), "{}", shown.len());
    assert_eq!(heard.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_refused_token_is_not_sent_again() {
    let greeted = |_: &str, _| {
        let response = Response::new(401, "text/plain", "");
        Reply::Other(Action::Answer(response.with_header("www-authenticate", "Bearer")))
    };
    let (server, heard) = serve(greeted).await;
    let endpoint = McpUrl::new(server.url()).with_bearer_token("s3cret");
    let error = connect(endpoint, 10_000).await.unwrap_err();
    assert!(error.to_string().contains("without a valid token"), "{error}");
    assert_eq!(*heard.lock().unwrap(), ["server/discover"]);
}

#[tokio::test]
async fn a_tool_that_asks_for_input_runs_once() {
    let question = json!({
        "mode": "form", "message": "Your password?",
        "requestedSchema": { "type": "object", "properties": {} },
    });
    let called = json!({
        "resultType": "input_required", "requestState": "x",
        "inputRequests": { "1": { "method": "elicitation/create", "params": question } },
    });
    let (server, heard) = serve(move |method, _| match method {
        "tools/call" => Reply::Result(called.clone()),
        _ => discovered(json!(["2026-07-28"])),
    })
    .await;
    let plugin = connect(McpUrl::new(server.url()), 5_000).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    let error = kernel.invoke("Far", "a", KernelArguments::new()).await.unwrap_err();
    assert!(error.to_string().contains("the tool asks for more input"), "{error}");
    let heard = heard.lock().unwrap();
    assert_eq!(heard.iter().filter(|method| *method == "tools/call").count(), 1);
}

/// A shell script that runs `discover` for `server/discover`, and answers other requests.
#[cfg(unix)]
fn program(discover: &str) -> McpCommand {
    let script = r#"
        answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
        while read -r line; do
            id=${line#*\"id\":}
            id=${id%%[!0-9]*}
            case "$line" in
                *'"server/discover"'*) DISCOVER ;;
                *'"initialize"'*)
                    answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
                *'"tools/list"'*) answer '{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}' ;;
            esac
        done
    "#;
    McpCommand::new("sh").with_arguments(["-c", &script.replace("DISCOVER", discover)])
}

#[cfg(unix)]
#[tokio::test]
async fn an_old_program_that_stops_at_discover_is_started_again() {
    connect(program("exit 1"), 5_000).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn an_old_program_that_ignores_discover_is_initialized() {
    let before = std::time::Instant::now();
    connect(program(":"), 6_000).await.unwrap();
    assert!(before.elapsed() >= Duration::from_secs(3));
}

#[cfg(unix)]
#[tokio::test]
async fn floods_before_a_greeting_end_in_time() {
    let flood = r#"while :; do echo '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}'; done"#;
    let before = std::time::Instant::now();
    // Another program is greeted by `initialize`.
    connect(program(flood), 1_000).await.unwrap();
    assert!(before.elapsed() < Duration::from_secs(20), "{:?}", before.elapsed());
}
