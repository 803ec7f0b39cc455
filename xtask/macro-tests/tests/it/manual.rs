//! A function made by the attribute describes itself like one written by hand.

use std::io;

use serde::{Deserialize, Serialize};
use textsearch_core::schemars::{self, JsonSchema};
use textsearch_kernel::{
    KernelFunction, KernelPlugin,
    function::{functions_manual, openai_tools},
    kernel_function, kernel_plugin,
};

/// The weather of some days.
#[derive(Serialize, JsonSchema)]
struct Weather {
    /// In Fahrenheit.
    degrees: i32,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
enum Precision {
    Rough,
    Fine,
}

#[derive(Deserialize, JsonSchema)]
struct Asked {
    /// The date for the forecast.
    /// Today, where in doubt.
    #[serde(rename = "forDate")]
    for_date: String,
    /// The number of days.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 14))]
    days: u8,
    /// How good it has to be.
    precision: Option<Precision>,
    #[serde(default)]
    places: Vec<String>,
}

fn three() -> u8 {
    3
}

fn by_hand() -> KernelFunction {
    KernelFunction::from_fn("Forecast", "Gets the weather.", |asked: Asked| async move {
        let Asked { for_date, days, precision, places } = asked;
        forecast(for_date, days, precision, places)
    })
    .unwrap()
}

/// Gets the weather.
///
/// # Errors
///
/// If there is none.
#[kernel_function(name = "Forecast")]
fn forecast(
    /// The date for the forecast.
    /// Today, where in doubt.
    #[parameter(name = "forDate")]
    for_date: String,
    /// The number of days.
    #[parameter(default = 3, minimum = 1, maximum = 14)]
    days: u8,
    /// How good it has to be.
    precision: Option<Precision>,
    #[parameter(default)] places: Vec<String>,
) -> io::Result<Weather> {
    let rough = matches!(precision, Some(Precision::Rough | Precision::Fine));
    let degrees = for_date.len() + usize::from(days) + places.len() + usize::from(rough);
    Ok(Weather { degrees: i32::try_from(degrees).map_err(io::Error::other)? })
}

struct Service;

#[kernel_plugin]
impl Service {
    /// Gets the weather.
    #[kernel_function(name = "Forecast")]
    #[expect(clippy::unused_self, reason = "a method of a service with nothing to keep")]
    fn forecast(
        &self,
        /// The date for the forecast.
        /// Today, where in doubt.
        #[parameter(name = "forDate")]
        for_date: String,
        /// The number of days.
        #[parameter(default = 3, minimum = 1, maximum = 14)]
        days: u8,
        /// How good it has to be.
        precision: Option<Precision>,
        #[parameter(default)] places: Vec<String>,
    ) -> io::Result<Weather> {
        forecast(for_date, days, precision, places)
    }
}

fn plugin_of(function: KernelFunction) -> KernelPlugin {
    KernelPlugin::new("Weather", "", [function]).unwrap()
}

#[test]
fn manual_matches_a_handwritten_function() {
    let expected = functions_manual(&[plugin_of(by_hand())]);
    let made = functions_manual(&[plugin_of(forecast::kernel_function().unwrap())]);
    assert_eq!(made, expected);
    assert_eq!(functions_manual(&[Service.into_plugin("Weather").unwrap()]), expected);
    assert_eq!(made[0]["name"], "Weather.Forecast");
}

#[test]
fn tools_match_a_handwritten_function() {
    let expected = openai_tools(&[plugin_of(by_hand())]);
    let made = openai_tools(&[plugin_of(forecast::kernel_function().unwrap())]);
    assert_eq!(made, expected);
    assert_eq!(openai_tools(&[Service.into_plugin("Weather").unwrap()]), expected);
    assert_eq!(made[0]["function"]["parameters"]["required"], serde_json::json!(["forDate"]));
}
