//! `POST /v1/prompt`.

use std::sync::Arc;

use axum::{
    Extension,
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::header;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use textsearch_core::chat::ChatHistory;
use textsearch_kernel::{KernelArguments, prompt::PromptTemplateConfig};
use utoipa::ToSchema;

use crate::{
    body::JsonBody,
    calls::{Call, CitedSource, Recorder, cited},
    capacity::Permit,
    problem::{Answer, Kind, Problem, internal},
    shared::Shared,
    tenant::Tenant,
};

/// Of English. Only a model's own tokenizer counts exactly.
const CHARACTERS_PER_TOKEN: usize = 4;

/// A template to render.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "template": "{{SearchPlugin-Search 'fusion' count=1}}" }))]
pub(crate) struct PromptRequest {
    /// The template. `SearchPlugin` searches the source.
    template: String,
    /// The language of the template: `handlebars` by default.
    #[serde(default)]
    format: TemplateFormat,
    /// The variables of the template.
    #[serde(default)]
    arguments: Map<String, Value>,
    /// The source that `SearchPlugin` searches; the first by default. Each source is also a plugin
    /// under its own name.
    #[serde(default)]
    #[schema(min_length = 1)]
    source: Option<String>,
}

/// The language of a template.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum TemplateFormat {
    #[default]
    Handlebars,
    SemanticKernel,
}

/// A rendered template.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PromptResponse {
    /// The text; of a chat prompt, encoded and with its tags.
    text: String,
    /// The messages of a chat prompt; null if the prompt is a plain text.
    messages: Option<Vec<Message>>,
    /// About how many tokens a model reads: one for each four characters.
    estimated_tokens: usize,
    /// The calls that the template made, in order.
    calls: Vec<Call>,
    /// The results that the template read, to cite.
    sources: Vec<CitedSource>,
}

/// A message of a chat.
#[derive(Debug, Serialize, ToSchema)]
struct Message {
    /// Such as `user`.
    role: &'static str,
    content: String,
}

impl TemplateFormat {
    const fn name(self) -> &'static str {
        match self {
            Self::Handlebars => "handlebars",
            Self::SemanticKernel => "semantic-kernel",
        }
    }
}

/// Renders a template with search results.
#[utoipa::path(
    post, path = "/v1/prompt", operation_id = "prompt", tag = "prompt",
    request_body = PromptRequest,
    responses((status = 200, description = "The rendered prompt", body = PromptResponse)),
)]
pub(crate) async fn prompt(
    State(shared): State<Arc<Shared>>,
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(permit): Extension<Permit>,
    JsonBody(request): JsonBody<PromptRequest>,
) -> Answer<Response> {
    let PromptRequest { template, format, arguments, source } = request;
    let max = shared.config.max_template_bytes;
    if template.len() > max {
        let detail = format!("the template has {} bytes", template.len());
        let problem = Problem::new(Kind::TooLarge, detail).with_field("template");
        return Err(problem.with_allowed([format!("at most {max} bytes")]));
    }
    let mut kernel = tenant.kernel_for(tenant.source(source.as_deref())?);
    let recorder = Recorder::new(shared.config.max_calls);
    kernel.add_function_filter(recorder.clone());
    let config = PromptTemplateConfig::new(template).with_template_format(format.name());
    let compiling = kernel.clone();
    // A large template takes long to compile. Meanwhile other requests continue.
    let prompt = permit.run_blocking(move || compiling.compile_prompt(&config)).await??;
    let rendered = prompt.render(&kernel, &KernelArguments::from(arguments)).await;
    let recorded = recorder.take();
    recorded.calls.iter().for_each(|_| shared.metrics.count_call());
    if recorded.over_limit {
        let detail = format!("the template makes more than {} calls", shared.config.max_calls);
        return Err(Problem::new(Kind::TooManyCalls, detail).with_field("template"));
    }
    let rendered = rendered?;
    let text = rendered.text.clone();
    let is_chat = rendered.is_chat;
    let history = rendered.into_history();
    let characters: usize =
        history.messages().iter().map(|message| message.text().chars().count()).sum();
    let response = PromptResponse {
        text,
        messages: is_chat.then(|| messages(&history)),
        estimated_tokens: characters.div_ceil(CHARACTERS_PER_TOKEN),
        calls: recorded.calls,
        sources: cited(&recorded.sources),
    };
    // JSON escapes can make it six times as long as the text.
    let body = serde_json::to_vec(&response).map_err(|error| internal(&error))?;
    let max = shared.config.max_response_bytes;
    if body.len() > max {
        let detail = format!("the response has {} bytes", body.len());
        let problem = Problem::new(Kind::TooLarge, detail).with_field("template");
        return Err(problem.with_allowed([format!("at most {max} bytes")]));
    }
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

fn messages(history: &ChatHistory) -> Vec<Message> {
    let messages = history.messages().iter();
    messages.map(|message| Message { role: message.role.name(), content: message.text() }).collect()
}
