//! `#[kernel_plugin]` on `impl` blocks.

use std::{
    convert::Infallible,
    fmt::Display,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde::{Deserialize, Serialize};
use serde_json::json;
use textsearch_core::schemars::{self, JsonSchema};
use textsearch_kernel::{Kernel, kernel_plugin};

use crate::support::{arguments, call};

#[derive(Default)]
struct Notes {
    calls: AtomicUsize,
}

/// The topic of a note.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Topic(String);

/// Keeps notes.
///
/// # For developers
///
/// It counts the calls.
#[kernel_plugin]
impl Notes {
    const LONGEST: u8 = 40;

    /// Counts a call.
    #[kernel_function(name = "Count")]
    async fn count(&self, #[parameter(default = Self::LONGEST)] by: u8) -> usize {
        tokio::task::yield_now().await;
        self.add(by)
    }

    #[textsearch_kernel::kernel_function]
    fn shared(self: Arc<Self>, kernel: Kernel) -> Result<(usize, usize), Infallible> {
        Ok((Arc::strong_count(&self).min(2), kernel.plugins().len()))
    }

    #[kernel_function]
    fn topic(topic: Topic) -> Topic {
        topic
    }

    fn add(&self, by: u8) -> usize {
        self.calls.fetch_add(by.into(), Ordering::Relaxed) + usize::from(by)
    }
}

#[test]
fn a_plugin_has_the_marked_methods_in_their_order() {
    let plugin = Notes::default().into_plugin("Notes").unwrap();
    assert_eq!(plugin.name(), "Notes");
    assert_eq!(plugin.description(), "Keeps notes.");
    let names: Vec<&str> = plugin.functions().iter().map(|function| function.name()).collect();
    assert_eq!(names, ["Count", "shared", "topic"]);
    let count = plugin.functions()[0].metadata();
    assert_eq!(count.description, "Counts a call.");
    assert_eq!(count.parameters[0].default, Some(json!(40)));
}

#[tokio::test]
async fn calls_share_one_value() {
    let mut kernel = Kernel::new();
    kernel.add_plugin(Notes::default().into_plugin("Notes").unwrap()).unwrap();
    for expected in [40, 80] {
        let answer = kernel.invoke("Notes", "Count", arguments([])).await.unwrap();
        assert_eq!(answer.value, json!(expected));
    }
    let answer = kernel.invoke("Notes", "shared", arguments([])).await.unwrap();
    assert_eq!(answer.value, json!([2, 1]));
    let answer = kernel.invoke("Notes", "topic", arguments([("topic", json!("x"))])).await.unwrap();
    assert_eq!(answer.value, json!("x"));
}

#[tokio::test]
async fn application_can_keep_the_value() {
    let notes = Arc::new(Notes::default());
    let functions = Arc::clone(&notes).kernel_functions().unwrap();
    let count = functions.into_iter().next().unwrap();
    call(count, arguments([("by", json!(2))])).await.unwrap();
    assert_eq!(notes.calls.load(Ordering::Relaxed), 2);
}

#[test]
fn a_plugins_name_is_checked() {
    let error = Notes::default().into_plugin("my notes").unwrap_err();
    assert!(error.to_string().contains("is not a plugin name"), "{error}");
}

struct Greeter<G> {
    greeting: G,
}

#[kernel_plugin(description = "Greets.")]
impl<G> Greeter<G>
where
    G: Display + Send + Sync + 'static,
{
    #[kernel_function]
    fn greet(&self, name: &str) -> String {
        format!("{}, {name}", self.greeting)
    }
}

#[tokio::test]
async fn the_type_may_be_generic() {
    let plugin = Greeter { greeting: "Hello" }.into_plugin("Greeter").unwrap();
    assert_eq!(plugin.description(), "Greets.");
    let answer = call(plugin.functions()[0].clone(), arguments([("name", json!("Ada"))])).await;
    assert_eq!(answer.unwrap(), json!("Hello, Ada"));
}
