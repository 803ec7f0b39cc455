//! Tools as functions.

use std::{borrow::Cow, collections::HashSet, sync::Arc};

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};
use textsearch_core::serde::Serialize;
use textsearch_kernel::{
    KernelError, KernelFunction, KernelPlugin,
    function::{FunctionMetadata, Invocation, ParameterMetadata},
};

use super::{
    caller::Caller,
    content,
    listing::{Listed, RefusedTool},
};

/// Of `Plugin-function`; models' interfaces take no longer name.
const LONGEST_NAME: usize = 64;

const MAX_SCHEMA_BYTES: usize = 64 * 1024;

pub(super) fn plugin(
    caller: &Arc<Caller>,
    listed: &Listed,
) -> textsearch_kernel::Result<(KernelPlugin, Vec<RefusedTool>)> {
    let mut functions = Vec::new();
    let mut refused = listed.left_out.clone();
    let mut taken = HashSet::new();
    for tool in &listed.tools {
        let longest = LONGEST_NAME.saturating_sub(caller.name().len() + 1);
        match function(caller, tool, unique(&tool.name, longest, &mut taken)) {
            Ok(function) => functions.push(function),
            Err(error) => {
                let name = content::shorten(&tool.name);
                let reason = error.to_string();
                refused.push(RefusedTool { name, reason });
            }
        }
    }
    let plugin = KernelPlugin::new(caller.name(), listed.description.as_str(), functions)?;
    Ok((plugin, refused))
}

/// Function names ignore case, and have only letters, digits and `_` in both template languages.
fn unique(name: &str, longest: usize, taken: &mut HashSet<String>) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let numbered = |number: usize| {
        let suffix = if number == 1 { String::new() } else { format!("_{number}") };
        let kept = name.get(..longest.saturating_sub(suffix.len())).unwrap_or(&name);
        format!("{kept}{suffix}")
    };
    // Each taken name blocks at most one number.
    let free = (1..=taken.len() + 1).map(numbered);
    let free = free.into_iter().find(|name| !taken.contains(&name.to_ascii_lowercase()));
    let name = free.unwrap_or(name);
    taken.insert(name.to_ascii_lowercase());
    name
}

/// The schemas go to models with each request, and plans are checked against them. The kernel bounds how
/// much they grow when their definitions are inlined.
fn check_size(tool: &Tool, name: &str, schema: &impl Serialize) -> textsearch_kernel::Result<()> {
    let size = serde_json::to_string(schema).map_or(0, |json| json.len());
    if size <= MAX_SCHEMA_BYTES {
        return Ok(());
    }
    let message = format!("its {name} has {size} bytes; at most {MAX_SCHEMA_BYTES}");
    Err(KernelError::invalid_function(content::shorten(&tool.name), message))
}

fn function(
    caller: &Arc<Caller>,
    tool: &Tool,
    name: String,
) -> textsearch_kernel::Result<KernelFunction> {
    check_size(tool, "input schema", &tool.input_schema)?;
    check_size(tool, "output schema", &tool.output_schema)?;
    let description = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let mut metadata = FunctionMetadata::new(name, content::shorten(description));
    if metadata.name != tool.name {
        metadata.original_name = Some(tool.name.clone().into_owned());
    }
    let input = Value::Object(JsonObject::clone(&tool.input_schema));
    metadata.parameters = ParameterMetadata::from_object_schema(input);
    if let Some(output) = &tool.output_schema {
        metadata = metadata.with_return("", output_schema(output));
    }
    if let Some(annotations) = &tool.annotations {
        metadata.read_only = annotations.read_only_hint;
        metadata.is_open_world = annotations.open_world_hint;
    }
    let caller = Arc::clone(caller);
    let tool = tool.name.clone();
    KernelFunction::new(metadata, move |invocation| {
        call(Arc::clone(&caller), tool.clone(), invocation)
    })
}

async fn call(
    caller: Arc<Caller>,
    tool: Cow<'static, str>,
    invocation: Invocation,
) -> textsearch_kernel::Result<Value> {
    let arguments = invocation.arguments.iter();
    let arguments = arguments.map(|(name, value)| (name.to_owned(), value.clone())).collect();
    caller.call(&invocation.function.qualified_name(), tool.into_owned(), arguments).await
}

/// The schema of the values of [`content::value`].
fn output_schema(output: &JsonObject) -> Value {
    let is_wrapper = output.get("required").is_some_and(|names| *names == json!(["result"]));
    let wrapped = output.get("properties").and_then(|properties| properties.get("result"));
    match wrapped.filter(|_| is_wrapper) {
        Some(wrapped) => wrapped.clone(),
        None => Value::Object(output.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_legal_short_and_unique() {
        let mut taken = HashSet::new();
        let mut named = |name: &str| unique(name, 8, &mut taken);
        assert_eq!(named("a.b/c"), "a_b_c");
        assert_eq!(named("A-B-C"), "A_B_C_2");
        assert_eq!(named("a b c"), "a_b_c_3");
        assert_eq!(named("long_name_1"), "long_nam");
        assert_eq!(named("long_name_2"), "long_n_2");
        assert_eq!(named("日本"), "__");
    }
}
