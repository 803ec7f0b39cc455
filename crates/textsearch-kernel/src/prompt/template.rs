//! The traits of a template engine.

use std::sync::Arc;

use async_trait::async_trait;

use super::{PromptTemplateConfig, TemplateError, TemplateVariables};
use crate::{Kernel, KernelArguments, Result};

/// A compiled template.
#[async_trait]
pub trait PromptTemplate: Send + Sync {
    /// Whether the template makes a chat of several messages: decided by its source, never by what is rendered.
    fn is_chat_prompt(&self) -> bool;

    /// Returns the variables that the template's source reads.
    ///
    /// A function made of the prompt has them as parameters, and rendering reports those without a
    /// value. Variables that only a called function looks for by a parameter's name are not among
    /// them: the kernel finds those by the `calls`. None by default, for engines that cannot tell.
    fn variables(&self) -> TemplateVariables {
        TemplateVariables::default()
    }

    /// Renders the template with these variables; the functions that it calls are those of `kernel`.
    ///
    /// In a chat prompt everything that is inserted is encoded, so that it cannot open or close a message, unless the
    /// configuration trusts it. Dropping the future stops the rendering and the functions it called.
    ///
    /// # Errors
    ///
    /// [`Template`](crate::KernelError::Template) that names line and column where the template asks for something
    /// that is not there; the error of a function that fails, as it is.
    async fn render(&self, kernel: &Kernel, arguments: &KernelArguments) -> Result<String>;
}

/// Makes templates of one or several formats.
pub trait PromptTemplateFactory: Send + Sync {
    /// Compiles the template of `config`; `None` where its format is not one of this factory's.
    ///
    /// # Errors
    ///
    /// The first error in the template's syntax, with its line and column.
    fn try_create(
        &self,
        config: &PromptTemplateConfig,
    ) -> Result<Option<Arc<dyn PromptTemplate>>, TemplateError>;

    /// The formats that the factory knows, for the error about one that nobody knows.
    fn formats(&self) -> &[&str] {
        &[]
    }
}

impl<F: PromptTemplateFactory + ?Sized> PromptTemplateFactory for Arc<F> {
    fn try_create(
        &self,
        config: &PromptTemplateConfig,
    ) -> Result<Option<Arc<dyn PromptTemplate>>, TemplateError> {
        (**self).try_create(config)
    }

    fn formats(&self) -> &[&str] {
        (**self).formats()
    }
}
