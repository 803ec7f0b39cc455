//! `message`: a message of a chat prompt.

use ::handlebars::{
    Context, Handlebars, Helper, HelperDef, HelperResult, Output, RenderContext, RenderError,
};
use textsearch_kernel::prompt::encode_for_chat;

use super::blocks::render;
use crate::handlebars::{error::Failure, text::text};

const FORM: &str =
    "`message` is a block with a role: write {{#message role=\"user\"}}…{{/message}}";

/// `{{#message role="user" name="Ada"}}…{{/message}}`.
pub(in crate::handlebars) struct Message;

impl HelperDef for Message {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        let has_role = helper.hash_get("role").is_some_and(|role| !text(role.value()).is_empty());
        if !helper.is_block() || !has_role || !helper.params().is_empty() {
            return Err(Failure::message(FORM));
        }
        out.write("<message")?;
        write_attribute(helper, "role", out)?;
        for name in helper.hash().keys().filter(|name| **name != "role") {
            write_attribute(helper, name, out)?;
        }
        out.write(">")?;
        render(helper.template(), registry, context, render_context, out)?;
        out.write("</message>")?;
        Ok(())
    }
}

fn write_attribute(
    helper: &Helper<'_>,
    name: &str,
    out: &mut dyn Output,
) -> Result<(), RenderError> {
    let value = helper.hash_get(name).map(|value| text(value.value())).unwrap_or_default();
    out.write(&format!(" {name}=\"{}\"", encode_for_chat(&value)))?;
    Ok(())
}
