//! The helpers: those of Handlebars.js as it has them, and those of Semantic Kernel.

mod blocks;
mod decimal;
mod depth;
mod each;
mod length;
mod lookup;
mod message;
mod value;
mod variable;

pub(super) use self::{
    blocks::{If, Section, With},
    depth::Depth,
    each::Each,
    length::{Length, Lenient},
    lookup::Lookup,
    message::Message,
    value::VALUE_HELPERS,
    variable::{SetVariable, Variable},
};

use ::handlebars::{Helper, PathAndJson, RenderError};

use super::error::Failure;

/// The only argument of a helper.
fn only<'h, 'rc>(helper: &'h Helper<'rc>) -> Result<&'h PathAndJson<'rc>, RenderError> {
    match helper.params().as_slice() {
        [argument] => Ok(argument),
        arguments => {
            let name = helper.name();
            let message = format!("`{name}` takes one argument, and {} are given", arguments.len());
            Err(Failure::message(message))
        }
    }
}
