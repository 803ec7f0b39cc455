//! The functions manual and the tool definitions.

use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use textsearch_kernel::{
    KernelFunction, KernelPlugin, TextSearchPlugins,
    function::{NoArguments, functions_manual, openai_tools, tool_definitions},
    textsearch_core::{FilterableField, FixedSearch, TextSearchResult},
};

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

fn plugins() -> [KernelPlugin; 2] {
    let date = KernelFunction::from_fn(
        "GetDate1",
        "Gets the date with the current date offset by the specified number of days.",
        |offset: Offset| async move { Ok::<_, io::Error>(Date { date: offset.num_days.to_string() }) },
    );
    let weather = KernelFunction::from_fn(
        "GetWeatherForecast1",
        "Gets the weather forecast for the specified date and the current location, and time.",
        |day: Day| async move {
            Ok::<_, io::Error>(Temperature { degrees_fahrenheit: day.date.len() as i32 })
        },
    );
    [
        KernelPlugin::new("DatePluginSimpleComplex", "", [date.unwrap()]).unwrap(),
        KernelPlugin::new("WeatherPluginSimpleComplex", "", [weather.unwrap()]).unwrap(),
    ]
}

/// The manual from the decision record on function type descriptions.
fn manual_of_the_record() -> Value {
    json!([
      {
        "name": "DatePluginSimpleComplex.GetDate1",
        "description": "Gets the date with the current date offset by the specified number of days.",
        "parameters": {
          "type": "object",
          "required": ["numDays"],
          "properties": {
            "numDays": {
              "type": "integer",
              "description": "The number of days to offset the date by from today. Positive for future, negative for past."
            }
          }
        },
        "responses": {
          "200": {
            "description": "Successful response.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "properties": { "date": { "type": "string" } },
                  "description": "The date."
                }
              }
            }
          }
        }
      },
      {
        "name": "WeatherPluginSimpleComplex.GetWeatherForecast1",
        "description": "Gets the weather forecast for the specified date and the current location, and time.",
        "parameters": {
          "type": "object",
          "required": ["date"],
          "properties": {
            "date": { "type": "string", "description": "The date for the forecast" }
          }
        },
        "responses": {
          "200": {
            "description": "Successful response.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "properties": { "degreesFahrenheit": { "type": "integer" } },
                  "description": "The forecasted temperature in Fahrenheit."
                }
              }
            }
          }
        }
      }
    ])
}

#[test]
fn the_manual_matches_the_decision_record() {
    assert_eq!(functions_manual(&plugins()), manual_of_the_record());
}

#[test]
fn an_entry_is_that_of_the_manual_also_if_opt_in() {
    let [date, _] = plugins();
    let mut metadata = date.functions()[0].metadata().as_ref().clone();
    metadata.opt_in = true;
    assert_eq!(metadata.manual_entry(), manual_of_the_record()[0]);
}

#[test]
fn a_function_without_parameters_has_an_empty_list() {
    let now = KernelFunction::from_fn("Now", "Tells the time.", |_: NoArguments| async {
        Ok::<_, io::Error>(1)
    });
    let plugin = KernelPlugin::new("Clock", "", [now.unwrap()]).unwrap();
    let manual = functions_manual(std::slice::from_ref(&plugin));
    let parameters = json!({ "type": "object", "required": [], "properties": {} });
    assert_eq!(manual[0]["parameters"], parameters);
    let tool = tool_definitions(&[plugin]).remove(0);
    assert_eq!(tool.parameters, json!({ "type": "object", "properties": {} }));
}

#[test]
fn tools_have_the_form_of_chat_completions() {
    let expected = json!({
        "type": "function",
        "function": {
            "name": "DatePluginSimpleComplex-GetDate1",
            "description": "Gets the date with the current date offset by the specified number of days.",
            "parameters": {
                "type": "object",
                "required": ["numDays"],
                "properties": {
                    "numDays": {
                        "type": "integer",
                        "description": "The number of days to offset the date by from today. Positive for future, negative for past.",
                    },
                },
            },
        },
    });
    assert_eq!(openai_tools(&plugins())[0], expected);
}

#[test]
fn a_search_tool_has_defaults_and_bounds() {
    let site = FilterableField::string("site", "The site to search").with_all_operators();
    let search = FixedSearch::<TextSearchResult>::new([]).with_fields([site]);
    let plugin = search.create_with_search("SearchPlugin").unwrap();
    let tool = tool_definitions(&[plugin]).remove(0);
    assert_eq!(tool.name, "SearchPlugin-Search");
    let expected = json!({
        "type": "object",
        "required": ["query"],
        "properties": {
            "query": { "type": "string", "description": "What to search for" },
            "count": {
                "type": "integer", "description": "Number of results to return", "default": 2, "minimum": 1, "maximum": 50,
            },
            "skip": {
                "type": "integer", "description": "Number of results to skip", "default": 0, "minimum": 0,
                "maximum": 10000,
            },
            "site": {
                "description": "The site to search",
                "anyOf": [
                    { "type": "string" },
                    { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 100 },
                ],
            },
        },
    });
    assert_eq!(tool.parameters, expected);
}

#[test]
fn a_search_describes_its_return_value() {
    let search = FixedSearch::<TextSearchResult>::new([]);
    let plugins = [
        search.create_with_search("A").unwrap(),
        search.create_with_get_search_results("B").unwrap(),
        search.create_with_records("C", "GetRecords").unwrap(),
    ];
    let manual = functions_manual(&plugins);
    let schema = |position: usize| {
        &manual[position]["responses"]["200"]["content"]["application/json"]["schema"]
    };
    assert_eq!(schema(0)["items"], json!({ "type": "string" }));
    for position in [1, 2] {
        assert_eq!(schema(position)["type"], "array");
        assert_eq!(schema(position)["items"]["properties"]["Value"]["type"], "string");
        let text = schema(position).to_string();
        assert!(!text.contains("$ref") && !text.contains("$schema"), "{text}");
    }
}
