//! A template engine for tests.

use std::sync::Arc;

use textsearch_kernel::{
    Kernel, KernelArguments, KernelError, Result,
    function::value_to_text,
    prompt::{PromptTemplate, PromptTemplateConfig, PromptTemplateFactory, encode_for_chat},
    textsearch_core::async_trait,
};

/// Its only markup is `[name]`, for a variable.
struct Brackets {
    source: String,
}

#[async_trait]
impl PromptTemplate for Brackets {
    fn is_chat_prompt(&self) -> bool {
        self.source.contains("<message role=")
    }

    async fn render(&self, _: &Kernel, arguments: &KernelArguments) -> Result<String> {
        let mut text = self.source.clone();
        for (name, value) in arguments.iter() {
            let value = value_to_text(value);
            let value =
                if self.is_chat_prompt() { encode_for_chat(&value) } else { value.as_ref().into() };
            text = text.replace(&format!("[{name}]"), &value);
        }
        Ok(text)
    }
}

pub(crate) struct BracketsFactory;

impl PromptTemplateFactory for BracketsFactory {
    fn try_create(&self, config: &PromptTemplateConfig) -> Result<Option<Arc<dyn PromptTemplate>>> {
        if config.template_format != "brackets" {
            return Ok(None);
        }
        if config.template.contains("[]") {
            return Err(KernelError::template(&config.name, (1, 1), "a variable needs a name"));
        }
        Ok(Some(Arc::new(Brackets { source: config.template.clone() })))
    }

    fn formats(&self) -> &[&str] {
        &["brackets"]
    }
}
