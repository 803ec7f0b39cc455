//! Chat prompts.

mod decode;
mod encode;
mod insertion;
mod parse;
mod question;
mod tag;
#[cfg(test)]
mod tests;

pub(crate) use self::question::{insert_before_question, question_in};
pub use self::{
    encode::encode_for_chat,
    insertion::{finish_chat, insert_into_chat, insert_trusted_into_chat},
    parse::parse_chat,
    tag::opens_message,
};
