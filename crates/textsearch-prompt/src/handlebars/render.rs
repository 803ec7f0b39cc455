//! Renders a template in one walk over the tree and awaits each call in place. Bodies without calls
//! need no future.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::{Arc, OnceLock},
};

use serde_json::{Map, Value};
use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, KernelFunction, Result, prompt::finish_chat,
};

use super::{
    scope::{Answer, Scope},
    template::HandlebarsPromptTemplate,
    text::text,
    tree::{Block, Body, Call, Kind, Node, Partial},
    value::{Evaluated, Origin},
    work::Work,
};
use crate::{binding::Bindings, error_of_call, name_in_errors, variables::Variables};

/// A template with more is treated as endless.
const MAX_CALLS: usize = 1000;
/// Of bodies around a partial: low enough for a thread's stack.
const MAX_DEPTH: usize = 200;

/// Boxed: bodies nest, so each must use little stack.
type Boxed<'s, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 's>>;

pub(super) struct Walker<'a> {
    pub(super) template: &'a HandlebarsPromptTemplate,
    pub(super) kernel: &'a Kernel,
    pub(super) variables: Variables<'a>,
    /// Created on demand.
    pub(super) root: &'a OnceLock<Value>,
    pub(super) text: String,
    pub(super) set: BTreeMap<String, (Arc<Value>, Origin)>,
    pub(super) work: Work,
    calls: usize,
    depth: usize,
    /// The latest last.
    pub(super) partials: Vec<(String, &'a Body)>,
    partial_blocks: Vec<Option<String>>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(
        template: &'a HandlebarsPromptTemplate,
        kernel: &'a Kernel,
        variables: Variables<'a>,
        root: &'a OnceLock<Value>,
    ) -> Self {
        Self {
            template,
            kernel,
            variables,
            root,
            text: String::with_capacity(4 * template.config.template.len()),
            set: BTreeMap::new(),
            work: Work::new(template.max_work),
            calls: 0,
            depth: 0,
            partials: Vec::new(),
            partial_blocks: Vec::new(),
        }
    }

    pub(super) async fn run(mut self) -> Result<String> {
        let body = &self.template.compiled.body;
        if body.may_wait {
            self.body(body, Scope::ROOT).await?;
        } else {
            self.plain_body(body, &Scope::ROOT)?;
        }
        Ok(if self.template.compiled.is_chat_prompt { finish_chat(self.text) } else { self.text })
    }

    fn body<'s>(&'s mut self, body: &'a Body, scope: Scope<'s>) -> Boxed<'s, ()> {
        Box::pin(async move {
            self.depth += 1;
            for node in &body.nodes {
                if !node.may_wait {
                    self.plain_node(node, &scope)?;
                    continue;
                }
                self.spend(node, 1)?;
                let answers = match node.calls.as_slice() {
                    [] => Vec::new(),
                    calls => self.answers(calls, node, &scope).await?,
                };
                let scope = scope.with_answers(&answers);
                match &node.kind {
                    Kind::Block(block) => self.block(node, block, &scope).await?,
                    Kind::Partial(partial) => self.partial(partial, node, &scope).await?,
                    _ => self.leaf(node, &scope)?,
                }
            }
            self.depth -= 1;
            Ok(())
        })
    }

    async fn block(&mut self, node: &'a Node, block: &'a Block, scope: &Scope<'_>) -> Result<()> {
        let opened = self.enter(node, block, scope)?;
        for item in opened.items() {
            self.spend(node, 1)?;
            let inner = self.inner(&opened, item, scope);
            if opened.body.may_wait {
                self.body(opened.body, inner).await?;
            } else {
                self.plain_body(opened.body, &inner)?;
            }
        }
        self.close(&opened);
        Ok(())
    }

    fn plain_body(&mut self, body: &'a Body, scope: &Scope<'_>) -> Result<()> {
        body.nodes.iter().try_for_each(|node| self.plain_node(node, scope))
    }

    fn plain_node(&mut self, node: &'a Node, scope: &Scope<'_>) -> Result<()> {
        let Kind::Block(block) = &node.kind else {
            return self.leaf(node, scope);
        };
        let opened = self.enter(node, block, scope)?;
        for item in opened.items() {
            self.spend(node, 1)?;
            self.plain_body(opened.body, &self.inner(&opened, item, scope))?;
        }
        self.close(&opened);
        Ok(())
    }

    fn leaf(&mut self, node: &'a Node, scope: &Scope<'_>) -> Result<()> {
        self.spend(node, 1)?;
        match &node.kind {
            Kind::Text(text) => {
                self.spend(node, text.len())?;
                self.text.push_str(text);
            }
            Kind::Print(expression) => {
                let evaluated = self.evaluate(expression, scope);
                let printed = evaluated.and_then(|evaluated| self.print(&evaluated));
                printed.map_err(|message| self.error(node, message))?;
            }
            Kind::Inline(inline) => {
                let name = self.evaluate(&inline.name, scope);
                let name = name.map_err(|message| self.error(node, message))?;
                self.partials.push((text(name.value()).into_owned(), &inline.body));
            }
            Kind::Block(_) | Kind::Partial(_) => {}
        }
        Ok(())
    }

    /// One at a time. A bare name that is a variable gives `None`.
    fn answers<'s>(
        &'s mut self,
        calls: &'a [Call],
        node: &'a Node,
        scope: &'s Scope<'s>,
    ) -> Boxed<'s, Vec<Option<Answer>>> {
        Box::pin(async move {
            let mut answers = Vec::with_capacity(calls.len());
            for call in calls {
                let call = self.bind(call, &scope.with_answers(&answers));
                let call = call.map_err(|message| self.error(node, message))?;
                let Some((function, arguments)) = call else {
                    answers.push(None);
                    continue;
                };
                let result = self.kernel.invoke_function(function, arguments).await;
                let result = result.map_err(|error| {
                    error_of_call(&self.template.config, node.position, function, error)
                })?;
                let trusted = self.template.trusts(function);
                answers.push(Some(Answer { value: result.value.into_json(), trusted }));
            }
            Ok(answers)
        })
    }

    fn bind(
        &mut self,
        call: &'a Call,
        scope: &Scope<'_>,
    ) -> Result<Option<(&'a KernelFunction, KernelArguments)>, String> {
        let positional = self.evaluate_all(&call.positional, scope)?;
        let named = call.named.iter().map(|(_, value)| self.evaluate(value, scope));
        let named = named.collect::<Result<Vec<_>, _>>()?;
        let name = &call.name;
        let function = match self.function(name)? {
            None if call.may_be_variable => return Ok(None),
            // As in Semantic Kernel's language: the first plugin that has it.
            None => self.kernel.function(None, name),
            function => function,
        };
        let Some(function) = function else {
            let error = self.kernel.function_not_found(name);
            return Err(format!("there is no helper `{name}`, and {error}"));
        };
        let mut bindings = Bindings::new(function.metadata());
        for (index, value) in positional.iter().enumerate() {
            bindings.positional(index, value.get())?;
        }
        for ((name, _), value) in call.named.iter().zip(&named) {
            bindings.named(name, value.get())?;
        }
        if self.calls == MAX_CALLS {
            return Err(format!(
                "the template makes more than {MAX_CALLS} calls, which is all that one rendering may make"
            ));
        }
        self.calls += 1;
        let arguments = bindings.to_arguments(self.variables.arguments(), |name| {
            let set = self.set.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            let set = set.map(|(_, (value, _))| &**value);
            set.or_else(|| self.variables.get(name)).cloned()
        });
        Ok(Some((function, arguments)))
    }

    pub(super) fn function(&self, name: &str) -> Result<Option<&'a KernelFunction>, String> {
        let Some((plugin, function)) = name.split_once('-') else {
            return Ok(None);
        };
        let Some(plugin) = self.kernel.plugin(plugin) else {
            return Ok(None);
        };
        let function = plugin.function(function);
        function.map(Some).ok_or_else(|| self.kernel.function_not_found(name).to_string())
    }

    fn partial<'s>(
        &'s mut self,
        partial: &'a Partial,
        node: &'a Node,
        scope: &'s Scope<'s>,
    ) -> Boxed<'s, ()> {
        Box::pin(async move {
            let start = self.text.len();
            let named = self.evaluate(&partial.name, scope);
            let named = named.map_err(|message| self.error(node, message))?;
            let name = text(named.value());
            if let Some(Some(block)) = self.partial_blocks.last()
                && name == "@partial-block"
            {
                self.work.spend(block.len()).map_err(|message| self.error(node, message))?;
                self.text.push_str(block);
            } else {
                self.defined_partial(partial, &name, node, scope).await?;
            }
            let indented = self.indent(start, &partial.indent);
            indented.map_err(|message| self.error(node, message))
        })
    }

    async fn defined_partial(
        &mut self,
        partial: &'a Partial,
        name: &str,
        node: &'a Node,
        scope: &Scope<'_>,
    ) -> Result<()> {
        let partials = self.partials.len();
        let defined = self.partials.iter().rev().find(|(known, _)| known == name);
        let defined = defined.map(|(_, body)| *body);
        let Some(body) = defined.or(partial.block.as_ref()) else {
            return Err(self.error(node, format!("there is no partial `{name}`")));
        };
        if self.depth > MAX_DEPTH {
            let deep = self.partial_blocks.len();
            let message = format!("partials include each other more than {deep} deep");
            return Err(self.error(body.nodes.first().unwrap_or(node), message));
        }
        let about = self.about(partial, scope).map_err(|message| self.error(node, message))?;
        let inner = scope.inside(about.value(), Origin::Unknown, None, &[]);
        let block = match &partial.block {
            Some(block) if defined.is_some() => {
                let start = self.text.len();
                self.body(block, inner).await?;
                Some(self.text.split_off(start))
            }
            _ => None,
        };
        self.partial_blocks.push(block);
        self.body(body, inner).await?;
        self.partial_blocks.pop();
        self.partials.truncate(partials);
        Ok(())
    }

    fn about<'s>(
        &mut self,
        partial: &'a Partial,
        scope: &'s Scope<'s>,
    ) -> Result<Evaluated<'s>, String>
    where
        'a: 's,
    {
        let about = match &partial.context {
            Some(context) => self.evaluate(context, scope)?,
            None => scope.this().unwrap_or_else(|| self.all_variables()),
        };
        if partial.members.is_empty() {
            return Ok(about);
        }
        self.work.spend_value(about.value())?;
        let mut members = match about.value() {
            Value::Object(members) => members.clone(),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(index, item)| (index.to_string(), item.clone()))
                .collect(),
            _ => Map::new(),
        };
        for (name, value) in &partial.members {
            let value = self.evaluate(value, scope)?;
            self.work.spend_value(value.value())?;
            members.insert(name.clone(), value.value().clone());
        }
        Ok(Evaluated::made(members))
    }

    fn indent(&mut self, start: usize, indent: &str) -> Result<(), String> {
        if indent.is_empty() || start == self.text.len() {
            return Ok(());
        }
        let text = self.text.split_off(start);
        for line in text.split_inclusive('\n') {
            self.work.spend(indent.len().saturating_add(line.len()))?;
            self.text.push_str(indent);
            self.text.push_str(line);
        }
        Ok(())
    }

    fn spend(&mut self, node: &Node, units: usize) -> Result<()> {
        self.work.spend(units).map_err(|message| self.error(node, message))
    }

    pub(super) fn error(&self, node: &Node, message: String) -> KernelError {
        let name = name_in_errors(&self.template.config);
        KernelError::template(name, node.position, message)
    }
}
