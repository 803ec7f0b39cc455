//! A parsed template.

use serde_json::Value;

/// A line and a column in characters, both counted from 1.
pub(super) type Position = (usize, usize);

/// A piece of a template.
#[derive(Debug, PartialEq)]
pub(super) enum Block {
    /// Text of the template, or a value written in it.
    Text(String),
    /// `{{$name}}` and its position.
    Variable(String, Position),
    /// `{{Plugin.Function …}}`.
    Call(Call),
}

/// A function call.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) plugin: Option<String>,
    pub(super) function: String,
    pub(super) position: Position,
    pub(super) arguments: Vec<Argument>,
}

/// An argument. One without a name binds to the first parameter.
#[derive(Debug, PartialEq)]
pub(super) struct Argument {
    pub(super) name: Option<String>,
    pub(super) value: Operand,
    pub(super) position: Position,
}

/// The value of an argument.
#[derive(Debug, PartialEq)]
pub(super) enum Operand {
    Variable(String),
    /// A text, stored as the value for the function.
    Value(Value),
}

/// A problem in a template and its position.
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
