//! Asks again while an answer has mistakes.

use std::sync::Arc;

use textsearch_core::chat::ResponseFormat;

use super::Engine;
use crate::{
    KernelError, Result,
    chat::{AnswerFormat, ChatEnd, TypedAnswer, outcome::complete_text},
};

impl Engine {
    /// Asks the model for answers in `format`.
    pub(in crate::chat) fn require<T>(mut self, format: &AnswerFormat<T>) -> Self {
        format.apply(&mut self.plan, Arc::make_mut(&mut self.history));
        self
    }

    /// The format that the settings ask for.
    pub(in crate::chat) const fn response_format(&self) -> Option<&ResponseFormat> {
        self.plan.response_format()
    }

    /// Asks again while `format` can't read the answer.
    pub(in crate::chat) async fn run_as<T>(
        mut self,
        format: &AnswerFormat<T>,
    ) -> Result<TypedAnswer<T>> {
        self.ground().await?;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let (response, end) = match self.answer().await {
                Ok(answered) => answered,
                Err(stop) => return Err(self.stopped(stop)),
            };
            let message = &response.message;
            let reason = &response.finish_reason;
            let text = match complete_text(message, reason, end, &self.run.calls) {
                Ok(text) => text,
                Err(reason) => {
                    let outcome = Box::new(self.outcome(response, end));
                    return Err(KernelError::NoAnswer { reason: reason.to_owned(), outcome });
                }
            };
            let problem = match format.read(&text) {
                Ok(value) => {
                    let outcome = self.outcome(response, end);
                    return Ok(TypedAnswer { value, attempts, outcome });
                }
                Err(problem) => problem,
            };
            let is_over = self.is_spent || end == ChatEnd::EndedByFilter;
            if attempts > format.max_repairs || is_over {
                let outcome = Box::new(self.outcome(response, end));
                return Err(KernelError::WrongAnswer { attempts, problem, outcome });
            }
            format.ask_again(Arc::make_mut(&mut self.history), &text, &problem);
        }
    }
}
