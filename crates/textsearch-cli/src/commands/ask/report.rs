//! The output and the exit code of an answer.

use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use textsearch_core::chat::Usage;
use textsearch_kernel::chat::{ChatEnd, ChatOutcome};

use super::{
    calls::Call,
    citations::{self, CheckedCitation, Retrieved},
};
use crate::{
    arguments::{AskArguments, OutputFormat},
    corpus::selector,
    messages,
    output::{Output, excerpt, printable},
};

/// Exit code if the answer was refused, filtered, truncated or empty.
const NO_ANSWER: u8 = 3;

/// Exit code if the answer cites a source that was not retrieved.
const UNSUPPORTED: u8 = 4;

/// In characters.
const EXCERPT_LENGTH: usize = 500;

pub(super) struct Report {
    outcome: ChatOutcome,
    calls: Vec<Call>,
    /// The answer, or why there is none.
    answer: Result<String, String>,
    /// The model's text, complete or not.
    text: String,
    citations: Option<Vec<CheckedCitation>>,
}

/// The JSON output.
#[derive(Debug, Serialize)]
struct Printed<'a> {
    answer: Option<&'a str>,
    text: &'a str,
    refusal: Option<&'a str>,
    finish_reason: &'a str,
    end: &'static str,
    model: Option<&'a str>,
    rounds: usize,
    calls: &'a [Call],
    sources: Vec<Retrieved>,
    citations: Option<&'a [CheckedCitation]>,
    usage: Usage,
}

impl Report {
    pub(super) fn new(outcome: ChatOutcome, calls: Vec<Call>, arguments: &AskArguments) -> Self {
        let answer = answer_of(&outcome);
        let text = outcome.message.text();
        let check = || citations::check(&outcome.message, &outcome.run.sources);
        let citations = arguments.check_citations.then(check);
        Self { outcome, calls, answer, text, citations }
    }

    /// Returns the exit code.
    pub(super) fn print(&self, arguments: &AskArguments, output: &mut Output) -> Result<ExitCode> {
        match arguments.output {
            OutputFormat::Json => output.json(&self.printed())?,
            OutputFormat::Text => self.print_text(arguments.stream, output)?,
        }
        self.warn(arguments);
        if let Err(reason) = &self.answer {
            messages::say(reason);
            return Ok(ExitCode::from(NO_ANSWER));
        }
        let are_supported = self.citations.as_deref().is_none_or(citations::are_supported);
        Ok(ExitCode::from(if are_supported { 0 } else { UNSUPPORTED }))
    }

    fn printed(&self) -> Printed<'_> {
        let Self { outcome, calls, answer, text, citations } = self;
        Printed {
            answer: answer.as_deref().ok(),
            text,
            refusal: outcome.message.refusal(),
            finish_reason: outcome.finish_reason.name(),
            end: outcome.end.name(),
            model: outcome.model.as_deref(),
            rounds: outcome.run.rounds,
            calls,
            sources: citations::retrieved(&outcome.run.sources),
            citations: citations.as_deref(),
            usage: outcome.run.usage,
        }
    }

    fn print_text(&self, is_printed_already: bool, output: &mut Output) -> Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        if !is_printed_already {
            output.line(&printable(&self.text))?;
        }
        // On a terminal, the messages must follow the answer.
        output.flush()?;
        if let Some(citations) = &self.citations {
            citations::show(citations, &self.outcome.run.sources);
        }
        Ok(())
    }

    fn why_not_grounded(&self, arguments: &AskArguments) -> String {
        let all = |is_so: fn(&Call) -> bool| !self.calls.is_empty() && self.calls.iter().all(is_so);
        let advice = if arguments.show_calls { "" } else { ": try --show-calls to see why" };
        if all(Call::is_refused) {
            format!("every call was refused, so the answer is not grounded{advice}")
        } else if all(Call::has_failed) {
            format!("every call failed, so the answer is not grounded{advice}")
        } else {
            let advice = selector::advice(&arguments.selector, arguments.results.skip);
            format!("nothing was found, so the answer is not grounded: {advice}")
        }
    }

    fn warn(&self, arguments: &AskArguments) {
        if self.outcome.end == ChatEnd::RoundsExhausted {
            messages::warn(
                "the model had no more rounds to search in, and was asked to answer with what it had: try a larger \
                 --max-rounds",
            );
        }
        if self.outcome.end == ChatEnd::BudgetSpent {
            messages::warn(
                "the model had used up its requests, calls or time, and was asked to answer with what it had",
            );
        }
        if arguments.tools && self.calls.is_empty() {
            messages::warn(
                "the model did not search, so its answer is not grounded: try --rag, which always does",
            );
        } else if !self.calls.iter().any(Call::has_results) {
            messages::warn(&self.why_not_grounded(arguments));
        }
    }
}

/// Returns the answer, or why there is none.
pub(crate) fn answer_of(outcome: &ChatOutcome) -> Result<String, String> {
    match outcome.answer() {
        Ok(answer) if answer.trim().is_empty() => {
            Err("the model gave no answer: it said nothing".to_owned())
        }
        Ok(answer) => Ok(answer),
        Err(error) => {
            let refusal = outcome.message.refusal().filter(|text| !text.trim().is_empty());
            let words = refusal.map(|text| format!(": {}", excerpt(text, EXCERPT_LENGTH)));
            Err(format!("{error}{}", words.unwrap_or_default()))
        }
    }
}
