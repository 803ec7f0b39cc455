//! Members of lists and texts: in JavaScript their length is one, and any other is missing.

use ::handlebars::{
    Context, Handlebars, Helper, HelperDef, RenderContext, RenderError, ScopedJson,
};
use serde_json::Value;

use crate::handlebars::{data, error::Failure, names};

/// `value.length`.
pub(in crate::handlebars) struct Length;

impl HelperDef for Length {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        context: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        let Some(argument) = helper.param(0) else {
            return Ok(ScopedJson::Missing);
        };
        Ok(length(argument.value()).map_or_else(
            || data::same_member(argument, names::LENGTH, context),
            |length| ScopedJson::Derived(Value::from(length)),
        ))
    }
}

/// `(lenient "path")`: what is at a path; missing where a list is asked for what it does not have.
pub(in crate::handlebars) struct Lenient;

impl HelperDef for Lenient {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        let path = helper.param(0).and_then(|path| path.value().as_str()).unwrap_or_default();
        match render_context.evaluate(context, path) {
            // The parser has made a path of it before: with something in front, `length` is another helper's work.
            Err(error) if Failure::is_of_list(&error) && path == names::LENGTH => {
                let list = render_context.evaluate(context, "this")?;
                let length = length(list.as_json());
                Ok(length.map_or(ScopedJson::Missing, |length| Value::from(length).into()))
            }
            Err(error) if Failure::is_of_list(&error) => Ok(ScopedJson::Missing),
            found => found,
        }
    }
}

/// The length of a list, or of a text in the units of JavaScript; `None` where it is an ordinary member.
pub(super) fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.len()),
        Value::String(text) => Some(text.encode_utf16().count()),
        _ => None,
    }
}
