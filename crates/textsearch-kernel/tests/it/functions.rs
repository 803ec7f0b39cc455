//! Functions from closures with typed arguments.

use std::{convert::Infallible, io};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use textsearch_kernel::{
    KernelArguments, KernelError, KernelFunction, KernelPlugin,
    function::{FunctionMetadata, Invocation, NoArguments, ParameterMetadata},
};

use crate::support::kernel_of;

#[derive(Deserialize, JsonSchema)]
struct Forecast {
    /// The date for the forecast.
    date: String,
    /// The number of days.
    #[serde(default = "one_day")]
    #[schemars(range(min = 1, max = 14))]
    days: i32,
    unit: Option<Unit>,
    #[serde(default)]
    places: Vec<Place>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    Celsius,
    Fahrenheit,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Place {
    /// What it is called.
    name: String,
}

/// What it will be like.
#[derive(Serialize, JsonSchema)]
struct Weather {
    summary: String,
}

fn one_day() -> i32 {
    1
}

fn forecast() -> KernelFunction {
    KernelFunction::from_fn("Forecast", "Tells the weather.", |asked: Forecast| async move {
        let places: Vec<String> = asked.places.into_iter().map(|place| place.name).collect();
        let summary = format!("{} {} {:?} {places:?}", asked.date, asked.days, asked.unit);
        Ok::<_, io::Error>(Weather { summary })
    })
    .unwrap()
}

#[test]
fn parameters_are_described_by_the_type() {
    let metadata = forecast().metadata().as_ref().clone();
    let place = json!({
        "type": "object",
        "properties": { "name": { "type": "string", "description": "What it is called." } },
        "required": ["name"],
    });
    let expected = [
        ParameterMetadata::required(
            "date",
            "The date for the forecast.",
            json!({ "type": "string" }),
        ),
        ParameterMetadata::optional(
            "days",
            "The number of days.",
            json!({ "type": "integer", "minimum": 1, "maximum": 14 }),
        )
        .with_default(1),
        ParameterMetadata::optional(
            "unit",
            "",
            json!({ "type": "string", "enum": ["celsius", "fahrenheit"] }),
        ),
        ParameterMetadata::optional("places", "", json!({ "type": "array", "items": place }))
            .with_default(json!([])),
    ];
    assert_eq!(metadata.parameters, expected);
    assert_eq!(metadata.return_parameter.description, "What it will be like.");
    let returned = json!({ "type": "object", "properties": { "summary": { "type": "string" } } });
    assert_eq!(*metadata.return_parameter.schema, returned);
}

#[test]
fn a_return_description_overrides_the_types() {
    let metadata = forecast().with_return_description("The weather then.").metadata().clone();
    assert_eq!(metadata.return_parameter.description, "The weather then.");
    assert_eq!(metadata.return_parameter.schema, forecast().metadata().return_parameter.schema);
}

#[tokio::test]
async fn arguments_are_read_into_the_type() {
    let kernel = kernel_of([forecast()]);
    let arguments = KernelArguments::new().with("date", "today").with("unit", "celsius");
    let arguments = arguments.with("places", json!([{ "name": "Oslo" }]));
    let result = kernel.invoke("Test", "Forecast", arguments).await.unwrap();
    assert_eq!(result.value, json!({ "summary": "today 1 Some(Celsius) [\"Oslo\"]" }));
    assert_eq!(result.function.qualified_name(), "Test-Forecast");
}

#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "Span")]
struct CheckedSpan {}

#[derive(Deserialize, JsonSchema)]
struct Span {
    from: i64,
    to: i64,
}

impl TryFrom<Span> for CheckedSpan {
    type Error = &'static str;

    fn try_from(span: Span) -> Result<Self, Self::Error> {
        if span.from <= span.to { Ok(Self {}) } else { Err("it ends before it starts") }
    }
}

#[tokio::test]
async fn arguments_that_contradict_each_other_are_named_together() {
    let function =
        KernelFunction::from_fn("Span", "", |_: CheckedSpan| async { Ok::<_, Infallible>(()) });
    let kernel = kernel_of([function.unwrap()]);
    let arguments = KernelArguments::new().with("from", 2).with("to", 1);
    let error = kernel.invoke("Test", "Span", arguments).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the arguments of `Test-Span` cannot be read: it ends before it starts"
    );
}

#[tokio::test]
async fn an_argument_that_cannot_be_read_is_named() {
    let kernel = kernel_of([forecast()]);
    let arguments =
        KernelArguments::new().with("date", "today").with("places", json!([{ "title": "Oslo" }]));
    let error = kernel.invoke("Test", "Forecast", arguments).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the argument `places` of `Test-Forecast` cannot be read: missing field `name`"
    );
    let arguments = KernelArguments::new().with("date", "today").with("unit", "kelvin");
    let error = kernel.invoke("Test", "Forecast", arguments).await.unwrap_err();
    assert!(
        error.to_string().contains(r#"must be one of "celsius", "fahrenheit": found "kelvin""#),
        "{error}"
    );
}

#[tokio::test]
async fn a_function_without_parameters_takes_no_arguments() {
    let now = KernelFunction::from_fn("Now", "", |_: NoArguments| async { Ok::<_, io::Error>(7) })
        .unwrap();
    assert!(now.metadata().parameters.is_empty());
    let kernel = kernel_of([now]);
    let result = kernel.invoke("Test", "Now", KernelArguments::new()).await.unwrap();
    assert_eq!(result.value, json!(7));
    assert_eq!(result.text(), "7");
}

#[tokio::test]
async fn a_body_can_call_other_functions() {
    #[derive(Deserialize, JsonSchema)]
    struct Twice {
        text: String,
    }
    let twice = KernelFunction::from_fn_with_invocation(
        "Twice",
        "",
        |asked: Twice, invocation: Invocation| async move {
            assert_eq!(invocation.arguments.get("text"), Some(&json!(asked.text)));
            let arguments = KernelArguments::new().with("date", asked.text.repeat(2));
            let result = invocation.kernel.invoke("Test", "Forecast", arguments).await?;
            Ok::<_, KernelError>(result.value.to_json()["summary"].clone())
        },
    );
    let kernel = kernel_of([twice.unwrap(), forecast()]);
    let result =
        kernel.invoke("Test", "Twice", KernelArguments::new().with("text", "ab")).await.unwrap();
    assert_eq!(result.value, json!("abab 1 None []"));
}

#[tokio::test]
async fn a_failure_carries_the_functions_own_error() {
    let fail = KernelFunction::from_fn("Fail", "", |_: NoArguments| async {
        Err::<String, _>(io::Error::new(io::ErrorKind::NotFound, "no such file"))
    });
    let kernel = kernel_of([fail.unwrap()]);
    let error = kernel.invoke("Test", "Fail", KernelArguments::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "the function `Test-Fail` failed");
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.downcast_ref::<io::Error>().unwrap().kind(), io::ErrorKind::NotFound);
}

#[test]
fn arguments_that_are_no_struct_are_refused() {
    let error =
        KernelFunction::from_fn("Bad", "", |_: i32| async { Ok::<_, io::Error>(()) }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the function `Bad` cannot be made: its arguments must be a struct with named fields, one for each parameter"
    );
}

#[test]
fn names_are_checked() {
    let named = |name: &str| {
        KernelFunction::new(FunctionMetadata::new(name, ""), |_| async { Ok(json!(null)) })
    };
    for bad in ["", "a b", "é", "a.b"] {
        assert!(matches!(named(bad), Err(KernelError::InvalidName { .. })), "{bad}");
    }
    assert!(named("get-by_id2").is_ok());
    let two = [named("a").unwrap(), named("A").unwrap()];
    assert!(matches!(KernelPlugin::new("P", "", two), Err(KernelError::InvalidName { .. })));
    assert!(matches!(KernelPlugin::new("P-Q", "", []), Err(KernelError::InvalidName { .. })));
    let long = named(&"a".repeat(62)).unwrap();
    assert!(KernelPlugin::new("P", "", [long.clone()]).is_ok());
    assert!(matches!(KernelPlugin::new("PP", "", [long]), Err(KernelError::InvalidName { .. })));
}

#[test]
fn names_of_parameters_are_checked() {
    let with_parameter = |name: &str| {
        let parameter = ParameterMetadata::required(name, "", json!({}));
        let metadata = FunctionMetadata::new("F", "").with_parameter(parameter);
        KernelFunction::new(metadata, |_| async { Ok(json!(null)) })
    };
    for bad in ["", "a b", "é", &"a".repeat(65)] {
        assert!(matches!(with_parameter(bad), Err(KernelError::InvalidName { .. })), "{bad}");
    }
    assert!(with_parameter("author.name").is_ok());
}
