//! A limit on partials that include each other.

use ::handlebars::{Context, Handlebars, Helper, HelperDef, HelperResult, Output, RenderContext};

use crate::handlebars::error::Failure;

/// The most blocks, loops and partials in each other: far fewer than a thread's stack has room for.
const MAX_DEPTH: usize = 100;

/// Stands at the start of every inline partial.
pub(in crate::handlebars) struct Depth;

impl HelperDef for Depth {
    fn call<'reg: 'rc, 'rc>(
        &self,
        _: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        _: &mut dyn Output,
    ) -> HelperResult {
        let blocks = render_context.replace_blocks(Default::default());
        let depth = blocks.len();
        render_context.replace_blocks(blocks);
        if depth > MAX_DEPTH {
            let message = format!("partials include each other more than {MAX_DEPTH} deep");
            return Err(Failure::message(message));
        }
        Ok(())
    }
}
