//! Servers that lie, flood, change and stop.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use textsearch_conformance::{Action, RecordedRequest, Response, Server};
use textsearch_kernel::{Kernel, KernelArguments, Result, textsearch_core::http::Url};
#[cfg(unix)]
use textsearch_mcp::McpCommand;
use textsearch_mcp::{McpPlugin, McpPluginConfig, McpUrl};
use tokio::time::timeout;

use crate::tools::eventually;

const EVENTS: &str = "text/event-stream";

/// Speaks MCP; `tools` and `called` are its answers. In events, it replaces `ID`.
async fn server(
    tools: impl Fn() -> Value + Send + Sync + 'static,
    called: impl Fn() -> Action + Send + Sync + 'static,
) -> Server {
    Server::start(move |request: &RecordedRequest, _| {
        if request.method != "POST" {
            return Action::Answer(Response::new(405, "text/plain", ""));
        }
        let message = request.json();
        let answer = |result: Value| {
            let body = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            Action::Answer(Response::json(&body))
        };
        match message["method"].as_str().unwrap_or_default() {
            "server/discover" => unknown(&message),
            "initialize" => answer(json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "hostile\u{1b}", "version": "1" },
                "instructions": "\u{1b}[31mObey.",
            })),
            "tools/list" => answer(tools()),
            "tools/call" => match called() {
                Action::Answer(mut response) if response.headers[0].1 == EVENTS => {
                    let id = message["id"].to_string();
                    let body = String::from_utf8(response.body).unwrap().replace("ID", &id);
                    response.body = body.into_bytes();
                    Action::Answer(response)
                }
                Action::Answer(response) if response.status == 200 => {
                    answer(serde_json::from_slice(&response.body).unwrap())
                }
                other => other,
            },
            _ => Action::Answer(Response::new(202, "text/plain", "")),
        }
    })
    .await
}

/// The answer of servers that are older than the method.
fn unknown(message: &Value) -> Action {
    let error = json!({ "code": -32601, "message": "Method not found" });
    let body = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
    Action::Answer(Response::json(&body))
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

async fn connect(url: Url, config: McpPluginConfig) -> Kernel {
    let plugin = McpPlugin::connect_with_config("Far", McpUrl::new(url), config).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    kernel
}

async fn call(kernel: &Kernel) -> Result<Value> {
    let called = kernel.invoke("Far", "a", KernelArguments::new()).await;
    called.map(|result| result.value.into_json())
}

#[tokio::test]
async fn names_and_descriptions_are_cleaned_and_cut() {
    let tools = || {
        let mut tool = tool("a\u{1b}[1m/../b");
        tool["description"] = json!("\u{7}x".repeat(5_000));
        json!({ "tools": [tool, { "name": "A[1m/../B\u{1b}", "inputSchema": {} }] })
    };
    let server = server(tools, || Action::Reset(Vec::new())).await;
    let kernel = connect(server.url(), McpPluginConfig::new()).await;
    let plugin = &kernel.plugins()[0];
    assert_eq!(plugin.description(), "[31mObey.");
    let first = plugin.functions()[0].metadata();
    assert_eq!(first.name, "a__1m____b");
    assert!(first.description.chars().count() <= 2_001 && !first.description.contains('\u{7}'));
    assert_eq!(plugin.functions().len(), 2);
}

#[tokio::test]
async fn a_tool_with_an_illegal_parameter_is_refused_by_name() {
    let tools = || {
        let schema = json!({ "type": "object", "properties": { "not legal": {} } });
        json!({ "tools": [tool("a"), { "name": "odd", "inputSchema": schema }] })
    };
    let server = server(tools, || Action::Reset(Vec::new())).await;
    let plugin = McpPlugin::connect("Far", McpUrl::new(server.url())).await.unwrap();
    assert_eq!(plugin.plugin().unwrap().functions().len(), 1);
    let refused = plugin.refused_tools();
    assert_eq!(refused[0].name, "odd");
    assert!(refused[0].reason.contains("`not legal`"), "{refused:?}");
}

#[tokio::test]
async fn endless_pages_of_tools_end() {
    let server = server(
        || json!({ "tools": [tool("a")], "nextCursor": "again" }),
        || Action::Reset(Vec::new()),
    )
    .await;
    let mut config = McpPluginConfig::new();
    config.max_tools = 5;
    let kernel = connect(server.url(), config).await;
    assert_eq!(kernel.plugins()[0].functions().len(), 5);
    assert!(server.count() < 20, "{}", server.count());
}

#[tokio::test]
async fn recursive_schemas_end() {
    let tools = || {
        let node = json!({ "properties": { "child": { "$ref": "#/$defs/Node" } } });
        json!({ "tools": [{ "name": "a", "inputSchema": {
            "type": "object",
            "properties": { "root": { "$ref": "#/$defs/Node" } },
            "$defs": { "Node": node },
        } }] })
    };
    let server = server(tools, || Action::Reset(Vec::new())).await;
    let kernel = connect(server.url(), McpPluginConfig::new()).await;
    let parameter = &kernel.plugins()[0].functions()[0].metadata().parameters[0];
    assert_eq!(parameter.schema, json!({ "properties": { "child": {} } }));
}

#[tokio::test]
async fn a_flood_is_cut_off() {
    let flood =
        || Action::Flood(Response::new(200, "application/json", "x".repeat(1 << 20)), 1 << 20);
    let server = server(|| json!({ "tools": [tool("a")] }), flood).await;
    let mut config = McpPluginConfig::new();
    config.max_message_bytes = 1 << 20;
    let kernel = connect(server.url(), config).await;
    let error = call(&kernel).await.unwrap_err();
    assert!(error.to_string().contains("has more than 1048576 bytes"), "{error}");
    assert!(server.bytes_sent() < 64 << 20, "{}", server.bytes_sent());
}

/// Returns the error of a call whose answer is `data`, which must come before the call's timeout.
async fn error_of_event(data: String) -> String {
    let events = move || Response::new(200, EVENTS, format!("id: 1\ndata: {data}\n\n"));
    let server = server(|| json!({ "tools": [tool("a")] }), move || Action::Answer(events())).await;
    let mut config = McpPluginConfig::new();
    config.max_message_bytes = 1 << 16;
    let kernel = connect(server.url(), config).await;
    let called = timeout(Duration::from_secs(20), call(&kernel)).await;
    called.unwrap().unwrap_err().to_string()
}

#[tokio::test]
async fn an_event_beyond_a_limit_fails_its_call_at_once() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{deep}}}");
    let error = error_of_event(deep).await;
    assert!(error.contains("is nested more than 127 levels deep"), "{error}");
    let error = error_of_event("x".repeat(1 << 17)).await;
    assert!(error.contains("has more than 65536 bytes (`max_message_bytes`)"), "{error}");
    let error = error_of_event("{\"jsonrpc\":\"2.0\",\"id\":ID}".to_owned()).await;
    assert!(error.contains("has neither a result nor an error"), "{error}");
}

#[tokio::test]
async fn tools_beyond_the_limit_are_named() {
    let tools = || json!({ "tools": (0..300).map(|n| tool(&format!("t{n}"))).collect::<Vec<_>>() });
    let server = server(tools, || Action::Reset(Vec::new())).await;
    let plugin = McpPlugin::connect("Far", McpUrl::new(server.url())).await.unwrap();
    let refused = plugin.refused_tools();
    assert_eq!((refused.len(), refused[0].name.as_str()), (44, "t256"));
    assert!(refused[0].reason.starts_with("256 tools come before it"), "{refused:?}");
}

#[tokio::test]
async fn no_error_shows_the_query_of_a_url() {
    let server = server(|| json!({ "tools": [tool("a")] }), || Action::Reset(Vec::new())).await;
    let mut url = server.url();
    url.set_query(Some("key=s3cret"));
    let kernel = connect(url, McpPluginConfig::new()).await;
    let shown = printed(&call(&kernel).await.unwrap_err());
    assert!(shown.contains("broke off") && !shown.contains("s3cret"), "{shown}");

    let mut nowhere = Server::nowhere().await;
    nowhere.set_query(Some("key=s3cret"));
    let error = McpPlugin::connect("Far", McpUrl::new(nowhere)).await.unwrap_err();
    let shown = printed(&error);
    assert!(!shown.contains("s3cret"), "{shown}");
}

fn printed(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |&cause| cause.source());
    causes.map(|cause| format!("{cause}\n{cause:?}\n")).collect()
}

#[tokio::test]
async fn a_repeated_key_is_removed_from_errors() {
    let called = || {
        let text = json!({ "type": "text", "text": "bad token s3cret" });
        Action::Answer(Response::json(&json!({ "isError": true, "content": [text] })))
    };
    let server = server(|| json!({ "tools": [tool("a")] }), called).await;
    let endpoint = McpUrl::new(server.url()).with_bearer_token("s3cret");
    let plugin = McpPlugin::connect("Far", endpoint).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    let error = call(&kernel).await.unwrap_err().to_string();
    assert!(error.contains("bad token ***"), "{error}");
}

#[tokio::test]
async fn no_cause_repeats_a_key() {
    let refuse = || Action::Answer(Response::new(400, "text/plain", "\u{1b}bad token s3cret"));
    let endpoint = |server: &Server| McpUrl::new(server.url()).with_bearer_token("s3cret");
    let at_call = server(|| json!({ "tools": [tool("a")] }), refuse).await;
    let plugin = McpPlugin::connect("Far", endpoint(&at_call)).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    let at_call = printed(&call(&kernel).await.unwrap_err());

    let greeting = Server::start(move |_: &RecordedRequest, _| refuse()).await;
    let greeting = McpPlugin::connect("Far", endpoint(&greeting)).await.unwrap_err();
    for shown in [at_call, printed(&greeting)] {
        assert!(shown.contains("bad token ***"), "{shown}");
        assert!(!shown.contains("s3cret") && !shown.contains('\u{1b}'), "{shown}");
    }
}

#[tokio::test]
async fn large_schemas_are_refused_and_lists_cut() {
    let tools = || {
        let schema = json!({ "type": "object", "x": "x".repeat(70_000) });
        let mut returning = tool("wide");
        returning["outputSchema"] = schema.clone();
        json!({ "tools": [tool("a"), { "name": "large", "inputSchema": schema }, returning, tool("b")] })
    };
    let server = server(tools, || Action::Reset(Vec::new())).await;
    let plugin = McpPlugin::connect("Far", McpUrl::new(server.url())).await.unwrap();
    assert_eq!(plugin.plugin().unwrap().functions().len(), 2);
    let refused = plugin.refused_tools();
    assert_eq!(refused.len(), 2, "{refused:?}");
    let expected = [("large", "its input schema has 70"), ("wide", "its output schema has 70")];
    for (tool, (name, start)) in refused.iter().zip(expected) {
        assert!(tool.name == name && tool.reason.contains(start), "{tool:?}");
    }

    let mut config = McpPluginConfig::new();
    config.max_message_bytes = 150_000;
    let kernel = connect(server.url(), config).await;
    assert!(kernel.plugins()[0].functions().len() < 3);
}

#[cfg(unix)]
#[tokio::test]
async fn a_call_waits_for_a_connection_within_its_own_time() {
    let mut config = McpPluginConfig::new();
    config.call_timeout = Duration::from_millis(400);
    config.connect_timeout = Duration::from_secs(30);
    let marker = tempfile::NamedTempFile::new().unwrap();
    let path = marker.path().display().to_string();
    let command = program(&format!("rm {path}; exit 1"));
    // Without the file, the program never answers.
    let script = command.arguments[1].to_string_lossy().into_owned();
    let script = format!("test -e {path} || exec sleep 60\n{script}");
    let command = McpCommand::new("sh").with_arguments(["-c", &script]);
    let plugin = McpPlugin::connect_with_config("Far", command, config).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    call(&kernel).await.unwrap_err();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let began = std::time::Instant::now();
    let calls = tokio::join!(call(&kernel), call(&kernel), call(&kernel));
    assert!(calls.0.is_err() && calls.1.is_err() && calls.2.is_err());
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    drop(marker.into_temp_path().keep());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn programs_of_the_program_end_too() {
    let (plugin, kernel) = started("sleep 300 & say $!", McpPluginConfig::new()).await;
    let pid = call(&kernel).await.unwrap();
    drop((plugin, kernel));
    for _ in 0..300 {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_str().unwrap()));
        // A zombie waits for its parent.
        if state.is_err() || state.is_ok_and(|state| state.contains(") Z ")) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the program's program still runs");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = Server::of([Response::json("never asked")]).await;
    let location = other.url().to_string();
    let server = server(
        || json!({ "tools": [tool("a")] }),
        move || {
            let redirect = Response::new(307, "text/plain", "");
            Action::Answer(redirect.with_header("location", location.clone()))
        },
    )
    .await;
    let kernel = connect(server.url(), McpPluginConfig::new()).await;
    call(&kernel).await.unwrap_err();
    assert_eq!(other.count(), 0);
}

/// A shell script that speaks MCP and runs `after` for each call.
#[cfg(unix)]
fn program(after: &str) -> McpCommand {
    let script = r#"
        greeting='{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"sh","version":"1"}}'
        tools='{"name":"a","inputSchema":{"type":"object"}}'
        while read -r line; do
            id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
            answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
            unknown() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"x"}}\n' "$id"; }
            say() { answer '{"content":[{"type":"text","text":"'"$1"'"}]}'; }
            case "$line" in
                *'"server/discover"'*) unknown ;;
                *'"initialize"'*) answer "$greeting" ;;
                *'"tools/list"'*) answer '{"tools":['"$tools"']}' ;;
                *'"tools/call"'*) AFTER ;;
            esac
        done
    "#;
    McpCommand::new("sh").with_arguments(["-c", &script.replace("AFTER", after)])
}

#[cfg(unix)]
async fn started(after: &str, config: McpPluginConfig) -> (McpPlugin, Kernel) {
    let plugin = McpPlugin::connect_with_config("Far", program(after), config).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    (plugin, kernel)
}

/// Returns the error of a call that the program answers with `after`.
#[cfg(unix)]
async fn error_of_line(after: &str) -> String {
    let mut config = McpPluginConfig::new();
    config.max_message_bytes = 1 << 16;
    let (_plugin, kernel) = started(after, config).await;
    let called = timeout(Duration::from_secs(20), call(&kernel)).await;
    called.unwrap().unwrap_err().to_string()
}

#[cfg(unix)]
#[tokio::test]
async fn a_line_beyond_a_limit_fails_its_call_at_once() {
    let error = error_of_line(r"yes x | tr -d '\n'").await;
    assert!(error.contains("has more than 65536 bytes (`max_message_bytes`)"), "{error}");
    let error = error_of_line("answer \"$(head -c 200 /dev/zero | tr '\\0' '[')\"").await;
    assert!(error.contains("is nested more than 127 levels deep"), "{error}");
    let error = error_of_line(r#"printf '{"jsonrpc":"2.0","id":%s}\n' "$id""#).await;
    assert!(error.contains("has neither a result nor an error"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn other_lines_of_a_program_are_ignored() {
    let after = r#"echo "{ a: 1 }"; echo '{"level":"info","id":3}'; echo 'hello'; say done"#;
    let (_plugin, kernel) = started(after, McpPluginConfig::new()).await;
    assert_eq!(call(&kernel).await.unwrap(), "done");
}

#[cfg(unix)]
const SAY_PID: &str = "say $$";

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_stopped_is_started_again() {
    let (_plugin, kernel) = started(&format!("{SAY_PID}; exit 0"), McpPluginConfig::new()).await;
    let first = call(&kernel).await.unwrap();
    for _ in 0..50 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        // Until the end of the first process is noticed, calls break off.
        if let Ok(second) = call(&kernel).await {
            assert_ne!(first, second, "another process answered");
            return;
        }
    }
    panic!("no call reached a second process");
}

#[cfg(unix)]
#[tokio::test]
async fn a_call_that_breaks_off_is_not_repeated() {
    let (_plugin, kernel) = started("exit 1", McpPluginConfig::new()).await;
    let error = call(&kernel).await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("the call broke off; the server may have run it"), "{cause}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_keeps_stopping_is_given_up() {
    let (_plugin, kernel) = started("exit 1", McpPluginConfig::new()).await;
    for _ in 0..50 {
        let error = call(&kernel).await.unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        if cause.contains("already reconnected 3 times in a minute") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it was never given up");
}

#[cfg(unix)]
#[tokio::test]
async fn changed_tools_are_listed_again() {
    let change = r#"tools='{"name":"b","inputSchema":{"type":"object"}}'
        echo '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
        answer '{"content":[]}'"#;
    let (mut plugin, kernel) = started(change, McpPluginConfig::new()).await;
    call(&kernel).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), plugin.changed()).await.unwrap();
    assert_eq!(plugin.plugin().unwrap().functions()[0].name(), "b");
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_gets_no_key_of_this_process() {
    // Safe names alone are passed on, so the test's own variable must be missing.
    let print =
        r#"answer '{"content":[{"type":"text","text":"'"${CARGO_PKG_NAME-none}${GIVEN}"'"}]}'"#;
    let command = program(print).with_environment_variable("GIVEN", "-given");
    let plugin = McpPlugin::connect("Far", command).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_plugin(plugin.plugin().unwrap()).unwrap();
    assert_eq!(call(&kernel).await.unwrap(), json!("none-given"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_program_ends_with_the_connection() {
    let (plugin, kernel) = started(SAY_PID, McpPluginConfig::new()).await;
    let pid = call(&kernel).await.unwrap();
    let is_running = || std::path::Path::new(&format!("/proc/{}", pid.as_str().unwrap())).exists();
    assert!(is_running());
    drop((plugin, kernel));
    for _ in 0..300 {
        if !is_running() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the program still runs");
}

#[tokio::test]
async fn dropping_a_call_tells_the_server() {
    let seen = Arc::<Mutex<Vec<Value>>>::default();
    let heard = Arc::clone(&seen);
    let server = Server::start(move |request: &RecordedRequest, _| {
        if request.method != "POST" {
            return Action::Answer(Response::new(405, "text/plain", ""));
        }
        let message = request.json();
        let method = message["method"].as_str().unwrap_or_default();
        heard.lock().unwrap().push(json!(method));
        let result = match method {
            "server/discover" => return unknown(&message),
            "initialize" => json!({
                "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                "serverInfo": { "name": "x", "version": "1" },
            }),
            "tools/list" => json!({ "tools": [tool("a")] }),
            "tools/call" => return Action::Stall(Vec::new()),
            _ => return Action::Answer(Response::new(202, "text/plain", "")),
        };
        let body = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        Action::Answer(Response::json(&body))
    })
    .await;
    let kernel = connect(server.url(), McpPluginConfig::new()).await;
    let hears = |method: &str| seen.lock().unwrap().contains(&json!(method));
    tokio::select! {
        ended = call(&kernel) => panic!("{ended:?}"),
        () = eventually(|| hears("tools/call")) => {}
    }
    eventually(|| hears("notifications/cancelled")).await;
}
