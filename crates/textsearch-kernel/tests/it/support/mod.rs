//! Shared test helpers.

mod model;
mod template;

pub(crate) mod rendered;
pub(crate) use model::{Improvised, Scripted, calls, kernel_with, settings, text, with_usage};
pub(crate) use template::BracketsFactory;

use serde_json::Value;
use textsearch_kernel::{
    Kernel, KernelArguments, KernelFunction, KernelPlugin, Result,
    function::{FunctionMetadata, Invocation, ParameterMetadata},
};

pub(crate) fn kernel_of(functions: impl IntoIterator<Item = KernelFunction>) -> Kernel {
    let mut kernel = Kernel::new();
    kernel.add_plugin(KernelPlugin::new("Test", "For tests.", functions).unwrap()).unwrap();
    kernel
}

/// Returns the arguments its body receives.
pub(crate) fn echo(parameters: impl IntoIterator<Item = ParameterMetadata>) -> KernelFunction {
    let mut metadata = FunctionMetadata::new("Echo", "Returns its arguments.");
    metadata.parameters.extend(parameters);
    KernelFunction::new(metadata, |invocation: Invocation| async move {
        let arguments = invocation.arguments.iter();
        Ok(Value::Object(arguments.map(|(name, value)| (name.to_owned(), value.clone())).collect()))
    })
    .unwrap()
}

pub(crate) async fn echoed(
    parameters: impl IntoIterator<Item = ParameterMetadata>,
    arguments: KernelArguments,
) -> Result<Value> {
    let kernel = kernel_of([echo(parameters)]);
    Ok(kernel.invoke("Test", "Echo", arguments).await?.value.into_json())
}

/// Returns `value` with changed fields.
pub(crate) fn set<T>(mut value: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut value);
    value
}
