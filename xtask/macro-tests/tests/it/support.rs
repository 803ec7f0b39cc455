//! Shared helpers.

use serde_json::Value;
use textsearch_kernel::{Kernel, KernelArguments, KernelFunction, KernelPlugin, Result};

pub(crate) async fn call(function: KernelFunction, arguments: KernelArguments) -> Result<Value> {
    let name = function.name().to_owned();
    let mut kernel = Kernel::new();
    kernel.add_plugin(KernelPlugin::new("Test", "", [function])?)?;
    Ok(kernel.invoke("Test", &name, arguments).await?.value.into_json())
}

pub(crate) fn arguments<const N: usize>(values: [(&str, Value); N]) -> KernelArguments {
    values.into_iter().collect()
}
