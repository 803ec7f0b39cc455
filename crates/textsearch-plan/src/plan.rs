//! The plan as data.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Condition, PlanError, run, text::visible};

/// A plan: steps that call functions, and the result that they lead to.
///
/// A text that starts with `$.` or `$[` is a *reference*, a JSON Path
/// ([RFC 9535](https://www.rfc-editor.org/rfc/rfc9535)) into the values of the run:
///
/// | Reference | Value |
/// |---|---|
/// | `$.inputs.city` | the input `city` |
/// | `$.steps.date.result` | the result of the step `date` |
/// | `$.steps.date.result.days[0].name` | a part of it |
/// | `$.steps.date.result.days[*].name` | the list of all names |
/// | `$.item` | the current item, in a step with `for_each` |
///
/// References may stand anywhere in arguments, also inside lists and objects. All other values are
/// literals, even a text with a reference inside. Start a literal text with `$$.` or `$$[` to pass `$.` or `$[`.
///
/// ```
/// use textsearch_plan::{Plan, Step};
///
/// let plan: Plan = serde_json::from_str(r#"{
///     "steps": [
///         { "id": "date", "function": "Dates.GetDate", "arguments": { "days": 1 } },
///         { "id": "forecast", "function": "Weather.GetForecast", "arguments": { "date": "$.steps.date.result.date" } }
///     ],
///     "result": "$.steps.forecast.result.degrees"
/// }"#)?;
/// let date = Step::new("date", "Dates.GetDate").with_argument("days", 1);
/// let forecast = Step::new("forecast", "Weather.GetForecast")
///     .with_argument("date", "$.steps.date.result.date");
/// let built = Plan::new("$.steps.forecast.result.degrees").with_step(date).with_step(forecast);
/// assert_eq!(plan, built);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Plan {
    /// The inputs of the plan: the JSON schema of each, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub inputs: Map<String, Value>,
    /// The steps. A step may refer to the results of steps before it.
    pub steps: Vec<Step>,
    /// The result of the plan: a reference, or a value with references in it.
    pub result: Value,
}

/// A step: one call of a function, or one call for each item of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Step {
    /// The name of the step, unique in the plan: letters, digits and `_`, not starting with a digit.
    pub id: String,
    /// The function, as `Plugin.Function`.
    pub function: String,
    /// The arguments by parameter name: literals, and references such as `$.steps.date.result.date`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub arguments: Map<String, Value>,
    /// A list. The step calls the function once for each item, which is `$.item`, and its result is
    /// the list of results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_each: Option<Value>,
    /// Whether the step runs. If not, steps that refer to its result don't run either. With
    /// `for_each`, it is checked for each item, and the others are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
}

impl Plan {
    /// Creates a plan without steps that returns `result`: a reference, or a value with references
    /// in it.
    pub fn new(result: impl Into<Value>) -> Self {
        Self { inputs: Map::new(), steps: Vec::new(), result: result.into() }
    }

    /// Adds a step.
    #[must_use]
    pub fn with_step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Declares an input with the JSON schema of its values. `Value::Bool(true)` allows any value.
    #[must_use]
    pub fn with_input(mut self, name: impl Into<String>, schema: impl Into<Value>) -> Self {
        self.inputs.insert(name.into(), schema.into());
        self
    }

    /// Returns the position of a step. Of two steps with one identifier, the first counts.
    pub(crate) fn place(&self, id: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.id == id)
    }

    /// Checks that `value` fits the schema of the input `name`, whose case is ignored. A run checks
    /// its inputs in the same way.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`](PlanError::InvalidInput) with the mistake, or if the plan has no such
    /// input.
    pub fn check_input(&self, name: &str, value: &Value) -> Result<(), PlanError> {
        run::check_input(self, name, value)
    }

    /// Returns the JSON schema of plans, for editors and models.
    pub fn json_schema() -> Value {
        schemars::schema_for!(Self).into()
    }
}

impl Step {
    /// Creates a step that calls `function`, named `Plugin.Function` or `Plugin-Function`.
    pub fn new(id: impl Into<String>, function: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            function: function.into(),
            arguments: Map::new(),
            for_each: None,
            when: None,
        }
    }

    /// Adds an argument: a literal, a reference, or a value with references in it.
    ///
    /// A text from outside could be a reference: pass it as an [input](Plan::with_input), or with
    /// [`with_literal`](Self::with_literal).
    #[must_use]
    pub fn with_argument(mut self, parameter: impl Into<String>, value: impl Into<Value>) -> Self {
        self.arguments.insert(parameter.into(), value.into());
        self
    }

    /// Adds an argument without references: each text in `value` is passed as it is.
    ///
    /// ```
    /// use textsearch_plan::Step;
    ///
    /// let step = Step::new("found", "Docs.Search").with_literal("query", "$.inputs.secret");
    /// assert_eq!(step.arguments["query"], "$$.inputs.secret");
    /// ```
    #[must_use]
    pub fn with_literal(self, parameter: impl Into<String>, value: impl Into<Value>) -> Self {
        self.with_argument(parameter, crate::template::escaped(value.into()))
    }

    /// Calls the function once for each item of `list`.
    #[must_use]
    pub fn with_for_each(mut self, list: impl Into<Value>) -> Self {
        self.for_each = Some(list.into());
        self
    }

    /// Runs the step only if `condition` holds.
    #[must_use]
    pub fn with_when(mut self, condition: Condition) -> Self {
        self.when = Some(condition);
        self
    }
}

/// Shows the plan to a person, one step a line. Values are JSON. Control characters, invisible
/// characters and marks that turn the direction of text are escaped.
impl fmt::Display for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            writeln!(formatter, "{step}")?;
        }
        write!(formatter, "return {}", shown(&self.result))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} = {}(", plain(&self.id), plain(&self.function))?;
        for (position, (name, value)) in self.arguments.iter().enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(formatter, "{comma}{}: {}", plain(name), shown(value))?;
        }
        formatter.write_str(")")?;
        if let Some(list) = &self.for_each {
            write!(formatter, " for each $.item in {}", shown(list))?;
        }
        if let Some(condition) = &self.when {
            write!(formatter, " when {condition}")?;
        }
        Ok(())
    }
}

/// A reference as it is, anything else as JSON.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if crate::template::is_reference(text) => plain(text),
        other => visible(other),
    }
}

/// Names come from models: no line break or hidden character may imitate another step.
fn plain(text: &str) -> String {
    let quoted = visible(&Value::from(text));
    quoted.trim_matches('"').to_owned()
}
