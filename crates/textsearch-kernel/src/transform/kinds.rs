//! The transforms that ask a model.

use async_trait::async_trait;
use textsearch_core::chat::{ChatCompletion, ChatHistory};

use super::{
    QueryLeg, QueryTransform, TransformedQuery,
    writer::{Request, Writer, has_conversation},
};
use crate::{Result, prompt::Prompt};

const VARIANTS: usize = 3;

/// The question takes part, but the model's phrasings could outvote it.
const VARIANT_WEIGHT: f64 = 0.5;

const MAX_PARTS: usize = 5;

macro_rules! with_prompt {
    () => {
        /// Sets a prompt that [`Kernel::compile_prompt`](crate::Kernel::compile_prompt) compiled.
        ///
        /// Its variables are `question`; `history`, the messages before, one a line; and `count`,
        /// the number of queries to write. Of its execution settings, `service_id` and
        /// `max_tokens` are ignored. Its template can call no functions.
        #[must_use]
        pub fn with_prompt(mut self, prompt: Prompt) -> Self {
            self.writer.prompt = Some(prompt);
            self
        }
    };
}

/// Rewrites a follow-up question, such as "and in winter?", so that it stands alone.
///
/// The first question of a chat stays as it is, without a request to the model.
#[derive(Debug, Clone)]
pub struct Standalone {
    writer: Writer,
}

impl Standalone {
    /// Creates a transform that asks `model`.
    pub fn new(model: impl ChatCompletion + 'static) -> Self {
        Self { writer: Writer::new(model) }
    }

    with_prompt!();
}

#[async_trait]
impl QueryTransform for Standalone {
    fn name(&self) -> &str {
        "standalone"
    }

    async fn transform(
        &self,
        history: &ChatHistory,
        question: &str,
    ) -> Result<Vec<TransformedQuery>> {
        if !has_conversation(history) {
            return Ok(vec![TransformedQuery::new(question)]);
        }
        let task = "Rewrite the question so that a reader understands it without the conversation: replace pronouns, \
             and add what the question leaves out. Don't answer it. Write only the rewritten question, on one line.";
        let request = Request { history, question, count: 1, task: task.to_owned() };
        let lines = self.writer.write_lines(request).await?;
        Ok(lines.into_iter().map(TransformedQuery::new).collect())
    }
}

/// Adds other phrasings of the question, each with half of its weight.
#[derive(Debug, Clone)]
pub struct Variants {
    writer: Writer,
}

impl Variants {
    /// Creates a transform that asks `model` for three phrasings.
    pub fn new(model: impl ChatCompletion + 'static) -> Self {
        Self { writer: Writer::new(model) }
    }

    with_prompt!();
}

#[async_trait]
impl QueryTransform for Variants {
    fn name(&self) -> &str {
        "variants"
    }

    async fn transform(
        &self,
        history: &ChatHistory,
        question: &str,
    ) -> Result<Vec<TransformedQuery>> {
        let task = format!(
            "Write {VARIANTS} other phrasings of the question, to search with: other words of the same meaning. Write \
             out what the question only refers to. Don't answer it. Write one phrasing a line, and nothing else."
        );
        let lines =
            self.writer.write_lines(Request { history, question, count: VARIANTS, task }).await?;
        let phrasing = |line| TransformedQuery::new(line).with_weight(VARIANT_WEIGHT);
        Ok(with_question(question, lines.into_iter().map(phrasing)))
    }
}

/// Adds a made-up answer for the search by vector, because an answer resembles the texts more than a
/// question does: HyDE ([Gao et al. 2022](https://arxiv.org/abs/2212.10496)).
///
/// Needs [`Transformed::with_vector_search`](super::Transformed::with_vector_search).
#[derive(Debug, Clone)]
pub struct HypotheticalAnswer {
    writer: Writer,
}

impl HypotheticalAnswer {
    /// Creates a transform that asks `model`.
    pub fn new(model: impl ChatCompletion + 'static) -> Self {
        Self { writer: Writer::new(model) }
    }

    with_prompt!();
}

#[async_trait]
impl QueryTransform for HypotheticalAnswer {
    fn name(&self) -> &str {
        "hypothetical_answer"
    }

    async fn transform(
        &self,
        history: &ChatHistory,
        question: &str,
    ) -> Result<Vec<TransformedQuery>> {
        let task = "Write a passage of two to four sentences that answers the question, as a document could. Make the \
             answer up if you don't know it: the passage only serves to find similar texts. Write nothing else.";
        let request = Request { history, question, count: 1, task: task.to_owned() };
        let passage = self.writer.write(request).await?;
        let passage = Some(passage).filter(|passage| !passage.trim().is_empty());
        let query = |passage| TransformedQuery::new(passage).with_leg(QueryLeg::Vector);
        Ok(with_question(question, passage.into_iter().map(query)))
    }
}

/// Splits a question that asks several things into at most five questions.
///
/// The metadata of a result lists the `parts` of the question that found it.
#[derive(Debug, Clone)]
pub struct SubQuestions {
    writer: Writer,
}

impl SubQuestions {
    /// Creates a transform that asks `model`.
    pub fn new(model: impl ChatCompletion + 'static) -> Self {
        Self { writer: Writer::new(model) }
    }

    with_prompt!();
}

#[async_trait]
impl QueryTransform for SubQuestions {
    fn name(&self) -> &str {
        "sub_questions"
    }

    async fn transform(
        &self,
        history: &ChatHistory,
        question: &str,
    ) -> Result<Vec<TransformedQuery>> {
        let task = format!(
            "Split the question into the single questions that it asks, at most {MAX_PARTS}. A reader must understand \
             each without the others and without the conversation. Don't answer them. Write one question a line, and \
             nothing else."
        );
        let request = Request { history, question, count: MAX_PARTS, task };
        let lines = self.writer.write_lines(request).await?;
        Ok(lines
            .into_iter()
            .map(|line| TransformedQuery::new(line.as_str()).with_part(line))
            .collect())
    }
}

/// Returns nothing if the model wrote nothing, so that the search reports it.
fn with_question(
    question: &str,
    written: impl Iterator<Item = TransformedQuery>,
) -> Vec<TransformedQuery> {
    let mut queries: Vec<TransformedQuery> = written.collect();
    if !queries.is_empty() {
        queries.insert(0, TransformedQuery::new(question));
    }
    queries
}
