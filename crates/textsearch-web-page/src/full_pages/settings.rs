//! Settings of a search with full pages.

use textsearch_core::{Error, Result};

use super::TextBudget;

/// Settings of a [`FullPages`](super::FullPages): text budgets and concurrency.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FullPagesSettings {
    /// Budget of one result. Default: 2,000 tokens, counted as 8,000 characters.
    pub page_budget: TextBudget,
    /// Budget of all results of one search together. Default: unlimited.
    pub total_budget: Option<TextBudget>,
    /// Maximum number of concurrent fetches, and of pages fetched ahead of the reader. Default: 4.
    pub concurrent_pages: usize,
}

impl Default for FullPagesSettings {
    fn default() -> Self {
        Self { page_budget: TextBudget::Tokens(2000), total_budget: None, concurrent_pages: 4 }
    }
}

impl FullPagesSettings {
    pub(super) fn check(&self, connector: &str) -> Result<()> {
        let min = [
            ("page_budget", self.page_budget.characters()),
            ("total_budget", self.total_budget.map_or(1, TextBudget::characters)),
            ("concurrent_pages", self.concurrent_pages),
        ];
        match min.into_iter().find(|(_, value)| *value == 0) {
            Some((option, _)) => Err(Error::invalid_options(connector, option, 0, "at least 1")),
            None => Ok(()),
        }
    }
}
