//! A scripted model.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;
use textsearch_kernel::{
    Kernel,
    chat::FunctionChoiceBehavior,
    prompt::ExecutionSettings,
    textsearch_core::{
        Error, ErrorKind, Result, async_trait,
        chat::{
            ChatCompletion, ChatHistory, ChatMessage, ChatOptions, ChatResponse, ChatRole,
            ChatStream, ChatUpdate, MessagePart, ToolCall, Usage,
        },
    },
};

/// Answers with the next answer of a script, and records the requests.
pub(crate) struct Scripted {
    answers: Mutex<std::vec::IntoIter<Result<ChatResponse>>>,
    requests: Mutex<Vec<(ChatHistory, ChatOptions)>>,
}

impl Scripted {
    pub(crate) fn new(answers: impl IntoIterator<Item = ChatResponse>) -> Arc<Self> {
        Self::with_errors(answers.into_iter().map(Ok))
    }

    pub(crate) fn with_errors(
        answers: impl IntoIterator<Item = Result<ChatResponse>>,
    ) -> Arc<Self> {
        let answers: Vec<_> = answers.into_iter().collect();
        Arc::new(Self { answers: Mutex::new(answers.into_iter()), requests: Mutex::default() })
    }

    /// Oldest first.
    pub(crate) fn requests(&self) -> Vec<(ChatHistory, ChatOptions)> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn offered(&self) -> Vec<Vec<String>> {
        let requests = self.requests();
        let names =
            |options: &ChatOptions| options.tools.iter().map(|tool| tool.name.clone()).collect();
        requests.iter().map(|(_, options)| names(options)).collect()
    }

    pub(crate) fn tool_results(&self) -> Vec<String> {
        let (history, _) = self.requests().pop().unwrap();
        let parts = history.into_messages().into_iter().flat_map(|message| message.parts);
        let results = parts.filter_map(|part| match part {
            MessagePart::ToolResult(result) => Some(result.content),
            _ => None,
        });
        results.collect()
    }

    pub(crate) fn tool_results_json(&self) -> Vec<Value> {
        self.tool_results().iter().map(|result| serde_json::from_str(result).unwrap()).collect()
    }
}

#[async_trait]
impl ChatCompletion for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn model_id(&self) -> &str {
        "script-1"
    }

    async fn complete(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatResponse> {
        self.requests.lock().unwrap().push((history.clone(), options.clone()));
        let next = self.answers.lock().unwrap().next();
        next.unwrap_or_else(|| {
            Err(Error::new(ErrorKind::Backend, "scripted", "the script has ended"))
        })
    }

    /// Streams each word as a chunk.
    async fn stream(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatStream> {
        let response = self.complete(history, options).await?;
        let words: Vec<_> = response
            .message
            .text()
            .split_inclusive(' ')
            .map(|word| Ok(ChatUpdate::Text(word.to_owned())))
            .collect();
        let end = Ok(ChatUpdate::Finished(Box::new(response)));
        let updates = words.into_iter().chain([end]);
        Ok(ChatStream::from_stream(futures_util::stream::iter(updates)))
    }
}

/// Answers by the request's number, counted from 1, and its options.
pub(crate) struct Improvised<F> {
    answer: F,
    requests: AtomicUsize,
}

impl<F: Fn(usize, &ChatOptions) -> ChatResponse + Send + Sync> Improvised<F> {
    pub(crate) fn new(answer: F) -> Arc<Self> {
        Arc::new(Self { answer, requests: AtomicUsize::new(0) })
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl<F: Fn(usize, &ChatOptions) -> ChatResponse + Send + Sync> ChatCompletion for Improvised<F> {
    fn name(&self) -> &str {
        "improvised"
    }

    fn model_id(&self) -> &str {
        "improvised-1"
    }

    async fn complete(&self, _: &ChatHistory, options: &ChatOptions) -> Result<ChatResponse> {
        let number = self.requests.fetch_add(1, Ordering::SeqCst) + 1;
        Ok((self.answer)(number, options))
    }

    async fn stream(&self, history: &ChatHistory, options: &ChatOptions) -> Result<ChatStream> {
        Ok(self.complete(history, options).await?.into())
    }
}

pub(crate) fn text(text: &str) -> ChatResponse {
    with_usage(ChatResponse::new(ChatMessage::assistant(text)), 10, 2)
}

pub(crate) fn with_usage(mut response: ChatResponse, input: u64, output: u64) -> ChatResponse {
    response.usage = Some(Usage::new(input, output));
    response
}

/// The identifiers are `call-0`, `call-1`, …
pub(crate) fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> ChatResponse {
    let part = |(number, (name, arguments)): (usize, (&str, Value))| {
        let arguments = match arguments {
            Value::String(written) => written,
            other => other.to_string(),
        };
        MessagePart::ToolCall(ToolCall::new(format!("call-{number}"), name, arguments))
    };
    let parts = calls.into_iter().enumerate().map(part).collect();
    with_usage(ChatResponse::new(ChatMessage::new(ChatRole::Assistant, parts)), 10, 2)
}

pub(crate) fn kernel_with(mut kernel: Kernel, model: &Arc<Scripted>) -> Kernel {
    kernel.add_chat_service("scripted", model.clone()).unwrap();
    kernel
}

/// Offers every function.
pub(crate) fn settings() -> ExecutionSettings {
    FunctionChoiceBehavior::auto().into()
}
