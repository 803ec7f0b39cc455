//! Changes to a parsed template, made once when it is compiled.
//!
//! - Whatever an expression inserts goes through the printing helper: `{{x}}` and `{{{x}}}` become `{{print x}}`,
//!   `{{f x}}` becomes `{{print (f x)}}`.
//! - Names that are not those of helpers become arguments of helpers that ask the kernel: `(f x)` becomes
//!   `(call "f" [] x)`. So the registry of helpers is the same for every kernel, and no text can name a helper.
//! - Paths find what they find in Handlebars.js: see [`path`](super::path).

use std::collections::HashMap;

use ::handlebars::{
    Path, Template,
    template::{DecoratorTemplate, HelperTemplate, Parameter, Subexpression, TemplateElement},
};
use serde_json::Value;
use textsearch_kernel::prompt::opens_message;

use super::{
    names::{self, CALL, CALL_OR_VARIABLE, DEPTH, MESSAGE, PRINT, RAW, SECTION},
    nesting::uncounted_blocks,
    path::{self, call_of, literal},
    source,
};

/// What a template makes use of.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Features {
    pub(super) is_chat_prompt: bool,
    /// It has partials, whose definitions and indentation go from one part of the template to the next.
    pub(super) has_partials: bool,
    /// It sets variables, or may do so.
    pub(super) sets_variables: bool,
    /// It has calls that are none of helpers.
    pub(super) has_calls: bool,
    /// It inserts names alone that may be those of functions.
    pub(super) has_bare_names: bool,
    /// It has blocks whose names are not those of helpers.
    pub(super) has_sections: bool,
}

/// What is wrong with a template, and where.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) position: (usize, usize),
    pub(super) message: String,
}

/// Changes `template`, whose source is given, and says what it makes use of.
///
/// A lenient template takes what a list does not have for missing, which the engine takes for an error. It is slower.
pub(super) fn rewrite(
    template: &mut Template,
    source: &str,
    is_lenient: bool,
) -> Result<Features, Problem> {
    let mut rewriter = Rewriter {
        source,
        is_lenient,
        features: Features {
            is_chat_prompt: opens_message(source),
            // A word like `setting` costs a little time and changes nothing else.
            sets_variables: source.contains("set"),
            ..Features::default()
        },
    };
    rewriter.template(template)?;
    Ok(rewriter.features)
}

struct Rewriter<'s> {
    source: &'s str,
    is_lenient: bool,
    features: Features,
}

impl Rewriter<'_> {
    fn template(&mut self, template: &mut Template) -> Result<(), Problem> {
        for (index, element) in template.elements.iter_mut().enumerate() {
            let position = template.mapping.get(index).map_or((1, 1), |place| (place.0, place.1));
            self.element(element, position)?;
        }
        Ok(())
    }

    fn element(
        &mut self,
        element: &mut TemplateElement,
        position: (usize, usize),
    ) -> Result<(), Problem> {
        match element {
            TemplateElement::Expression(expression)
            | TemplateElement::HtmlExpression(expression) => {
                let value = self.value(expression);
                *element = *call_of(PRINT, vec![value]).element;
                Ok(())
            }
            TemplateElement::HelperBlock(block) => self.block(block, position),
            TemplateElement::DecoratorExpression(decorator)
            | TemplateElement::DecoratorBlock(decorator)
            | TemplateElement::PartialExpression(decorator)
            | TemplateElement::PartialBlock(decorator) => self.decorator(decorator),
            TemplateElement::RawString(text) => {
                source::with_dots(text).into_iter().for_each(|with_dots| *text = with_dots);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn block(
        &mut self,
        block: &mut HelperTemplate,
        position: (usize, usize),
    ) -> Result<(), Problem> {
        self.arguments(&mut block.params, &mut block.hash);
        let name = block.name.as_name().unwrap_or_default().to_owned();
        if name == MESSAGE {
            self.features.is_chat_prompt = true;
        } else if name == RAW {
            self.raw(block);
        } else if names::is_block_helper(&name) {
            // It stays as it is.
        } else if names::is_inline_helper(&name) {
            let message = format!("`{name}` is not a block helper: write {{{{{name} …}}}}");
            return Err(Problem { position, message });
        } else {
            self.section(block, name);
        }
        let bodies = [&mut block.template, &mut block.inverse];
        bodies.into_iter().flatten().try_for_each(|body| self.template(body))
    }

    fn raw(&self, block: &mut HelperTemplate) {
        let Some(Template { elements, mapping, .. }) = &mut block.template else {
            return;
        };
        if let ([TemplateElement::RawString(text)], Some(place)) =
            (elements.as_mut_slice(), mapping.first())
            && let Some(space) = source::white_space_of_raw_block(self.source, (place.0, place.1))
        {
            text.insert_str(0, space);
        }
    }

    /// A block whose name is not that of a helper is a variable's, or a mistake that the kernel knows of.
    fn section(&mut self, block: &mut HelperTemplate, name: String) {
        self.features.has_sections = true;
        let has_arguments = !block.params.is_empty() || !block.hash.is_empty();
        let value = match Path::parse(&name) {
            Ok(path) => self.path(path),
            Err(_) => literal(Value::Null),
        };
        block.params = vec![literal(name), literal(has_arguments), value];
        block.hash.clear();
        block.name = Parameter::Name(SECTION.to_owned());
    }

    fn decorator(&mut self, decorator: &mut DecoratorTemplate) -> Result<(), Problem> {
        self.features.has_partials = true;
        if matches!(decorator.name, Parameter::Subexpression(_)) {
            self.parameter(&mut decorator.name);
        }
        self.arguments(&mut decorator.params, &mut decorator.hash);
        let Some(body) = &mut decorator.template else {
            return Ok(());
        };
        self.template(body)?;
        // A partial that includes itself for ever would use up the stack, which ends the process.
        if let Some(place) = body.mapping.first().cloned() {
            body.mapping.insert(0, place);
            let blocks = literal(uncounted_blocks(body));
            body.elements.insert(0, *call_of(DEPTH, vec![blocks]).element);
        }
        Ok(())
    }

    /// The value that an expression inserts.
    fn value(&mut self, expression: &mut HelperTemplate) -> Parameter {
        let name = std::mem::replace(&mut expression.name, Parameter::Literal(Value::Null));
        let is_name = expression.params.is_empty() && expression.hash.is_empty();
        match name {
            Parameter::Name(name) if is_name => self.name(&name),
            Parameter::Path(path) if is_name => self.bare_path(path),
            mut other if is_name => {
                self.parameter(&mut other);
                other
            }
            name => {
                expression.name = name;
                self.call(expression);
                Parameter::Subexpression(call_from(expression))
            }
        }
    }

    /// A name alone: a function of the kernel, if it may be one, or else a variable.
    fn bare_path(&mut self, path: Path) -> Parameter {
        let name = match &path {
            Path::Relative((segments, raw)) if segments.len() == 1 => raw.clone(),
            _ => String::new(),
        };
        let variable = self.path(path);
        if names::may_be_function(&name) {
            self.features.has_bare_names = true;
            self.features.has_calls = true;
            Parameter::Subexpression(call_of(CALL_OR_VARIABLE, vec![literal(name), variable]))
        } else {
            variable
        }
    }

    fn name(&mut self, name: &str) -> Parameter {
        Path::parse(name).map_or_else(|_| literal(Value::Null), |path| self.bare_path(path))
    }

    /// The arguments of a call, and its name where that is not one of a helper.
    fn call(&mut self, call: &mut HelperTemplate) {
        self.arguments(&mut call.params, &mut call.hash);
        let name = call.name.as_name().unwrap_or_default().to_owned();
        if names::is_inline_helper(&name) {
            return;
        }
        self.features.has_calls = true;
        // The engine evaluates named arguments in no fixed order: calls among them need one.
        let mut named: Vec<_> = std::mem::take(&mut call.hash).into_iter().collect();
        named.sort_by(|(one, _), (other, _)| one.cmp(other));
        let (keys, values): (Vec<String>, Vec<Parameter>) = named.into_iter().unzip();
        let positional = std::mem::take(&mut call.params);
        call.params =
            [literal(name), literal(keys)].into_iter().chain(positional).chain(values).collect();
        call.name = Parameter::Name(CALL.to_owned());
    }

    fn arguments(&mut self, positional: &mut [Parameter], named: &mut HashMap<String, Parameter>) {
        positional.iter_mut().chain(named.values_mut()).for_each(|one| self.parameter(one));
    }

    fn parameter(&mut self, parameter: &mut Parameter) {
        match parameter {
            Parameter::Path(path) => {
                let path = path.clone();
                *parameter = self.path(path);
            }
            Parameter::Subexpression(subexpression) => {
                if let TemplateElement::Expression(call) = &mut *subexpression.element {
                    self.call(call);
                }
            }
            Parameter::Literal(Value::String(text)) => {
                source::with_dots(text).into_iter().for_each(|with_dots| *text = with_dots);
            }
            _ => {}
        }
    }

    fn path(&self, path: Path) -> Parameter {
        path::rewrite(path, self.features.sets_variables, self.is_lenient)
    }
}

/// The call of an expression, as a sub-expression.
fn call_from(expression: &mut HelperTemplate) -> Subexpression {
    let name = std::mem::replace(&mut expression.name, Parameter::Literal(Value::Null));
    let (positional, named) =
        (std::mem::take(&mut expression.params), std::mem::take(&mut expression.hash));
    Subexpression::new(name, positional, named)
}
