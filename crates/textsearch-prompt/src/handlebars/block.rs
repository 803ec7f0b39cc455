//! Blocks and their scopes.

use std::{iter::Enumerate, slice};

use serde_json::{Value, map};
use textsearch_kernel::{KernelError, prompt::encode_for_chat};

use super::{
    compile::MESSAGE_FORM,
    render::Walker,
    scope::{Scope, Turn},
    text::text,
    tree::{Block, Body, Expression, Node, Opening},
    truth::{is_empty, is_true},
    value::Evaluated,
};

pub(super) struct Opened<'a, 's> {
    block: &'a Block,
    /// The block's own, or the one after its `{{else}}`.
    pub(super) body: &'a Body,
    subject: Subject<'s>,
    partials: usize,
}

enum Subject<'s> {
    Same,
    Value(Evaluated<'s>),
    Each(Evaluated<'s>),
}

pub(super) enum Items<'v> {
    Once(Option<&'v Value>),
    List(Enumerate<slice::Iter<'v, Value>>),
    Members(Enumerate<map::Iter<'v>>),
}

impl<'v> Iterator for Items<'v> {
    type Item = (usize, Option<&'v str>, &'v Value);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Once(value) => value.take().map(|value| (0, None, value)),
            Self::List(items) => items.next().map(|(index, item)| (index, None, item)),
            Self::Members(members) => {
                members.next().map(|(index, (key, member))| (index, Some(key.as_str()), member))
            }
        }
    }
}

impl Opened<'_, '_> {
    pub(super) fn items(&self) -> Items<'_> {
        match &self.subject {
            Subject::Same => Items::Once(Some(&Value::Null)),
            Subject::Value(evaluated) => Items::Once(Some(evaluated.value())),
            Subject::Each(evaluated) => match evaluated.value() {
                Value::Array(items) => Items::List(items.iter().enumerate()),
                Value::Object(members) => Items::Members(members.iter().enumerate()),
                _ => Items::Once(None),
            },
        }
    }
}

impl<'a> Walker<'a> {
    pub(super) fn enter<'s>(
        &mut self,
        node: &Node,
        block: &'a Block,
        scope: &'s Scope<'s>,
    ) -> Result<Opened<'a, 's>, KernelError>
    where
        'a: 's,
    {
        self.open(block, scope).map_err(|message| self.error(node, message))
    }

    fn open<'s>(&mut self, block: &'a Block, scope: &'s Scope<'s>) -> Result<Opened<'a, 's>, String>
    where
        'a: 's,
    {
        let partials = self.partials.len();
        let subject = match &block.opening {
            Opening::If { value, include_zero, expected } => {
                let include_zero = match include_zero {
                    Some(include_zero) => {
                        is_true(self.evaluate(include_zero, scope)?.value(), false)
                    }
                    None => false,
                };
                let is_true = is_true(self.evaluate(value, scope)?.value(), include_zero);
                (is_true == *expected).then_some(Subject::Same)
            }
            Opening::With(value) => {
                let evaluated = self.evaluate(value, scope)?;
                (!is_empty(evaluated.value())).then_some(Subject::Value(evaluated))
            }
            Opening::Each(value) => each(self.evaluate(value, scope)?),
            Opening::Section { name, has_arguments, value } => {
                self.check_section(name, *has_arguments)?;
                let evaluated = self.evaluate(value, scope)?;
                match evaluated.value() {
                    Value::Bool(true) => Some(Subject::Same),
                    Value::Null | Value::Bool(false) => None,
                    Value::Array(_) => each(evaluated),
                    _ => Some(Subject::Value(evaluated)),
                }
            }
            Opening::Message(attributes) => {
                self.open_message(attributes, scope)?;
                Some(Subject::Same)
            }
            Opening::Raw => Some(Subject::Same),
        };
        let body = if subject.is_some() { &block.body } else { &block.inverse };
        Ok(Opened { block, body, subject: subject.unwrap_or(Subject::Same), partials })
    }

    pub(super) fn inner<'s>(
        &self,
        opened: &'s Opened<'a, '_>,
        (index, key, value): (usize, Option<&'s str>, &'s Value),
        scope: &'s Scope<'s>,
    ) -> Scope<'s> {
        let names = &opened.block.names;
        match &opened.subject {
            Subject::Same => *scope,
            Subject::Value(evaluated) => scope.inside(value, evaluated.origin, None, names),
            Subject::Each(evaluated) => {
                let turn = Turn { index, count: count(evaluated.value()), key };
                let origin = self.origin_of_member(evaluated.origin, key.unwrap_or_default());
                scope.inside(value, origin, Some(turn), names)
            }
        }
    }

    pub(super) fn close(&mut self, opened: &Opened<'a, '_>) {
        if !matches!(opened.subject, Subject::Same) {
            self.partials.truncate(opened.partials);
        }
        if let Opening::Message(_) = opened.block.opening {
            self.text.push_str("</message>");
        }
    }

    /// Rejects a block with the name of a function, or one with arguments but no such helper.
    fn check_section(&self, name: &str, has_arguments: bool) -> Result<(), String> {
        if self.function(name)?.is_some() {
            return Err(format!(
                "the function `{name}` is not a block: write {{{{#with ({name} …)}}}} or {{{{#each ({name} …)}}}}"
            ));
        }
        if has_arguments {
            return Err(format!("there is no helper `{name}`"));
        }
        Ok(())
    }

    fn open_message(
        &mut self,
        attributes: &'a [(String, Expression)],
        scope: &Scope<'_>,
    ) -> Result<(), String> {
        self.text.push_str("<message");
        for (name, value) in attributes {
            let value = self.evaluate(value, scope)?;
            let value = text(value.value());
            if name == "role" && value.is_empty() {
                return Err(MESSAGE_FORM.to_owned());
            }
            self.work.spend(value.len())?;
            for part in [" ", name, "=\"", &encode_for_chat(&value), "\""] {
                self.text.push_str(part);
            }
        }
        self.text.push('>');
        Ok(())
    }
}

fn each(evaluated: Evaluated<'_>) -> Option<Subject<'_>> {
    (count(evaluated.value()) > 0).then_some(Subject::Each(evaluated))
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}
