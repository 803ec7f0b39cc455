//! Variables that the template sets.

use ::handlebars::{
    Context, Handlebars, Helper, HelperDef, PathAndJson, RenderContext, RenderError, ScopedJson,
};
use serde_json::Value;

use crate::handlebars::{
    answers::{Pass, SetValue},
    data::{self, VARIABLES},
    error::Failure,
    text::text,
};

const FORM: &str = "`set` takes a name and a value: write {{set \"name\" value}} or {{set name=\"name\" value=value}}";

/// `{{set "name" value}}`.
pub(in crate::handlebars) struct SetVariable<'a>(pub(in crate::handlebars) &'a Pass<'a>);

impl HelperDef for SetVariable<'_> {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        let named = helper.hash_get("name").zip(helper.hash_get("value"));
        let (name, value) = match (helper.params().as_slice(), named) {
            ([name, value], None) => (name, value),
            ([], Some(named)) => named,
            _ => return Err(Failure::message(FORM)),
        };
        let name = text(name.value());
        if name.is_empty() {
            return Err(Failure::message(FORM));
        }
        self.0.set(name.into_owned(), SetValue::of(value));
        Ok(ScopedJson::Missing)
    }
}

/// `(variable x.y "x" ["y"] "this")`: what a path means where the template may have set the variable that it starts with.
pub(in crate::handlebars) struct Variable<'a>(pub(in crate::handlebars) &'a Pass<'a>);

impl HelperDef for Variable<'_> {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        let [found, name, members, scope] = helper.params().as_slice() else {
            return Ok(ScopedJson::Missing);
        };
        let name = name.value().as_str().unwrap_or_default();
        let Some(value) = self.0.set_value(name) else {
            return Ok(data::same(found, context));
        };
        if !is_variable(name, scope, context, render_context)? {
            return Ok(data::same(found, context));
        }
        Ok(value.read(&strings(members), context))
    }
}

/// Whether `name` in `scope` is a variable of the template: not a name that a block gives to its value, nor a member of
/// what a block is about.
fn is_variable<'reg: 'rc, 'rc>(
    name: &str,
    scope: &PathAndJson<'rc>,
    context: &'rc Context,
    render_context: &mut RenderContext<'reg, 'rc>,
) -> Result<bool, RenderError> {
    // A path from the root is one in any case.
    let Some(scope) = scope.value().as_str() else {
        return Ok(true);
    };
    let blocks = render_context.replace_blocks(Default::default());
    let is_block_name = blocks.iter().any(|block| block.get_block_param(name).is_some());
    render_context.replace_blocks(blocks);
    let scope = render_context.evaluate(context, scope)?;
    let is_root = scope.context_path().is_some_and(|path| path.as_slice() == [VARIABLES]);
    Ok(is_root && !is_block_name)
}

fn strings(list: &PathAndJson<'_>) -> Vec<String> {
    let items = list.value().as_array().map_or(&[][..], Vec::as_slice);
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
