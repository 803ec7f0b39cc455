//! Prepares a call's arguments.

use serde_json::Value;

use super::{KernelFunction, check::ValueCheck};
use crate::{KernelArguments, KernelError, Result, function::ParameterMetadata};

impl KernelFunction {
    /// Drops undeclared arguments, so that a body sees only the parameters of its metadata.
    pub(crate) fn prepare(&self, mut arguments: KernelArguments) -> Result<KernelArguments> {
        let parameters = &self.metadata.parameters;
        let mut prepared = KernelArguments::with_capacity(parameters.len());
        for (parameter, check) in parameters.iter().zip(&self.implementation.checks) {
            let argument = arguments.take(&parameter.name);
            let argument =
                argument.filter(|(_, value)| !value.is_null() || is_null_a_value(parameter, check));
            if let Some((name, value)) = self.prepare_one(parameter, check, argument)? {
                prepared.push_new(name, value);
            }
        }
        Ok(prepared.with_settings_of(arguments))
    }

    fn prepare_one(
        &self,
        parameter: &ParameterMetadata,
        check: &ValueCheck,
        argument: Option<(String, Value)>,
    ) -> Result<Option<(String, Value)>> {
        let refuse = |message: String| {
            let function = self.metadata.qualified_name();
            KernelError::invalid_argument(function, &parameter.name, message)
        };
        match (argument, &parameter.default) {
            (Some((name, value)), _) => {
                let value = check.apply(value).map_err(|mistake| refuse(mistake.to_string()))?;
                let name = if name == parameter.name { name } else { parameter.name.clone() };
                Ok(Some((name, value)))
            }
            (None, Some(default)) => Ok(Some((parameter.name.clone(), default.clone()))),
            (None, None) if parameter.is_required => {
                Err(refuse(format!("is missing; {}", self.describe_required())))
            }
            (None, None) => Ok(None),
        }
    }

    fn describe_required(&self) -> String {
        let required = self.metadata.parameters.iter().filter(|parameter| parameter.is_required);
        let names: Vec<&str> = required.map(|parameter| parameter.name.as_str()).collect();
        format!("required arguments: {}", names.join(", "))
    }
}

/// Null means "omitted", except for a required parameter whose schema allows null.
fn is_null_a_value(parameter: &ParameterMetadata, check: &ValueCheck) -> bool {
    parameter.is_required && check.allows_null()
}
