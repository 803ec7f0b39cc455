//! `each`.

use ::handlebars::{
    BlockContext, BlockParamHolder, Context, Handlebars, Helper, HelperDef, HelperResult, Output,
    PathAndJson, RenderContext,
};
use serde_json::Value;

use super::{blocks::render, only};
use crate::handlebars::data;

/// `{{#each list as |item index|}}…{{else}}…{{/each}}`, over a list or an object.
pub(in crate::handlebars) struct Each;

impl HelperDef for Each {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let value = only(helper)?;
        render_each(helper, value, registry, context, render_context, out)
    }
}

pub(super) fn render_each<'reg: 'rc, 'rc>(
    helper: &Helper<'rc>,
    value: &PathAndJson<'rc>,
    registry: &'reg Handlebars<'reg>,
    context: &'rc Context,
    render_context: &mut RenderContext<'reg, 'rc>,
    out: &mut dyn Output,
) -> HelperResult {
    let count = match value.value() {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    };
    if count == 0 {
        return render(helper.inverse(), registry, context, render_context, out);
    }
    render_context.push_block(data::block_of(value));
    if let Some(path) = render_context.block_mut().filter(|_| value.context_path().is_some()) {
        // The place of the item's key.
        path.base_path_mut().push(String::new());
    }
    for (index, (key, item)) in items(value.value()).enumerate() {
        if let Some(block) = render_context.block_mut() {
            let is_last = index + 1 == count;
            enter(block, helper, value, Item { key, index, is_last, item });
        }
        render(helper.template(), registry, context, render_context, out)?;
    }
    render_context.pop_block();
    Ok(())
}

struct Item<'v> {
    key: Value,
    index: usize,
    is_last: bool,
    item: &'v Value,
}

fn items(value: &Value) -> Box<dyn Iterator<Item = (Value, &Value)> + '_> {
    match value {
        Value::Array(items) => {
            Box::new(items.iter().enumerate().map(|(index, item)| (Value::from(index), item)))
        }
        Value::Object(members) => {
            Box::new(members.iter().map(|(key, item)| (Value::from(key.as_str()), item)))
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// Makes `block` the one of `item`.
fn enter<'rc>(
    block: &mut BlockContext<'rc>,
    helper: &Helper<'rc>,
    value: &PathAndJson<'_>,
    Item { key, index, is_last, item }: Item<'_>,
) {
    let is_in_data = value.context_path().is_some();
    if !is_in_data {
        block.set_base_value(item.clone());
    } else if let Some(place) = block.base_path_mut().last_mut() {
        *place = key.as_str().map_or_else(|| index.to_string(), str::to_owned);
    }
    let names = helper.block_param_pair();
    if let Some(name) = helper.block_param().or(names.map(|(item, _)| item)) {
        block.set_block_param(name, match is_in_data {
            true => BlockParamHolder::path(Vec::new()),
            false => BlockParamHolder::value(item.clone()),
        });
    }
    if let Some((_, name)) = names {
        block.set_block_param(name, BlockParamHolder::value(key.clone()));
    }
    block.set_local_var("first", Value::Bool(index == 0));
    block.set_local_var("last", Value::Bool(is_last));
    block.set_local_var("index", Value::from(index));
    block.set_local_var("key", key);
}
