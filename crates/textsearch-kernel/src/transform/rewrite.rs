//! The built-in transforms, by name.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};
use textsearch_core::chat::ChatCompletion;

use super::{HypotheticalAnswer, QueryTransform, Standalone, SubQuestions, Variants};

/// What to search for in place of a question, as a setting.
///
/// ```
/// use textsearch_kernel::transform::Rewrite;
///
/// assert_eq!("sub-questions".parse(), Ok(Rewrite::SubQuestions));
/// assert_eq!(Rewrite::SubQuestions.to_string(), "sub_questions");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rewrite {
    /// The question as it is.
    #[default]
    None,
    /// The question, rewritten so that it stands alone: [`Standalone`].
    Standalone,
    /// The question and other phrasings: [`Variants`].
    Variants,
    /// The question, and by vector a made-up answer: [`HypotheticalAnswer`].
    HypotheticalAnswer,
    /// Each part of the question: [`SubQuestions`].
    SubQuestions,
}

impl Rewrite {
    /// All values, in order of declaration.
    pub const ALL: [Self; 5] = [
        Self::None,
        Self::Standalone,
        Self::Variants,
        Self::HypotheticalAnswer,
        Self::SubQuestions,
    ];

    /// Returns the name, such as `sub_questions`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Standalone => "standalone",
            Self::Variants => "variants",
            Self::HypotheticalAnswer => "hypothetical_answer",
            Self::SubQuestions => "sub_questions",
        }
    }

    /// Returns the transform, which asks `model`; `None` for the question as it is.
    pub fn transform(
        self,
        model: impl ChatCompletion + 'static,
    ) -> Option<Arc<dyn QueryTransform>> {
        Some(match self {
            Self::None => return None,
            Self::Standalone => Arc::new(Standalone::new(model)),
            Self::Variants => Arc::new(Variants::new(model)),
            Self::HypotheticalAnswer => Arc::new(HypotheticalAnswer::new(model)),
            Self::SubQuestions => Arc::new(SubQuestions::new(model)),
        })
    }
}

impl fmt::Display for Rewrite {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl FromStr for Rewrite {
    type Err = String;

    /// Reads a name, also with hyphens.
    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.replace('-', "_");
        let rewrite = Self::ALL.into_iter().find(|rewrite| rewrite.as_str() == name);
        rewrite.ok_or_else(|| format!("expected {}", Self::ALL.map(Self::as_str).join(", ")))
    }
}
