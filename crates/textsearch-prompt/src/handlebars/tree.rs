//! The tree of a template for rendering, created by [`compile`](super::compile).

use serde_json::Value;

use super::{helpers::Helper, path::Path, problem::Position};

/// The content of a template or a block.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) nodes: Vec<Node>,
    /// Whether rendering it may wait for a call.
    pub(super) may_wait: bool,
}

/// A piece of a body.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) position: Position,
    /// The calls in its expressions, in order. All run before the node is rendered.
    pub(super) calls: Vec<Call>,
    pub(super) kind: Kind,
    /// Whether rendering it may wait for a call. A partial may, since its content is only known
    /// when it renders.
    pub(super) may_wait: bool,
}

#[derive(Debug)]
pub(super) enum Kind {
    Text(String),
    /// Inserts a value.
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
    /// The names of `as |item key|`.
    pub(super) names: Vec<String>,
    pub(super) body: Body,
    /// The body after `{{else}}`.
    pub(super) inverse: Body,
}

/// The opening tag of a block.
#[derive(Debug)]
pub(super) enum Opening {
    /// `if`, or `unless` if `expected` is false.
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
    /// A chat message with its attributes.
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
    /// The partial's context, if not the context of the enclosing block.
    pub(super) context: Option<Expression>,
    /// Members to add to the context.
    pub(super) members: Vec<(String, Expression)>,
    /// The content between `{{#> name}}` and `{{/name}}`.
    pub(super) block: Option<Body>,
    /// The white space before a tag that is alone on its line.
    pub(super) indent: String,
}

/// An expression with a value.
#[derive(Debug)]
pub(super) enum Expression {
    Literal(Value),
    Path(Path),
    /// The result of the node's call at this index.
    Answer(usize),
    /// The same for a bare name, which is a variable if no plugin has the name.
    AnswerOr(usize, Path),
    Helper(&'static Helper, Vec<Expression>),
    Lookup(Box<[Expression; 2]>),
    /// Sets a variable; has no value.
    Set(Box<[Expression; 2]>),
    /// Writes a line to the log; has no value.
    Log {
        values: Vec<Expression>,
        level: Option<Box<Expression>>,
    },
}

/// A call of a kernel function.
#[derive(Debug)]
pub(super) struct Call {
    /// `Plugin-Function`, or another name, which is an error when called.
    pub(super) name: String,
    pub(super) positional: Vec<Expression>,
    pub(super) named: Vec<(String, Expression)>,
    /// Whether this is a bare name, which is a variable if no plugin has it.
    pub(super) may_be_variable: bool,
}
