//! How much of the pages is wanted, as plain data.

use textsearch_core::{Error, Result};

use super::TextBudget;

/// How much text the results of a [`FullPages`](super::FullPages) have, and how many pages are fetched at once.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FullPagesSettings {
    /// How much text one result may have: 2,000 tokens, counted as 8,000 characters.
    pub page_budget: TextBudget,
    /// How much text all results of one search may have together; without limit by default.
    pub total_budget: Option<TextBudget>,
    /// How many pages are fetched at once: 4. As many are fetched ahead of the reader at most.
    pub concurrent_pages: usize,
}

impl Default for FullPagesSettings {
    fn default() -> Self {
        Self { page_budget: TextBudget::Tokens(2000), total_budget: None, concurrent_pages: 4 }
    }
}

impl FullPagesSettings {
    /// Changes how much text one result may have.
    #[must_use]
    pub fn with_page_budget(mut self, budget: TextBudget) -> Self {
        self.page_budget = budget;
        self
    }

    /// Limits how much text all results of one search may have together. Earlier results get their share first.
    #[must_use]
    pub fn with_total_budget(mut self, budget: TextBudget) -> Self {
        self.total_budget = Some(budget);
        self
    }

    /// Changes how many pages are fetched at once.
    #[must_use]
    pub fn with_concurrent_pages(mut self, pages: usize) -> Self {
        self.concurrent_pages = pages;
        self
    }

    /// Refuses what could never work.
    pub(super) fn check(&self, connector: &str) -> Result<()> {
        let least = [
            ("page_budget", self.page_budget.characters()),
            ("total_budget", self.total_budget.map_or(1, TextBudget::characters)),
            ("concurrent_pages", self.concurrent_pages),
        ];
        match least.into_iter().find(|(_, value)| *value == 0) {
            Some((option, _)) => Err(Error::invalid_options(connector, option, 0, "at least 1")),
            None => Ok(()),
        }
    }
}
