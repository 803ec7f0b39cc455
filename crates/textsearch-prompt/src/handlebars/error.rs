//! Errors of the template engine, as errors of the template.

use std::fmt;

use ::handlebars::{RenderError, RenderErrorReason, TemplateErrorReason};
use textsearch_kernel::{KernelError, prompt::TemplateError};

use super::mistakes;

/// The rules of the parser that its errors name, and what stands for them in a template.
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
    ("helper_block_end", "`{{/…}}`"),
    ("raw_block_end", "`{{{{/…}}}}`"),
    ("decorator_block_end", "`{{/…}}`"),
    ("partial_block_end", "`{{/…}}`"),
    ("invert_chain_tag", "`{{else …}}`"),
    ("invert_tag", "`{{else}}`"),
    ("html_expression", "`{{{…}}}`"),
    ("hbs_comment_compact", "`{{!…}}`"),
    ("hbs_comment", "`{{!--…--}}`"),
    ("hash", "`name=…`"),
    ("EOI", "the end of the template"),
];

/// Why a helper stopped the rendering.
#[derive(Debug)]
pub(super) enum Failure {
    /// A call has no answer yet: the rendering goes on when it has one.
    Unanswered,
    /// The template asks for something that is not there.
    Message(String),
}

impl Failure {
    /// The error of a helper, in the words of the template's author.
    pub(super) fn message(message: impl Into<String>) -> RenderError {
        RenderErrorReason::NestedError(Box::new(Self::Message(message.into()))).into()
    }

    pub(super) fn not_found(error: &KernelError) -> RenderError {
        Self::message(error.to_string())
    }

    pub(super) fn too_many_calls() -> RenderError {
        let limit = super::answers::MAX_CALLS;
        Self::message(format!(
            "the template makes more than {limit} calls, which is all that one rendering may make"
        ))
    }

    /// Whether the rendering stopped only to wait for a call.
    pub(super) fn is_unanswered(error: &RenderError) -> bool {
        matches!(Self::of(error), Some(Self::Unanswered))
    }

    /// Whether the engine found a list where the template asks for a member of an object.
    pub(super) fn is_of_list(error: &RenderError) -> bool {
        matches!(error.reason(), RenderErrorReason::InvalidJsonIndex(_))
    }

    fn of(error: &RenderError) -> Option<&Self> {
        match error.reason() {
            RenderErrorReason::NestedError(error) => error.downcast_ref(),
            _ => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unanswered => formatter.write_str("a call has no answer yet"),
            Self::Message(message) => formatter.write_str(message),
        }
    }
}

impl std::error::Error for Failure {}

/// The error of a template that cannot be compiled.
pub(super) fn from_compiling(
    name: &str,
    source: &str,
    error: &::handlebars::TemplateError,
) -> TemplateError {
    if let Some(mistake) = mistakes::find(source) {
        return TemplateError::new(name, mistake.position, mistake.message);
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
    // The engine's own error says the same in the words of its grammar, so it is not the source.
    TemplateError::new(name, position, message)
}

/// What the parser expected, without the names of its rules.
fn in_plain_words(expected: &str) -> String {
    let mut words = expected.to_owned();
    for (rule, word) in RULES {
        words = words.replace(rule, word);
    }
    words
}

/// The error of a template that cannot be rendered.
pub(super) fn from_rendering(
    name: &str,
    position: (usize, usize),
    error: RenderError,
) -> TemplateError {
    match Failure::of(&error) {
        Some(failure) => TemplateError::new(name, position, failure.to_string()),
        None => TemplateError::new(name, position, error.reason().to_string()).with_source(error),
    }
}
