//! Traits for template engines.

use std::sync::Arc;

use async_trait::async_trait;

use super::{PromptTemplateConfig, TemplateVariables};
use crate::{Kernel, KernelArguments, Result};

/// A compiled template.
#[async_trait]
pub trait PromptTemplate: Send + Sync {
    /// Returns whether this is a chat prompt. The source decides this, never the rendered text.
    fn is_chat_prompt(&self) -> bool;

    /// Returns the variables that the template's source reads.
    ///
    /// A function created from the prompt has them as parameters, and rendering reports those
    /// without a value. Excludes variables that only a called function reads: the kernel finds them
    /// through `calls`. Empty by default, for engines that cannot tell.
    fn variables(&self) -> TemplateVariables {
        TemplateVariables::default()
    }

    /// Renders the template with these variables. It calls the functions of `kernel`.
    ///
    /// In a chat prompt, insertions that the configuration does not trust are encoded, so that they
    /// cannot open or close a message. Dropping the future stops the functions it called.
    ///
    /// # Errors
    ///
    /// Returns [`Template`](crate::KernelError::Template), with line and column, if the template
    /// refers to something that does not exist; the error of a failed function unchanged.
    async fn render(&self, kernel: &Kernel, arguments: &KernelArguments) -> Result<String>;
}

/// Compiles templates of one or more formats.
pub trait PromptTemplateFactory: Send + Sync {
    /// Compiles the template of `config`; `None` if this factory does not support its format.
    ///
    /// # Errors
    ///
    /// Returns the first syntax error in the template, with its line and column.
    fn try_create(&self, config: &PromptTemplateConfig) -> Result<Option<Arc<dyn PromptTemplate>>>;

    /// Returns the supported formats.
    fn formats(&self) -> &[&str] {
        &[]
    }
}

impl<F: PromptTemplateFactory + ?Sized> PromptTemplateFactory for Arc<F> {
    fn try_create(&self, config: &PromptTemplateConfig) -> Result<Option<Arc<dyn PromptTemplate>>> {
        (**self).try_create(config)
    }

    fn formats(&self) -> &[&str] {
        (**self).formats()
    }
}
