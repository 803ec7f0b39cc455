//! The spans of a run.

use serde_json::json;
use textsearch_conformance::LogCapture;
use textsearch_kernel::KernelArguments;

use crate::support::{check, function, kernel_of, plan};

#[tokio::test]
async fn each_step_has_a_span_in_the_plans() {
    let any = || (serde_json::Value::Null, serde_json::Value::Null);
    let kernel = kernel_of([function("Same", any(), |value| value)]);
    let steps = json!([
        { "id": "a", "function": "F.Same", "arguments": { "value": "secret" } },
        { "id": "b", "function": "F.Same", "when": { "value": 1, "is": "empty" }, "arguments": { "value": 1 } },
        { "id": "c", "function": "F.Same", "for_each": "$.steps.a.result", "arguments": { "value": 1 } },
    ]);
    let checked = check(&kernel, plan(json!({ "steps": steps, "result": 1 }))).unwrap();
    let log = LogCapture::start();
    checked.run(&kernel, KernelArguments::new()).await.unwrap_err();

    let spans = log.spans().into_iter();
    let mut spans: Vec<String> =
        spans.map(|span| format!("{} {:?}", span.path, span.fields)).collect();
    spans.sort();
    assert_eq!(
        spans[..4],
        [
            r#"plan {"error.type": "step_failed", "otel.kind": "internal", "textsearch.plan.calls": "1", "textsearch.plan.steps": "3"}"#,
            r#"plan/step {"error.type": "invalid_argument", "otel.kind": "internal", "otel.name": "step c", "textsearch.plan.step": "c"}"#,
            r#"plan/step {"otel.kind": "internal", "otel.name": "step a", "textsearch.plan.step": "a"}"#,
            r#"plan/step {"otel.kind": "internal", "otel.name": "step b", "textsearch.plan.step": "b"}"#,
        ]
    );
    assert!(spans[4].starts_with("plan/step/execute_tool "), "{}", spans[4]);
    assert!(!spans.concat().contains("secret"), "{spans:?}");
}
