//! Name lookup inside blocks.

use serde_json::Value;

use super::{
    path::LoopVariable,
    value::{Found, Origin},
};

/// The scope of an expression: its block and the enclosing blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'s> {
    outer: Option<&'s Scope<'s>>,
    /// The block's context; `None` for the template itself, whose context is its variables.
    this: Option<&'s Value>,
    origin: Origin,
    turn: Option<Turn<'s>>,
    /// The block parameters for its context and its key.
    names: &'s [String],
    /// The results of the node's calls; `None` for a name that is not a function.
    answers: &'s [Option<Answer>],
}

/// An iteration of a loop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn<'s> {
    pub(super) index: usize,
    /// The number of iterations.
    pub(super) count: usize,
    /// The key of an object's member.
    pub(super) key: Option<&'s str>,
}

/// The result of a function.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) value: Value,
    pub(super) is_trusted: bool,
}

impl<'s> Scope<'s> {
    /// The scope of the template itself.
    pub(super) const ROOT: Self = Self {
        outer: None,
        this: None,
        origin: Origin::Variables,
        turn: None,
        names: &[],
        answers: &[],
    };

    /// Returns the scope of a nested block with the context `value`. It inherits the loop iteration
    /// unless it gets its own.
    pub(super) fn inside(
        &'s self,
        value: &'s Value,
        origin: Origin,
        turn: Option<Turn<'s>>,
        names: &'s [String],
    ) -> Self {
        let turn = turn.or(self.turn);
        Self { outer: Some(self), this: Some(value), origin, turn, names, answers: &[] }
    }

    /// Returns the same scope for a node with these call results.
    pub(super) fn with_answers(self, answers: &'s [Option<Answer>]) -> Self {
        Self { answers, ..self }
    }

    /// Returns the scope `up` blocks out.
    pub(super) fn outer(&'s self, up: usize) -> Option<&'s Self> {
        (0..up).try_fold(self, |scope, _| scope.outer)
    }

    /// Returns the block's context, or `None` if it is all variables.
    pub(super) fn this(&self) -> Option<Found<'s>> {
        let value = self.this.filter(|_| self.origin != Origin::Variables)?;
        Some(Found::at(value, self.origin))
    }

    /// Returns the result of the node's call at `index`, or `None` if it was a name that is not a
    /// function.
    pub(super) fn answer(&self, index: usize) -> Option<Found<'s>> {
        let Answer { value, is_trusted } = self.answers.get(index)?.as_ref()?;
        Some(Found::at(value, Origin::Answer { is_trusted: *is_trusted, is_whole: true }))
    }

    /// Looks up `name` in the parameters of this block and the enclosing ones.
    pub(super) fn named(&self, name: &str) -> Option<Found<'s>> {
        let mut scope = self;
        loop {
            if let Some(position) = scope.names.iter().position(|known| known == name) {
                return match position {
                    0 => Some(Found::at(scope.this?, scope.origin)),
                    _ => scope.loop_variable(LoopVariable::Key),
                };
            }
            scope = scope.outer?;
        }
    }

    /// Returns the value of a loop variable, such as `@index`.
    pub(super) fn loop_variable(&self, variable: LoopVariable) -> Option<Found<'s>> {
        let Turn { index, count, key } = self.turn?;
        Some(match (variable, key) {
            (LoopVariable::First, _) => Found::made(index == 0),
            (LoopVariable::Last, _) => Found::made(index + 1 == count),
            (LoopVariable::Key, Some(key)) => Found::made(key),
            (LoopVariable::Index | LoopVariable::Key, _) => Found::made(index),
        })
    }
}
