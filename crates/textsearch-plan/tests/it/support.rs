//! The two functions of the decision record on function types, and others.

use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use textsearch_kernel::{
    Kernel, KernelFunction, KernelPlugin,
    function::{FunctionMetadata, ParameterMetadata},
};
use textsearch_plan::{CheckedPlan, InvalidPlan, Plan, PlanChecker, PlanLimits};

#[derive(Deserialize, JsonSchema)]
struct Offset {
    /// The number of days to offset the date by from today. Positive for future, negative for past.
    #[serde(rename = "numDays")]
    num_days: i32,
}

/// The date.
#[derive(Serialize, JsonSchema)]
struct Date {
    date: String,
}

#[derive(Deserialize, JsonSchema)]
struct Day {
    /// The date for the forecast
    date: String,
}

/// The forecasted temperature in Fahrenheit.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Temperature {
    degrees_fahrenheit: i32,
}

/// Today is day 0, and day n is "day n" with n degrees Fahrenheit above 60.
pub(crate) fn seed_plugins() -> [KernelPlugin; 2] {
    let date = KernelFunction::from_fn(
        "GetDate1",
        "Gets the date with the current date offset by the specified number of days.",
        |offset: Offset| async move {
            Ok::<_, io::Error>(Date { date: format!("day {}", offset.num_days) })
        },
    );
    let weather = KernelFunction::from_fn(
        "GetWeatherForecast1",
        "Gets the weather forecast for the specified date and the current location, and time.",
        |day: Day| async move {
            let number = day.date.strip_prefix("day ").and_then(|number| number.parse().ok());
            let number: i32 = number.ok_or_else(|| io::Error::other("no such day"))?;
            Ok::<_, io::Error>(Temperature { degrees_fahrenheit: 60 + number })
        },
    );
    [
        KernelPlugin::new("DatePluginSimpleComplex", "", [date.unwrap()]).unwrap(),
        KernelPlugin::new("WeatherPluginSimpleComplex", "", [weather.unwrap()]).unwrap(),
    ]
}

pub(crate) fn seed_kernel() -> Kernel {
    let mut kernel = Kernel::new();
    for plugin in seed_plugins() {
        kernel.add_plugin(plugin).unwrap();
    }
    kernel
}

/// The plan of the decision record, which passes this part of the date on.
pub(crate) fn seed_plan(date: &str) -> Plan {
    plan(json!({
        "inputs": { "days": { "type": "integer" } },
        "steps": [
            {
                "id": "date",
                "function": "DatePluginSimpleComplex.GetDate1",
                "arguments": { "numDays": "$.inputs.days" },
            },
            {
                "id": "forecast",
                "function": "WeatherPluginSimpleComplex.GetWeatherForecast1",
                "arguments": { "date": date },
            },
        ],
        "result": "$.steps.forecast.result.degreesFahrenheit",
    }))
}

pub(crate) fn plan(written: Value) -> Plan {
    serde_json::from_value(written).unwrap()
}

pub(crate) fn check(kernel: &Kernel, plan: Plan) -> Result<CheckedPlan, InvalidPlan> {
    PlanChecker::new(kernel).check(plan)
}

/// The default limits, changed.
pub(crate) fn limits(change: impl FnOnce(&mut PlanLimits)) -> PlanLimits {
    let mut limits = PlanLimits::default();
    change(&mut limits);
    limits
}

/// A function `name` with a required parameter `value`; it returns what `body` makes of it.
pub(crate) fn function(
    name: &str,
    (input, output): (Value, Value),
    body: impl Fn(Value) -> Value + Send + Sync + 'static,
) -> KernelFunction {
    let metadata = FunctionMetadata::new(name, "")
        .with_parameter(ParameterMetadata::required("value", "", input))
        .with_return("", output);
    KernelFunction::new(metadata, move |invocation| {
        let value = body(invocation.arguments.get("value").cloned().unwrap_or_default());
        async move { Ok(value) }
    })
    .unwrap()
}

/// A kernel with a plugin `F` of these functions.
pub(crate) fn kernel_of(functions: impl IntoIterator<Item = KernelFunction>) -> Kernel {
    let mut kernel = Kernel::new();
    kernel.add_plugin(KernelPlugin::new("F", "", functions).unwrap()).unwrap();
    kernel
}
