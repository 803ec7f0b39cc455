//! The variables that a template reads, found in the parsed template before it is changed.

use ::handlebars::{
    Path, PathSeg, Template,
    template::{BlockParam, DecoratorTemplate, HelperTemplate, Parameter, TemplateElement},
};
use serde_json::Value;
use textsearch_kernel::prompt::{TemplateVariable, TemplateVariables};

use super::{
    names::{self, SET},
    source::dots_as_path,
};

/// The variables of `template`, whose dots are still letters.
pub(super) fn of_template(template: &Template) -> TemplateVariables {
    let mut finder = Finder { levels: vec![Level::Root], ..Finder::default() };
    finder.template(template);
    finder.found
}

/// What a name means at one level of blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// A variable.
    Root,
    /// A variable, or a member of a value that only the rendering knows.
    Unclear,
    /// A member of a value.
    Value,
}

#[derive(Default)]
struct Finder {
    found: TemplateVariables,
    levels: Vec<Level>,
    /// The names that blocks around give to their values, and that `set` has set.
    own_names: Vec<String>,
    /// How many conditions are around.
    conditions: usize,
    position: (usize, usize),
}

impl Finder {
    fn template(&mut self, template: &Template) {
        for (index, element) in template.elements.iter().enumerate() {
            let place = template.mapping.get(index);
            self.position = place.map_or((1, 1), |place| (place.0, place.1));
            match element {
                TemplateElement::Expression(expression)
                | TemplateElement::HtmlExpression(expression) => self.expression(expression),
                TemplateElement::HelperBlock(block) => self.block(block),
                TemplateElement::DecoratorExpression(decorator)
                | TemplateElement::DecoratorBlock(decorator)
                | TemplateElement::PartialExpression(decorator)
                | TemplateElement::PartialBlock(decorator) => self.decorator(decorator),
                _ => {}
            }
        }
    }

    fn expression(&mut self, expression: &HelperTemplate) {
        let is_name = expression.params.is_empty() && expression.hash.is_empty();
        if !is_name {
            self.call(expression);
            return;
        }
        match &expression.name {
            Parameter::Name(name) => self.name(name),
            Parameter::Path(path) if is_plain(path) => self.name(raw(path)),
            other => self.parameter(other, false),
        }
    }

    /// A name alone, which may be that of a function or, as `else` is, of a helper.
    fn name(&mut self, name: &str) {
        let is_condition = names::may_be_function(name);
        self.conditions += usize::from(is_condition);
        if let Ok(path) = Path::parse(name) {
            self.path(&path, false);
        }
        self.conditions -= usize::from(is_condition);
    }

    fn call(&mut self, call: &HelperTemplate) {
        let name = call.name.as_name().unwrap_or_default();
        // These ask whether there is a value, or take another one.
        let is_condition = matches!(name, "if" | "unless" | "or" | "and" | "not");
        self.conditions += usize::from(is_condition);
        self.arguments(call, name == "lookup" || name == "len");
        self.conditions -= usize::from(is_condition);
        if name == SET {
            let named = call.hash.get("name").or_else(|| call.params.first());
            if let Some(Parameter::Literal(Value::String(name))) = named {
                self.own_names.push(name.clone());
            }
        }
    }

    fn arguments(&mut self, call: &HelperTemplate, is_structured: bool) {
        for (index, parameter) in call.params.iter().enumerate() {
            self.parameter(parameter, is_structured && index == 0);
        }
        // The order of a map differs from run to run.
        let mut named: Vec<_> = call.hash.iter().collect();
        named.sort_by_key(|(name, _)| *name);
        named.into_iter().for_each(|(_, parameter)| self.parameter(parameter, false));
    }

    fn block(&mut self, block: &HelperTemplate) {
        let position = self.position;
        let name = block.name.as_name().unwrap_or_default();
        let (level, is_condition) = match name {
            "if" | "unless" => (None, true),
            _ if names::is_counted_block(name) => (Some(Level::Value), false),
            _ if names::is_block_helper(name) => (None, false),
            _ => (Some(Level::Unclear), true),
        };
        self.conditions += usize::from(is_condition);
        if level == Some(Level::Unclear) {
            self.name(name);
        }
        // With an `{{else}}`, the template says what to do if there is nothing to loop over.
        let has_else = usize::from(block.inverse.is_some());
        self.conditions += has_else;
        self.arguments(block, level == Some(Level::Value));
        self.conditions -= has_else;
        let own_names = self.own_names.len();
        if let Some(names) = &block.block_param {
            let names = match names {
                BlockParam::Single(name) => vec![name],
                BlockParam::Pair((one, other)) => vec![one, other],
                _ => Vec::new(),
            };
            self.own_names
                .extend(names.into_iter().filter_map(|name| name.as_name()).map(str::to_owned));
        }
        self.levels.extend(level);
        if let Some(body) = &block.template {
            self.template(body);
        }
        if level.is_some() {
            self.levels.pop();
        }
        if block.block_param.is_some() {
            self.own_names.truncate(own_names);
        }
        if let Some(inverse) = &block.inverse {
            self.template(inverse);
        }
        self.conditions -= usize::from(is_condition);
        self.position = position;
    }

    /// Reads a partial. A name in it is a variable or a member, depending on where it is included.
    fn decorator(&mut self, decorator: &DecoratorTemplate) {
        let position = self.position;
        if matches!(decorator.name, Parameter::Subexpression(_)) {
            self.parameter(&decorator.name, false);
        }
        let named = decorator.hash.values();
        decorator.params.iter().chain(named).for_each(|one| self.parameter(one, false));
        if let Some(body) = &decorator.template {
            self.levels.push(Level::Unclear);
            self.template(body);
            self.levels.pop();
        }
        self.position = position;
    }

    fn parameter(&mut self, parameter: &Parameter, is_structured: bool) {
        match parameter {
            Parameter::Path(path) => self.path(path, is_structured),
            Parameter::Subexpression(inner) => {
                if let TemplateElement::Expression(call) = &*inner.element {
                    self.call(call);
                }
            }
            _ => {}
        }
    }

    fn path(&mut self, path: &Path, is_structured: bool) {
        if let Some(path) = dots_as_path(raw(path)).and_then(|path| Path::parse(path).ok()) {
            self.path(&path, is_structured);
            return;
        }
        let Path::Relative((segments, raw)) = path else {
            return;
        };
        let mut names = segments.iter().filter_map(|segment| match segment {
            PathSeg::Named(name) => Some(name),
            _ => None,
        });
        let (first, has_members) = (names.next(), names.next().is_some());
        let is_from_root = raw.contains("@root");
        let up = segments.len() - segments.iter().filter(|one| is_named(one)).count();
        let level = match self.levels.len().checked_sub(up + 1) {
            _ if is_from_root => Some(Level::Root),
            Some(level) => self.levels.get(level).copied(),
            None => None,
        };
        let Some(level @ (Level::Root | Level::Unclear)) = level else {
            return;
        };
        match first {
            None if level == Level::Root => {
                self.found.unlisted.get_or_insert(self.position);
            }
            None => {}
            Some(name) if !is_from_root && self.is_own_name(name) => {}
            Some(name) => {
                let mut variable = TemplateVariable::new(name, self.position);
                variable.is_optional = self.conditions > 0 || level == Level::Unclear;
                variable.is_structured = is_structured || has_members;
                self.found.add(variable);
            }
        }
    }

    fn is_own_name(&self, name: &str) -> bool {
        self.own_names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

fn is_named(segment: &PathSeg) -> bool {
    matches!(segment, PathSeg::Named(_))
}

fn is_plain(path: &Path) -> bool {
    matches!(path, Path::Relative((segments, _)) if matches!(segments.as_slice(), [PathSeg::Named(_)]))
}

fn raw(path: &Path) -> &str {
    match path {
        Path::Relative((_, raw)) | Path::Local((_, _, raw)) => raw,
    }
}
