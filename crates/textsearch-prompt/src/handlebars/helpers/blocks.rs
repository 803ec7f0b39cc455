//! `if`, `unless`, `with`, and blocks that are named after a variable.

use ::handlebars::{
    Context, Handlebars, Helper, HelperDef, HelperResult, Output, PathAndJson, RenderContext,
    Renderable, Template,
};
use serde_json::Value;

use super::{each::Loop, only};
use crate::handlebars::{
    answers::Pass,
    call::find,
    data,
    error::Failure,
    truth::{is_empty, is_true},
};

/// `{{#if value includeZero=true}}…{{else}}…{{/if}}`, and `unless` with the blocks swapped.
pub(in crate::handlebars) struct If {
    pub(in crate::handlebars) expected: bool,
}

impl HelperDef for If {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let include_zero =
            helper.hash_get("includeZero").is_some_and(|value| is_true(value.value(), false));
        let is_taken = is_true(only(helper)?.value(), include_zero) == self.expected;
        let body = if is_taken { helper.template() } else { helper.inverse() };
        render(body, registry, context, render_context, out)
    }
}

/// `{{#with value as |name|}}…{{else}}…{{/with}}`.
pub(in crate::handlebars) struct With;

impl HelperDef for With {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let value = only(helper)?;
        if is_empty(value.value()) {
            return render(helper.inverse(), registry, context, render_context, out);
        }
        render_with(helper, value, registry, context, render_context, out)
    }
}

/// `{{#name}}…{{else}}…{{/name}}`: the items of a list, the inside of an object, or a condition.
pub(in crate::handlebars) struct Section<'a> {
    pub(in crate::handlebars) pass: &'a Pass<'a>,
    /// Whether turns of a loop that are finished are not rendered again.
    pub(in crate::handlebars) is_resumed: bool,
}

impl HelperDef for Section<'_> {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let [name, has_arguments, value] = helper.params().as_slice() else {
            return Ok(());
        };
        let name = name.value().as_str().unwrap_or_default();
        if find(self.pass, name)?.is_some() {
            let message = format!(
                "the function `{name}` is not a block: write {{{{#with ({name} …)}}}} or {{{{#each ({name} …)}}}}"
            );
            return Err(Failure::message(message));
        }
        if has_arguments.value() == &Value::Bool(true) {
            return Err(Failure::message(format!("there is no helper `{name}`")));
        }
        match value.value() {
            Value::Bool(true) => render(helper.template(), registry, context, render_context, out),
            Value::Null | Value::Bool(false) => {
                render(helper.inverse(), registry, context, render_context, out)
            }
            Value::Array(_) => {
                let pass = Some(self.pass).filter(|_| self.is_resumed);
                Loop { helper, value, pass }.render(registry, context, render_context, out)
            }
            _ => render_with(helper, value, registry, context, render_context, out),
        }
    }
}

fn render_with<'reg: 'rc, 'rc>(
    helper: &Helper<'rc>,
    value: &PathAndJson<'rc>,
    registry: &'reg Handlebars<'reg>,
    context: &'rc Context,
    render_context: &mut RenderContext<'reg, 'rc>,
    out: &mut dyn Output,
) -> HelperResult {
    let mut block = data::block_of(value);
    // `@index` and the like of a loop around it stay visible.
    if let Some(around) = render_context.block() {
        block.local_variables_mut().clone_from(around.local_variables());
    }
    if let Some(name) = helper.block_param() {
        block.set_block_param(name, data::block_name(value, value.value()));
    }
    render_context.push_block(block);
    render(helper.template(), registry, context, render_context, out)?;
    render_context.pop_block();
    Ok(())
}

pub(super) fn render<'reg: 'rc, 'rc>(
    body: Option<&'rc Template>,
    registry: &'reg Handlebars<'reg>,
    context: &'rc Context,
    render_context: &mut RenderContext<'reg, 'rc>,
    out: &mut dyn Output,
) -> HelperResult {
    body.map_or(Ok(()), |body| body.render(registry, context, render_context, out))
}
