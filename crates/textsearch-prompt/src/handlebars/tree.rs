//! The tree of a template, created by [`compile`](super::compile).

use serde_json::Value;

use super::{helpers::Helper, path::Path, problem::Position};

#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) nodes: Vec<Node>,
    pub(super) may_wait: bool,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) position: Position,
    /// In order; all run before the node is rendered.
    pub(super) calls: Vec<Call>,
    pub(super) kind: Kind,
    /// True for a partial, since its content is only known when it renders.
    pub(super) may_wait: bool,
}

#[derive(Debug)]
pub(super) enum Kind {
    Text(String),
    Print(Expression),
    Block(Box<Block>),
    /// `{{#*inline "name"}}…{{/inline}}`: defines a partial.
    Inline(Box<Inline>),
    /// `{{> name}}`: includes a partial.
    Partial(Box<Partial>),
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) opening: Opening,
    pub(super) names: Vec<String>,
    pub(super) body: Body,
    pub(super) inverse: Body,
}

#[derive(Debug)]
pub(super) enum Opening {
    If {
        value: Expression,
        include_zero: Option<Expression>,
        expected: bool,
    },
    Each(Expression),
    With(Expression),
    /// `{{#name}}`, if no helper has the name.
    Section {
        name: String,
        has_arguments: bool,
        value: Expression,
    },
    Message(Vec<(String, Expression)>),
    Raw,
}

#[derive(Debug)]
pub(super) struct Inline {
    pub(super) name: Expression,
    pub(super) body: Body,
}

#[derive(Debug)]
pub(super) struct Partial {
    pub(super) name: Expression,
    pub(super) context: Option<Expression>,
    pub(super) members: Vec<(String, Expression)>,
    pub(super) block: Option<Body>,
    pub(super) indent: String,
}

#[derive(Debug)]
pub(super) enum Expression {
    Literal(Value),
    Path(Path),
    Answer(usize),
    AnswerOr(usize, Path),
    Helper(&'static Helper, Vec<Expression>),
    Lookup(Box<[Expression; 2]>),
    /// Has no value.
    Set(Box<[Expression; 2]>),
    /// Writes a line to the log; has no value.
    Log {
        values: Vec<Expression>,
        level: Option<Box<Expression>>,
    },
}

#[derive(Debug)]
pub(super) struct Call {
    /// `Plugin-Function`, or another name, which is an error when called.
    pub(super) name: String,
    pub(super) positional: Vec<Expression>,
    pub(super) named: Vec<(String, Expression)>,
    pub(super) may_be_variable: bool,
}
