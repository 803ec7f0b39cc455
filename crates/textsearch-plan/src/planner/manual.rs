//! The functions that a model reads about, within a budget.

use serde_json::Value;
use textsearch_kernel::{KernelFunction, chat::OfferedFunctions, prompt::json_line};

use super::rank::ranked;
use crate::check::planned_name;

/// English has about four characters per token, JSON a little fewer.
const BYTES_PER_TOKEN: usize = 4;

pub(super) struct Manual {
    /// In the order of the text.
    pub(super) functions: Vec<KernelFunction>,
    /// One function a line.
    pub(super) text: String,
    /// The names of the functions that did not fit.
    pub(super) left_out: Vec<String>,
}

impl Manual {
    /// A function that does not fit leaves room for a shorter, less relevant one.
    pub(super) fn new(goal: &str, offered: &OfferedFunctions, max_tokens: usize) -> Self {
        let mut left = max_tokens.saturating_mul(BYTES_PER_TOKEN);
        let mut manual = Self { functions: Vec::new(), text: String::new(), left_out: Vec::new() };
        for place in ranked(goal, offered.functions()) {
            let Some(function) = offered.functions().get(place) else { continue };
            // Descriptions come from outside: none may imitate another line of the prompt.
            let entry = json_line(&function.metadata().manual_entry());
            match left.checked_sub(entry.len() + 1) {
                Some(rest) => {
                    left = rest;
                    manual.text.push_str(&entry);
                    manual.text.push('\n');
                    manual.functions.push(function.clone());
                }
                None => manual.left_out.push(planned_name(function.metadata())),
            }
        }
        manual
    }

    pub(super) fn names(&self) -> Value {
        self.functions.iter().map(|function| planned_name(function.metadata())).collect()
    }
}
