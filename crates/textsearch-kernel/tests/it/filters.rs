//! Filters around function calls.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, Result,
    function::{FunctionInvocationContext, FunctionInvocationFilter, Next, ParameterMetadata},
    textsearch_core::async_trait,
};

use crate::support::{echo, kernel_of};

type Log = Arc<Mutex<Vec<String>>>;

struct Named {
    name: &'static str,
    log: Log,
}

#[async_trait]
impl FunctionInvocationFilter for Named {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()> {
        self.log.lock().unwrap().push(format!(
            "{} before {}",
            self.name,
            context.function.qualified_name()
        ));
        let result = next.run(context).await;
        self.log.lock().unwrap().push(format!(
            "{} after {:?}",
            self.name,
            context.result.is_some()
        ));
        result
    }
}

enum Does {
    SetArgument(&'static str, Value),
    Answer(Value),
    Nothing,
    Wrap,
    Refuse,
    Recover,
    Retry,
}

#[async_trait]
impl FunctionInvocationFilter for Does {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()> {
        match self {
            Self::SetArgument(name, value) => {
                context.arguments.insert(*name, value.clone());
                next.run(context).await
            }
            Self::Answer(value) => {
                context.result = Some(value.clone().into());
                Ok(())
            }
            Self::Nothing => Ok(()),
            Self::Wrap => {
                next.run(context).await?;
                context.result =
                    context.result.take().map(|value| json!({ "wrapped": value }).into());
                Ok(())
            }
            Self::Refuse => {
                Err(KernelError::refused(context.function.qualified_name(), "not today"))
            }
            Self::Recover => {
                if let Err(error) = next.run(context).await {
                    context.result = Some(json!(error.to_string()).into());
                }
                Ok(())
            }
            Self::Retry => match next.run(context).await {
                Err(_) => {
                    context.arguments.insert("count", 1);
                    next.run(context).await
                }
                done => done,
            },
        }
    }
}

fn kernel(filters: impl IntoIterator<Item = Does>) -> Kernel {
    let schema = json!({ "type": "integer", "maximum": 5 });
    let mut kernel = kernel_of([echo([ParameterMetadata::optional("count", "", schema)])]);
    for filter in filters {
        kernel.add_function_filter(filter);
    }
    kernel
}

async fn call(kernel: &Kernel, count: i64) -> Result<Value> {
    let arguments = KernelArguments::new().with("count", count);
    Ok(kernel.invoke("Test", "Echo", arguments).await?.value.into_json())
}

#[tokio::test]
async fn the_first_filter_is_the_outermost() {
    let log = Log::default();
    let mut kernel = kernel([]);
    for name in ["first", "second"] {
        kernel.add_function_filter(Named { name, log: Arc::clone(&log) });
    }
    assert_eq!(call(&kernel, 1).await.unwrap(), json!({ "count": 1 }));
    let log = log.lock().unwrap().clone();
    assert_eq!(
        log,
        [
            "first before Test-Echo",
            "second before Test-Echo",
            "second after true",
            "first after true"
        ]
    );
}

#[tokio::test]
async fn a_filter_can_change_the_arguments_and_the_result() {
    let kernel = kernel([Does::Wrap, Does::SetArgument("count", json!("3"))]);
    assert_eq!(call(&kernel, 1).await.unwrap(), json!({ "wrapped": { "count": 3 } }));
}

#[tokio::test]
async fn a_filter_cannot_get_past_the_checks() {
    let kernel = kernel([Does::SetArgument("count", json!(6))]);
    let error = call(&kernel, 1).await.unwrap_err();
    assert!(matches!(error, KernelError::InvalidArgument { .. }), "{error}");
}

#[tokio::test]
async fn a_filter_can_answer_in_the_functions_place() {
    assert_eq!(call(&kernel([Does::Answer(json!("cached"))]), 1).await.unwrap(), json!("cached"));
    assert_eq!(call(&kernel([Does::Nothing]), 1).await.unwrap(), Value::Null);
}

#[tokio::test]
async fn a_filter_can_refuse() {
    let error = call(&kernel([Does::Refuse]), 1).await.unwrap_err();
    assert_eq!(error.to_string(), "the call of `Test-Echo` was refused: not today");
}

#[tokio::test]
async fn a_filter_can_replace_an_error_or_retry() {
    let expected = "the argument `count` of `Test-Echo` must be at most 5: found 9";
    assert_eq!(call(&kernel([Does::Recover]), 9).await.unwrap(), json!(expected));
    assert_eq!(call(&kernel([Does::Retry]), 9).await.unwrap(), json!({ "count": 1 }));
}

#[tokio::test]
async fn a_clone_does_not_see_later_additions() {
    let first = kernel([]);
    let mut second = first.clone();
    second.add_function_filter(Does::Refuse);
    assert!(call(&first, 1).await.is_ok());
    assert!(call(&second, 1).await.is_err());
}
