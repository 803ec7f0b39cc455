use serde_json::{Value, json};
use textsearch_conformance::chat::{ModelScript, Turn};
use textsearch_openai::{
    ChatOptions, ErrorKind, MaxTokensField, OpenAiChat, OpenAiConfig, ResponseFormat, ToolChoice,
    ToolDefinition,
};

use crate::support::Talk;

async fn sent(options: &ChatOptions) -> Value {
    let script = ModelScript::from(vec![Turn::text("Yes.")]).with_extra_field("top_k");
    let talk = Talk::with(script).await;
    talk.ask(options).await.unwrap();
    talk.model.assert_valid();
    talk.model.requests()[0].body.clone()
}

async fn refused(options: ChatOptions) -> String {
    let talk = Talk::with([]).await;
    let error = talk.ask(&options).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidOptions { .. }), "{error}");
    assert!(talk.model.requests().is_empty());
    error.message().to_owned()
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition::new(name, "Finds.", json!({ "type": "object", "properties": {} }))
}

#[tokio::test]
async fn options_are_sent_under_the_apis_names() {
    let schema = json!({ "type": "object", "properties": {} });
    let format = ResponseFormat::JsonSchema { name: "form".into(), schema, strict: false };
    let mut options = ChatOptions::new()
        .with_model("other")
        .with_tools([tool("Find")])
        .with_extra("top_k", 3)
        .with_extra("logit_bias", json!({ "50256": -100 }));
    options.temperature = Some(0.5);
    options.max_tokens = Some(9);
    options.stop.push("END".to_owned());
    options.tool_choice = Some(ToolChoice::Tool("Find".to_owned()));
    options.top_p = Some(0.9);
    options.seed = Some(7);
    options.reasoning_effort = Some("low".to_owned());
    options.response_format = Some(format);
    options.frequency_penalty = Some(0.1);
    options.presence_penalty = Some(-0.1);
    options.parallel_tool_calls = Some(false);
    let mut body = sent(&options).await;
    body.as_object_mut().unwrap().remove("messages");
    let schema = json!({ "type": "object", "properties": {} });
    let function = json!({ "name": "Find", "description": "Finds.", "parameters": schema });
    let expected = json!({
        "model": "other", "temperature": 0.5, "top_p": 0.9, "max_tokens": 9, "stop": ["END"],
        "seed": 7, "frequency_penalty": 0.1, "presence_penalty": -0.1, "reasoning_effort": "low",
        "response_format": {
            "type": "json_schema",
            "json_schema": { "name": "form", "schema": schema, "strict": false },
        },
        "tools": [{ "type": "function", "function": function }],
        "tool_choice": { "type": "function", "function": { "name": "Find" } },
        "parallel_tool_calls": false, "top_k": 3, "logit_bias": { "50256": -100 },
    });
    assert_eq!(body, expected);
}

fn with(change: impl FnOnce(&mut ChatOptions)) -> ChatOptions {
    let mut options = ChatOptions::new();
    change(&mut options);
    options
}

#[tokio::test]
async fn unset_options_are_not_sent() {
    let body = sent(&with(|options| options.tool_choice = Some(ToolChoice::Auto))).await;
    let names: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(names, ["messages", "model"]);
}

#[tokio::test]
async fn the_token_limit_field_can_be_chosen() {
    let script = [Turn::text("Yes.")];
    let field = MaxTokensField::MaxCompletionTokens;
    let talk = Talk::configured(script, |mut config| {
        config.max_tokens_field = field;
        config
    })
    .await;
    talk.ask(&with(|options| options.max_tokens = Some(9))).await.unwrap();
    assert_eq!(talk.model.requests()[0].body["max_completion_tokens"], 9);
    assert_eq!(talk.model.requests()[0].body.get("max_tokens"), None);
}

#[tokio::test]
async fn invalid_options_are_rejected_with_allowed_values() {
    let cases = [
        (with(|options| options.temperature = Some(2.5)), "`temperature` is 2.5; expected 0 to 2"),
        (
            with(|options| options.temperature = Some(f64::NAN)),
            "`temperature` is NaN; expected 0 to 2",
        ),
        (with(|options| options.top_p = Some(-1.0)), "`top_p` is -1; expected 0 to 1"),
        (with(|options| options.max_tokens = Some(0)), "`max_tokens` is 0; expected at least 1"),
        (
            with(|options| options.stop.push(String::new())),
            "`stop` is an empty text; expected texts of at least one character",
        ),
        (
            with(|options| options.tool_choice = Some(ToolChoice::Required)),
            "`tool_choice` is `required` without tools; expected a tool in `tools`",
        ),
        (
            with(|options| {
                options.tools.push(tool("A"));
                options.tool_choice = Some(ToolChoice::Tool("B".into()));
            }),
            "`tool_choice` is the tool `B`, which is not offered; expected A",
        ),
        (
            ChatOptions::new().with_tools([tool("A"), tool("A")]),
            "`tools.name` is `A` twice; expected each name once",
        ),
        (
            ChatOptions::new().with_tools([tool("A.b")]),
            "`tools.name` is `A.b`; expected 1 to 64 of the characters 0-9, A-Z, a-z, _ and -",
        ),
        (
            ChatOptions::new().with_extra("stream", true),
            "`extra.stream` is a field that this crate sets or cannot read; expected only other fields",
        ),
    ];
    for (options, expected) in cases {
        assert_eq!(refused(options).await, expected);
    }
}

#[test]
fn impossible_settings_are_rejected() {
    let cases = [
        (OpenAiConfig::new("", "m"), "`api_key` is empty"),
        (OpenAiConfig::new("k", " "), "`model` is empty"),
        (
            OpenAiConfig::new("k", "m").with_base_url("ftp://a"),
            "`base_url` is neither http nor https",
        ),
        (OpenAiConfig::new("k", "m").with_batch_limits(0, 1), "`max_batch_texts` is 0"),
        (OpenAiConfig::without_key("https://api.openai.com/v1", "m"), "`api_key` is empty"),
        (OpenAiConfig::without_key("https://api.openai.com/v1/", "m"), "`api_key` is empty"),
        (OpenAiConfig::without_key(" HTTPS://API.OpenAI.com:443/v1 ", "m"), "`api_key` is empty"),
    ];
    for (config, expected) in cases {
        let error = OpenAiChat::new(config).unwrap_err();
        assert!(error.message().starts_with(expected), "{error}");
    }
}
