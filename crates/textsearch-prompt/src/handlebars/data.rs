//! The data that a template reads.
//!
//! It is one object: the variables under [`VARIABLES`], where the template's root is, and the answers of the functions
//! beside them. A path that starts elsewhere than with [`VARIABLES`] cannot be written in a template.

use ::handlebars::{
    BlockContext, BlockParamHolder, Context, PathAndJson, RenderContext, ScopedJson,
};
use serde_json::{Map, Value};

/// Where the variables are.
pub(super) const VARIABLES: &str = "variables";
/// What the key of a function's answer starts with; the ordinal of the call comes next.
const ANSWER: char = '?';
/// The same where the function's results are trusted.
const TRUSTED_ANSWER: char = '!';

/// Where a value of the data comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin<'p> {
    /// A variable, or a part of it.
    Variable(&'p str),
    /// The result of a function, or a part of it.
    Answer { is_trusted: bool, is_whole: bool },
    /// Neither: a helper made it.
    Unknown,
}

/// The origin of the value at `path`; what a helper made is nowhere in the data.
pub(super) fn origin(path: Option<&Vec<String>>) -> Origin<'_> {
    match path.map(Vec::as_slice) {
        Some([root, name, ..]) if root == VARIABLES => Origin::Variable(name),
        Some([root, members @ ..]) if root.starts_with([ANSWER, TRUSTED_ANSWER]) => {
            Origin::Answer {
                is_trusted: root.starts_with(TRUSTED_ANSWER),
                is_whole: members.is_empty(),
            }
        }
        _ => Origin::Unknown,
    }
}

/// The data of a rendering that has not called anything yet.
pub(super) fn new(variables: Map<String, Value>) -> Context {
    let mut root = Map::new();
    root.insert(VARIABLES.to_owned(), Value::Object(variables));
    Context::from(Value::Object(root))
}

/// Adds the answer of the call with this ordinal.
pub(super) fn insert_answer(
    context: &mut Context,
    ordinal: usize,
    is_trusted: bool,
    answer: Value,
) {
    if let Value::Object(root) = context.data_mut() {
        root.insert(answer_key(ordinal, is_trusted), answer);
    }
}

/// The answer of the call with this ordinal.
pub(super) fn answer(context: &Context, ordinal: usize, is_trusted: bool) -> ScopedJson<'_> {
    at(context, vec![answer_key(ordinal, is_trusted)])
}

fn answer_key(ordinal: usize, is_trusted: bool) -> String {
    let start = if is_trusted { TRUSTED_ANSWER } else { ANSWER };
    format!("{start}{ordinal}")
}

/// The value at a path from the root of the data.
pub(super) fn at(context: &Context, path: Vec<String>) -> ScopedJson<'_> {
    let value = path.iter().try_fold(context.data(), |value, key| member(value, key));
    value.map_or(ScopedJson::Missing, |value| ScopedJson::Context(value, path))
}

/// What `value` has under `key`.
pub(super) fn member<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(key),
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

/// An argument of a helper, as the value of the helper: what refers to the data still does.
pub(super) fn same<'rc>(argument: &PathAndJson<'rc>, context: &'rc Context) -> ScopedJson<'rc> {
    if argument.is_value_missing() {
        ScopedJson::Missing
    } else if let Some(constant) = argument.try_get_constant_value() {
        ScopedJson::Constant(constant)
    } else if let Some(path) = argument.context_path() {
        at(context, path.clone())
    } else {
        ScopedJson::Derived(argument.value().clone())
    }
}

/// What an argument of a helper has under `key`: what refers to the data still does.
pub(super) fn same_member<'rc>(
    argument: &PathAndJson<'rc>,
    key: &str,
    context: &'rc Context,
) -> ScopedJson<'rc> {
    match argument.context_path() {
        Some(path) => at(context, path.iter().cloned().chain([key.to_owned()]).collect()),
        None => member(argument.value(), key)
            .map_or(ScopedJson::Missing, |value| ScopedJson::Derived(value.clone())),
    }
}

/// The state of the template engine at the start of a template: at the variables.
pub(super) fn render_context<'reg, 'rc>() -> RenderContext<'reg, 'rc> {
    let mut render_context = RenderContext::new(None);
    if let Some(root) = render_context.block_mut() {
        root.base_path_mut().push(VARIABLES.to_owned());
    }
    render_context
}

/// A block whose `this` is `value`.
pub(super) fn block_of<'rc>(value: &PathAndJson<'_>) -> BlockContext<'rc> {
    let mut block = BlockContext::new();
    match value.context_path() {
        Some(path) => block.base_path_mut().clone_from(path),
        None => block.set_base_value(value.value().clone()),
    }
    block
}

/// What a name that a block gives stands for: what the block is about, or `item` where that is not in the data.
pub(super) fn block_name(value: &PathAndJson<'_>, item: &Value) -> BlockParamHolder {
    match value.context_path() {
        Some(_) => BlockParamHolder::path(Vec::new()),
        None => BlockParamHolder::value(item.clone()),
    }
}
