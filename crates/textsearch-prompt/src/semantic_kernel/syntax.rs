//! A parsed template.

use serde_json::Value;

/// In characters, both counted from 1.
pub(super) type Position = (usize, usize);

#[derive(Debug, PartialEq)]
pub(super) enum Block {
    Text(String),
    Variable(String, Position),
    /// `{{Plugin.Function …}}`.
    Call(Call),
}

#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) plugin: Option<String>,
    pub(super) function: String,
    pub(super) position: Position,
    pub(super) arguments: Vec<Argument>,
}

/// One without a name binds to the first parameter.
#[derive(Debug, PartialEq)]
pub(super) struct Argument {
    pub(super) name: Option<String>,
    pub(super) value: Operand,
    pub(super) position: Position,
}

#[derive(Debug, PartialEq)]
pub(super) enum Operand {
    Variable(String),
    Value(Value),
}

#[derive(Debug, PartialEq)]
pub(super) struct Problem {
    pub(super) position: Position,
    pub(super) message: String,
}

impl Problem {
    pub(super) fn new(position: Position, message: impl Into<String>) -> Self {
        Self { position, message: message.into() }
    }
}
