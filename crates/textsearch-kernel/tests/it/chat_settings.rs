//! Conversion of execution settings to a service's request.

use std::time::Duration;

use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError,
    chat::{FunctionChoiceBehavior, FunctionChoiceOptions},
    prompt::{ExecutionSettings, PromptTemplateConfig},
    textsearch_core::chat::{ChatHistory, ChatMessage, ChatOptions},
};

use crate::support::{BracketsFactory, Scripted, kernel_with, set, text};

fn read(settings: Value) -> ExecutionSettings {
    serde_json::from_value(settings).unwrap()
}

async fn asked(settings: Value) -> Result<ChatOptions, KernelError> {
    let model = Scripted::new([text("Done.")]);
    let history = ChatHistory::from(vec![ChatMessage::user("What?")]);
    kernel_with(Kernel::new(), &model).chat(history, read(settings)).await?;
    Ok(model.requests().remove(0).1)
}

/// Each service answers with its name.
fn two_services() -> Kernel {
    let mut kernel = Kernel::new();
    kernel.add_template_factory(BracketsFactory);
    for id in ["small", "large"] {
        kernel.add_chat_service(id, Scripted::new([text(id), text(id)])).unwrap();
    }
    kernel
}

fn prompt() -> PromptTemplateConfig {
    PromptTemplateConfig::new("What?").with_template_format("brackets")
}

async fn answered_by(prompt: &PromptTemplateConfig, arguments: KernelArguments) -> String {
    let result = two_services().invoke_prompt(prompt, arguments).await.unwrap();
    result.text().into_owned()
}

#[tokio::test]
async fn settings_become_options() {
    let options = asked(json!({
        "model_id": "m", "temperature": 0.5, "max_tokens": 7, "stop_sequences": ["END"], "logit_bias": { "1": 2 },
    }))
    .await
    .unwrap();
    assert_eq!(options.model.as_deref(), Some("m"));
    assert_eq!((options.temperature, options.max_tokens), (Some(0.5), Some(7)));
    assert_eq!(options.stop, ["END"]);
    assert_eq!(options.extra["logit_bias"], json!({ "1": 2 }));
    assert_eq!(options.extra.len(), 1);
}

#[tokio::test]
async fn arguments_override_a_prompts_option_under_any_name() {
    let names = [("stop_sequences", "stop"), ("stop", "stop_sequences")];
    for (of_prompt, of_arguments) in names {
        let model = Scripted::new([text("Fine.")]);
        let mut kernel = kernel_with(Kernel::new(), &model);
        kernel.add_template_factory(BracketsFactory);
        let mut prompt = prompt();
        let of_prompt = ExecutionSettings::new().with(of_prompt, json!(["prompt"]));
        prompt.execution_settings.insert("default".to_owned(), of_prompt);
        let settings = ExecutionSettings::new().with(of_arguments, json!(["arguments"]));
        let arguments = KernelArguments::new().with_default_settings(settings);
        kernel.invoke_prompt(prompt, arguments).await.unwrap();
        assert_eq!(model.requests()[0].1.stop, ["arguments"], "{of_arguments}");
    }
}

#[tokio::test]
async fn one_option_under_two_names_is_refused() {
    let error = asked(json!({ "stop": "a", "stop_sequences": ["b"] })).await.unwrap_err();
    assert!(error.to_string().contains("stop"), "{error}");
}

#[tokio::test]
async fn a_wrong_setting_is_named() {
    let cases = [
        (json!({ "top_p": 1, "temperature": "hot" }), "temperature"),
        (json!({ "max_tokens": -1 }), "max_tokens"),
        (
            json!({ "function_choice_behavior": { "type": "sometimes" } }),
            "function_choice_behavior",
        ),
        (
            json!({ "function_choice_behavior": { "type": "auto", "option": {} } }),
            "function_choice_behavior",
        ),
        (json!({ "tools": [] }), "tools"),
        (json!({ "service_id": 7 }), "service_id"),
    ];
    for (settings, name) in cases {
        let error = asked(settings).await.unwrap_err();
        let begins = format!("the execution setting `{name}` ");
        assert!(error.to_string().starts_with(&begins), "{error}");
    }
}

#[tokio::test]
async fn one_setting_under_two_names_is_an_error() {
    let error = asked(json!({ "max_tokens": 1, "max_completion_tokens": 2 })).await.unwrap_err();
    assert!(error.to_string().contains("duplicate field `max_tokens`"), "{error}");
}

#[tokio::test]
async fn without_a_service_the_error_says_how_to_add_one() {
    let error = Kernel::new().chat(ChatHistory::new(), ExecutionSettings::new()).await.unwrap_err();
    let expected =
        "there is no chat service `default`: none is registered: add one with `add_chat_service`";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn the_first_service_answers_by_default() {
    assert_eq!(answered_by(&prompt(), KernelArguments::new()).await, "small");
}

#[tokio::test]
async fn the_service_called_default_answers_by_default() {
    let mut kernel = two_services();
    kernel.add_chat_service("default", Scripted::new([text("default")])).unwrap();
    let result = kernel.invoke_prompt(prompt(), KernelArguments::new()).await.unwrap();
    assert_eq!(result.text(), "default");
}

#[tokio::test]
async fn a_service_is_chosen_by_its_settings_or_by_name() {
    let by_settings =
        KernelArguments::new().with_execution_settings("large", ExecutionSettings::new());
    assert_eq!(answered_by(&prompt(), by_settings).await, "large");
    let named = ExecutionSettings::new().with("service_id", "large");
    let by_name = KernelArguments::new().with_default_settings(named);
    assert_eq!(answered_by(&prompt(), by_name).await, "large");
    let mut config = prompt();
    config.execution_settings.insert("large".to_owned(), ExecutionSettings::new());
    assert_eq!(answered_by(&config, KernelArguments::new()).await, "large");
}

#[tokio::test]
async fn settings_for_unknown_services_are_an_error() {
    let arguments =
        KernelArguments::new().with_execution_settings("huge", ExecutionSettings::new());
    let error = two_services().invoke_prompt(prompt(), arguments).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no chat service `huge`: the registered services are small, large"
    );
}

#[tokio::test]
async fn settings_in_arguments_override_the_prompts() {
    let model = Scripted::new([text("Done.")]);
    let mut kernel = kernel_with(Kernel::new(), &model);
    kernel.add_template_factory(BracketsFactory);
    let mut config = prompt();
    let by_service = [
        ("default", json!({ "seed": 1, "temperature": 0.1, "max_tokens": 1 })),
        ("scripted", json!({ "temperature": 0.2, "max_tokens": 2 })),
    ];
    config
        .execution_settings
        .extend(by_service.map(|(id, settings)| (id.to_owned(), read(settings))));
    let arguments = KernelArguments::new().with_default_settings(read(json!({ "max_tokens": 3 })));
    kernel.invoke_prompt(config, arguments).await.unwrap();
    let options = model.requests().remove(0).1;
    assert_eq!(
        (options.seed, options.temperature, options.max_tokens),
        (Some(1), Some(0.2), Some(3))
    );
}

#[test]
fn two_services_of_one_name_are_an_error() {
    let error = two_services().add_chat_service("small", Scripted::new([])).unwrap_err();
    assert!(error.to_string().starts_with("`small` is a chat service already"), "{error}");
}

#[test]
fn a_behavior_is_written_as_it_is_read() {
    let mut behavior = FunctionChoiceBehavior::required().with_functions(["Plugin-Function"]);
    behavior.options.auto_invoke = false;
    behavior.options.max_calls_per_round = 2;
    let written = serde_json::to_value(&behavior).unwrap();
    assert_eq!(written["type"], "required");
    assert_eq!(serde_json::from_value::<FunctionChoiceBehavior>(written).unwrap(), behavior);
}

#[test]
fn a_behavior_reads_semantic_kernels_form() {
    let written = json!({
        "type": "auto",
        "functions": ["TimePlugin.Date"],
        "options": { "allow_concurrent_invocation": true, "allow_parallel_calls": true, "allow_strict_schema_adherence": false },
    });
    let behavior: FunctionChoiceBehavior = serde_json::from_value(written).unwrap();
    assert_eq!(behavior.options.allow_parallel_calls, Some(true));
    assert_eq!(behavior.functions.unwrap(), ["TimePlugin.Date"]);
}

#[test]
fn the_limits_have_defaults() {
    let options = FunctionChoiceOptions::default();
    assert_eq!((options.max_rounds, options.max_calls_per_round), (10, 16));
    assert_eq!((options.max_total_requests, options.max_total_calls), (None, None));
    assert_eq!(options.max_total_time.as_secs(), 1_800);
    assert_eq!(options.max_result_characters, 16_000);
    assert!(options.auto_invoke && options.allow_concurrent_invocation && options.number_results);
    assert!(!options.allow_repeated_calls);
}

#[test]
fn prompt_files_give_the_total_time_in_seconds() {
    let read = |seconds: Value| {
        let written = json!({ "type": "auto", "options": { "max_total_seconds": seconds } });
        serde_json::from_value::<FunctionChoiceBehavior>(written)
    };
    assert_eq!(read(json!(90)).unwrap().options.max_total_time, Duration::from_secs(90));
    assert_eq!(read(json!(0.5)).unwrap().options.max_total_time, Duration::from_millis(500));
    assert!(read(json!(-1)).is_err());
}

#[test]
fn attempts_of_python_prompts_are_rounds() {
    let read = |attempts: usize| {
        let written = json!({ "type": "auto", "maximum_auto_invoke_attempts": attempts });
        serde_json::from_value::<FunctionChoiceBehavior>(written).unwrap()
    };
    assert_eq!(read(3), FunctionChoiceBehavior::auto().with_max_rounds(3));
    assert_eq!(
        read(0),
        set(FunctionChoiceBehavior::auto(), |settings| settings.options.auto_invoke = false)
    );
}
