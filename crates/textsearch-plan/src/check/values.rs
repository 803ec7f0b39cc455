//! Compares values with types.

use std::collections::HashSet;

use super::scope::Scope;
use crate::{
    ProblemKind,
    reference::{Part, Reference},
    schema::{Kinds, Mistake, Type, Variant, overlaps, validate},
    template::Template,
    text::{excerpt, listed},
};

impl<'c> Scope<'c, '_> {
    /// Checks that the value can fit the type.
    pub(super) fn check(&mut self, template: &Template, to: &Type<'_>, place: &str, path: &str) {
        match template {
            Template::Malformed => {}
            Template::Literal(value) => match validate(value, to, &mut self.work) {
                Err(Mistake::TooMuch) if path.is_empty() => {
                    let message = "is too large to check; pass it as an input";
                    self.add(ProblemKind::TooLarge, place, message);
                }
                // The run checks values with references again.
                Ok(()) | Err(Mistake::TooMuch) => {}
                Err(mistake) => self.mismatch(place, path, mistake.to_string()),
            },
            Template::Reference(reference) => {
                if let Some(from) = self.type_of(reference, place, path)
                    && !overlaps(&from, to, &mut self.work)
                {
                    let message = self.describe_mismatch(reference, &from, to);
                    self.mismatch(place, path, message);
                }
            }
            Template::List(items) => {
                let to = to.items().unwrap_or_else(|| self.unfit(to, "a list", place, path));
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
        let objects = || variants.iter().filter(|variant| variant.kinds().meets(Kinds::OBJECT));
        let names: HashSet<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        let lacking = objects().map(|object| object.required().find(|name| !names.contains(name)));
        if let Some(mut lacking) = lacking.collect::<Option<Vec<&str>>>() {
            lacking.dedup();
            let message = match lacking.as_slice() {
                [name] => format!("lacks the field `{}`", excerpt(name)),
                names => format!("lacks one of the fields {}", listed(names.iter().copied())),
            };
            self.mismatch(place, path, message);
        }
        for (name, field) in fields {
            let to = to.select(&[Part::Name(name.clone())]);
            if to.is_err() && objects().all(Variant::is_closed) {
                let message = format!("has the unknown field `{}`", excerpt(name));
                self.mismatch(place, path, message);
            }
            let dot = if path.is_empty() { "" } else { "." };
            self.check(field, &to.unwrap_or(Type::Any), place, &format!("{path}{dot}{name}"));
        }
    }

    /// Reports it, and goes on with any type, so that references inside are checked too.
    fn unfit<'t>(&mut self, to: &Type<'_>, kind: &str, place: &str, path: &str) -> Type<'t> {
        self.mismatch(place, path, format!("must be {}: found {kind}", to.describe()));
        Type::Any
    }

    fn mismatch(&mut self, place: &str, path: &str, message: String) {
        self.add_at(ProblemKind::TypeMismatch, place, path, message);
    }

    fn describe_mismatch(
        &mut self,
        reference: &Reference,
        from: &Type<'c>,
        to: &Type<'_>,
    ) -> String {
        let mut message =
            format!("must be {}, but {reference} is {}", to.describe(), from.describe());
        if let Some(name) = self.fitting_field(from, to) {
            message.push_str(&format!("; did you mean `{}.{name}`", excerpt(&reference.text)));
        }
        message
    }

    fn fitting_field(&mut self, from: &Type<'c>, to: &Type<'_>) -> Option<&'c str> {
        let variants = from.variants();
        let mut fields = variants.iter().flat_map(Variant::fields);
        let field = fields.find(|(_, field)| overlaps(field, to, &mut self.work));
        field.filter(|_| !self.work.is_spent()).map(|(name, _)| name)
    }
}
