//! Function calls.

use std::{fmt, pin::pin, sync::Arc};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value};
use textsearch_core::{
    chat::ToolCall,
    telemetry::{self, IS_ON, Operation, Timer},
};
use tracing::{Instrument, Span, field};

use super::Kernel;
use crate::{
    KernelArguments, KernelError, KernelFunction, Result,
    function::{FunctionResult, Returned, describe_type, run_filtered},
    text::shorten,
};

impl Kernel {
    /// Calls the function `name` of the plugin `plugin`.
    ///
    /// # Errors
    ///
    /// Returns [`FunctionNotFound`](KernelError::FunctionNotFound) if there is no such function, or
    /// an error of [`invoke_function`](Self::invoke_function).
    pub async fn invoke(
        &self,
        plugin: &str,
        name: &str,
        arguments: KernelArguments,
    ) -> Result<FunctionResult> {
        let function = self
            .function(Some(plugin), name)
            .ok_or_else(|| self.function_not_found(&format!("{plugin}-{name}")))?;
        self.invoke_function(function, arguments).await
    }

    /// Calls `function` through the filters.
    ///
    /// The function receives only declared arguments, although a template passes all its variables.
    /// A text that spells a number, boolean, list or object is converted to the parameter's type,
    /// since templates can only write texts. Null means an omitted argument, which gets the
    /// parameter's default.
    ///
    /// The call runs in a span `execute_tool`, without the arguments and the result unless
    /// [`set_content_recording`](Self::set_content_recording) is on.
    ///
    /// # Errors
    ///
    /// - [`InvalidArgument`](KernelError::InvalidArgument) if a required argument is missing, or
    ///   one does not fit its type, bounds or values.
    /// - [`FunctionFailed`](KernelError::FunctionFailed), with the function's own error as its
    ///   source.
    /// - Any error that a filter returns.
    pub async fn invoke_function(
        &self,
        function: &KernelFunction,
        arguments: KernelArguments,
    ) -> Result<FunctionResult> {
        self.call(function, arguments, None).await
    }

    /// Calls the function that a model requested, with the arguments it wrote.
    ///
    /// The model can call every function of the kernel. To allow only offered functions, use
    /// [`invoke_offered`](Self::invoke_offered), or let [`chat`](Self::chat) run the calls.
    ///
    /// The name is `Plugin-Function`, split at the first `-`. Empty arguments count as an empty
    /// object. Unlike in [`invoke_function`](Self::invoke_function), an undeclared or repeated
    /// argument is an error.
    ///
    /// # Errors
    ///
    /// - [`FunctionNotFound`](KernelError::FunctionNotFound), which lists the registered functions.
    /// - [`InvalidArguments`](KernelError::InvalidArguments) if the arguments are not a JSON
    ///   object.
    /// - [`InvalidArgument`](KernelError::InvalidArgument) for an unknown argument, which lists the
    ///   parameters.
    /// - Any error of [`invoke_function`](Self::invoke_function).
    pub async fn invoke_tool_call(&self, call: &ToolCall) -> Result<FunctionResult> {
        let parts = call.name.split_once('-');
        let function = parts.and_then(|(plugin, function)| self.function(Some(plugin), function));
        let function = function.ok_or_else(|| self.function_not_found(&call.name))?;
        self.invoke_call_of(function, call).await
    }

    pub(crate) async fn invoke_call_of(
        &self,
        function: &KernelFunction,
        call: &ToolCall,
    ) -> Result<FunctionResult> {
        let arguments = tool_arguments(function, &call.arguments)?;
        self.call(function, arguments.into(), Some(&call.id)).await
    }

    pub(crate) async fn call(
        &self,
        function: &KernelFunction,
        arguments: KernelArguments,
        call_id: Option<&str>,
    ) -> Result<FunctionResult> {
        let span = tracing::info_span!(
            "execute_tool",
            otel.name = field::Empty,
            otel.kind = "internal",
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = field::Empty,
            gen_ai.tool.type = "function",
            gen_ai.tool.call.id = field::Empty,
            gen_ai.tool.call.arguments = field::Empty,
            gen_ai.tool.call.result = field::Empty,
            error.type = field::Empty,
        );
        let has_content = self.records_content() && !span.is_disabled();
        if has_content {
            span.record("gen_ai.tool.call.arguments", arguments.to_json());
        }
        let timer = Timer::new();
        let marked = call_id.is_some().then(|| self.for_model());
        let running = run_filtered(marked.as_ref().unwrap_or(self), function, arguments);
        let returned = if span.is_disabled() {
            running.await
        } else {
            let running = pin!(running);
            let running = telemetry::recording_content(self.records_content(), running);
            in_span(span.clone(), function, call_id, running).await
        };
        if IS_ON {
            let name = function.metadata().qualified_name();
            let error = returned.as_ref().err().map(KernelError::name);
            timer.record(Operation::ExecuteTool, &[("gen_ai.tool.name", &name)], error);
        }
        let Returned { value, metadata } = returned?;
        if has_content {
            span.record("gen_ai.tool.call.result", value.to_string());
        }
        Ok(FunctionResult { function: Arc::clone(function.metadata()), value, metadata })
    }
}

async fn in_span(
    span: Span,
    function: &KernelFunction,
    call_id: Option<&str>,
    running: impl Future<Output = Result<Returned>>,
) -> Result<Returned> {
    let name = function.metadata().qualified_name();
    span.record("otel.name", field::display(format_args!("execute_tool {name}")));
    span.record("gen_ai.tool.name", name);
    if let Some(id) = call_id {
        // The model's server chooses the id, so limit its length.
        span.record("gen_ai.tool.call.id", shorten(id));
    }
    let result = running.instrument(span.clone()).await;
    result.inspect_err(|error| {
        span.record("error.type", error.name());
    })
}

pub(crate) fn tool_arguments(
    function: &KernelFunction,
    written: &str,
) -> Result<Map<String, Value>> {
    let name = || function.metadata().qualified_name();
    if written.trim().is_empty() {
        return Ok(Map::new());
    }
    let Written(pairs) = serde_json::from_str(written).map_err(|_| {
        let message = format!("must be a JSON object: {}", describe_mistake(written));
        KernelError::InvalidArguments { function: name(), message }
    })?;
    let mut arguments = Map::new();
    let mut names: Vec<&str> = Vec::with_capacity(pairs.len());
    for (argument, value) in pairs {
        let Some(parameter) = function.metadata().parameter(&argument) else {
            let unknown = shorten(&argument);
            return Err(KernelError::invalid_argument(name(), unknown, describe_known(function)));
        };
        if names.contains(&parameter.name.as_str()) {
            let message = "is given twice (names ignore case); give it once";
            return Err(KernelError::invalid_argument(name(), &parameter.name, message));
        }
        names.push(&parameter.name);
        arguments.insert(argument, value);
    }
    Ok(arguments)
}

fn describe_mistake(written: &str) -> String {
    match serde_json::from_str::<Value>(written) {
        Ok(other) => format!("found {}", describe_type(&other)),
        Err(error) => error.to_string(),
    }
}

/// A map would hide a repeated name.
struct Written(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(WrittenVisitor)
    }
}

struct WrittenVisitor;

impl<'de> Visitor<'de> for WrittenVisitor {
    type Value = Written;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Written, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Written(pairs))
    }
}

fn describe_known(function: &KernelFunction) -> String {
    let parameters = &function.metadata().parameters;
    let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    if known.is_empty() {
        return "is unknown; the function takes no arguments".to_owned();
    }
    format!("is unknown; use only {}", known.join(", "))
}
