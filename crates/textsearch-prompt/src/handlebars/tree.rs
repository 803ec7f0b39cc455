//! A template as it is rendered: made of the parsed one once, by [`compile`](super::compile).

use serde_json::Value;

use super::{helpers::Helper, path::Path, problem::Position};

/// What stands in a template or in a block.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) nodes: Vec<Node>,
    /// Whether rendering it may have to wait for a call.
    pub(super) may_wait: bool,
}

/// A piece of a body.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) position: Position,
    /// The functions that its expressions call, in this order. All are called before the node is rendered.
    pub(super) calls: Vec<Call>,
    pub(super) kind: Kind,
    /// Whether rendering it may have to wait for a call: partials may, since what they include is only known then.
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
    /// What stands behind `{{else}}`.
    pub(super) inverse: Body,
}

/// The first tag of a block.
#[derive(Debug)]
pub(super) enum Opening {
    /// `if`, or `unless` where `expected` is false.
    If {
        value: Expression,
        include_zero: Option<Expression>,
        expected: bool,
    },
    Each(Expression),
    With(Expression),
    /// `{{#name}}`, where the name is not that of a helper.
    Section {
        name: String,
        has_arguments: bool,
        value: Expression,
    },
    /// A message of a chat, with its attributes.
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
    /// What the partial is about, if not what the block around it is about.
    pub(super) context: Option<Expression>,
    /// Members that are added to it.
    pub(super) members: Vec<(String, Expression)>,
    /// What stands between `{{#> name}}` and `{{/name}}`.
    pub(super) block: Option<Body>,
    /// The white space before a tag that stands alone on its line.
    pub(super) indent: String,
}

/// Something with a value.
#[derive(Debug)]
pub(super) enum Expression {
    Literal(Value),
    Path(Path),
    /// The answer of the node's call with this index.
    Answer(usize),
    /// The same for a name alone: a variable, where no plugin has the name.
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
    /// `Plugin-Function`, or a name that is an error when the call is made.
    pub(super) name: String,
    pub(super) positional: Vec<Expression>,
    pub(super) named: Vec<(String, Expression)>,
    /// Whether the template has the name alone, so that it is no error if no plugin has it.
    pub(super) may_be_variable: bool,
}
