//! `#[kernel_function]` on free functions.

use std::{fmt, io};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use textsearch_core::schemars::{self, JsonSchema};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError,
    function::{Invocation, ParameterMetadata},
    kernel_function,
};

use crate::support::{arguments, call};

#[derive(Debug, Deserialize, Serialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Unit {
    Celsius,
    Fahrenheit,
}

/// Tells the weather
/// of some days.
///
/// # Errors
///
/// Never.
#[kernel_function]
async fn forecast(
    /// The date of the first day.
    date: String,
    #[parameter(description = "The number of days.", default = 3, minimum = 1, maximum = 14)]
    days: i32,
    /// What to measure in.
    unit: Option<Unit>,
    #[parameter(name = "atPlaces", default)] places: Vec<String>,
    #[parameter(default = "en")] language: String,
) -> Result<String, io::Error> {
    tokio::task::yield_now().await;
    Ok(format!("{date} {days} {unit:?} {places:?} {language}"))
}

#[test]
fn a_function_is_described_by_its_signature_and_comments() {
    let function = forecast::kernel_function().unwrap();
    let metadata = function.metadata();
    assert_eq!(metadata.name, "forecast");
    assert_eq!(metadata.description, "Tells the weather\nof some days.");
    let text = || json!({ "type": "string" });
    let expected = [
        ParameterMetadata::required("date", "The date of the first day.", text()),
        ParameterMetadata::optional(
            "days",
            "The number of days.",
            json!({ "type": "integer", "minimum": 1, "maximum": 14 }),
        )
        .with_default(3),
        ParameterMetadata::optional(
            "unit",
            "What to measure in.",
            json!({ "type": "string", "enum": ["celsius", "fahrenheit"] }),
        ),
        ParameterMetadata::optional("atPlaces", "", json!({ "type": "array", "items": text() }))
            .with_default(json!([])),
        ParameterMetadata::optional("language", "", text()).with_default("en"),
    ];
    assert_eq!(metadata.parameters, expected);
}

#[tokio::test]
async fn a_call_gets_its_arguments_and_the_defaults() {
    let function = forecast::kernel_function().unwrap();
    let arguments = arguments([
        ("date", json!("today")),
        ("unit", json!("fahrenheit")),
        ("atplaces", json!(["Oslo"])),
    ]);
    let answer = call(function, arguments).await.unwrap();
    assert_eq!(answer, json!(r#"today 3 Some(Fahrenheit) ["Oslo"] en"#));
}

macro_rules! greeting_in {
    ($language:expr) => {
        #[kernel_function]
        fn greeting(#[parameter(default = $language)] language: String) -> String {
            format!("hello in {language}")
        }
    };
}

greeting_in!("en");

#[tokio::test]
async fn a_macro_can_provide_a_default() {
    let answer = call(greeting::kernel_function().unwrap(), arguments([])).await.unwrap();
    assert_eq!(answer, json!("hello in en"));
}

#[tokio::test]
async fn bounds_hold_in_each_call() {
    let function = forecast::kernel_function().unwrap();
    let arguments = arguments([("date", json!("today")), ("days", json!(15))]);
    let error = call(function, arguments).await.unwrap_err();
    assert!(error.to_string().contains("`days` of `Test-forecast` must be"), "{error}");
}

#[tokio::test]
async fn the_function_stays_an_ordinary_function() {
    let answer = forecast("today".to_owned(), 1, Some(Unit::Celsius), vec![], String::new()).await;
    assert_eq!(answer.unwrap(), "today 1 Some(Celsius) [] ");
}

#[kernel_function(
    name = "Count-Words",
    description = "Counts words.",
    returns = "How many there are."
)]
fn count_words(text: &str, separator: Option<&str>) -> usize {
    separator
        .map_or_else(|| text.split_whitespace().count(), |separator| text.split(separator).count())
}

#[tokio::test]
async fn a_plain_function_takes_texts_by_reference() {
    assert_eq!(count_words("a b", None), 2);
    let function = count_words::kernel_function().unwrap();
    let required = |name| function.metadata().parameter(name).unwrap().is_required;
    assert!(required("text") && !required("separator"));
    let count = |arguments| call(function.clone(), arguments);
    assert_eq!(count(arguments([("text", json!("a b  c"))])).await.unwrap(), json!(3));
    let arguments = arguments([("text", json!("a,b")), ("separator", json!(","))]);
    assert_eq!(count(arguments).await.unwrap(), json!(2));
}

#[test]
fn attributes_override_names_and_comments() {
    let function = count_words::kernel_function().unwrap();
    let metadata = function.metadata();
    assert_eq!(metadata.name, "Count-Words");
    assert_eq!(metadata.description, "Counts words.");
    assert_eq!(metadata.return_parameter.description, "How many there are.");
    assert_eq!(*metadata.return_parameter.schema, json!({ "type": "integer", "minimum": 0 }));
}

#[kernel_function]
async fn twice(
    kernel: &Kernel,
    /// The name of the function.
    function: &str,
    invocation: Invocation,
) -> Result<Value, KernelError> {
    let arguments = || KernelArguments::new().with("text", invocation.function.qualified_name());
    let first = kernel.invoke("Test", function, arguments()).await?;
    let second = kernel.invoke("Test", function, arguments()).await?;
    Ok(json!([first.value, second.value]))
}

#[tokio::test]
async fn kernel_fills_parameters_that_models_do_not_see() {
    let functions = [twice::kernel_function().unwrap(), count_words::kernel_function().unwrap()];
    assert_eq!(functions[0].metadata().parameters.len(), 1);
    let mut kernel = Kernel::new();
    kernel
        .add_plugin(textsearch_kernel::KernelPlugin::new("Test", "", functions).unwrap())
        .unwrap();
    let arguments = arguments([("function", json!("Count-Words"))]);
    let answer = kernel.invoke("Test", "twice", arguments).await.unwrap();
    assert_eq!(answer.value, json!([1, 1]));
}

type Fallible<T> = Result<T, io::Error>;

#[kernel_function]
fn open(r#type: u8) -> Fallible<()> {
    match r#type {
        0 => Ok(()),
        _ => Err(io::Error::new(io::ErrorKind::NotFound, "no such file")),
    }
}

#[tokio::test]
async fn recognizes_a_result_behind_an_alias() {
    let function = open::kernel_function().unwrap();
    assert_eq!(function.metadata().parameters[0].name, "type");
    let answer = call(function.clone(), arguments([("type", json!(0))])).await.unwrap();
    assert_eq!(answer, Value::Null);
    let error = call(function, arguments([("type", json!(1))])).await.unwrap_err();
    assert_eq!(error.to_string(), "the function `Test-open` failed");
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.downcast_ref::<io::Error>().unwrap().kind(), io::ErrorKind::NotFound);
}

#[tokio::test]
async fn a_function_may_take_and_return_nothing() {
    #[kernel_function]
    fn nothing() {}

    let function = nothing::kernel_function().unwrap();
    assert!(function.metadata().parameters.is_empty());
    assert_eq!(call(function, KernelArguments::new()).await.unwrap(), Value::Null);
}

#[tokio::test]
async fn generated_names_do_not_clash_with_user_names() {
    #[derive(Deserialize, JsonSchema)]
    struct Arguments {
        made: u8,
    }
    #[kernel_function]
    fn clash(arguments: Arguments, invocation: u8, made: Option<u8>, shared: u8) -> u8 {
        arguments.made + invocation + made.unwrap_or_default() + shared
    }

    let arguments = arguments([
        ("arguments", json!({ "made": 1 })),
        ("invocation", json!(2)),
        ("shared", json!(4)),
    ]);
    let answer = call(clash::kernel_function().unwrap(), arguments).await.unwrap();
    assert_eq!(answer, json!(7));
}

#[test]
fn serde_and_schemars_attributes_apply_to_parameters() {
    #[kernel_function]
    fn shout(
        #[serde(alias = "words")]
        #[schemars(length(min = 2))]
        text: &str,
    ) -> Result<String, fmt::Error> {
        Ok(text.to_uppercase())
    }

    let function = shout::kernel_function().unwrap();
    assert_eq!(
        function.metadata().parameters[0].schema,
        json!({ "type": "string", "minLength": 2 })
    );
}
