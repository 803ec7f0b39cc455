//! The capabilities of a chat service.

use textsearch_core::chat::FinishReason;

/// The capabilities of a chat service. The default: everything. A case that needs more is skipped,
/// and reports that.
///
/// ```
/// use textsearch_conformance::{chat::ChatCapabilities, core::chat::FinishReason};
///
/// let capabilities = ChatCapabilities::default().without_finish_reason(&FinishReason::Refusal);
/// assert!(!capabilities.finish_reasons.contains(&FinishReason::Refusal));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ChatCapabilities {
    /// The reasons that the provider tells.
    pub finish_reasons: Vec<FinishReason>,
}

impl Default for ChatCapabilities {
    fn default() -> Self {
        let finish_reasons = vec![
            FinishReason::Stop,
            FinishReason::ToolCalls,
            FinishReason::Length,
            FinishReason::ContentFilter,
            FinishReason::Refusal,
            FinishReason::Other("conformance".to_owned()),
        ];
        Self { finish_reasons }
    }
}

impl ChatCapabilities {
    /// Removes a reason from [`finish_reasons`](Self::finish_reasons). All
    /// [other](FinishReason::Other) reasons count as one.
    #[must_use]
    pub fn without_finish_reason(mut self, reason: &FinishReason) -> Self {
        let is_same =
            |one: &FinishReason| std::mem::discriminant(one) == std::mem::discriminant(reason);
        self.finish_reasons.retain(|one| !is_same(one));
        self
    }
}
