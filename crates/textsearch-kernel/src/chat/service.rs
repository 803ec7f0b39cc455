//! The chat services of a kernel.

use std::sync::Arc;

use textsearch_core::chat::ChatCompletion;

use super::settings::DEFAULT;
use crate::{
    Kernel, KernelError, Result,
    text::{names_or, shorten},
};

impl Kernel {
    /// Adds a model that answers chats, under the identifier `id`.
    ///
    /// Chats that don't select a service use the one called `default`, or else the first one added.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidName`](KernelError::InvalidName) if the identifier is taken.
    pub fn add_chat_service(
        &mut self,
        id: impl Into<String>,
        service: impl ChatCompletion + 'static,
    ) -> Result<()> {
        let id = id.into();
        if self.chat_services().iter().any(|(known, _)| *known == id) {
            let message = "is a chat service already: give the second one another identifier";
            return Err(KernelError::invalid_name(id, message));
        }
        self.push_chat_service(id, Arc::new(service));
        Ok(())
    }

    pub(super) fn select_chat_service(
        &self,
        id: Option<&str>,
    ) -> Result<(String, Arc<dyn ChatCompletion>)> {
        let services = self.chat_services();
        let named = |id: &str| services.iter().find(|(known, _)| known == id);
        let service = match id {
            Some(DEFAULT) | None => named(DEFAULT).or_else(|| services.first()),
            Some(id) => named(id),
        };
        service.cloned().ok_or_else(|| {
            let names: Vec<&str> = services.iter().map(|(id, _)| id.as_str()).collect();
            let none = "none is registered: add one with `add_chat_service`";
            let known = names_or(&names, "the registered services are", none);
            KernelError::ServiceNotFound { service: shorten(id.unwrap_or(DEFAULT)), known }
        })
    }
}
