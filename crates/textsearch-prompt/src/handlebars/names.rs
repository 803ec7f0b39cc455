//! The names of helpers.

/// Helpers that templates may use in expressions, whatever the kernel's functions are.
const INLINE: &[&str] = &[
    "if",
    "unless",
    "each",
    "with",
    "lookup",
    "log",
    "raw",
    "eq",
    "ne",
    "gt",
    "gte",
    "lt",
    "lte",
    "and",
    "or",
    "not",
    "len",
    "set",
    "json",
    "json_line",
    "concat",
    "array",
    "range",
    "equals",
    "add",
    "subtract",
    "message",
];

/// Helpers that templates may use as blocks. What the others return would go past the printing helper if they were used
/// as blocks.
const BLOCK: &[&str] = &["if", "unless", "each", "with", "raw", "message"];

/// The helper that goes through a list.
pub(super) const EACH: &str = "each";
/// The helper that prints a value.
pub(super) const PRINT: &str = "print";
/// The helper that calls a kernel function.
pub(super) const CALL: &str = "call";
/// The helper for a name that is a function of the kernel, or else a variable.
pub(super) const CALL_OR_VARIABLE: &str = "call or variable";
/// The helper for a block whose name is not that of a helper.
pub(super) const SECTION: &str = "section";
/// The helper that reads a variable which the template may have set.
pub(super) const VARIABLE: &str = "variable";
/// The helper that reads a length, which JavaScript's lists and texts have.
pub(super) const LENGTH: &str = "length";
/// The helper that reads a path of a lenient template.
pub(super) const LENIENT: &str = "lenient";
/// The helper that stops partials which include each other for ever.
pub(super) const DEPTH: &str = "depth";
/// The helper that sets a variable.
pub(super) const SET: &str = "set";
/// The block helper of a chat message.
pub(super) const MESSAGE: &str = "message";

/// The block helper that renders its text as it stands.
pub(super) const RAW: &str = "raw";

pub(super) fn is_inline_helper(name: &str) -> bool {
    INLINE.contains(&name)
}

pub(super) fn is_block_helper(name: &str) -> bool {
    BLOCK.contains(&name)
}

/// Whether the engine counts the blocks of a helper: those that change what a path starts from.
pub(super) fn is_counted_block(name: &str) -> bool {
    name == EACH || name == "with"
}

/// Whether a name may be that of a kernel function, `Plugin-Function`.
pub(super) fn may_be_function(name: &str) -> bool {
    name.split_once('-').is_some_and(|(plugin, function)| {
        let is_plugin = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let is_function = |character: char| is_plugin(character) || character == '-';
        !plugin.is_empty()
            && !function.is_empty()
            && plugin.chars().all(is_plugin)
            && function.chars().all(is_function)
    })
}
