//! `lookup`.

use ::handlebars::{
    Context, Handlebars, Helper, HelperDef, RenderContext, RenderError, ScopedJson,
};
use serde_json::Value;

use super::length::length;
use crate::handlebars::{data, error::Failure, names, text::text};

/// `{{lookup value key}}`: what a list or an object has there.
pub(in crate::handlebars) struct Lookup;

impl HelperDef for Lookup {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        context: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        let [value, key] = helper.params().as_slice() else {
            return Err(Failure::message(
                "`lookup` takes two arguments, a list or an object and a key",
            ));
        };
        let key = text(key.value());
        if key == names::LENGTH
            && let Some(length) = length(value.value())
        {
            return Ok(ScopedJson::Derived(Value::from(length)));
        }
        Ok(data::same_member(value, &key, context))
    }
}
