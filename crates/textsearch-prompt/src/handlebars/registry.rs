//! The helpers of a template that know nothing of a single rendering.

use ::handlebars::{Handlebars, no_escape};
use textsearch_kernel::prompt::PromptTemplateConfig;

use super::{
    helpers::{Depth, Each, If, Length, Lenient, Lookup, Message, VALUE_HELPERS, With},
    names,
    print::{Print, PrintIndented, Printer},
    rewrite::Features,
};

/// The helpers for a template of this configuration.
pub(super) fn new(config: &PromptTemplateConfig, features: Features) -> Handlebars<'static> {
    let mut registry = Handlebars::new();
    // The printing helper alone decides what is encoded.
    registry.register_escape_fn(no_escape);
    let printer = Printer::new(config, features.is_chat_prompt);
    if features.has_partials {
        registry.register_helper(names::PRINT, Box::new(PrintIndented(printer)));
        registry.register_helper(names::DEPTH, Box::new(Depth));
    } else {
        registry.register_helper(names::PRINT, Box::new(Print(printer)));
    }
    registry.register_helper("if", Box::new(If { expected: true }));
    registry.register_helper("unless", Box::new(If { expected: false }));
    registry.register_helper(names::EACH, Box::new(Each(None)));
    registry.register_helper("with", Box::new(With));
    registry.register_helper("lookup", Box::new(Lookup));
    registry.register_helper(names::LENGTH, Box::new(Length));
    registry.register_helper(names::LENIENT, Box::new(Lenient));
    registry.register_helper(names::MESSAGE, Box::new(Message));
    for helper in VALUE_HELPERS {
        registry.register_helper(helper.name(), Box::new(*helper));
    }
    registry
}
