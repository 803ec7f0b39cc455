//! `each`.

use ::handlebars::{
    BlockContext, BlockParamHolder, Context, Handlebars, Helper, HelperDef, HelperResult, Output,
    PathAndJson, RenderContext,
};
use serde_json::Value;

use super::{blocks::render, only};
use crate::handlebars::{
    answers::{Pass, Turns},
    data,
    error::Failure,
    output::Text,
};

/// `{{#each list as |item index|}}…{{else}}…{{/each}}`, over a list or an object; with the pass of a template that
/// makes calls, so that turns which are finished are not rendered again.
pub(in crate::handlebars) struct Each<'a>(pub(in crate::handlebars) Option<&'a Pass<'a>>);

impl HelperDef for Each<'_> {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let value = only(helper)?;
        Loop { helper, value, pass: self.0 }.render(registry, context, render_context, out)
    }
}

/// A block that is rendered for each item of a value.
pub(super) struct Loop<'h, 'rc, 'a> {
    pub(super) helper: &'h Helper<'rc>,
    pub(super) value: &'h PathAndJson<'rc>,
    pub(super) pass: Option<&'a Pass<'a>>,
}

impl<'rc> Loop<'_, 'rc, '_> {
    pub(super) fn render<'reg: 'rc>(
        &self,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        if self.count() == 0 {
            return render(self.helper.inverse(), registry, context, render_context, out);
        }
        render_context.push_block(self.block());
        match self.pass {
            Some(pass) => self.resume(pass, registry, context, render_context, out)?,
            None => {
                for item in items(self.value.value()) {
                    self.turn(item, registry, context, render_context, out)?;
                }
            }
        }
        render_context.pop_block();
        Ok(())
    }

    /// Renders the turns that are not finished, and keeps those that are where a turn waits for a call.
    fn resume<'reg: 'rc>(
        &self,
        pass: &Pass<'_>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let calls_before = pass.progress().calls();
        let (ordinal, finished) = pass.enter_loop();
        let (finished, mut text) =
            finished.map_or((0, String::new()), |turns| (turns.count, turns.text));
        for (count, item) in items(self.value.value()).enumerate().skip(finished) {
            let (progress, length) = (pass.progress(), text.len());
            let turn = self.turn(item, registry, context, render_context, &mut Text(&mut text));
            if let Err(error) = turn {
                if Failure::is_unanswered(&error) {
                    text.truncate(length);
                    pass.keep_loop(ordinal, Turns { count, text, progress });
                }
                return Err(error);
            }
        }
        out.write(&text)?;
        let progress = pass.progress();
        if progress.calls() > calls_before {
            pass.keep_loop(ordinal, Turns { count: self.count(), text, progress });
        }
        Ok(())
    }

    fn turn<'reg: 'rc>(
        &self,
        item: Item<'_>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        if let Some(block) = render_context.block_mut() {
            self.enter(block, item);
        }
        render(self.helper.template(), registry, context, render_context, out)
    }

    fn count(&self) -> usize {
        match self.value.value() {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        }
    }

    fn is_in_data(&self) -> bool {
        self.value.context_path().is_some()
    }

    fn block(&self) -> BlockContext<'rc> {
        let Some(path) = self.value.context_path() else {
            return BlockContext::new();
        };
        let mut block = BlockContext::new();
        // The last part of the path is the item's key.
        *block.base_path_mut() = path.iter().cloned().chain([String::new()]).collect();
        block
    }

    /// Makes `block` the one of an item.
    fn enter(&self, block: &mut BlockContext<'rc>, Item { key, index, item }: Item<'_>) {
        if !self.is_in_data() {
            block.set_base_value(item.clone());
        } else if let Some(place) = block.base_path_mut().last_mut() {
            *place = key.as_str().map_or_else(|| index.to_string(), str::to_owned);
        }
        self.name(block, &key, item);
        block.set_local_var("first", Value::Bool(index == 0));
        block.set_local_var("last", Value::Bool(index + 1 == self.count()));
        block.set_local_var("index", Value::from(index));
        block.set_local_var("key", key);
    }

    /// Gives the names of `as |item key|` to an item and its key.
    fn name(&self, block: &mut BlockContext<'rc>, key: &Value, item: &Value) {
        let names = self.helper.block_param_pair();
        if let Some(name) = self.helper.block_param().or(names.map(|(name, _)| name)) {
            block.set_block_param(name, data::block_name(self.value, item));
        }
        if let Some((_, name)) = names {
            block.set_block_param(name, BlockParamHolder::value(key.clone()));
        }
    }
}

struct Item<'v> {
    key: Value,
    index: usize,
    item: &'v Value,
}

fn items(value: &Value) -> Box<dyn Iterator<Item = Item<'_>> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter().enumerate().map(|(index, item)| Item {
            key: index.into(),
            index,
            item,
        })),
        Value::Object(members) => {
            Box::new(members.iter().enumerate().map(|(index, (key, item))| Item {
                key: key.as_str().into(),
                index,
                item,
            }))
        }
        _ => Box::new(std::iter::empty()),
    }
}
