//! The one place where a value becomes text of the prompt.

use std::borrow::Cow;

use ::handlebars::{
    Context, Handlebars, Helper, HelperDef, HelperResult, Output, PathAndJson, RenderContext,
    RenderError, ScopedJson,
};
use serde_json::Value;
use textsearch_kernel::{
    function::value_to_text,
    prompt::{PromptTemplateConfig, insert_into_chat},
};

use super::{
    data::{self, Origin},
    text::text,
};

/// How the values of one template are printed.
pub(super) struct Printer {
    is_chat_prompt: bool,
    /// The variables that are trusted: a handful at most.
    trusted_variables: Vec<String>,
}

impl Printer {
    pub(super) fn new(config: &PromptTemplateConfig, is_chat_prompt: bool) -> Self {
        let trusted = config.input_variables.iter().map(|variable| &variable.name);
        let trusted = trusted.filter(|name| config.is_variable_trusted(name));
        Self { is_chat_prompt, trusted_variables: trusted.cloned().collect() }
    }

    fn print<'a>(&self, value: &'a PathAndJson<'_>) -> Cow<'a, str> {
        let origin = data::origin(value.context_path());
        let text = match origin {
            Origin::Answer { is_whole: true, .. } => value_to_text(value.value()),
            // Handlebars.js would print a result as `[object Object]`.
            Origin::Answer { .. } if has_object(value.value()) => value_to_text(value.value()),
            _ => text(value.value()),
        };
        match text {
            text if !self.is_chat_prompt || self.is_trusted(origin) => text,
            text => Cow::Owned(insert_into_chat(&text)),
        }
    }

    fn is_trusted(&self, origin: Origin<'_>) -> bool {
        match origin {
            Origin::Variable(name) => {
                self.trusted_variables.iter().any(|trusted| trusted.eq_ignore_ascii_case(name))
            }
            Origin::Answer { is_trusted, .. } => is_trusted,
            Origin::Unknown => false,
        }
    }
}

fn has_object(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(has_object),
        _ => false,
    }
}

/// Prints its argument.
pub(super) struct Print(pub(super) Printer);

impl HelperDef for Print {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        if let Some(value) = helper.param(0) {
            out.write(&self.0.print(value))?;
        }
        Ok(())
    }
}

/// Prints its argument where partials may have set an indentation, which only the engine itself knows.
pub(super) struct PrintIndented(pub(super) Printer);

impl HelperDef for PrintIndented {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        let text = helper.param(0).map(|value| self.0.print(value).into_owned());
        Ok(text.map_or(ScopedJson::Missing, |text| ScopedJson::Derived(Value::String(text))))
    }
}
