//! Compiles the parsed template for rendering.

use std::collections::HashMap;

use ::handlebars::{
    Path as ParsedPath, Template,
    template::{BlockParam, DecoratorTemplate, HelperTemplate, Parameter, TemplateElement},
};
use serde_json::Value;
use textsearch_kernel::prompt::opens_message;

use super::{
    helpers,
    path::{Path, Start},
    problem::{Position, Problem},
    source::{self, Source},
    tree::{Block, Body, Call, Expression, Inline, Kind, Node, Opening, Partial},
};

pub(super) const SET_FORM: &str = "`set` takes a name and a value: write {{set \"name\" value}} or {{set name=\"name\" value=value}}";
pub(super) const MESSAGE_FORM: &str =
    "`message` is a block with a role: write {{#message role=\"user\"}}…{{/message}}";

#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) body: Body,
    pub(super) is_chat_prompt: bool,
}

pub(super) fn compile(template: &Template, source: &Source<'_>) -> Result<Compiled, Problem> {
    let is_chat_prompt = opens_message(source.text);
    let position = (1, 1);
    let calls = Vec::new();
    let mut compiler = Compiler { source, is_chat_prompt, position, calls };
    let body = compiler.body(template)?;
    Ok(Compiled { body, is_chat_prompt: compiler.is_chat_prompt })
}

struct Compiler<'s> {
    source: &'s Source<'s>,
    is_chat_prompt: bool,
    position: Position,
    calls: Vec<Call>,
}

impl Compiler<'_> {
    fn body(&mut self, template: &Template) -> Result<Body, Problem> {
        let around = self.position;
        let mut body = Body::default();
        for (index, element) in template.elements.iter().enumerate() {
            // The blocks of an `{{else if}}` have no position.
            self.position = template.mapping.get(index).map_or(around, |place| (place.0, place.1));
            let position = self.position;
            let Some((kind, calls)) = self.node(element)? else {
                continue;
            };
            let may_wait = !calls.is_empty() || may_wait(&kind);
            body.may_wait |= may_wait;
            body.nodes.push(Node { position, calls, kind, may_wait });
        }
        self.position = around;
        Ok(body)
    }

    fn node(&mut self, element: &TemplateElement) -> Result<Option<(Kind, Vec<Call>)>, Problem> {
        let kind = match element {
            TemplateElement::RawString(text) => Kind::Text(self.source.text_of(text)),
            TemplateElement::Expression(expression)
            | TemplateElement::HtmlExpression(expression) => {
                Kind::Print(self.inserted(expression)?)
            }
            TemplateElement::HelperBlock(block) => return self.block(block).map(Some),
            TemplateElement::DecoratorExpression(decorator)
            | TemplateElement::DecoratorBlock(decorator) => {
                return self.inline(decorator).map(Some);
            }
            TemplateElement::PartialExpression(partial)
            | TemplateElement::PartialBlock(partial) => {
                return self.partial(partial).map(Some);
            }
            _ => return Ok(None),
        };
        Ok(Some((kind, std::mem::take(&mut self.calls))))
    }

    fn inserted(&mut self, expression: &HelperTemplate) -> Result<Expression, Problem> {
        if !expression.params.is_empty() || !expression.hash.is_empty() {
            return self.call(expression);
        }
        match &expression.name {
            Parameter::Subexpression(_) => self.expression(&expression.name),
            name => Ok(self.name(name.as_name().unwrap_or_default())),
        }
    }

    fn name(&mut self, name: &str) -> Expression {
        let path = Path::new(name);
        let is_name = matches!(path.start, Start::This { may_be_block_name: true, .. });
        if !is_name || path.names.len() != 1 || !may_be_function(name) {
            return Expression::Path(path);
        }
        let name = name.to_owned();
        let positional = Vec::new();
        let named = Vec::new();
        self.calls.push(Call { name, positional, named, may_be_variable: true });
        Expression::AnswerOr(self.calls.len() - 1, path)
    }

    fn expression(&mut self, parameter: &Parameter) -> Result<Expression, Problem> {
        Ok(match parameter {
            Parameter::Name(raw)
            | Parameter::Path(ParsedPath::Relative((_, raw)) | ParsedPath::Local((_, _, raw))) => {
                Expression::Path(Path::new(raw))
            }
            Parameter::Literal(Value::String(text)) => {
                Expression::Literal(self.source.text_of(text).into())
            }
            Parameter::Literal(value) => Expression::Literal(value.clone()),
            Parameter::Subexpression(inner) => match &*inner.element {
                TemplateElement::Expression(call) => self.call(call)?,
                _ => Expression::Literal(Value::Null),
            },
            _ => Expression::Literal(Value::Null),
        })
    }

    fn expressions(&mut self, parameters: &[Parameter]) -> Result<Vec<Expression>, Problem> {
        parameters.iter().map(|parameter| self.expression(parameter)).collect()
    }

    /// Sorted by name: the parser has no fixed order, but calls among them need one.
    fn named(
        &mut self,
        named: &HashMap<String, Parameter>,
    ) -> Result<Vec<(String, Expression)>, Problem> {
        let mut named: Vec<_> = named.iter().collect();
        named.sort_by_key(|(name, _)| *name);
        let named = named.into_iter();
        named.map(|(name, value)| Ok((name.clone(), self.expression(value)?))).collect()
    }

    fn call(&mut self, call: &HelperTemplate) -> Result<Expression, Problem> {
        let name = call.name.as_name().unwrap_or_default();
        let mut positional = self.expressions(&call.params)?;
        let mut named = self.named(&call.hash)?;
        if let Some(helper) = helpers::find(name) {
            return Ok(Expression::Helper(helper, positional));
        }
        match name {
            "lookup" => positional.try_into().map(Expression::Lookup).map_err(|_| {
                self.problem("`lookup` takes two arguments, a list or an object and a key")
            }),
            "set" => {
                if positional.is_empty() {
                    named.retain(|(name, _)| matches!(name.as_str(), "name" | "value"));
                    positional.extend(named.into_iter().map(|(_, value)| value));
                }
                positional.try_into().map(Expression::Set).map_err(|_| self.problem(SET_FORM))
            }
            "log" => {
                let level = named.into_iter().find(|(name, _)| name == "level");
                let level = level.map(|(_, level)| Box::new(level));
                Ok(Expression::Log { values: positional, level })
            }
            "message" => Err(self.problem(MESSAGE_FORM)),
            "if" | "unless" | "each" | "with" | "raw" => Err(self
                .problem(format!("`{name}` is a block: write {{{{#{name} …}}}}…{{{{/{name}}}}}"))),
            _ => {
                let name = name.to_owned();
                self.calls.push(Call { name, positional, named, may_be_variable: false });
                Ok(Expression::Answer(self.calls.len() - 1))
            }
        }
    }

    fn block(&mut self, block: &HelperTemplate) -> Result<(Kind, Vec<Call>), Problem> {
        let opening = self.opening(block)?;
        let calls = std::mem::take(&mut self.calls);
        let mut names: Vec<String> = match &block.block_param {
            Some(BlockParam::Single(name)) => {
                name.as_name().into_iter().map(str::to_owned).collect()
            }
            Some(BlockParam::Pair((first, other))) => [first, other]
                .into_iter()
                .filter_map(Parameter::as_name)
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        };
        match &opening {
            Opening::Each(_) | Opening::Section { .. } => {}
            Opening::With(_) => names.truncate(1),
            _ => names.clear(),
        }
        let mut body = self.optional_body(block.template.as_ref())?;
        if let (Opening::Raw, Some(template)) = (&opening, &block.template) {
            self.restore_white_space(&mut body, template);
        }
        let inverse = self.optional_body(block.inverse.as_ref())?;
        Ok((Kind::Block(Box::new(Block { opening, names, body, inverse })), calls))
    }

    fn opening(&mut self, block: &HelperTemplate) -> Result<Opening, Problem> {
        let name = block.name.as_name().unwrap_or_default();
        Ok(match name {
            "if" | "unless" => Opening::If {
                value: self.only(name, block)?,
                include_zero: match block.hash.get("includeZero") {
                    Some(include_zero) => Some(self.expression(include_zero)?),
                    None => None,
                },
                expected: name == "if",
            },
            "each" => Opening::Each(self.only(name, block)?),
            "with" => Opening::With(self.only(name, block)?),
            "raw" => Opening::Raw,
            "message" => {
                self.is_chat_prompt = true;
                let mut attributes = self.named(&block.hash)?;
                let position = attributes.iter().position(|(name, _)| name == "role");
                let position = position.filter(|_| block.params.is_empty());
                let role = attributes.remove(position.ok_or_else(|| self.problem(MESSAGE_FORM))?);
                attributes.insert(0, role);
                Opening::Message(attributes)
            }
            "lookup" | "set" | "log" => return Err(self.no_block(name)),
            _ if helpers::find(name).is_some() => return Err(self.no_block(name)),
            _ => Opening::Section {
                name: name.to_owned(),
                has_arguments: !block.params.is_empty() || !block.hash.is_empty(),
                value: Expression::Path(Path::new(name)),
            },
        })
    }

    fn only(&mut self, name: &str, block: &HelperTemplate) -> Result<Expression, Problem> {
        match block.params.as_slice() {
            [argument] => self.expression(argument),
            others => Err(self
                .problem(format!("`{name}` takes one argument, and {} are given", others.len()))),
        }
    }

    fn optional_body(&mut self, body: Option<&Template>) -> Result<Body, Problem> {
        body.map_or_else(|| Ok(Body::default()), |body| self.body(body))
    }

    /// The parser drops the white space at the start of a raw block.
    fn restore_white_space(&self, body: &mut Body, template: &Template) {
        if let ([Node { kind: Kind::Text(text), .. }], Some(place)) =
            (body.nodes.as_mut_slice(), template.mapping.first())
            && let Some(space) =
                source::white_space_of_raw_block(self.source.text, (place.0, place.1))
        {
            text.insert_str(0, space);
        }
    }

    fn inline(&mut self, decorator: &DecoratorTemplate) -> Result<(Kind, Vec<Call>), Problem> {
        let name = decorator.name.as_name().unwrap_or_default();
        if name != "inline" {
            return Err(self.problem(format!("there is no decorator `{name}`")));
        }
        let ([name], Some(body)) = (decorator.params.as_slice(), &decorator.template) else {
            return Err(self.problem(
                "`inline` is a block with a name: write {{#*inline \"name\"}}…{{/inline}}",
            ));
        };
        let name = self.expression(name)?;
        let calls = std::mem::take(&mut self.calls);
        let body = self.body(body)?;
        Ok((Kind::Inline(Box::new(Inline { name, body })), calls))
    }

    fn partial(&mut self, partial: &DecoratorTemplate) -> Result<(Kind, Vec<Call>), Problem> {
        let position = self.position;
        let name = match partial.name.as_name() {
            Some(name) => Expression::Literal(self.source.text_of(name).into()),
            None => self.expression(&partial.name)?,
        };
        let context = match partial.params.first() {
            Some(context) => Some(self.expression(context)?),
            None => None,
        };
        let members = self.named(&partial.hash)?;
        let calls = std::mem::take(&mut self.calls);
        let block = match &partial.template {
            Some(block) => Some(self.body(block)?),
            None => None,
        };
        let is_alone = source::is_alone(self.source.text, position);
        let indent = partial.indent.clone().filter(|_| is_alone).unwrap_or_default();
        Ok((Kind::Partial(Box::new(Partial { name, context, members, block, indent })), calls))
    }

    fn no_block(&self, name: &str) -> Problem {
        self.problem(format!("`{name}` is not a block helper: write {{{{{name} …}}}}"))
    }

    fn problem(&self, message: impl Into<String>) -> Problem {
        Problem { position: self.position, message: message.into() }
    }
}

fn may_wait(kind: &Kind) -> bool {
    match kind {
        Kind::Text(_) | Kind::Print(_) | Kind::Inline(_) => false,
        Kind::Block(block) => block.body.may_wait || block.inverse.may_wait,
        Kind::Partial(_) => true,
    }
}

fn may_be_function(name: &str) -> bool {
    name.split_once('-').is_some_and(|(plugin, function)| {
        let is_plugin = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let is_function = |character: char| is_plugin(character) || character == '-';
        !plugin.is_empty()
            && !function.is_empty()
            && plugin.chars().all(is_plugin)
            && function.chars().all(is_function)
    })
}
