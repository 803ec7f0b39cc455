//! The inputs of a run.

use serde_json::{Map, Value};
use textsearch_kernel::KernelArguments;

use crate::{
    Plan, PlanError,
    schema::{Type, Work, validate},
    size::{DEEPEST_RESULT, is_too_deep, size},
    text::listed,
};

/// Returns the declared inputs. A missing one is null.
pub(super) fn inputs(
    plan: &Plan,
    arguments: &KernelArguments,
) -> Result<Map<String, Value>, PlanError> {
    arguments.iter().try_for_each(|(name, _)| schema_of(plan, name).map(|_| ()))?;
    let input = |name: &String| (name.clone(), arguments.get(name).cloned().unwrap_or_default());
    let inputs = plan.inputs.keys().map(input).collect();
    check(plan, &inputs)?;
    Ok(inputs)
}

pub(super) fn check(plan: &Plan, inputs: &Map<String, Value>) -> Result<(), PlanError> {
    plan.inputs.iter().try_for_each(|(name, schema)| {
        check_value(name, schema, inputs.get(name).unwrap_or(&Value::Null))
    })
}

pub(crate) fn check_input(plan: &Plan, name: &str, value: &Value) -> Result<(), PlanError> {
    check_value(name, schema_of(plan, name)?, value)
}

fn check_value(name: &str, schema: &Value, value: &Value) -> Result<(), PlanError> {
    if is_too_deep(value) {
        let message = format!("is nested more than {DEEPEST_RESULT} levels deep");
        return Err(PlanError::invalid_input(name, message));
    }
    validate(value, &Type::of_schema(schema), &mut Work::for_value(size(value)))
        .map_err(|mistake| PlanError::invalid_input(name, mistake.to_string()))
}

fn schema_of<'p>(plan: &'p Plan, name: &str) -> Result<&'p Value, PlanError> {
    let mut inputs = plan.inputs.iter();
    let known = inputs.find(|(known, _)| known.eq_ignore_ascii_case(name));
    known.map(|(_, schema)| schema).ok_or_else(|| {
        let known = listed(plan.inputs.keys().map(String::as_str));
        let message = if known.is_empty() {
            "is unknown; the plan has no inputs".to_owned()
        } else {
            format!("is unknown; the inputs are {known}")
        };
        PlanError::invalid_input(name, message)
    })
}
