//! Converts parser errors to template errors.

use ::handlebars::TemplateErrorReason;
use textsearch_kernel::KernelError;

use super::mistakes;

/// The parser rules that its errors name, and their template syntax.
const RULES: &[(&str, &str)] = &[
    ("leading_tilde_to_omit_whitespace", "`~`"),
    ("trailing_tilde_to_omit_whitespace", "`~`"),
    ("partial_identifier", "the name of a partial"),
    ("opt_identifier", "a name"),
    ("identifier", "a name"),
    ("path_inline", "a path"),
    ("path_item", "a name"),
    ("path_id", "a name"),
    ("subexpression", "`(…)`"),
    ("helper_parameter", "an argument"),
    ("block_param", "`as |name|`"),
    ("invert_tag_item", "`{{else}}`"),
    ("hash", "`name=…`"),
    ("EOI", "the end of the template"),
];

pub(super) fn of_parser(
    name: &str,
    source: &str,
    error: &::handlebars::TemplateError,
) -> KernelError {
    if let Some(mistake) = mistakes::find(source) {
        return KernelError::template(name, mistake.position, mistake.message);
    }
    let position = error.pos().unwrap_or((1, 1));
    let message = match error.reason() {
        TemplateErrorReason::MismatchingClosedHelper(opened, closed)
        | TemplateErrorReason::MismatchingClosedDecorator(opened, closed) => {
            format!("`{{{{#{opened}}}}}` is open, but `{{{{/{closed}}}}}` closes another block")
        }
        TemplateErrorReason::InvalidSyntax(expected) => in_plain_words(expected),
        reason => reason.to_string(),
    };
    // The engine's own error says the same in grammar terms, so it is not the source.
    KernelError::template(name, position, message)
}

fn in_plain_words(expected: &str) -> String {
    // Every kind of tag can stand there as well.
    if expected.contains("block_end") {
        return "a block is never closed; write `{{/…}}` where it ends".to_owned();
    }
    let mut words = expected.to_owned();
    for (rule, word) in RULES {
        words = words.replace(rule, word);
    }
    words.replace('_', " ")
}
