//! Plans typed calls: a mistake found before anything runs, a plan that a model writes, and a run
//! that is killed in the middle and goes on.
//!
//! Needs: nothing; it runs offline against a scripted model. With `OPENAI_MODEL` and
//! `OPENAI_API_KEY` (or `OPENAI_BASE_URL` for your own server) it uses a real model, unless you
//! pass `--scripted`.

mod model;

use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use model::Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use textsearch_conformance::chat::{ModelScript, Turn};
use textsearch_core::{BoxError, async_trait};
use textsearch_kernel::{Kernel, KernelArguments, KernelFunction, KernelPlugin};
use textsearch_plan::{Plan, PlanChecker, PlanEvent, PlanObserver, PlanState, Planner, RunOptions};

#[derive(Deserialize, JsonSchema)]
struct Offset {
    /// The number of days to offset the date by from today. Positive for future, negative for past.
    #[serde(rename = "numDays")]
    num_days: u32,
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
struct Forecast {
    degrees_fahrenheit: i32,
}

fn kernel() -> anyhow::Result<Kernel> {
    let date = KernelFunction::from_fn(
        "GetDate1",
        "Gets the date with the current date offset by the specified number of days.",
        |offset: Offset| async move {
            println!("  GetDate1({}) runs", offset.num_days);
            Ok::<_, io::Error>(Date { date: format!("2023-11-{:02}", 8 + offset.num_days) })
        },
    )?;
    let forecast = KernelFunction::from_fn(
        "GetWeatherForecast1",
        "Gets the weather forecast for the specified date and the current location, and time.",
        |day: Day| async move {
            println!("  GetWeatherForecast1({}) runs", day.date);
            Ok::<_, io::Error>(Forecast { degrees_fahrenheit: 48 })
        },
    )?;
    let mut kernel = Kernel::new();
    kernel.add_plugin(KernelPlugin::new("DatePluginSimpleComplex", "Dates.", [date])?)?;
    kernel.add_plugin(KernelPlugin::new("WeatherPluginSimpleComplex", "Weather.", [forecast])?)?;
    Ok(kernel)
}

/// What a model writes for the goal, passing this part of the date on.
fn written(date: &str) -> String {
    let date_step = json!({
        "id": "date", "function": "DatePluginSimpleComplex.GetDate1", "arguments": { "numDays": 1 },
    });
    let forecast = json!({
        "id": "forecast", "function": "WeatherPluginSimpleComplex.GetWeatherForecast1", "arguments": { "date": date },
    });
    let result = "$.steps.forecast.result.degreesFahrenheit";
    json!({ "steps": [date_step, forecast], "result": result }).to_string()
}

/// Saves the state after each call. "Kills" the program after the first one.
#[derive(Default)]
struct Saved(Mutex<String>);

#[async_trait]
impl PlanObserver for Saved {
    async fn on_event(&self, event: &PlanEvent<'_>, state: &PlanState) -> Result<(), BoxError> {
        println!("  {event:?}");
        if matches!(event, PlanEvent::CallFinished { .. }) {
            let state = serde_json::to_string(state)?;
            *self.0.lock().map_err(|_| "the state is lost")? = state;
            std::future::pending::<()>().await;
        }
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let mut kernel = kernel()?;

    println!("A plan by hand that passes the whole date on:");
    let wrong: Plan = serde_json::from_str(&written("$.steps.date.result"))?;
    if let Err(mistakes) = PlanChecker::new(&kernel).check(wrong) {
        println!("{mistakes}\n");
    }

    // The model makes the same mistake once.
    let answers = ["$.steps.date.result", "$.steps.date.result.date"].map(written).map(Turn::text);
    let model = Model::open(ModelScript::turns(answers)).await?;
    kernel.add_chat_service("default", model.chat)?;
    let goal = "How warm will it be tomorrow, in degrees Fahrenheit?";
    let made = Planner::new().plan(&kernel, goal).await?;
    println!("The model's plan, after {} attempts:\n{}\n", made.attempts, made.plan);

    println!("A run that is killed after its first call:");
    let saved = Arc::new(Saved::default());
    let options = RunOptions::new().with_observer(Arc::clone(&saved));
    let running = made.plan.run_with(&kernel, KernelArguments::new(), &options);
    let killed = tokio::time::timeout(Duration::from_secs(2), running).await;
    anyhow::ensure!(killed.is_err(), "the run must not get to its end");

    println!("It goes on from the saved state:");
    let state = saved.0.lock().map_err(|_| anyhow::anyhow!("the state is lost"))?.clone();
    let state: PlanState = serde_json::from_str(&state)?;
    let outcome = made.plan.resume(&kernel, state, &RunOptions::new()).await?;
    println!("{} °F", outcome.result::<i32>()?);
    Ok(())
}
