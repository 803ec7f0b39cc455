//! Evaluates expressions and prints values. Every value enters the prompt here.

use serde_json::Value;
use textsearch_kernel::{
    function::value_to_text,
    prompt::{insert_into_chat, insert_trusted_into_chat},
};

use super::{
    compile::SET_FORM,
    path::{Name, Path, Start},
    render::Walker,
    scope::Scope,
    text::text,
    tree::Expression,
    value::{Evaluated, Origin},
};

impl<'a> Walker<'a> {
    pub(super) fn evaluate<'s>(
        &mut self,
        expression: &'a Expression,
        scope: &'s Scope<'s>,
    ) -> Result<Evaluated<'s>, String>
    where
        'a: 's,
    {
        Ok(match expression {
            Expression::Literal(value) => Evaluated::at(value, Origin::Unknown),
            Expression::Path(path) => self.read(path, scope),
            Expression::Answer(index) => scope.answer(*index).unwrap_or(Evaluated::MISSING),
            Expression::AnswerOr(index, path) => {
                scope.answer(*index).unwrap_or_else(|| self.read(path, scope))
            }
            Expression::Helper(helper, arguments) => {
                let values = self.evaluate_all(arguments, scope)?;
                for value in &values {
                    self.work.spend_value(value.value())?;
                }
                let made = helper.make(&values)?;
                self.work.spend_value(&made)?;
                Evaluated::made(made)
            }
            Expression::Lookup(arguments) => {
                let [value, key] = &**arguments;
                let value = self.evaluate(value, scope)?;
                let key = self.evaluate(key, scope)?;
                self.members(value, &[Name::new(text(key.value()))])
            }
            Expression::Set(arguments) => {
                let [name, value] = &**arguments;
                let name = text(self.evaluate(name, scope)?.value()).into_owned();
                let value = self.evaluate(value, scope)?;
                if name.is_empty() {
                    return Err(SET_FORM.to_owned());
                }
                let origin = value.origin;
                self.set.insert(name, (value.into_shared(), origin));
                Evaluated::MISSING
            }
            Expression::Log { values, level } => {
                let level = match level {
                    Some(level) => self.evaluate(level, scope)?,
                    None => Evaluated::MISSING,
                };
                let values = self.evaluate_all(values, scope)?;
                for value in &values {
                    self.work.spend_value(value.value())?;
                }
                let values: Vec<_> = values.iter().map(|value| text(value.value())).collect();
                log(level.value().as_str().unwrap_or("info"), &values.join(" "))?;
                Evaluated::MISSING
            }
        })
    }

    pub(super) fn evaluate_all<'s>(
        &mut self,
        expressions: &'a [Expression],
        scope: &'s Scope<'s>,
    ) -> Result<Vec<Evaluated<'s>>, String>
    where
        'a: 's,
    {
        expressions.iter().map(|expression| self.evaluate(expression, scope)).collect()
    }

    /// Except those set by the template.
    pub(super) fn all_variables(&self) -> Evaluated<'a> {
        let root = self.root.get_or_init(|| Value::Object(self.variables.to_map()));
        Evaluated::at(root, Origin::Variables)
    }

    pub(super) fn origin_of_member(&self, origin: Origin, name: &str) -> Origin {
        match origin {
            Origin::Variables => Origin::Variable { trusted: self.template.trusts_variable(name) },
            Origin::Answer { trusted, .. } => Origin::Answer { trusted, is_whole: false },
            other => other,
        }
    }

    pub(super) fn print(&mut self, evaluated: &Evaluated<'_>) -> Result<(), String> {
        let value = evaluated.value();
        let (text, trusted) = match evaluated.origin {
            // Handlebars.js would print objects of a result as `[object Object]`.
            Origin::Answer { is_whole, trusted } if is_whole || has_object(value) => {
                (value_to_text(value), trusted)
            }
            Origin::Answer { trusted, .. } | Origin::Variable { trusted } => (text(value), trusted),
            Origin::Variables | Origin::Unknown => (text(value), false),
        };
        self.work.spend(text.len())?;
        match (self.template.compiled.is_chat_prompt, trusted) {
            (false, _) => self.text.push_str(&text),
            (true, false) => self.text.push_str(&insert_into_chat(&text)),
            (true, true) => self.text.push_str(&insert_trusted_into_chat(&text)),
        }
        Ok(())
    }

    fn read<'s>(&self, path: &Path, scope: &'s Scope<'s>) -> Evaluated<'s>
    where
        'a: 's,
    {
        let names = path.names.as_slice();
        match path.start {
            Start::Root => self.variable(names),
            Start::Loop { up, variable } => {
                let evaluated = scope.outer(up).zip(variable);
                let evaluated =
                    evaluated.and_then(|(scope, variable)| scope.loop_variable(variable));
                evaluated.map_or(Evaluated::MISSING, |evaluated| self.members(evaluated, names))
            }
            Start::This { up, may_be_block_name } => {
                if may_be_block_name
                    && let Some((first, rest)) = names.split_first()
                    && let Some(evaluated) = scope.named(&first.text)
                {
                    return self.members(evaluated, rest);
                }
                match scope.outer(up) {
                    None => Evaluated::MISSING,
                    Some(scope) => match scope.this() {
                        Some(this) => self.members(this, names),
                        None => self.variable(names),
                    },
                }
            }
        }
    }

    fn variable<'s>(&self, names: &[Name]) -> Evaluated<'s>
    where
        'a: 's,
    {
        let Some((first, rest)) = names.split_first() else {
            return self.all_variables();
        };
        let evaluated = match self.set.get(&first.text) {
            Some((value, origin)) => Evaluated::set(value.clone(), *origin),
            None => match self.variables.named(&first.text) {
                Some(value) => {
                    Evaluated::at(value, self.origin_of_member(Origin::Variables, &first.text))
                }
                None => return Evaluated::MISSING,
            },
        };
        self.members(evaluated, rest)
    }

    fn members<'s>(&self, evaluated: Evaluated<'s>, names: &[Name]) -> Evaluated<'s> {
        match names.first() {
            None => evaluated,
            Some(first) => {
                let origin = self.origin_of_member(evaluated.origin, &first.text);
                evaluated.members(names, origin)
            }
        }
    }
}

fn has_object(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(has_object),
        _ => false,
    }
}

fn log(level: &str, text: &str) -> Result<(), String> {
    // A template or a value must not imitate a line of the log.
    let text = text.replace(char::is_control, " ");
    match level {
        "error" => tracing::error!("{text}"),
        "warn" => tracing::warn!("{text}"),
        "info" => tracing::info!("{text}"),
        "debug" => tracing::debug!("{text}"),
        "trace" => tracing::trace!("{text}"),
        other => {
            return Err(format!(
                "`log` has the levels error, warn, info, debug and trace, and not `{other}`"
            ));
        }
    }
    Ok(())
}
