//! Formats of answers.

use std::{fmt, sync::Arc};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use textsearch_core::chat::{ChatHistory, ChatMessage, ChatRole, MessagePart, ResponseFormat};

use super::schema::{Reader, TypeSchema, mistake};
use crate::{
    chat::settings::Plan,
    function::ValueCheck,
    read::ReadError,
    schema::self_contained,
    text::{json_line, shorten_to},
};

/// In characters: enough for a list of mistakes.
const LONGEST_PROBLEM: usize = 4_000;

/// The format of a model's answer: a schema, a reader, and the number of repairs.
///
/// ```
/// use textsearch_kernel::{
///     Kernel, Result, chat::{AnswerFormat, FunctionChoiceBehavior, SchemaMode},
///     textsearch_core::chat::{ChatHistory, ChatMessage},
/// };
///
/// async fn prices(kernel: &Kernel) -> Result<std::collections::BTreeMap<String, f64>> {
///     let history = ChatHistory::from(vec![ChatMessage::user("What do our plans cost?")]);
///     // A map has fields of any name, which strict services refuse.
///     let mut format = AnswerFormat::new();
///     format.schema_mode = SchemaMode::Lenient;
///     let answer = kernel.chat_as(history, FunctionChoiceBehavior::auto(), &format).await?;
///     Ok(answer.value)
/// }
/// ```
#[non_exhaustive]
pub struct AnswerFormat<T> {
    /// The name of the form, which the model may see: letters, digits, `-` and `_`.
    pub name: String,
    /// The JSON schema of the answer.
    pub schema: Value,
    /// How the model learns the schema; [`SchemaMode::Strict`] by default.
    pub schema_mode: SchemaMode,
    /// The maximum number of times that the model may repair its answer; 2 by default.
    pub max_repairs: usize,
    /// The maximum length of an answer; 256 KiB by default. A longer one is a mistake, and only its
    /// beginning is sent back.
    pub max_answer_bytes: usize,
    reader: Arc<Reader<T>>,
}

/// How a model learns the schema of its answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaMode {
    /// As a response format that the service enforces. OpenAI, for one, can't enforce maps, so
    /// `OpenAiChat` refuses them.
    #[default]
    Strict,
    /// As a response format that guides the model.
    Lenient,
    /// As text in a system message: for services that refuse or ignore response formats.
    InPrompt,
}

impl<T> AnswerFormat<T> {
    /// Creates a format for answers of type `T`.
    ///
    /// The schema requires every field: use `Option` for a field that the model may not know. Doc
    /// comments become descriptions. Besides the type, the reader checks the `range` of numbers and
    /// the `length` of lists. If `T` isn't a struct, the model writes an object with one field,
    /// `answer`.
    pub fn new() -> Self
    where
        T: DeserializeOwned + JsonSchema + 'static,
    {
        let TypeSchema { name, schema, read } = TypeSchema::<T>::new();
        Self::from_parts(name, schema, read)
    }

    /// Creates a format with your own schema and reader. The kernel sends the reader's error to the
    /// model: name the mistake and its place. Errors are truncated to 4,000 characters.
    pub fn from_reader(
        name: impl Into<String>,
        schema: impl Into<Value>,
        reader: impl Fn(Value) -> Result<T, String> + Send + Sync + 'static,
    ) -> Self {
        Self::from_parts(name.into(), schema.into(), Arc::new(reader))
    }

    fn from_parts(name: String, schema: Value, reader: Arc<Reader<T>>) -> Self {
        Self {
            name,
            schema,
            schema_mode: SchemaMode::default(),
            max_repairs: 2,
            max_answer_bytes: 256 * 1024,
            reader,
        }
    }

    pub(in crate::chat) fn apply(&self, plan: &mut Plan, history: &mut ChatHistory) {
        match self.schema_mode {
            SchemaMode::InPrompt => self.instruct(history),
            mode => plan.set_response_format(&ResponseFormat::JsonSchema {
                name: self.name.clone(),
                schema: self.schema.clone(),
                strict: mode == SchemaMode::Strict,
            }),
        }
    }

    /// Some models refuse two system messages, and a search takes the last user message as its
    /// query: the text goes to the first system message.
    fn instruct(&self, history: &mut ChatHistory) {
        let text = format!(
            "Answer only with JSON of this schema, without any other text:\n{}",
            json_line(&self.schema)
        );
        let mut messages = std::mem::take(history).into_messages();
        match messages.first_mut() {
            Some(first) if first.role == ChatRole::System => {
                first.parts.push(MessagePart::Text { text: format!("\n\n{text}") });
            }
            _ => messages.insert(0, ChatMessage::system(text)),
        }
        *history = messages.into();
    }

    /// Returns the mistake as the error.
    pub(in crate::chat) fn read(&self, text: &str) -> Result<T, String> {
        if text.len() > self.max_answer_bytes {
            return Err(format!("the answer is longer than {} bytes", self.max_answer_bytes));
        }
        let value = serde_json::from_str(without_fence(text.trim()))
            .map_err(|error| format!("the answer is not JSON: {error}"))?;
        (self.reader)(value).map_err(|problem| shorten_to(&problem, LONGEST_PROBLEM))
    }

    /// A huge answer in the history would cost the same again at each repair.
    pub(in crate::chat) fn ask_again(&self, history: &mut ChatHistory, text: &str, problem: &str) {
        if text.len() > self.max_answer_bytes {
            let mut messages = std::mem::take(history).into_messages();
            if let Some(last) = messages.last_mut() {
                let ends = (0..=self.max_answer_bytes).rev();
                let head = ends.take(4).find_map(|end| text.get(..end)).unwrap_or_default();
                *last = ChatMessage::assistant(head);
            }
            *history = messages.into();
        }
        history.push(ChatMessage::user(format!(
            "{problem}\n\nWrite the whole answer again, without these mistakes and without any other text."
        )));
    }
}

impl AnswerFormat<Value> {
    /// Creates a format for a schema that a person wrote, which a service's response
    /// format may not support. The reader checks types, `enum`, `minimum`, `maximum`, items, fields
    /// and `required`.
    pub(in crate::chat) fn of_schema(name: &str, schema: &Value) -> Self {
        let check = ValueCheck::of_whole_schema(&self_contained(schema.clone()));
        let reader = move |value| {
            let checked = check.apply(value);
            checked.map_err(|error| mistake(&ReadError::new(&error.path, &error.message)))
        };
        let mut format = Self::from_reader(name, schema.clone(), reader);
        format.schema_mode = SchemaMode::InPrompt;
        format
    }
}

/// Many models put their JSON into a fenced code block, although told not to.
fn without_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    inner.and_then(|inner| inner.split_once('\n')).map_or(text, |(_, inner)| inner)
}

impl<T: DeserializeOwned + JsonSchema + 'static> Default for AnswerFormat<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Clone for AnswerFormat<T> {
    fn clone(&self) -> Self {
        let Self { schema_mode, max_repairs, max_answer_bytes, .. } = *self;
        let name = self.name.clone();
        let schema = self.schema.clone();
        let reader = Arc::clone(&self.reader);
        Self { name, schema, schema_mode, max_repairs, max_answer_bytes, reader }
    }
}

impl<T> fmt::Debug for AnswerFormat<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AnswerFormat")
            .field("name", &self.name)
            .field("schema_mode", &self.schema_mode)
            .field("max_repairs", &self.max_repairs)
            .field("max_answer_bytes", &self.max_answer_bytes)
            .finish_non_exhaustive()
    }
}
