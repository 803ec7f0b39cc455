//! A limit on partials that include each other.

use ::handlebars::{Context, Handlebars, Helper, HelperDef, HelperResult, Output, RenderContext};

use crate::handlebars::error::Failure;

/// The most loops and partials in each other: fewer than a thread's stack has room for.
const MAX_DEPTH: usize = 100;
/// The same with all other blocks.
const MAX_BLOCKS: usize = 200;

/// Stands at the start of every inline partial. Its argument is how many blocks that the engine does not count are
/// around a partial that this one includes.
pub(in crate::handlebars) struct Depth;

impl HelperDef for Depth {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        render_context: &mut RenderContext<'reg, 'rc>,
        _: &mut dyn Output,
    ) -> HelperResult {
        let blocks = render_context.replace_blocks(Default::default());
        let depth = blocks.len();
        render_context.replace_blocks(blocks);
        let uncounted = helper.param(0).and_then(|blocks| blocks.value().as_u64()).unwrap_or(0);
        let blocks =
            usize::try_from(uncounted).map_or(usize::MAX, |blocks| blocks.saturating_add(1));
        let max_depth = MAX_DEPTH.min(MAX_BLOCKS / blocks);
        if depth > max_depth {
            let message = format!("partials include each other more than {max_depth} deep");
            return Err(Failure::message(message));
        }
        Ok(())
    }
}
