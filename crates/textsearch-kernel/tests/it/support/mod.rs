//! What several tests use.

mod model;
mod template;

pub(crate) use model::{Improvised, Scripted, calls, kernel_with, settings, text};
pub(crate) use template::BracketsFactory;

use std::time::{Duration, Instant};

use serde_json::Value;
use textsearch_kernel::{
    FunctionMetadata, Invocation, Kernel, KernelArguments, KernelFunction, KernelPlugin,
    ParameterMetadata, Result,
};

/// How long `work` takes, the fastest of three: so that a busy machine matters less.
pub(crate) fn fastest(mut work: impl FnMut()) -> Duration {
    let runs = (0..3).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    runs.min().unwrap()
}

/// Asserts that `work` on twice the input takes about twice the time, and not four times as long.
#[track_caller]
pub(crate) fn assert_linear(size: usize, work: impl Fn(usize)) {
    let (small, large) = (fastest(|| work(size)), fastest(|| work(size * 2)));
    // What takes no time at all is not measured.
    assert!(
        large < small * 3 + Duration::from_millis(50),
        "{small:?} for {size}, {large:?} for twice as much"
    );
}

/// A kernel with one plugin called `Test`.
pub(crate) fn kernel_of(functions: impl IntoIterator<Item = KernelFunction>) -> Kernel {
    let mut kernel = Kernel::new();
    kernel.add_plugin(KernelPlugin::new("Test", "For tests.", functions).unwrap()).unwrap();
    kernel
}

/// The function `Echo`, which returns the arguments that its body gets.
pub(crate) fn echo(parameters: impl IntoIterator<Item = ParameterMetadata>) -> KernelFunction {
    let mut metadata = FunctionMetadata::new("Echo", "Returns its arguments.");
    metadata.parameters.extend(parameters);
    KernelFunction::new(metadata, |invocation: Invocation| async move {
        let arguments = invocation.arguments.iter();
        Ok(Value::Object(arguments.map(|(name, value)| (name.to_owned(), value.clone())).collect()))
    })
    .unwrap()
}

/// What `Echo` with these parameters gets of these arguments.
pub(crate) async fn echoed(
    parameters: impl IntoIterator<Item = ParameterMetadata>,
    arguments: KernelArguments,
) -> Result<Value> {
    let kernel = kernel_of([echo(parameters)]);
    Ok(kernel.invoke("Test", "Echo", arguments).await?.value.into_json())
}
