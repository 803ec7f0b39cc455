//! `--plugin`.

use super::*;

fn tides_step(harbour: &str) -> Value {
    json!({ "id": "tides", "function": "Tides.getTides", "arguments": { "harbour": harbour } })
}

fn written(step: Value, result: &str) -> String {
    json!({ "steps": [step], "result": result }).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_gets_its_token_as_the_document_wants() {
    let service = tides(|request, _| match request.header("x-key") {
        Some("open sesame") => high_water(request),
        _ => Action::Answer(Response::json(&json!({})).with_status(401)),
    })
    .await;
    let place = docs();
    place.write("plan.json", written(tides_step("Leith"), "$.steps.tides.result.high_water"));
    let plugin = tides_plugin(&service);
    let arguments = ["plan", "--plan", "plan.json", "--plugin", &plugin, "--yes", "-v"];
    let mut command = place.command(&arguments);
    let run: Run = command.env("TEXTSEARCH_TIDES_TOKEN", "open sesame").output().unwrap().into();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(serde_json::from_str::<Value>(&run.stdout).unwrap(), json!(["05:10", "17:32"]));
    assert!(!run.stderr.contains("sesame"), "{}", run.stderr);
    assert!(run.stderr.contains("not callable") && run.stderr.contains("/chart"), "{}", run.stderr);

    let run = place.run(&arguments[..6]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    let lines: Vec<&str> = run.stderr.lines().collect();
    let warning =
        "textsearch: warning: plans can't call 1 operation of `Tides`: try --verbose to see why";
    assert_eq!(lines[0], warning);
    let failed = lines.iter().find(|line| line.contains(" 0 of 1: `tides` failed: ")).unwrap();
    assert!(failed.contains("401"), "{failed}");
    assert!(lines[lines.len() - 1].contains("step `tides`: "), "{}", run.stderr);
    assert!(run.stderr.contains("no step finished; not finished: `tides`"), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_in_a_file_and_its_service_are_a_plugin() {
    let service = tides(|request, _| high_water(request)).await;
    let place = docs();
    let document = format!(
        "openapi: 3.1.0\nservers: [{{ url: '{}v1' }}]\npaths:\n  /tides/Leith: {{ get: {{ operationId: leith }} }}\n",
        service.url()
    );
    place.write("tides.yaml", document);
    let step = json!({ "id": "tides", "function": "OpenApi.leith" });
    place.write("plan.json", written(step, "$.steps.tides.result"));
    let arguments = ["plan", "--plan", "plan.json", "--plugin", "openapi:tides.yaml", "--yes"];
    let run = place.run(&arguments);
    assert_eq!(
        serde_json::from_str::<Value>(&run.stdout).unwrap(),
        json!({ "high_water": ["05:10", "17:32"] })
    );
    // The person must see whom the file makes the plan call.
    let origin = service.url().origin().ascii_serialization();
    let called = format!("textsearch: OpenApi: calls {origin}, with ");
    assert!(run.stderr.contains(&(called.clone() + "no token\n")), "{}", run.stderr);

    let mut dry = place.command(&[&arguments[..5], &["--dry-run"]].concat());
    let run: Run = dry.env("TEXTSEARCH_OPENAPI_TOKEN", "open sesame").output().unwrap().into();
    let line = called + "the token in TEXTSEARCH_OPENAPI_TOKEN\n";
    assert!(run.stderr.contains(&line), "{}", run.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_servers_word_for_read_only_tools_is_told_as_its_own() {
    let service = tides(|request, _| high_water(request)).await;
    let place = docs();
    let notes = json!({ "id": "notes", "function": "Notes.SearchPlugin_Search", "arguments": { "query": "a" } });
    let forget =
        json!({ "id": "forget", "function": "Tides.forgetTides", "arguments": { "harbour": "a" } });
    let steps = json!([notes, tides_step("Leith"), forget]);
    place.write("plan.json", json!({ "steps": steps, "result": 1 }).to_string());
    let notes = format!("Notes=mcp:'{PROGRAM}' mcp --from docs --kind text");
    let plugins = ["--plugin", &tides_plugin(&service), "--plugin", &notes];
    let run = place.run(&[&["plan", "--plan", "plan.json", "--dry-run"], &plugins[..]].concat());
    let lines: Vec<&str> = run.stderr.lines().filter(|line| line.contains(": `")).collect();
    assert_eq!(
        lines,
        [
            "textsearch: steps that may change something: `forget`",
            "textsearch: read-only, as the MCP server says: `notes`",
        ],
        "{}",
        run.stderr
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn another_host_gets_the_token_only_if_it_is_named() {
    let service = tides(|request, _| match request.header("authorization") {
        Some("Bearer open sesame") => high_water(request),
        _ => Action::Answer(Response::json(&json!({})).with_status(401)),
    })
    .await;
    let paths = "{ /tides/Leith: { get: { operationId: getTides } } }";
    let document =
        format!("openapi: 3.1.0\nservers: [{{ url: 'https://t.example' }}]\npaths: {paths}\n");
    let answer = Response::new(200, "application/yaml", document);
    let elsewhere = Server::of([answer.clone(), answer]).await;
    let place = docs();
    let step = json!({ "id": "tides", "function": "Tides.getTides" });
    place.write("plan.json", written(step, "$.steps.tides.result.high_water[0]"));
    let plugin = format!("Tides=openapi:{}", elsewhere.url());
    let server = format!("Tides={}v1", service.url());
    let run = |more: &[&str]| -> Run {
        let arguments = ["plan", "--plan", "plan.json", "--plugin", &plugin, "--yes"];
        let mut command = place.command(&[&arguments[..], more].concat());
        command.env("TEXTSEARCH_TIDES_TOKEN", "open sesame").output().unwrap().into()
    };
    let refused = run(&["-v"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{}", refused.stderr);
    let advice = "`https://t.example/` isn't the document's; try --server Tides=URL";
    assert!(refused.stderr.contains(advice), "{}", refused.stderr);

    let named = run(&["--server", &server]);
    assert_eq!((named.code, named.stdout.as_str()), (0, "\"05:10\"\n"), "{}", named.stderr);
    let origin = service.url().origin().ascii_serialization();
    let line = format!("Tides: calls {origin}, with the token in TEXTSEARCH_TIDES_TOKEN\n");
    assert!(named.stderr.contains(&line), "{}", named.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn plugins_that_cannot_open_are_named() {
    let service = Server::of([Response::json(&json!({ "no": "document" }))]).await;
    let url = format!("openapi:{}", service.url());
    let place = docs();
    place.write("plan.json", search_plan().to_string());
    for (plugin, message) in [
        (
            "Notes=mcp:/no/such/program",
            "textsearch: --plugin `Notes` cannot be used: cannot connect",
        ),
        ("openapi:tides.yaml", "--plugin `OpenApi` cannot be used: there is no file `tides.yaml`"),
        (url.as_str(), "--plugin `OpenApi` cannot be used: "),
    ] {
        let run = place.run(&["plan", "--plan", "plan.json", "--plugin", plugin, "--yes"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}
