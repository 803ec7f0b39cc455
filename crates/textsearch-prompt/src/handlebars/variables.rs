//! Finds the variables that a template reads.

use serde_json::Value;
use textsearch_kernel::prompt::{TemplateCall, TemplateVariable, TemplateVariables};

use super::{
    path::{Path, Start},
    problem::Position,
    tree::{Block, Body, Call, Expression, Kind, Node, Opening, Partial},
};

pub(super) fn of_template(body: &Body) -> TemplateVariables {
    let mut finder = Finder {
        variables: TemplateVariables::default(),
        levels: vec![Level::Root],
        own_names: Vec::new(),
        conditions: 0,
        position: (1, 1),
        calls: &[],
    };
    finder.body(body);
    finder.variables
}

/// The meaning of a name at one block level.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    /// A variable or a member of a value; only rendering can tell.
    Unclear,
    Value,
}

struct Finder<'t> {
    variables: TemplateVariables,
    levels: Vec<Level>,
    own_names: Vec<&'t str>,
    conditions: usize,
    position: Position,
    calls: &'t [Call],
}

impl<'t> Finder<'t> {
    fn body(&mut self, body: &'t Body) {
        for Node { position, calls, kind, .. } in &body.nodes {
            (self.position, self.calls) = (*position, calls);
            match kind {
                Kind::Text(_) => {}
                Kind::Print(expression) => self.expression(expression),
                Kind::Block(block) => self.block(block),
                Kind::Inline(inline) => {
                    self.expression(&inline.name);
                    self.body_at(Some(Level::Unclear), &inline.body);
                }
                Kind::Partial(partial) => self.partial(partial),
            }
        }
    }

    fn body_at(&mut self, level: Option<Level>, body: &'t Body) {
        let depth = self.levels.len();
        self.levels.extend(level);
        self.body(body);
        self.levels.truncate(depth);
    }

    fn block(&mut self, block: &'t Block) {
        let conditions = self.conditions;
        let level = match &block.opening {
            Opening::If { value, include_zero, .. } => {
                self.conditions += 1;
                self.expression(value);
                include_zero.iter().for_each(|expression| self.expression(expression));
                None
            }
            Opening::Each(value) | Opening::With(value) => {
                // With an `{{else}}`, the template handles a missing or empty value itself.
                let has_else = !block.inverse.nodes.is_empty();
                self.conditions += usize::from(has_else);
                self.structured(value);
                self.conditions = conditions;
                Some(Level::Value)
            }
            Opening::Section { value, .. } => {
                self.conditions += 1;
                self.expression(value);
                Some(Level::Unclear)
            }
            Opening::Message(attributes) => {
                attributes.iter().for_each(|(_, value)| self.expression(value));
                None
            }
            Opening::Raw => None,
        };
        let own_names = self.own_names.len();
        self.own_names.extend(block.names.iter().map(String::as_str));
        self.body_at(level, &block.body);
        if !block.names.is_empty() {
            self.own_names.truncate(own_names);
        }
        self.body(&block.inverse);
        self.conditions = conditions;
    }

    /// A name in its block is a variable or a member, depending on the partial's context.
    fn partial(&mut self, partial: &'t Partial) {
        let members = partial.members.iter().map(|(_, value)| value);
        let expressions = [&partial.name].into_iter().chain(&partial.context).chain(members);
        expressions.for_each(|expression| self.expression(expression));
        if let Some(block) = &partial.block {
            self.body_at(Some(Level::Unclear), block);
        }
    }

    fn expression(&mut self, expression: &'t Expression) {
        match expression {
            Expression::Literal(_) => {}
            Expression::Path(path) => self.path(path, false),
            Expression::Answer(index) => self.call(*index),
            Expression::AnswerOr(index, path) => {
                self.call(*index);
                self.condition(|finder| finder.path(path, false));
            }
            // These test whether there is a value, or use another one.
            Expression::Helper(helper, arguments)
                if matches!(helper.name, "or" | "and" | "not") =>
            {
                self.condition(|finder| finder.expressions(arguments));
            }
            Expression::Helper(helper, arguments) if helper.name == "len" => {
                arguments.iter().for_each(|argument| self.structured(argument));
            }
            Expression::Helper(_, arguments) => self.expressions(arguments),
            Expression::Lookup(arguments) => {
                let [value, key] = &**arguments;
                self.structured(value);
                self.expression(key);
            }
            Expression::Set(arguments) => {
                self.expressions(&**arguments);
                if let [Expression::Literal(Value::String(name)), _] = &**arguments {
                    self.own_names.push(name);
                }
            }
            Expression::Log { values, level } => {
                self.expressions(values);
                level.iter().for_each(|level| self.expression(level));
            }
        }
    }

    fn call(&mut self, index: usize) {
        let Some(Call { name, positional, named, may_be_variable }) = self.calls.get(index) else {
            return;
        };
        self.expressions(positional);
        named.iter().for_each(|(_, value)| self.expression(value));
        let called = match name.split_once('-') {
            Some((plugin, function)) => Some((Some(plugin), function)),
            None => (!may_be_variable).then_some((None, name.as_str())),
        };
        if let Some((plugin, function)) = called {
            let mut call = TemplateCall::new(plugin, function);
            call.positional = positional.len();
            let names = named.iter().map(|(name, _)| name.as_str());
            call.named = names.chain(self.own_names.iter().copied()).map(str::to_owned).collect();
            call.is_optional = self.conditions > 0;
            self.variables.calls.push(call);
        }
    }

    fn expressions(&mut self, expressions: &'t [Expression]) {
        expressions.iter().for_each(|expression| self.expression(expression));
    }

    fn condition(&mut self, find: impl FnOnce(&mut Self)) {
        self.conditions += 1;
        find(self);
        self.conditions -= 1;
    }

    fn structured(&mut self, expression: &'t Expression) {
        match expression {
            Expression::Path(path) => self.path(path, true),
            other => self.expression(other),
        }
    }

    fn path(&mut self, path: &'t Path, structured: bool) {
        let (level, first) = match (path.start, path.names.first()) {
            (Start::Root, Some(first)) => (Level::Root, Some(first)),
            (Start::This { up, .. }, first) => {
                let level = self.levels.iter().rev().nth(up);
                (*level.unwrap_or(&Level::Value), first)
            }
            _ => return,
        };
        let is_own = |name: &str| self.own_names.iter().any(|own| own.eq_ignore_ascii_case(name));
        match first {
            _ if level == Level::Value => {}
            None if level == Level::Root => {
                self.variables.unlisted.get_or_insert(self.position);
            }
            Some(first) if path.start == Start::Root || !is_own(&first.text) => {
                let mut variable = TemplateVariable::new(&first.text, self.position);
                variable.is_optional = self.conditions > 0 || level == Level::Unclear;
                variable.structured = structured || path.names.len() > 1;
                self.variables.add(variable);
            }
            _ => {}
        }
    }
}
