//! Arguments.

use serde_json::Value;
use textsearch_kernel::function::{FunctionMetadata, ParameterMetadata};

use super::scope::Scope;
use crate::{
    ProblemKind, Step,
    schema::{Type, Work},
    template::Template,
    text::{excerpt, listed},
};

impl Scope<'_, '_> {
    /// Returns each argument with its parameter's position.
    pub(super) fn arguments(
        &mut self,
        step: &Step,
        function: Option<&FunctionMetadata>,
    ) -> Vec<(usize, Template)> {
        let parameters = function.map_or(&[][..], |function| &function.parameters);
        let mut arguments: Vec<(usize, Template)> = Vec::with_capacity(step.arguments.len());
        for (name, value) in &step.arguments {
            let place = format!("argument `{}`", excerpt(name));
            let template = self.parse(value, &place);
            let is_it = |parameter: &ParameterMetadata| parameter.name.eq_ignore_ascii_case(name);
            let position = parameters.iter().position(is_it);
            let Some((position, parameter)) =
                position.zip(position.and_then(|at| parameters.get(at)))
            else {
                if function.is_some() {
                    self.add(ProblemKind::UnknownArgument, &place, unknown(parameters));
                }
                self.check(&template, &Type::Any, &place, "");
                continue;
            };
            if arguments.iter().any(|(other, _)| *other == position) {
                let message = "is given twice (names ignore case); give it once";
                self.add(ProblemKind::UnknownArgument, &place, message);
            } else {
                self.argument(parameter, &template, &place);
            }
            arguments.push((position, template));
        }
        for (position, parameter) in parameters.iter().enumerate() {
            let is_needed = parameter.is_required && parameter.default.is_none();
            if is_needed && !arguments.iter().any(|(other, _)| *other == position) {
                let place = format!("argument `{}`", parameter.name);
                let expected = Type::of_schema(&parameter.schema).describe();
                let message = format!("is missing; `{}` needs {expected}", excerpt(&step.function));
                self.add(ProblemKind::MissingArgument, &place, message);
            }
        }
        arguments
    }

    fn argument(&mut self, parameter: &ParameterMetadata, template: &Template, place: &str) {
        // Null is an omitted argument.
        if !parameter.is_required && matches!(template, Template::Literal(Value::Null)) {
            return;
        }
        // Large arguments leave enough for the next.
        self.work = Work::default();
        self.check(template, &Type::of_schema(&parameter.schema), place, "");
    }
}

fn unknown(parameters: &[ParameterMetadata]) -> String {
    let known = listed(parameters.iter().map(|parameter| parameter.name.as_str()));
    if known.is_empty() {
        "is unknown; the function takes no arguments".to_owned()
    } else {
        format!("is unknown; the parameters are {known}")
    }
}
