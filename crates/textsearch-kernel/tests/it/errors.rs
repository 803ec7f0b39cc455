//! `?` on a search error.

use std::error::Error as _;

use serde_json::json;
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction, Result,
    chat::FunctionChoiceBehavior,
    function::{
        FunctionInvocationContext, FunctionInvocationFilter, FunctionMetadata, Next, NoArguments,
    },
    prompt::{NextRender, PromptRenderContext, PromptRenderFilter, PromptTemplateConfig},
    textsearch_core::{
        self, Error, ErrorKind, async_trait,
        chat::{ChatHistory, ChatMessage},
    },
};

use crate::support::{BracketsFactory, Scripted, calls, echo, kernel_of, kernel_with, text};

fn search() -> textsearch_core::Result<String> {
    let cause = std::io::Error::other("the cable is cut");
    Err(Error::new(ErrorKind::Unavailable, "shelf", "cannot be reached").with_source(cause))
}

struct Searching;

#[async_trait]
impl PromptRenderFilter for Searching {
    async fn on_prompt_render(
        &self,
        context: &mut PromptRenderContext,
        next: NextRender<'_>,
    ) -> Result<()> {
        next.run(context).await?;
        context.append(&search()?);
        Ok(())
    }
}

#[async_trait]
impl FunctionInvocationFilter for Searching {
    async fn on_function_invocation(
        &self,
        context: &mut FunctionInvocationContext,
        next: Next<'_>,
    ) -> Result<()> {
        context.arguments.insert("found", search()?);
        next.run(context).await
    }
}

fn kinds(error: &KernelError) -> (&str, Option<&ErrorKind>) {
    (error.name(), error.search_error().map(Error::kind))
}

#[tokio::test]
async fn a_prompt_filter_passes_on_a_search_error() {
    let mut kernel = Kernel::new();
    kernel.add_template_factory(BracketsFactory);
    kernel.add_prompt_filter(Searching);
    let config = PromptTemplateConfig::new("x").with_template_format("brackets");
    let prompt = kernel.compile_prompt(&config).unwrap();
    let error = prompt.render(&kernel, &KernelArguments::new()).await.unwrap_err();
    assert_eq!(kinds(&error), ("search_failed", Some(&ErrorKind::Unavailable)));
    assert_eq!(error.to_string(), "shelf: cannot be reached");
    assert_eq!(error.source().unwrap().to_string(), "the cable is cut");
}

#[tokio::test]
async fn a_function_filter_passes_on_a_search_error() {
    let mut kernel = kernel_of([echo([])]);
    kernel.add_function_filter(Searching);
    let error = kernel.invoke("Test", "Echo", KernelArguments::new()).await.unwrap_err();
    assert_eq!(kinds(&error), ("search_failed", Some(&ErrorKind::Unavailable)));
}

#[tokio::test]
async fn a_native_function_fails_with_a_search_error() {
    let metadata = FunctionMetadata::new("New", "");
    let functions = [
        KernelFunction::new(metadata, |_| async { Ok(search()?.into()) }),
        KernelFunction::from_fn("Kernel", "", |_: NoArguments| async {
            let result: Result<_> = Ok(search()?);
            result
        }),
        KernelFunction::from_fn("Core", "", |_: NoArguments| std::future::ready(search())),
    ];
    for function in functions.map(|function| function.unwrap()) {
        let kernel = kernel_of([function.clone()]);
        let error = kernel.invoke("Test", function.name(), KernelArguments::new()).await;
        let error = error.unwrap_err();
        assert_eq!(error.to_string(), format!("the function `Test-{}` failed", function.name()));
        assert_eq!(kinds(&error), ("function_failed", Some(&ErrorKind::Unavailable)));
    }
}

#[tokio::test]
async fn a_model_does_not_see_a_search_error() {
    let model = Scripted::new([calls([("Test-Echo", json!({}))]), text("Done.")]);
    let mut kernel = kernel_of([echo([])]);
    kernel.add_function_filter(Searching);
    let kernel = kernel_with(kernel, &model);
    let history = ChatHistory::from(vec![ChatMessage::user("?")]);
    kernel.chat(history, FunctionChoiceBehavior::auto()).await.unwrap();
    let result =
        r#"{"error":"failed","message":"the function failed temporarily; you may try again"}"#;
    assert_eq!(model.tool_results(), [result]);
}

#[test]
fn errors_can_be_made_outside_of_the_crate() {
    for (error, expected) in [
        (KernelError::refused("F", "no"), "the call of `F` was refused: no"),
        (KernelError::failed("F", "why"), "the function `F` failed"),
        (KernelError::invalid_argument("F", "a", "is odd"), "the argument `a` of `F` is odd"),
        (KernelError::invalid_name("F!", "has a `!`"), "`F!` has a `!`"),
        (KernelError::invalid_function("F", "no"), "the function `F` cannot be made: no"),
        (
            KernelError::invalid_prompt_config("line 1"),
            "the prompt configuration cannot be read: line 1",
        ),
    ] {
        assert_eq!(error.to_string(), expected);
    }
}
