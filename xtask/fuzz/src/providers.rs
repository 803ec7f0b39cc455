//! Responses of a SearXNG instance and of OpenAI's and Anthropic's APIs, whole and as server-sent events.

use bytes::Bytes;
use futures_util::stream;
use textsearch_anthropic::{AnthropicChat, AnthropicConfig};
use textsearch_core::{
    Error, SearchOptions, TextSearchConnector, TextSearchRecord as _, async_trait,
    http::{
        HeaderMap, HeaderName, HeaderValue, HttpClient, HttpSettings, HttpTransport, StatusCode,
        TransportError, TransportRequest, TransportResponse,
    },
    vector::{EmbeddingGenerator, EmbeddingPurpose, EmbeddingSettings},
};
use textsearch_openai::{
    ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatUpdate, OpenAiChat, OpenAiConfig,
    OpenAiEmbeddings, Protocol,
};
use textsearch_searxng::{SearxngConfig, SearxngTextSearch};

/// The most calls that the client accepts in one response.
const MAX_CALLS: usize = 1_000;

#[derive(Debug)]
struct Answer {
    content_type: &'static str,
    body: Bytes,
    piece: usize,
}

#[async_trait]
impl HttpTransport for Answer {
    async fn send(&self, _: TransportRequest) -> Result<TransportResponse, TransportError> {
        let content_type = HeaderValue::from_static(self.content_type);
        let headers =
            HeaderMap::from_iter([(HeaderName::from_static("content-type"), content_type)]);
        let pieces: Vec<_> = self
            .body
            .chunks(self.piece.max(1))
            .map(|piece| Ok(Bytes::copy_from_slice(piece)))
            .collect();
        let body = Box::pin(stream::iter(pieces));
        Ok(TransportResponse::new(StatusCode::OK, headers, body))
    }
}

fn client(content_type: &'static str, body: &[u8], piece: usize) -> HttpClient {
    let answer = Answer { content_type, body: Bytes::copy_from_slice(body), piece };
    let settings = HttpSettings::default().with_max_attempts(1);
    made(HttpClient::from_transport("fuzz", settings, answer))
}

fn made<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| panic!("the settings are fine: {error}"))
}

/// There are no more results than requested, no link is empty, and each result is JSON.
pub(crate) fn searxng(input: &[u8]) {
    let search = made(SearxngTextSearch::new(SearxngConfig::new("http://search.example")));
    let search = search.with_http_client(client("application/json", input, input.len()));
    let options = SearchOptions::top(5);
    let records =
        crate::block_on(async { search.records("rust", &options).await?.into_vec().await });
    let Ok(records) = records else { return };
    assert!(records.len() <= 5, "more than was asked for: {records:?}");
    for record in records {
        assert_ne!(record.url.as_deref(), Some(""), "{record:?}");
        let result = record.to_result();
        assert!(serde_json::to_string(&result).is_ok(), "a result is JSON: {result:?}");
    }
}

/// Events mean the same however the network splits them. A stream ends with the whole answer or an
/// error.
pub(crate) fn events(input: &[u8]) {
    let meanings = |piece| {
        let chats = chats(|| client("text/event-stream", input, piece)).into_iter();
        chats.map(|chat| meaning(&*chat)).collect::<Vec<_>>()
    };
    let whole = meanings(input.len());
    assert_eq!(whole, meanings(1), "one byte at a time");
    assert_eq!(whole, meanings(7), "seven bytes at a time");
}

/// One for each API.
fn chats(client: impl Fn() -> HttpClient) -> Vec<Box<dyn ChatCompletion>> {
    let openai = |protocol: &Protocol| {
        let chat = made(OpenAiChat::new(config(*protocol))).with_http_client(client());
        Box::new(chat) as Box<dyn ChatCompletion>
    };
    let mut chats: Vec<_> = Protocol::ALL.iter().map(openai).collect();
    let anthropic = AnthropicConfig::new("key", "m").with_endpoint("http://model.example");
    chats.push(Box::new(made(AnthropicChat::new(anthropic)).with_http_client(client())));
    chats
}

/// Calls without an id get a new number each time.
fn meaning(chat: &dyn ChatCompletion) -> (String, Option<String>) {
    let (updates, error) = updates(chat);
    let updates = format!("{updates:?}");
    let mut parts = updates.split("call_without_id_");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
    (rest.fold(first, |text, part| text + part), error)
}

fn updates(chat: &dyn ChatCompletion) -> (Vec<ChatUpdate>, Option<String>) {
    crate::block_on(async {
        let mut updates = Vec::new();
        let mut stream = match chat.stream(&history(), &ChatOptions::new()).await {
            Ok(stream) => stream,
            Err(error) => return (updates, Some(error.to_string())),
        };
        while let Some(update) = stream.next().await {
            match update {
                Ok(update) => updates.push(update),
                Err(error) => return (updates, Some(error.to_string())),
            }
        }
        let is_whole = matches!(updates.last(), Some(ChatUpdate::Finished(_)));
        assert!(is_whole, "a stream without an error ends with the answer: {updates:?}");
        let calls = updates.iter().filter(|update| matches!(update, ChatUpdate::ToolCall(_)));
        assert!(calls.count() <= MAX_CALLS, "too many calls");
        (updates, None)
    })
}

fn config(protocol: Protocol) -> OpenAiConfig {
    let mut config = OpenAiConfig::without_key("http://model.example/v1", "m");
    config.protocol = protocol;
    config
}

/// A chat response has no more calls than the client accepts, and its citations are within its text.
/// Each text has one embedding, of finite numbers.
pub(crate) fn openai(input: &[u8]) {
    let client = || client("application/json", input, input.len());
    for chat in chats(client) {
        let answer = crate::block_on(chat.complete(&history(), &ChatOptions::new()));
        if let Ok(answer) = answer {
            assert!(answer.message.tool_calls().count() <= MAX_CALLS, "too many calls");
            assert!(
                serde_json::to_string(&answer.message).is_ok(),
                "a message is JSON: {answer:?}"
            );
            let text = answer.message.text();
            let mut citations = answer.message.citations.iter();
            assert!(
                citations.all(|citation| text.get(citation.range.clone()).is_some()),
                "{answer:?}"
            );
        }
    }
    let texts = ["a", "b"].map(str::to_owned);
    let embeddings =
        made(OpenAiEmbeddings::new(config(Protocol::ChatCompletions))).with_http_client(client());
    let settings = EmbeddingSettings::new(EmbeddingPurpose::Document);
    if let Ok(generated) = crate::block_on(embeddings.generate(&texts, &settings)) {
        assert_eq!(generated.vectors.len(), texts.len());
        assert!(
            generated.vectors.iter().all(|vector| vector.iter().all(|element| element.is_finite()))
        );
    }
}

fn history() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("Hello")])
}
