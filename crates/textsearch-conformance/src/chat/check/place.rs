//! The path of an element in a request.

use std::fmt;

/// As OpenAI writes it: `messages[1].content`.
#[derive(Debug, Clone, Default)]
pub(in crate::chat) struct Place(String);

impl Place {
    pub(in crate::chat) fn whole() -> Self {
        Self::default()
    }

    pub(super) fn from_pointer(pointer: &str) -> Self {
        let steps = pointer.split('/').filter(|step| !step.is_empty());
        steps.fold(Self::whole(), |place, step| match step.parse() {
            Ok(index) => place.item(index),
            Err(_) => place.field(&step.replace("~1", "/").replace("~0", "~")),
        })
    }

    pub(super) fn field(&self, name: &str) -> Self {
        let dot = if self.0.is_empty() { "" } else { "." };
        Self(format!("{}{dot}{name}", self.0))
    }

    pub(super) fn item(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
