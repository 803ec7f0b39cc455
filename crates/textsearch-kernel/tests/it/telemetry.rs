//! The span around a call.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

use serde_json::json;
use textsearch_kernel::{KernelArguments, ParameterMetadata, textsearch_core::chat::ToolCall};
use tracing::{
    Subscriber,
    field::{Field, Visit},
    instrument::WithSubscriber,
    span,
};
use tracing_subscriber::{Layer, layer::Context, layer::SubscriberExt, registry::Registry};

use crate::support::{echo, kernel_of};

type Spans = Arc<Mutex<Vec<(&'static str, BTreeMap<String, String>)>>>;

/// Keeps the fields of all spans in one list.
#[derive(Clone, Default)]
struct Collector(Spans);

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl<S: Subscriber> Layer<S> for Collector {
    fn on_new_span(&self, attributes: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        let mut fields = BTreeMap::new();
        attributes.record(&mut Fields(&mut fields));
        self.0.lock().unwrap().push((attributes.metadata().name(), fields));
    }

    fn on_record(&self, _: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        if let Some((_, fields)) = self.0.lock().unwrap().last_mut() {
            values.record(&mut Fields(fields));
        }
    }
}

#[tokio::test]
async fn a_call_is_in_a_span_without_its_content() {
    let collector = Collector::default();
    let subscriber = Registry::default().with(collector.clone());
    let parameter = ParameterMetadata::required("secret", "", json!({ "type": "string" }));
    let kernel = kernel_of([echo([parameter])]);
    async {
        kernel
            .invoke("Test", "Echo", KernelArguments::new().with("secret", "s3cret"))
            .await
            .unwrap();
        kernel.invoke_tool_call(&ToolCall::new("call-7", "Test-Echo", "{}")).await.unwrap_err();
    }
    .with_subscriber(subscriber)
    .await;

    let spans = collector.0.lock().unwrap().clone();
    let [(name, first), (_, second)] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!(*name, "execute_tool");
    assert_eq!(first["otel.name"], "execute_tool Test-Echo");
    assert_eq!(first["gen_ai.operation.name"], "execute_tool");
    assert_eq!(first["gen_ai.tool.name"], "Test-Echo");
    assert_eq!(first["gen_ai.tool.type"], "function");
    assert!(!first.contains_key("error.type"));
    assert_eq!(second["gen_ai.tool.call.id"], "call-7");
    assert_eq!(second["error.type"], "invalid_argument");
    assert!(!format!("{spans:?}").contains("s3cret"));
}
