//! Answers the requests of clients.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
        GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities,
        ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use textsearch_core::chat::ToolCall;
use textsearch_kernel::{
    Kernel,
    chat::{CallErrorKind, FunctionChoiceBehavior, OfferedFunctions, ToolAnswer},
};
use tokio::{sync::Semaphore, time};

use super::{
    McpDocuments, McpServerConfig,
    documents::Documents,
    prompts::{self, ServedPrompt},
    research, tools,
    trace::traced,
};
use crate::{McpError, Result};

/// Pause between two notifications of progress.
const PROGRESS: Duration = Duration::from_secs(1);

/// How long a client may keep the tools and prompts, in milliseconds: only another start of the server changes
/// them. Searches change resources at any time.
const LIST_TTL: u64 = 5 * 60 * 1000;

#[derive(Clone)]
pub(super) struct Handler(Arc<State>);

struct State {
    kernel: Kernel,
    offered: OfferedFunctions,
    tools: Vec<Tool>,
    prompts: Vec<ServedPrompt>,
    documents: Documents,
    permits: Semaphore,
    info: ServerConfig,
    max_result_characters: usize,
    call_timeout: Duration,
    research: Option<McpDocuments>,
}

impl Handler {
    pub(super) fn new(kernel: Kernel, config: McpServerConfig) -> Result<Self> {
        for (setting, value) in [
            ("max_result_characters", config.max_result_characters),
            ("max_concurrent_calls", config.max_concurrent_calls),
        ] {
            if value == 0 {
                return Err(McpError::invalid_setting(setting, "is 0: expected 1 or more"));
            }
        }
        if config.call_timeout.is_zero() {
            return Err(McpError::invalid_setting("call_timeout", "is 0: expected more"));
        }
        let mut behavior = FunctionChoiceBehavior::auto();
        behavior.functions.clone_from(&config.functions);
        let offered = kernel.offered_functions(&behavior)?;
        let functions = offered.functions().iter().zip(offered.definitions());
        let tools =
            functions.map(|(function, definition)| tools::tool(function, definition.parameters));
        let mut tools: Vec<Tool> = tools.collect();
        if config.documents.is_some() {
            tools.extend(research::tools());
        }
        let prompts = prompts::serve(&kernel, &config.prompts)?;
        Ok(Self(Arc::new(State {
            tools,
            prompts,
            documents: Documents::new(config.max_documents),
            permits: Semaphore::new(config.max_concurrent_calls.min(Semaphore::MAX_PERMITS)),
            info: info(&config),
            max_result_characters: config.max_result_characters,
            call_timeout: config.call_timeout,
            research: config.documents,
            kernel,
            offered,
        })))
    }

    #[cfg(feature = "http-server")]
    pub(super) fn call_timeout(&self) -> Duration {
        self.0.call_timeout
    }

    pub(super) fn tool_names(&self) -> Vec<&str> {
        self.0.tools.iter().map(|tool| tool.name.as_ref()).collect()
    }
}

fn info(config: &McpServerConfig) -> ServerConfig {
    let capabilities = ServerCapabilities::builder().enable_tools();
    let capabilities = match (config.prompts.is_empty(), config.max_documents) {
        (true, 0) => capabilities.build(),
        (true, _) => capabilities.enable_resources().build(),
        (false, 0) => capabilities.enable_prompts().build(),
        (false, _) => capabilities.enable_resources().enable_prompts().build(),
    };
    let mut info = ServerConfig::new(capabilities);
    info.server_info = Implementation::new(config.name.as_str(), config.version.as_str());
    info.instructions.clone_from(&config.instructions);
    info
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.0.info.clone()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ListToolsResult::with_all_items(self.0.tools.clone());
        // Another tenant may see other tools.
        Ok(tools.with_ttl_ms(LIST_TTL).with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let cancelled = context.ct.clone();
        let call = traced(self.0.call(request, &context), &context.meta);
        let Some(result) = cancelled.run_until_cancelled(call).await else {
            return Err(ErrorData::internal_error("the client cancelled the call", None));
        };
        result.map(CallToolResponse::from)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.0.prompts.iter().map(|prompt| prompt.definition.clone());
        let prompts = ListPromptsResult::with_all_items(prompts.collect());
        Ok(prompts.with_ttl_ms(LIST_TTL).with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let cancelled = context.ct.clone();
        let prompt = traced(self.0.prompt(request), &context.meta);
        match cancelled.run_until_cancelled(prompt).await {
            Some(result) => result,
            None => Err(ErrorData::internal_error("the client cancelled the prompt", None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = ListResourcesResult::with_all_items(self.0.documents.list());
        Ok(resources.with_ttl_ms(0).with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self.0.documents.read(&request.uri) {
            Some(contents) => {
                let read = ReadResourceResult::new(vec![contents]);
                Ok(read.with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
            }
            None => {
                let message = "no such document: search again, the server keeps only the latest";
                Err(ErrorData::resource_not_found(message, Some(json!({ "uri": request.uri }))))
            }
        }
    }
}

impl State {
    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        if let Some(documents) = self.research.as_ref().filter(|it| it.offers(&request.name)) {
            let arguments = request.arguments.unwrap_or_default();
            let call = documents.call(&request.name, &arguments, self.max_result_characters);
            let result = self.in_time(&request.name, call, context).await;
            return Ok(result.unwrap_or_else(|late| late));
        }
        let arguments = request.arguments.map(|arguments| Value::Object(arguments).to_string());
        let id = context.id.to_string();
        let call = ToolCall::new(id, request.name.as_ref(), arguments.unwrap_or_default());
        let answer = self.kernel.answer_call(&call, &self.offered, self.max_result_characters);
        match self.in_time(&call.name, answer, context).await {
            Ok(Ok(answer)) => Ok(self.succeeded(&call.name, answer)),
            Ok(Err(error)) if error.kind == CallErrorKind::UnknownFunction => {
                Err(ErrorData::invalid_params(error.message, None))
            }
            Ok(Err(error)) => {
                if let Some(cause) = &error.source {
                    let cause: &dyn std::error::Error = cause.as_ref();
                    tracing::warn!(tool = call.name, error = cause, "a tool call failed");
                }
                Ok(tools::failed(&error))
            }
            Err(late) => Ok(late),
        }
    }

    /// Waits for a permit and runs a call, with progress. If it takes too long, returns the result to send
    /// instead.
    async fn in_time<T>(
        &self,
        tool: &str,
        call: impl Future<Output = T>,
        context: &RequestContext<RoleServer>,
    ) -> Result<T, CallToolResult> {
        let running = async {
            // Never closed.
            let _permit = self.permits.acquire().await;
            call.await
        };
        let done = time::timeout(self.call_timeout, with_progress(running, context)).await;
        done.map_err(|_| {
            tracing::warn!(tool, "a tool call took too long");
            let seconds = self.call_timeout.as_secs_f64();
            let text = format!("the call took longer than {seconds} s and was stopped");
            CallToolResult::error(vec![ContentBlock::text(text)])
        })
    }

    fn succeeded(&self, name: &str, answer: ToolAnswer) -> CallToolResult {
        let shown = match (answer.truncated, answer.value.get("result")) {
            (true, Some(Value::Array(shown))) => shown.len(),
            _ => usize::MAX,
        };
        let links = self.documents.remember(&answer.result.value, shown);
        let is_it = |tool: &&Tool| tool.name.eq_ignore_ascii_case(name);
        let structured =
            self.tools.iter().find(is_it).is_some_and(|tool| tool.output_schema.is_some());
        let mut result = tools::succeeded(answer, structured);
        result.content.extend(links.into_iter().map(ContentBlock::resource_link));
        result
    }

    async fn prompt(
        &self,
        request: GetPromptRequestParams,
    ) -> Result<GetPromptResponse, ErrorData> {
        let is_it = |prompt: &&ServedPrompt| prompt.definition.name == request.name;
        let Some(prompt) = self.prompts.iter().find(is_it) else {
            let known: Vec<&str> =
                self.prompts.iter().map(|prompt| prompt.definition.name.as_str()).collect();
            let message = format!("there is no such prompt; the prompts are {}", known.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        if let Some(missing) = prompt.missing(&arguments) {
            let message = format!("the argument `{missing}` is missing");
            return Err(ErrorData::invalid_params(message, None));
        }
        let rendered = async {
            // Never closed.
            let _permit = self.permits.acquire().await;
            prompt.render(&self.kernel, arguments).await
        };
        match time::timeout(self.call_timeout, rendered).await {
            Ok(Ok(result)) => Ok(result.into()),
            Ok(Err(error)) => {
                let cause: &dyn std::error::Error = &error;
                tracing::warn!(prompt = request.name, error = cause, "a prompt failed");
                Err(ErrorData::internal_error("the prompt failed", None))
            }
            Err(_) => Err(ErrorData::internal_error("the prompt took too long", None)),
        }
    }
}

/// Tells a client that asked for progress every second that the call still runs.
async fn with_progress<T>(
    running: impl Future<Output = T>,
    context: &RequestContext<RoleServer>,
) -> T {
    let Some(token) = context.meta.get_progress_token() else { return running.await };
    let mut running = std::pin::pin!(running);
    let mut seconds = 0.0;
    loop {
        match time::timeout(PROGRESS, &mut running).await {
            Ok(done) => return done,
            Err(_) => seconds += PROGRESS.as_secs_f64(),
        }
        let progress = ProgressNotificationParam::new(token.clone(), seconds)
            .with_message(format!("running for {seconds} s"));
        // A client that is gone needs none.
        let _ = context.peer.notify_progress(progress).await;
    }
}
