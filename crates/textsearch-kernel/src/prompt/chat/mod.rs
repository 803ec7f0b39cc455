//! Chat prompts: the text that a template renders, and the messages that it means.

mod encode;
mod parse;
mod tag;
#[cfg(test)]
mod tests;

pub use self::{encode::encode_for_chat, parse::parse_chat};
