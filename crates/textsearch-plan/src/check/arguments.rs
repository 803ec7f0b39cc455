//! Checks values against the types of parameters.

use std::collections::HashSet;

use serde_json::Value;
use textsearch_kernel::function::{FunctionMetadata, ParameterMetadata};

use super::{
    order::Scope,
    report::{Report, at, field_of},
};
use crate::{
    ProblemKind, Step,
    reference::{Part, Reference},
    schema::{Kinds, Mistake, Type, Variant, Work, overlaps, validate},
    template::Template,
    text::{excerpt, listed},
};

/// Checks values of one step, or of the plan's result.
pub(super) struct Values<'c, 'r> {
    pub(super) scope: &'r Scope<'c>,
    pub(super) step: Option<&'r str>,
    pub(super) report: &'r mut Report,
    pub(super) work: &'r mut Work,
}

impl<'c> Values<'c, '_> {
    /// Checks the arguments, and returns each with its parameter's position.
    pub(super) fn arguments(
        &mut self,
        step: &Step,
        function: &FunctionMetadata,
        templates: Vec<(String, Template)>,
    ) -> Vec<(usize, Template)> {
        let mut given: Vec<(usize, Template)> = Vec::with_capacity(templates.len());
        for (name, template) in templates {
            let place = format!("argument `{}`", excerpt(&name));
            let is_it = |one: &ParameterMetadata| one.name.eq_ignore_ascii_case(&name);
            let Some(position) = function.parameters.iter().position(is_it) else {
                self.add(ProblemKind::UnknownArgument, &place, unknown(function));
                self.check(&template, &Type::Any, &place, "");
                continue;
            };
            if given.iter().any(|(known, _)| *known == position) {
                let message = "is given twice (names ignore case); give it once";
                self.add(ProblemKind::UnknownArgument, &place, message);
            } else if let Some(parameter) = function.parameters.get(position) {
                self.argument(parameter, &template, &place);
            }
            given.push((position, template));
        }
        for (position, parameter) in function.parameters.iter().enumerate() {
            let is_missing = parameter.is_required && parameter.default.is_none();
            if is_missing && !given.iter().any(|(known, _)| *known == position) {
                let place = format!("argument `{}`", parameter.name);
                let expected = Type::of_schema(&parameter.schema).describe();
                let message = format!("is missing; `{}` needs {expected}", excerpt(&step.function));
                self.add(ProblemKind::MissingArgument, &place, message);
            }
        }
        given
    }

    fn argument(&mut self, parameter: &ParameterMetadata, template: &Template, place: &str) {
        // Null is an omitted argument.
        if !parameter.is_required && matches!(template, Template::Literal(Value::Null)) {
            return;
        }
        // Large arguments leave enough for the next.
        *self.work = Work::default();
        self.check(template, &Type::of_schema(&parameter.schema), place, "");
    }

    /// Checks that the value can fit the type.
    pub(super) fn check(&mut self, template: &Template, to: &Type<'_>, place: &str, path: &str) {
        match template {
            Template::Wrong => {}
            Template::Literal(value) => match validate(value, to, self.work) {
                Err(Mistake::TooMuch) if path.is_empty() => {
                    let message = "is too large to check; pass it as an input";
                    self.add(ProblemKind::TooLarge, place, message);
                }
                // The run checks values with references again.
                Ok(()) | Err(Mistake::TooMuch) => {}
                Err(mistake) => {
                    self.add(ProblemKind::TypeMismatch, &at(place, path), mistake.to_string());
                }
            },
            Template::Reference(reference) => {
                if let Some(from) = self.type_of(reference, place, path)
                    && !overlaps(&from, to, self.work)
                {
                    let message = self.mismatch(reference, &from, to);
                    self.add(ProblemKind::TypeMismatch, &at(place, path), message);
                }
            }
            Template::List(items) => {
                let to = match to.items() {
                    Some(to) => to,
                    None => self.unfit(to, "a list", place, path),
                };
                for (position, item) in items.iter().enumerate() {
                    self.check(item, &to, place, &format!("{path}[{position}]"));
                }
            }
            Template::Object(fields) => self.check_fields(fields, to, place, path),
        }
    }

    fn check_fields(
        &mut self,
        fields: &[(String, Template)],
        to: &Type<'_>,
        place: &str,
        path: &str,
    ) {
        let is_object = to.kinds().meets(Kinds::OBJECT);
        let to = if is_object { to.clone() } else { self.unfit(to, "an object", place, path) };
        let variants = to.variants();
        let objects = || variants.iter().filter(|one| one.kinds().meets(Kinds::OBJECT));
        let given: HashSet<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        let lacking = objects().map(|one| one.required().find(|name| !given.contains(name)));
        if let Some(mut lacking) = lacking.collect::<Option<Vec<&str>>>() {
            lacking.dedup();
            let message = match lacking.as_slice() {
                [name] => format!("lacks the field `{}`", excerpt(name)),
                names => format!("lacks one of the fields {}", listed(names.iter().copied())),
            };
            self.add(ProblemKind::TypeMismatch, &at(place, path), message);
        }
        for (name, field) in fields {
            let part = [Part::Name(name.clone())];
            let field_type = to.select(&part);
            if field_type.is_err() && objects().all(Variant::is_closed) {
                let message = format!("has the unknown field `{}`", excerpt(name));
                self.add(ProblemKind::TypeMismatch, &at(place, path), message);
            }
            let to = field_type.unwrap_or(Type::Any);
            self.check(field, &to, place, &field_of(path, name));
        }
    }

    /// Reports it, and goes on with any type, so that references inside are checked too.
    fn unfit<'t>(&mut self, to: &Type<'_>, found: &str, place: &str, path: &str) -> Type<'t> {
        let message = format!("must be {}: found {found}", to.describe());
        self.add(ProblemKind::TypeMismatch, &at(place, path), message);
        Type::Any
    }

    pub(super) fn type_of(
        &mut self,
        reference: &Reference,
        place: &str,
        path: &str,
    ) -> Option<Type<'c>> {
        match self.scope.type_of(reference) {
            Ok(found) => Some(found),
            Err((kind, message)) => {
                self.add(kind, &at(place, path), message);
                None
            }
        }
    }

    fn mismatch(&mut self, reference: &Reference, from: &Type<'c>, to: &Type<'_>) -> String {
        let mut message =
            format!("must be {}, but {reference} is {}", to.describe(), from.describe());
        if let Some(name) = self.similar(from, to) {
            message.push_str(&format!("; did you mean `{}.{name}`", excerpt(&reference.text)));
        }
        message
    }

    /// Returns a field of `from` that fits `to`.
    fn similar(&mut self, from: &Type<'c>, to: &Type<'_>) -> Option<&'c str> {
        for variant in from.variants() {
            for (name, field) in variant.fields() {
                let fits = overlaps(&field, to, self.work);
                if self.work.is_spent() {
                    return None;
                }
                if fits {
                    return Some(name);
                }
            }
        }
        None
    }

    pub(super) fn add(&mut self, kind: ProblemKind, place: &str, message: impl Into<String>) {
        self.report.add(kind, self.step, place, message);
    }
}

fn unknown(function: &FunctionMetadata) -> String {
    let known = listed(function.parameters.iter().map(|one| one.name.as_str()));
    match known.is_empty() {
        true => "is unknown; the function takes no arguments".to_owned(),
        false => format!("is unknown; the parameters are {known}"),
    }
}
