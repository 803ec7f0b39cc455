//! The spans of a run.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, OnceLock},
};

use serde_json::json;
use textsearch_kernel::KernelArguments;
use tracing::{
    Dispatch, Subscriber,
    field::{Field, Visit},
    instrument::WithSubscriber,
    span,
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
    registry::{LookupSpan, Registry},
};

use crate::support::{check, function, kernel_of, plan};

/// Path from the root, and fields.
type Spans = BTreeMap<u64, (String, BTreeMap<String, String>)>;

#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Spans>>);

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Collector {
    fn on_new_span(
        &self,
        attributes: &span::Attributes<'_>,
        id: &span::Id,
        context: Context<'_, S>,
    ) {
        let scope = context.span(id).unwrap().scope().from_root();
        let path: Vec<&str> = scope.map(|span| span.name()).collect();
        let mut fields = BTreeMap::new();
        attributes.record(&mut Fields(&mut fields));
        self.0.lock().unwrap().insert(id.into_u64(), (path.join("/"), fields));
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        let mut spans = self.0.lock().unwrap();
        values.record(&mut Fields(&mut spans.get_mut(&id.into_u64()).unwrap().1));
    }
}

#[tokio::test]
async fn each_step_has_a_span_in_the_plans() {
    // With a single subscriber, `tracing` asks only the first thread whether it wants a span.
    static OTHER: OnceLock<Dispatch> = OnceLock::new();
    OTHER.get_or_init(|| Dispatch::new(Registry::default()));
    let collector = Collector::default();
    let any = || (serde_json::Value::Null, serde_json::Value::Null);
    let kernel = kernel_of([function("Same", any(), |value| value)]);
    let steps = json!([
        { "id": "a", "function": "F.Same", "arguments": { "value": "secret" } },
        { "id": "b", "function": "F.Same", "when": { "value": 1, "is": "empty" }, "arguments": { "value": 1 } },
        { "id": "c", "function": "F.Same", "for_each": "$.steps.a.result", "arguments": { "value": 1 } },
    ]);
    let checked = check(&kernel, plan(json!({ "steps": steps, "result": 1 }))).unwrap();
    let running = checked.run(&kernel, KernelArguments::new());
    let subscriber = Registry::default().with(collector.clone());
    running.with_subscriber(subscriber).await.unwrap_err();

    let spans = collector.0.lock().unwrap();
    let mut spans: Vec<String> =
        spans.values().map(|(path, fields)| format!("{path} {fields:?}")).collect();
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
