//! Results and answers as typed values.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction, KernelPlugin, Result, TextSearchPlugins,
    chat::{AnswerFormat, FunctionChoiceBehavior, SchemaMode, TypedAnswer},
    function::FunctionMetadata,
    grounding::{GroundingOptions, TextSearchProvider},
    prompt::{ExecutionSettings, PromptTemplateConfig},
    textsearch_core::{
        FixedSearch, TextSearchResult,
        chat::{
            ChatHistory, ChatMessage, ChatResponse, ChatRole, FinishReason, MessagePart,
            ResponseFormat, Usage,
        },
    },
};

use crate::support::{
    BracketsFactory, Improvised, Scripted, calls, kernel_of, kernel_with, set, text,
};

/// A forecast.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Forecast {
    /// The place.
    place: String,
    days: Vec<Day>,
    #[serde(default)]
    warning: String,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Day {
    #[schemars(range(min = -60, max = 60))]
    degrees: i32,
    /// How likely it rains, if known.
    rain: Option<Rain>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Rain {
    Likely,
    Unlikely,
}

const RIGHT: &str = r#"{"place":"Oslo","days":[{"degrees":-3,"rain":"likely"},{"degrees":2,"rain":null}],"warning":""}"#;

fn right() -> Forecast {
    let day = |degrees, rain| Day { degrees, rain };
    let days = vec![day(-3, Some(Rain::Likely)), day(2, None)];
    Forecast { place: "Oslo".to_owned(), days, warning: String::new() }
}

fn question() -> ChatHistory {
    ChatHistory::from(vec![ChatMessage::user("How will the weather be?")])
}

async fn asked<T>(
    answers: impl IntoIterator<Item = ChatResponse>,
    format: &AnswerFormat<T>,
) -> (Result<TypedAnswer<T>>, Arc<Scripted>) {
    let model = Scripted::new(answers);
    let kernel = kernel_with(Kernel::new(), &model);
    (kernel.chat_as(question(), ExecutionSettings::new(), format).await, model)
}

/// Returns the repair message for a wrong answer.
async fn told<T: std::fmt::Debug>(wrong: &str, format: &AnswerFormat<T>) -> String {
    let (answer, model) =
        asked([text(wrong), text("no")], &set(format.clone(), |settings| settings.max_repairs = 1))
            .await;
    answer.unwrap_err();
    model.requests()[1].0.last().unwrap().text()
}

#[tokio::test]
async fn a_result_is_read_as_a_type() {
    let forecast: Value = serde_json::from_str(RIGHT).unwrap();
    let function = KernelFunction::new(FunctionMetadata::new("Get", ""), move |_| {
        std::future::ready(Ok(forecast.clone()))
    });
    let mut kernel = kernel_of([function.unwrap()]);
    let result = kernel.invoke("Test", "Get", KernelArguments::new()).await.unwrap();
    assert_eq!(result.result::<Forecast>().unwrap(), right());
    let error = result.result::<BTreeMap<String, String>>().unwrap_err();
    assert_eq!(error.name(), "wrong_type");
    assert_eq!(
        error.to_string(),
        "the result of `Test-Get` cannot be read: `$.days`: invalid type: sequence, expected a string"
    );

    let search = FixedSearch::new([TextSearchResult::new("one"), TextSearchResult::new("two")]);
    kernel.add_plugin(search.create_with_search("Docs").unwrap()).unwrap();
    let arguments = KernelArguments::new().with("query", "q");
    let result = kernel.invoke("Docs", "Search", arguments).await.unwrap();
    assert_eq!(result.result::<Vec<String>>().unwrap(), ["one", "two"]);
}

#[tokio::test]
async fn a_prompt_is_answered_with_a_type() {
    let model = Scripted::new([text(RIGHT)]);
    let mut kernel = kernel_with(Kernel::new(), &model);
    kernel.add_template_factory(BracketsFactory);
    let mut prompt =
        PromptTemplateConfig::new("Forecast for [place].").with_template_format("brackets");
    let settings = ExecutionSettings::new().with("response_format", "json_object");
    prompt.execution_settings.insert("default".to_owned(), settings.with("temperature", 0.5));
    let arguments = KernelArguments::new().with("place", "Oslo");
    let answer = kernel.invoke_prompt_as::<Forecast>(prompt, arguments).await.unwrap();
    assert_eq!((&answer.value, answer.attempts), (&right(), 1));
    let (history, options) = model.requests().remove(0);
    assert_eq!(history.messages(), [ChatMessage::user("Forecast for Oslo.")]);
    assert_eq!(options.temperature, Some(0.5));
    let Some(ResponseFormat::JsonSchema { name, schema, strict }) = options.response_format else {
        panic!("no schema")
    };
    assert_eq!((name.as_str(), strict), ("Forecast", true));
    assert_eq!(schema["description"], "A forecast.");
    assert_eq!(schema["required"], json!(["days", "place", "warning"]));
    assert_eq!(schema["$defs"]["Day"]["required"], json!(["degrees", "rain"]));
    assert_eq!(schema["$defs"]["Day"]["properties"]["degrees"]["maximum"], 60);
}

#[tokio::test]
async fn a_value_that_is_no_struct_is_the_field_of_one() {
    let (answer, model) =
        asked([text(r#"{"answer":["a","b"]}"#)], &AnswerFormat::<Vec<String>>::new()).await;
    assert_eq!(answer.unwrap().value, ["a", "b"]);
    let options = model.requests().remove(0).1;
    let Some(ResponseFormat::JsonSchema { name, schema, .. }) = options.response_format else {
        panic!("no schema")
    };
    assert_eq!(name, "Array_of_string");
    assert_eq!(schema["properties"]["answer"]["items"]["type"], "string");
    assert_eq!(schema["required"], json!(["answer"]));
    assert_eq!(schema.get("description"), None);

    let (answer, _) = asked([text(r#"{"answer":"likely"}"#)], &AnswerFormat::<Rain>::new()).await;
    assert_eq!(answer.unwrap().value, Rain::Likely);
    let (answer, _) =
        asked([text(r#"{"answer":null}"#)], &AnswerFormat::<Option<Rain>>::new()).await;
    assert_eq!(answer.unwrap().value, None);
}

#[tokio::test]
async fn mistakes_go_back_with_place_and_reason() {
    let format = AnswerFormat::<Forecast>::new();
    let end =
        "\n\nWrite the whole answer again, without these mistakes and without any other text.";
    let day = |day: &str| format!(r#"{{"place":"Oslo","days":[{{"degrees":1}},{day}]}}"#);
    for (wrong, problem) in [
        (
            day(r#"{"degrees":"two"}"#),
            r#"the answer has a mistake at `$.days[1].degrees`: invalid type: string "two", expected i32"#,
        ),
        (
            day(r#"{"degrees":61}"#),
            "the answer has a mistake at `$.days[1].degrees`: must be from -60 to 60: found 61",
        ),
        (
            day(r#"{"degrees":6,"rain":"snow"}"#),
            "the answer has a mistake at `$.days[1].rain`: unknown variant `snow`, expected `likely` or `unlikely`",
        ),
        (day("{}"), "the answer has a mistake at `$.days[1]`: missing field `degrees`"),
        (day("{} {}"), "the answer is not JSON: expected `,` or `]` at line 1 column 42"),
        (String::new(), "the answer is not JSON: EOF while parsing a value at line 1 column 0"),
        (
            format!("Here it is: {RIGHT}"),
            "the answer is not JSON: expected value at line 1 column 1",
        ),
        (
            format!("{RIGHT} Enjoy!"),
            "the answer is not JSON: trailing characters at line 1 column 97",
        ),
        (
            "[".repeat(100_000),
            "the answer is not JSON: recursion limit exceeded at line 1 column 128",
        ),
        (
            "5".to_owned(),
            "the answer has a mistake at `$`: invalid type: integer `5`, expected struct Forecast",
        ),
    ] {
        assert_eq!(told(&wrong, &format).await, format!("{problem}{end}"));
    }
}

#[tokio::test]
async fn bounds_of_lists_and_map_values_are_checked() {
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "never read")]
    struct Scores {
        #[schemars(length(min = 1))]
        names: Vec<String>,
        scores: BTreeMap<String, Score>,
    }
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "never read")]
    struct Score(#[schemars(range(max = 5))] u8);
    let format = AnswerFormat::<Scores>::new();
    let problem = told(r#"{"names":[],"scores":{}}"#, &format).await;
    assert!(
        problem.starts_with("the answer has a mistake at `$.names`: must have at least 1 items"),
        "{problem}"
    );
    let problem = told(r#"{"names":["a"],"scores":{"a b":9}}"#, &format).await;
    assert!(
        problem.starts_with(r#"the answer has a mistake at `$.scores["a b"]`: must be"#),
        "{problem}"
    );
    let (answer, _) = asked([text(r#"{"names":["a"],"scores":{"a b":5}}"#)], &format).await;
    answer.unwrap();
}

#[tokio::test]
async fn repaired_answers_count_the_usage_of_all_attempts() {
    let (answer, model) =
        asked([text("one"), text("two"), text(RIGHT)], &AnswerFormat::new()).await;
    let answer = answer.unwrap();
    assert_eq!((answer.value, answer.attempts), (right(), 3));
    assert_eq!(answer.outcome.run.usage, Usage::new(30, 6));
    let history = model.requests().pop().unwrap().0;
    let roles: Vec<&str> = history.messages().iter().map(|message| message.role.name()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user"]);
    assert_eq!(history.messages()[1].text(), "one");
    assert_eq!(answer.outcome.run.history.len(), 6);
    assert_eq!(answer.outcome.message.text(), RIGHT);
}

#[tokio::test]
async fn endless_garbage_ends_after_the_repairs() {
    for (repairs, attempts) in [(None, 3), (Some(0), 1), (Some(5), 6)] {
        let garbage = (0..9).map(|number| text(&format!("garbage {number}")));
        let format = AnswerFormat::<Forecast>::new();
        let format = repairs.map_or(format.clone(), |repairs| {
            set(format, |settings| settings.max_repairs = repairs)
        });
        let (answer, model) = asked(garbage, &format).await;
        assert_eq!(model.requests().len(), attempts);
        let error = answer.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "the model gave no answer of the required form, in {attempts} attempts: the answer \
                 is not JSON: expected value at line 1 column 1"
            )
        );
        assert_eq!(error.name(), "wrong_answer");
        let run = error.chat_run().unwrap();
        assert_eq!(run.usage, Usage::new(10 * attempts as u64, 2 * attempts as u64));
        assert_eq!(run.history.last().unwrap().text(), format!("garbage {}", attempts - 1));
    }
}

#[tokio::test]
async fn a_spent_budget_ends_the_repairs() {
    let model = Improvised::new(|_, _| text("garbage"));
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", model.clone()).unwrap();
    let mut format = AnswerFormat::<Forecast>::new();
    format.max_repairs = usize::MAX;
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.max_total_requests = Some(4);
    let error = kernel.chat_as(question(), behavior, &format).await.unwrap_err();
    assert!(matches!(error, KernelError::WrongAnswer { attempts: 4, .. }), "{error}");
    assert_eq!(model.requests(), 4);
}

#[tokio::test]
async fn a_timeout_ends_endless_repairs() {
    let model = Improvised::new(|_, _| text("garbage"));
    let mut kernel = Kernel::new();
    kernel.add_chat_service("default", model).unwrap();
    let mut format = AnswerFormat::<Forecast>::new();
    format.max_repairs = usize::MAX;
    let mut behavior = FunctionChoiceBehavior::auto();
    behavior.options.max_total_requests = Some(usize::MAX);
    let running = kernel.chat_as(question(), behavior, &format);
    tokio::time::timeout(Duration::from_millis(50), running).await.unwrap_err();
}

#[tokio::test]
async fn code_fences_are_ignored() {
    for answer in [
        format!("```json\n{RIGHT}\n```"),
        format!("  ```\r\n{RIGHT}\r\n```\n"),
        format!("\n\t{RIGHT}\n"),
    ] {
        let (answer, _) = asked([text(&answer)], &AnswerFormat::new()).await;
        assert_eq!((answer.as_ref().unwrap().attempts, &answer.unwrap().value), (1, &right()));
    }
    let format = AnswerFormat::<Forecast>::new();
    for wrong in
        [format!("```{RIGHT}```"), format!("Sure:\n```json\n{RIGHT}\n```"), "```".to_owned()]
    {
        let problem = told(&wrong, &format).await;
        assert!(problem.starts_with("the answer is not JSON"), "{problem}");
    }
}

#[tokio::test]
async fn a_huge_answer_is_neither_read_nor_sent_back() {
    let huge = format!(r#"{{"place":"{}"}}"#, "é".repeat(1_000_000));
    let mut format = AnswerFormat::<Forecast>::new();
    format.max_answer_bytes = 201;
    let (answer, model) = asked([text(&huge), text(RIGHT)], &format).await;
    assert_eq!(answer.unwrap().value, right());
    let history = model.requests().pop().unwrap().0;
    assert_eq!(history.messages()[1].text().len(), 200);
    let told = history.last().unwrap().text();
    assert!(told.starts_with("the answer is longer than 201 bytes\n"), "{told}");
}

#[tokio::test]
async fn what_a_model_is_told_is_short() {
    let long = "x".repeat(100_000);
    let field = json!({ "place": "Oslo", "days": [{ "degrees": long }] }).to_string();
    let map = AnswerFormat::<BTreeMap<String, u8>>::new();
    for problem in [
        told(&field, &AnswerFormat::<Forecast>::new()).await,
        told(&json!({ long: -1 }).to_string(), &map).await,
        told(
            "{}",
            &AnswerFormat::from_reader("a", json!({}), move |_| Err::<(), _>("x".repeat(100_000))),
        )
        .await,
    ] {
        assert!(problem.chars().count() < 4_200, "{}", problem.len());
    }
}

#[tokio::test]
async fn incomplete_answers_are_not_repaired() {
    let refusal = MessagePart::Refusal { text: "I won't.".to_owned() };
    let refusal = ChatResponse::new(ChatMessage::new(ChatRole::Assistant, vec![refusal]));
    let half = || text(&RIGHT[..40]);
    for (answer, reason) in [
        (refusal, "it refused to answer"),
        (
            half().with_finish_reason(FinishReason::Length),
            "it was cut off at the maximum number of tokens",
        ),
        (
            half().with_finish_reason(FinishReason::ContentFilter),
            "the provider's content filter stopped it",
        ),
        // Even if it could be read.
        (
            text(RIGHT).with_finish_reason(FinishReason::Length),
            "it was cut off at the maximum number of tokens",
        ),
    ] {
        let format = AnswerFormat::<Forecast>::new();
        let (answer, model) = asked([text("garbage"), answer, text(RIGHT)], &format).await;
        let error = answer.unwrap_err();
        assert_eq!(error.to_string(), format!("the model gave no answer: {reason}"));
        assert_eq!(model.requests().len(), 2);
    }
}

#[tokio::test]
async fn the_model_may_call_functions_before_each_answer() {
    let get = FunctionMetadata::new("Get", "");
    let get = KernelFunction::new(get, |_| std::future::ready(Ok(json!(61)))).unwrap();
    let answers = [
        calls([("Test-Get", json!({}))]),
        text("61"),
        calls([("Test-Get", json!({}))]),
        text(RIGHT),
    ];
    let model = Scripted::new(answers);
    let kernel = kernel_with(kernel_of([get]), &model);
    let format = AnswerFormat::<Forecast>::new();
    let answer = kernel.chat_as(question(), FunctionChoiceBehavior::auto(), &format).await.unwrap();
    assert_eq!((answer.value, answer.attempts), (right(), 2));
    assert_eq!(answer.outcome.run.calls.len(), 2);
    assert_eq!(answer.outcome.run.rounds, 4);
    assert_eq!(answer.outcome.run.usage, Usage::new(40, 8));
    assert_eq!(model.offered(), vec![["Test-Get"]; 4]);
    for (_, options) in model.requests() {
        assert!(matches!(options.response_format, Some(ResponseFormat::JsonSchema { .. })));
    }
}

#[tokio::test]
async fn a_repair_keeps_the_search_results_of_the_question() {
    let model = Scripted::new([text("garbage"), text(RIGHT)]);
    let kernel = kernel_with(Kernel::new(), &model);
    let search = FixedSearch::new([TextSearchResult::new("Oslo will be cold.")]);
    let provider = TextSearchProvider::new(search, GroundingOptions::new()).unwrap();
    let settings = ExecutionSettings::new().with_context_provider(provider);
    let answer = kernel.chat_as(question(), settings, &AnswerFormat::<Forecast>::new()).await;
    assert_eq!(answer.unwrap().outcome.run.sources.len(), 1);
    let history = model.requests().pop().unwrap().0;
    assert!(history.messages()[0].text().contains("Oslo will be cold."));
    assert!(!history.messages()[2].text().contains("Oslo will be cold."));
}

#[tokio::test]
async fn a_schema_may_be_in_the_prompt() {
    let mut format = AnswerFormat::<Rain>::new();
    format.schema_mode = SchemaMode::InPrompt;
    let (answer, model) = asked([text(r#"{"answer":"likely"}"#)], &format).await;
    assert_eq!(answer.unwrap().value, Rain::Likely);
    let (history, options) = model.requests().remove(0);
    assert_eq!(options.response_format, None);
    let system = history.messages()[0].text();
    let schema =
        system.strip_prefix("Answer only with JSON of this schema, without any other text:\n");
    let schema: Value = serde_json::from_str(schema.unwrap()).unwrap();
    assert_eq!(schema["properties"]["answer"]["$ref"], "#/$defs/Rain");
    assert_eq!(history.messages()[1..], question().into_messages());

    let model = Scripted::new([text(r#"{"answer":"likely"}"#)]);
    let mut history = vec![ChatMessage::system("Be brief.")];
    history.extend(question());
    let settings = ExecutionSettings::new().with("response_format", "json_object");
    let kernel = kernel_with(Kernel::new(), &model);
    kernel.chat_as(history.into(), settings, &format).await.unwrap();
    let (history, options) = model.requests().remove(0);
    assert!(history.messages()[0].text().starts_with("Be brief.\n\nAnswer only with JSON"));
    assert_eq!(history.len(), 2);
    assert_eq!(options.response_format, Some(ResponseFormat::JsonObject));
}

fn forecast_prompt(schema: Value) -> PromptTemplateConfig {
    let prompt = json!({
        "name": "Forecast",
        "template": "The weather in Oslo.",
        "template_format": "brackets",
        "output_variable": { "description": "The weather.", "json_schema": schema },
    });
    serde_json::from_value(prompt).unwrap()
}

#[tokio::test]
async fn a_prompt_function_returns_json_of_its_output_schema() {
    let schema = json!({
        "type": "object",
        "properties": { "degrees": { "$ref": "#/$defs/Degrees" } },
        "required": ["degrees"],
        "$defs": { "Degrees": { "type": "integer" } },
    });
    let wrong = [text(r#"{"degrees":"cold"}"#), text(r#"{"degree":-3}"#)];
    let model = Scripted::new(wrong.into_iter().chain([text(r#"{"degrees":-3}"#)]));
    let mut kernel = kernel_with(Kernel::new(), &model);
    kernel.add_template_factory(BracketsFactory);
    let prompt = kernel.compile_prompt(&forecast_prompt(schema.clone())).unwrap();
    let function = KernelFunction::from_prompt(prompt).unwrap();
    kernel.add_plugin(KernelPlugin::new("Weather", "", [function]).unwrap()).unwrap();
    let result = kernel.invoke("Weather", "Forecast", KernelArguments::new()).await.unwrap();
    assert_eq!(result.result::<BTreeMap<String, i32>>().unwrap()["degrees"], -3);
    let requests = model.requests();
    assert!(requests[0].0.messages()[0].text().ends_with(&schema.to_string()));
    let told = requests[1].0.last().unwrap().text();
    assert!(told.contains(r#"`$.degrees`: must be an integer: found "cold""#), "{told}");
    let told = requests[2].0.last().unwrap().text();
    assert!(told.starts_with("the answer has a mistake at `$.degrees`: is missing"), "{told}");
}

#[tokio::test]
async fn a_response_format_with_a_schema_returns_checked_json() {
    let schema = json!({ "type": "object", "properties": { "degrees": { "type": "integer" } }, "required": ["degrees"] });
    let format = json!({ "type": "json_schema", "json_schema": { "name": "weather", "schema": schema, "strict": true } });
    let prompt: PromptTemplateConfig = serde_json::from_value(json!({
        "name": "Forecast",
        "template": "The weather in Oslo.",
        "template_format": "brackets",
        "execution_settings": { "default": { "response_format": format } },
    }))
    .unwrap();
    let model = Scripted::new([text(r#"{"degrees":"cold"}"#), text(r#"{"degrees":-3}"#)]);
    let mut kernel = kernel_with(Kernel::new(), &model);
    kernel.add_template_factory(BracketsFactory);
    let function = KernelFunction::from_prompt(kernel.compile_prompt(&prompt).unwrap()).unwrap();
    assert_eq!(function.metadata().return_parameter.schema.as_ref(), &schema);
    let result = kernel.invoke_prompt(prompt, KernelArguments::new()).await.unwrap();
    assert_eq!(result.result::<BTreeMap<String, i32>>().unwrap()["degrees"], -3);
    let requests = model.requests();
    let sent = requests[0].1.response_format.as_ref();
    assert!(matches!(sent, Some(ResponseFormat::JsonSchema { strict: true, .. })), "{sent:?}");
    assert_eq!(requests[0].0.len(), 1, "the provider knows the schema already");
    let told = requests[1].0.last().unwrap().text();
    assert!(told.contains(r#"`$.degrees`: must be an integer: found "cold""#), "{told}");
}

#[tokio::test]
async fn an_output_schema_of_a_string_leaves_the_text() {
    let format =
        json!({ "type": "json_schema", "json_schema": { "name": "weather", "schema": {} } });
    for settings in
        [ExecutionSettings::new(), ExecutionSettings::new().with("response_format", format)]
    {
        let mut kernel = kernel_with(Kernel::new(), &Scripted::new([text(r#"{"degrees":-3}"#)]));
        kernel.add_template_factory(BracketsFactory);
        let mut prompt = forecast_prompt(json!({ "type": "string" }));
        prompt.execution_settings.insert("default".to_owned(), settings);
        let result = kernel.invoke_prompt(prompt, KernelArguments::new()).await.unwrap();
        assert_eq!(result.result::<String>().unwrap(), r#"{"degrees":-3}"#);
    }
}

#[test]
fn a_function_promises_only_what_all_services_are_asked_for() {
    let promised = |settings: Value| {
        let prompt = json!({ "name": "F", "template": "Go", "template_format": "brackets", "execution_settings": settings });
        let mut kernel = Kernel::new();
        kernel.add_template_factory(BracketsFactory);
        let prompt = kernel.compile_prompt(&serde_json::from_value(prompt).unwrap()).unwrap();
        let function = KernelFunction::from_prompt(prompt).unwrap();
        Value::clone(&function.metadata().return_parameter.schema)
    };
    let format_of = |schema: &Value| json!({ "response_format": { "type": "json_schema", "json_schema": { "name": "a", "schema": schema } } });
    let object = json!({ "type": "object" });
    let list = json!({ "type": "array" });
    let text = json!({ "type": "string" });
    for (settings, expected) in [
        (json!({}), &text),
        (json!({ "a": { "temperature": 1 } }), &text),
        (json!({ "a": format_of(&object), "b": format_of(&object) }), &object),
        (json!({ "default": format_of(&object), "b": { "temperature": 1 } }), &object),
        (json!({ "a": format_of(&object), "b": format_of(&list) }), &json!({})),
        (json!({ "a": format_of(&object), "b": {} }), &json!({})),
        (
            json!({ "default": { "service_id": "a" }, "a": format_of(&object), "b": format_of(&list) }),
            &object,
        ),
        (json!({ "default": { "service_id": "c" }, "a": format_of(&object) }), &text),
    ] {
        assert_eq!(&promised(settings.clone()), expected, "{settings}");
    }
}

#[tokio::test]
async fn a_lenient_schema_is_not_strict() {
    let mut format = AnswerFormat::<BTreeMap<String, u8>>::new();
    format.schema_mode = SchemaMode::Lenient;
    let (answer, model) = asked([text(r#"{"a":1}"#)], &format).await;
    assert_eq!(answer.unwrap().value["a"], 1);
    let options = model.requests().remove(0).1;
    assert!(
        matches!(options.response_format, Some(ResponseFormat::JsonSchema { strict: false, .. })),
        "{options:?}"
    );
}

#[tokio::test]
async fn debug_shows_no_content() {
    let (answer, _) = asked([text(RIGHT)], &AnswerFormat::<Forecast>::new()).await;
    let shown = format!("{:?}", answer.unwrap());
    assert!(shown.starts_with("TypedAnswer { attempts: 1, outcome: ChatOutcome {"), "{shown}");
    assert!(!shown.contains("Oslo"), "{shown}");
}
