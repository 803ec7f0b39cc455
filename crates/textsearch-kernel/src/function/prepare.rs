//! From what a call gives to what a function's body gets.

use serde_json::Value;

use super::{KernelFunction, check::ValueCheck};
use crate::{KernelArguments, KernelError, Result, function::ParameterMetadata};

impl KernelFunction {
    /// The declared arguments alone, in the order of the parameters: checked, and with defaults for those not given.
    ///
    /// What is not declared is left out, so that a body sees nothing that its metadata does not tell.
    pub(crate) fn prepare(&self, mut arguments: KernelArguments) -> Result<KernelArguments> {
        let parameters = &self.metadata.parameters;
        let mut prepared = KernelArguments::with_capacity(parameters.len());
        for (parameter, check) in parameters.iter().zip(&self.implementation.checks) {
            let given = arguments.take(&parameter.name);
            let given =
                given.filter(|(_, value)| !value.is_null() || is_null_a_value(parameter, check));
            if let Some((name, value)) = self.prepare_one(parameter, check, given)? {
                prepared.push_new(name, value);
            }
        }
        Ok(prepared.with_settings_of(arguments))
    }

    fn prepare_one(
        &self,
        parameter: &ParameterMetadata,
        check: &ValueCheck,
        given: Option<(String, Value)>,
    ) -> Result<Option<(String, Value)>> {
        let refuse = |message: String| {
            let function = self.metadata.qualified_name();
            KernelError::invalid_argument(function, &parameter.name, message)
        };
        match (given, &parameter.default) {
            (Some((name, value)), _) => {
                let value = check.apply(value).map_err(refuse)?;
                let name = if name == parameter.name { name } else { parameter.name.clone() };
                Ok(Some((name, value)))
            }
            (None, Some(default)) => Ok(Some((parameter.name.clone(), default.clone()))),
            (None, None) if parameter.is_required => {
                Err(refuse(format!("is missing: {}", self.describe_required())))
            }
            (None, None) => Ok(None),
        }
    }

    fn describe_required(&self) -> String {
        let required = self.metadata.parameters.iter().filter(|parameter| parameter.is_required);
        let names: Vec<&str> = required.map(|parameter| parameter.name.as_str()).collect();
        format!("required are {}", names.join(", "))
    }
}

/// Null stands for "not given", but for a required parameter whose schema lets null be its value.
fn is_null_a_value(parameter: &ParameterMetadata, check: &ValueCheck) -> bool {
    parameter.is_required && check.allows_null()
}
