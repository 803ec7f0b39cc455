//! The built-in prompt templates.

use textsearch_kernel::prompt::{HANDLEBARS_FORMAT, PromptTemplateConfig};

use crate::arguments::Kind;

/// The variable with the question.
pub(crate) const QUERY: &str = "query";

pub(crate) fn built_in(kind: Kind) -> PromptTemplateConfig {
    let (name, template) = match kind {
        Kind::Text => ("texts.hbs", include_str!("../../templates/texts.hbs")),
        Kind::Results => ("rag.hbs", include_str!("../../templates/rag.hbs")),
        Kind::Records => ("records.hbs", include_str!("../../templates/records.hbs")),
    };
    PromptTemplateConfig::new(template).with_template_format(HANDLEBARS_FORMAT).with_name(name)
}
