//! The data that a template reads.
//!
//! It is one object: the variables under [`VARIABLES`], where the template's root is, and the answers of the functions
//! beside them. A path that starts elsewhere than with [`VARIABLES`] cannot be written in a template.

use ::handlebars::{BlockContext, Context, PathAndJson, RenderContext, ScopedJson};
use serde_json::{Map, Value};

/// Where the variables are.
pub(super) const VARIABLES: &str = "variables";
/// Where the answers of functions are, by the ordinal of their call.
pub(super) const ANSWERS: &str = "answers";
/// Where the answers of functions are whose results are trusted.
pub(super) const TRUSTED_ANSWERS: &str = "trusted answers";

/// The data of a rendering that has not called anything yet.
pub(super) fn new(variables: Map<String, Value>) -> Context {
    let mut root = Map::new();
    root.insert(VARIABLES.to_owned(), Value::Object(variables));
    Context::from(Value::Object(root))
}

/// Adds the answer of the next call.
pub(super) fn push_answer(context: &mut Context, answer: Value, is_trusted: bool) {
    let Value::Object(root) = context.data_mut() else {
        return;
    };
    let (key, other) =
        if is_trusted { (TRUSTED_ANSWERS, ANSWERS) } else { (ANSWERS, TRUSTED_ANSWERS) };
    // Both lists have a place for every call, so that one ordinal serves both.
    for (key, value) in [(key, answer), (other, Value::Null)] {
        if let Value::Array(list) = root.entry(key).or_insert_with(|| Value::Array(Vec::new())) {
            list.push(value);
        }
    }
}

/// The answer of the call with this ordinal.
pub(super) fn answer(context: &Context, ordinal: usize, is_trusted: bool) -> ScopedJson<'_> {
    let key = if is_trusted { TRUSTED_ANSWERS } else { ANSWERS };
    at(context, vec![key.to_owned(), ordinal.to_string()])
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
