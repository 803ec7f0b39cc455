//! The metrics of chats and calls, and the names of spans. A separate program, since the meter
//! provider is global.
#![expect(
    clippy::unwrap_used,
    reason = "a panic in a test's helper is a failed test with a line number"
)]

#[path = "../../textsearch-core/tests/metrics/recorded.rs"]
mod recorded;

use serde_json::json;
use textsearch_conformance::{CapturedSpan, LogCapture};
use textsearch_core::{
    Error, ErrorKind, FixedSearch, Result, TextSearchResult, async_trait,
    chat::{ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, Usage},
    vector::{
        DataField, EmbeddingGenerator, EmbeddingSettings, Embeddings, RecordDefinition,
        StoredRecord, VectorField, VectorStoreExt as _, VectorStoreTextSearch,
    },
};
use textsearch_kernel::{
    Kernel, KernelArguments, TextSearchPlugins as _, chat::FunctionChoiceBehavior,
};
use textsearch_vector_inmemory::InMemoryVectorStore;

use recorded::{recorded, start};

/// Version 0.1.0 of the conventions: operation, name and kind of the span, metric of the duration.
const CONVENTIONS: [[&str; 4]; 4] = [
    ["chat", "chat tabled", "client", "gen_ai.client.inference.duration"],
    ["execute_tool", "execute_tool Tabled-Search", "internal", "gen_ai.execute_tool.duration"],
    ["retrieval", "retrieval", "internal", "gen_ai.retrieval.duration"],
    ["embeddings", "embeddings tabled-2", "client", "gen_ai.client.embeddings.duration"],
];

const CHAT_DURATION: &str = "gen_ai.client.inference.duration";

/// Answers unless its name is `down`.
struct Model(&'static str);

#[async_trait]
impl ChatCompletion for Model {
    fn name(&self) -> &str {
        "scripted"
    }

    fn model_id(&self) -> &str {
        self.0
    }

    async fn complete(&self, _: &ChatHistory, _: &ChatOptions) -> Result<ChatResponse> {
        if self.0 == "down" {
            return Err(Error::new(ErrorKind::Unavailable, "scripted", "not there"));
        }
        let mut usage = Usage::new(11, 3);
        (usage.cached_tokens, usage.reasoning_tokens) = (4, 2);
        let mut answer = ChatResponse::new(ChatMessage::assistant("secret"));
        answer.usage = Some(usage);
        answer.model = Some("script-2026".to_owned());
        Ok(answer)
    }
}

fn kernel(model: &'static str) -> Kernel {
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", Model(model)).unwrap();
    let search = FixedSearch::new([TextSearchResult::new("found")]);
    kernel.add_plugin(search.create_with_search("Metered").unwrap()).unwrap();
    kernel
}

fn tokens(name: &str, model: &str) -> Vec<recorded::Recorded> {
    recorded(&format!("gen_ai.client.inference.{name}"), "gen_ai.request.model", model)
}

fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("secret?")])
}

struct Embedder;

#[async_trait]
impl EmbeddingGenerator for Embedder {
    fn model_id(&self) -> &str {
        "tabled-2"
    }

    fn dimensions(&self) -> Option<usize> {
        Some(2)
    }

    async fn generate(&self, texts: &[String], _: &EmbeddingSettings) -> Result<Embeddings> {
        Ok(Embeddings::new(texts.iter().map(|_| [1.0, 0.5].into()).collect()))
    }
}

/// A model, and a search that embeds its query.
async fn tabled() -> Kernel {
    let vector = VectorField::new("embedding", 2).embedded_from(["text"]);
    let definition =
        RecordDefinition::new("id").with_data(DataField::string("text")).with_vector(vector);
    let store = InMemoryVectorStore::new().with_embedding_generator(Embedder);
    let notes = store.dynamic_collection("notes", definition).unwrap();
    notes.ensure_exists().await.unwrap();
    let note = json!({ "id": "1", "text": "a note" });
    let note = StoredRecord::from_serialize(&note, notes.definition()).unwrap();
    notes.upsert(vec![note]).await.unwrap();
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", Model("tabled")).unwrap();
    let search = VectorStoreTextSearch::new(notes);
    kernel.add_plugin(search.create_with_search("Tabled").unwrap()).unwrap();
    kernel
}

#[tokio::test]
async fn spans_and_durations_have_their_conventional_names() {
    start();
    let kernel = tabled().await;
    let log = LogCapture::start();
    kernel.chat(question(), FunctionChoiceBehavior::none()).await.unwrap();
    let arguments = KernelArguments::new().with("query", "secret");
    kernel.invoke("Tabled", "Search", arguments).await.unwrap();
    let spans = log.spans();
    let named: Vec<[&str; 3]> = spans
        .iter()
        .map(|CapturedSpan { name, fields, .. }| {
            let shown = fields.get("otel.name").map_or(*name, String::as_str);
            [fields["gen_ai.operation.name"].as_str(), shown, fields["otel.kind"].as_str()]
        })
        .collect();
    assert_eq!(named, CONVENTIONS.map(|[operation, name, kind, _]| [operation, name, kind]));
    for [operation, _, _, duration] in CONVENTIONS {
        assert!(!recorded(duration, "gen_ai.operation.name", operation).is_empty(), "{duration}");
    }
}

#[tokio::test]
async fn a_chat_records_its_duration_and_tokens() {
    start();
    kernel("script").chat(question(), FunctionChoiceBehavior::auto()).await.unwrap();
    let durations = recorded(CHAT_DURATION, "gen_ai.request.model", "script");
    assert_eq!((durations.len(), durations[0].count), (1, 1), "{durations:?}");
    assert_eq!(durations[0].attributes["gen_ai.operation.name"], "chat");
    assert_eq!(durations[0].attributes["gen_ai.provider.name"], "scripted");
    assert_eq!(durations[0].attributes["gen_ai.response.model"], "script-2026");
    let expected = [
        ("usage.input_tokens", 11.0),
        ("usage.output_tokens", 3.0),
        ("usage.cache_read.input_tokens", 4.0),
        ("usage.reasoning.output_tokens", 2.0),
        ("operation.input_tokens", 11.0),
        ("operation.output_tokens", 3.0),
    ];
    for (name, sum) in expected {
        let tokens = tokens(name, "script");
        assert_eq!((tokens.len(), tokens[0].sum), (1, sum), "{name}: {tokens:?}");
        let modality = tokens[0].attributes.get("gen_ai.token.modality").map(String::as_str);
        assert_eq!(modality, name.starts_with("usage").then_some("unknown"), "{name}");
    }
}

#[tokio::test]
async fn a_failed_chat_records_the_kind_of_its_error() {
    start();
    kernel("down").chat(question(), FunctionChoiceBehavior::auto()).await.unwrap_err();
    let durations = recorded(CHAT_DURATION, "gen_ai.request.model", "down");
    assert_eq!(durations[0].attributes["error.type"], "unavailable");
    let tokens = tokens("operation.input_tokens", "down");
    assert_eq!((tokens[0].count, tokens[0].sum), (1, 0.0));
    assert_eq!(tokens[0].attributes["error.type"], "unavailable");
}

#[tokio::test]
async fn a_call_records_its_duration() {
    start();
    let kernel = kernel("unused");
    let arguments = KernelArguments::new().with("query", "secret");
    kernel.invoke("Metered", "Search", arguments).await.unwrap();
    kernel.invoke("Metered", "Search", KernelArguments::new()).await.unwrap_err();
    let calls = recorded("gen_ai.execute_tool.duration", "gen_ai.tool.name", "Metered-Search");
    let count_of = |error: Option<&str>| {
        let is_of = |call: &&recorded::Recorded| {
            call.attributes.get("error.type").map(String::as_str) == error
        };
        calls.iter().filter(is_of).map(|call| call.count).sum::<u64>()
    };
    assert_eq!((count_of(None), count_of(Some("invalid_argument"))), (1, 1), "{calls:?}");
}
